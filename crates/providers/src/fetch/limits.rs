//! The bounds of a fetch. The defaults are the rules; tests may tighten them.

use std::time::Duration;

const MIB: usize = 1024 * 1024;

/// Time and size limits for one page.
#[derive(Clone, Debug)]
pub struct FetchLimits {
    /// Of looking up the name, of connecting, and of the encrypted handshake, each.
    pub connect: Duration,
    /// From the sent request to the last of the answer's headers.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// Of a page with its redirects and its robots.txt; waiting for the host's turn not counted.
    pub total: Duration,
    /// Followed at most.
    pub redirects: usize,
    /// Decoded bytes of a text; what is longer is cut.
    pub text_max_bytes: usize,
    /// Decoded bytes of a document that can't be cut, such as PDF.
    pub document_max_bytes: usize,
    /// Decoded bytes for each encoded one.
    pub expansion_max: u64,
    /// Connections to one host.
    pub at_once_per_host: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(15),
            idle: Duration::from_secs(10),
            total: Duration::from_secs(45),
            redirects: 5,
            text_max_bytes: 5 * MIB,
            document_max_bytes: 25 * MIB,
            expansion_max: 100,
            at_once_per_host: 2,
        }
    }
}
