//! What an attempt can end in, in plain data: an answer that is no success, or no answer at all.
//!
//! Whoever speaks HTTP fills these in; deciding what they mean is `classify.rs`.

use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};

use crate::Secret;

/// As much of an answer's body as is looked at for the provider's error code.
pub(crate) const BODY_PREFIX_MAX: usize = 16 * 1024;

/// What is called, which decides about attempts, waits and time-outs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// A language model or an embedder.
    Model,
    /// A search engine or a register of works.
    Search,
    /// A web page; its host counts as the provider.
    Page,
}

/// Why an attempt brought nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptError {
    /// The server answered, but not with what was asked for.
    Answer(FailedResponse),
    /// No usable answer came.
    Transport(TransportError),
    /// Our own mistake, such as a request that could not be built.
    Bug,
}

impl From<FailedResponse> for AttemptError {
    fn from(answer: FailedResponse) -> Self {
        Self::Answer(answer)
    }
}

impl From<TransportError> for AttemptError {
    fn from(fault: TransportError) -> Self {
        Self::Transport(fault)
    }
}

/// An answer that is no success: an error status, or a success with an error inside.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FailedResponse {
    /// The HTTP status, which may be a success with an error in the body.
    pub status: u16,
    /// They may say how long to wait.
    pub headers: ResponseHeaders,
    /// At most its first 16 KiB.
    pub body: Vec<u8>,
}

impl FailedResponse {
    /// Keeps the beginning of the body.
    pub fn new(status: u16, headers: ResponseHeaders, body: &[u8]) -> Self {
        Self {
            status,
            headers,
            body: body[..body.len().min(BODY_PREFIX_MAX)].to_vec(),
        }
    }

    /// The answer without this key, which some servers repeat.
    pub fn strike(mut self, secret: &Secret) -> Self {
        self.headers = self.headers.strike(secret);
        self.body = secret
            .strike(&String::from_utf8_lossy(&self.body))
            .into_owned()
            .into_bytes();
        self
    }
}

// What a server says may hold a key or a page's text, so logs get its size only.
impl fmt::Debug for FailedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FailedResponse")
            .field("status", &self.status)
            .field("headers", &self.headers.iter().count())
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// An answer's headers. Values that are no ASCII text are as good as absent.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ResponseHeaders(Arc<HeaderMap>);

impl ResponseHeaders {
    /// By its name in lower case; of several, the first.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.to_str().ok()
    }

    /// Names in lower case and values, without those that are no ASCII text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    fn strike(&self, secret: &Secret) -> Self {
        let struck = |(name, value)| (name, secret.strike(value));
        self.iter().map(struck).collect()
    }
}

impl From<HeaderMap> for ResponseHeaders {
    fn from(headers: HeaderMap) -> Self {
        Self(Arc::new(headers))
    }
}

/// Names and values that HTTP does not allow are left out.
impl<N: AsRef<str>, V: AsRef<str>> FromIterator<(N, V)> for ResponseHeaders {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> Self {
        let header = |(name, value): (N, V)| {
            let name = HeaderName::from_bytes(name.as_ref().as_bytes()).ok()?;
            let value = HeaderValue::from_str(value.as_ref()).ok()?;
            Some((name, value))
        };
        let mut map = HeaderMap::new();
        for (name, value) in headers.into_iter().filter_map(header) {
            map.append(name, value);
        }
        map.into()
    }
}

/// No usable answer: how the way to the server or back failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransportError {
    /// No connection within the time for one.
    Connect,
    /// The handshake took too long.
    TlsTimeout,
    /// The certificate or the protocol was not accepted.
    TlsRefused,
    /// The name could not be looked up just now.
    DnsTemporary,
    /// There is no such name.
    DnsUnknown,
    /// Nobody listens at that port.
    Refused,
    /// The connection broke.
    Reset,
    /// Connected, but nothing came.
    FirstByte,
    /// It began, and then nothing more came.
    Idle,
    /// The whole attempt took too long.
    Total,
    /// The body ended before its end.
    Truncated,
    /// What came is not HTTP.
    Protocol,
    /// The page leads on and on.
    TooManyRedirects,
    /// More bytes came than the limit allows.
    TooLarge,
    /// The body is not what was asked for: HTML instead of JSON, an unknown encoding, a missing field.
    Decode,
    /// The guard does not let us go there.
    Forbidden,
    /// The site asks programs not to read this page.
    Robots,
}
