//! Why a page was not fetched, as facts that the caller can act on.
//!
//! A [`FetchRefusal`] is our own rule saying no: it is final. Every other [`FetchError`] is something that the
//! network or the server did; whether it is worth another attempt is decided by who calls, from the
//! variant and never from its words.

use std::{io, net::IpAddr, time::Duration};

/// What our rules refuse. Trying again gives the same answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchRefusal {
    #[error("the address has {chars} characters, more than {limit}")]
    TooLong { chars: usize, limit: usize },
    #[error("not a web address: {why}")]
    Malformed { why: String },
    #[error("only http and https pages are read, not {scheme}")]
    Scheme { scheme: String },
    #[error("the address carries a user name or password")]
    UserInfo,
    #[error("port {port} is not one that pages are read from")]
    Port { port: u16 },
    #[error("{name} is not a name on the public internet")]
    LocalName { name: String },
    #[error("{host} serves a machine's own metadata")]
    Metadata { host: String },
    #[error("{address} is not a public address: {why}")]
    Address { address: IpAddr, why: &'static str },
    #[error("the page sends the reader from https to http")]
    Downgrade,
    #[error("the page redirects more than {limit} times")]
    TooManyRedirects { limit: usize },
    #[error("the page redirects without saying where")]
    NoLocation,
    #[error("the site's robots.txt asks programs not to read this page")]
    Robots,
}

/// Everything that can end a fetch without a page.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Refused(#[from] FetchRefusal),
    #[error("no address was found for {name}")]
    NameNotFound { name: String },
    #[error("the address of {name} could not be looked up")]
    NameLookup { name: String },
    #[error("no connection")]
    Connect(#[source] io::Error),
    #[error("no connection within {} s", .limit.as_secs())]
    ConnectTime { limit: Duration },
    #[error("the encrypted connection failed")]
    Tls(#[source] io::Error),
    #[error("no answer began within {} s", .limit.as_secs())]
    FirstByteTime { limit: Duration },
    #[error("nothing more came for {} s", .limit.as_secs())]
    IdleTime { limit: Duration },
    #[error("not finished within {} s", .limit.as_secs())]
    TotalTime { limit: Duration },
    /// The connection was reset, or closed before the answer was complete.
    #[error("the connection broke off")]
    Reset,
    #[error("the answer is not HTTP as we know it")]
    NotHttp,
    #[error("larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("encoded in a way we don't read: {encoding}")]
    UnknownEncoding { encoding: String },
    #[error("encoded more than once")]
    NestedEncoding,
    #[error("the encoded content is damaged")]
    BrokenEncoding,
    #[error("{encoded} bytes unpack to {decoded} and more")]
    Bomb { encoded: u64, decoded: u64 },
    /// RFC 9309: a site whose rules can't be learnt is closed, for the time being.
    #[error("the site's robots.txt could not be read, so its pages are left alone for now")]
    RobotsUnreachable,
}

impl FetchError {
    /// Did it happen before anything was asked?
    pub(super) fn is_unconnected(&self) -> bool {
        matches!(
            self,
            Self::Refused(_)
                | Self::NameNotFound { .. }
                | Self::NameLookup { .. }
                | Self::Connect(_)
                | Self::ConnectTime { .. }
                | Self::Tls(_)
        )
    }

    /// A decoder and a stream can only pass on `io::Error`: a fault travels inside it.
    pub(super) fn into_io(self) -> io::Error {
        io::Error::other(self)
    }

    /// Takes the fault out again; any other error came from the decoder itself.
    pub(super) fn from_io(error: io::Error) -> Self {
        error
            .downcast::<FetchError>()
            .unwrap_or(Self::BrokenEncoding)
    }
}
