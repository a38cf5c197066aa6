//! Why a page was not fetched, as facts that the caller can act on.
//!
//! A [`FetchRefusal`] is our own rule saying no: it is final. Every other [`FetchError`] is something that the
//! network or the server did; whether it is worth another attempt is decided by who calls, from the
//! variant and never from its words.

use std::{io, net::IpAddr, time::Duration};

/// What our rules refuse. Trying again gives the same answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchRefusal {
    /// A URL beyond the length limit.
    #[error("the address has {chars} characters, more than {limit}")]
    TooLong {
        /// Its length.
        chars: usize,
        /// The length that is allowed.
        limit: usize,
    },
    /// No URL.
    #[error("not a web address: {why}")]
    Malformed {
        /// What the URL parser says.
        why: String,
    },
    /// Neither `http` nor `https`.
    #[error("only http and https pages are read, not {scheme}")]
    Scheme {
        /// The scheme that was given.
        scheme: String,
    },
    /// A user name or password in the URL.
    #[error("the address carries a user name or password")]
    UserInfo,
    /// A port that pages are not read from.
    #[error("port {port} is not one that pages are read from")]
    Port {
        /// The port that was given.
        port: u16,
    },
    /// A name that belongs to this machine or network.
    #[error("{name} is not a name on the public internet")]
    LocalName {
        /// The name in question.
        name: String,
    },
    /// The metadata service of a cloud, which nobody may open.
    #[error("{host} serves a machine's own metadata")]
    Metadata {
        /// Its name or address.
        host: String,
    },
    /// An address that is not of the public internet.
    #[error("{address} is not a public address: {why}")]
    Address {
        /// The address, perhaps found behind a public name.
        address: IpAddr,
        /// The range that it lies in.
        why: &'static str,
    },
    /// From `https` to `http`.
    #[error("the page sends the reader from https to http")]
    Downgrade,
    /// The page leads on and on.
    #[error("the page redirects more than {limit} times")]
    TooManyRedirects {
        /// Redirects that are followed.
        limit: usize,
    },
    /// A redirect that does not say where to.
    #[error("the page redirects without saying where")]
    NoLocation,
    /// The site's robots.txt excludes the page.
    #[error("the site's robots.txt asks programs not to read this page")]
    Robots,
}

/// Everything that can end a fetch without a page.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The guard's rules or the site's own forbid it.
    #[error(transparent)]
    Refused(#[from] FetchRefusal),
    /// Nobody has the name.
    #[error("no address was found for {name}")]
    NameNotFound {
        /// The host's name.
        name: String,
    },
    /// The name could not be looked up just now.
    #[error("the address of {name} could not be looked up")]
    NameLookup {
        /// The host's name.
        name: String,
    },
    /// No connection.
    #[error("no connection")]
    Connect(#[source] io::Error),
    /// No connection or no handshake in time.
    #[error("no connection within {} s", .limit.as_secs())]
    ConnectTime {
        /// The time that was allowed.
        limit: Duration,
    },
    /// The handshake failed, perhaps for the certificate.
    #[error("the encrypted connection failed")]
    Tls(#[source] io::Error),
    /// Nothing came after the request.
    #[error("no answer began within {} s", .limit.as_secs())]
    FirstByteTime {
        /// The time that was allowed.
        limit: Duration,
    },
    /// The body stopped coming.
    #[error("nothing more came for {} s", .limit.as_secs())]
    IdleTime {
        /// The pause that was allowed.
        limit: Duration,
    },
    /// The page took too long as a whole.
    #[error("not finished within {} s", .limit.as_secs())]
    TotalTime {
        /// The time that was allowed.
        limit: Duration,
    },
    /// The connection was reset, or closed before the answer was complete.
    #[error("the connection broke off")]
    Reset,
    /// What came is no HTTP/1.1 answer within our bounds.
    #[error("the answer is not HTTP as we know it")]
    NotHttp,
    /// A document that cannot be cut is too large.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// Decoded bytes that are allowed.
        limit: usize,
    },
    /// An encoding that was not asked for.
    #[error("encoded in a way we don't read: {encoding}")]
    UnknownEncoding {
        /// Its name, shortened.
        encoding: String,
    },
    /// More than one layer of encoding.
    #[error("encoded more than once")]
    NestedEncoding,
    /// The decoder gave up, or the end is missing.
    #[error("the encoded content is damaged")]
    BrokenEncoding,
    /// It unpacks to far more than an honest page.
    #[error("{encoded} bytes unpack to {decoded} and more")]
    Bomb {
        /// Bytes that came until then.
        encoded: u64,
        /// Bytes that they became.
        decoded: u64,
    },
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
