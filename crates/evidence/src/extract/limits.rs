//! How much of a document is read before we stop: a stranger's file must not cost unbounded work.

use serde::{Deserialize, Serialize};

/// Every bound of reading, each a setting of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtractLimits {
    /// A larger file is refused.
    pub document_max_bytes: usize,
    /// Text beyond this is left out, and the document says so.
    pub text_max_bytes: usize,
    /// A page with more markup than this is refused; pages with text on them are far smaller.
    pub html_max_bytes: usize,
    /// Elements inside elements beyond this are flattened into the one around them.
    pub html_max_depth: usize,
    /// A page with more tags is read as a whole, without looking for its main content.
    pub html_max_tags: usize,
    /// Pages of a PDF beyond this are left out, and the document says so.
    pub pdf_max_pages: u32,
    /// A packed document (DOCX) with more parts is refused.
    pub zip_max_entries: usize,
    /// A part of a packed document that grows beyond this is refused.
    pub zip_max_expanded_bytes: usize,
}

impl Default for ExtractLimits {
    fn default() -> Self {
        Self {
            document_max_bytes: 64 << 20,
            text_max_bytes: 8 << 20,
            html_max_bytes: 16 << 20,
            html_max_depth: 512,
            html_max_tags: 60_000,
            pdf_max_pages: 2_000,
            zip_max_entries: 4_096,
            zip_max_expanded_bytes: 64 << 20,
        }
    }
}
