//! The client for addresses from the operator's settings: models, search, registers of works.
//!
//! Takes an [`HttpRequest`] and sends it once; gives the whole answer, or a body to be read piece by piece, or an
//! [`AttemptError`] that the call layer understands. It follows no redirect, since a key must not travel to another host.
//! Pages of strangers are never read with it: that is `fetch`.

mod address;
mod body;
mod request;
mod transport;

pub(crate) use address::authority;
pub use address::{BaseUrl, BaseUrlError};
pub(crate) use body::OpenResponse;
pub(crate) use request::HttpRequest;

use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect;
use serde::de::DeserializeOwned;
use url::Url;

use crate::Secret;
use crate::call::{AttemptError, CallAttempt, FailedResponse, ResponseHeaders};
use crate::fetch::{NameResolver as _, SystemNetwork};
use crate::tls;

/// The name that every provider is told.
pub(crate) const AGENT: &str = concat!("fathom/", env!("CARGO_PKG_VERSION"), " (research engine)");

/// Time and size limits for providers from the settings.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// For the connection and the encrypted handshake together.
    pub connect: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// Decoded bytes of one answer.
    pub answer_max_bytes: usize,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(30),
            answer_max_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Holds the connections; cheap to clone.
#[derive(Clone)]
pub struct HttpClient {
    http: reqwest::Client,
    settings: ClientSettings,
}

/// Why there can be no client at all.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Certificates of the machine could not be used.
    #[error(
        "this machine trusts no certificate; install its certificates (package ca-certificates)"
    )]
    Tls(#[from] rustls::Error),
    /// The client refused its own set-up.
    #[error("the HTTP client cannot be set up; this is a fault in Fathom, please report it")]
    Http(#[from] reqwest::Error),
}

impl HttpClient {
    /// Reads the machine's certificates, which takes a while: make one and clone it.
    pub fn new(settings: ClientSettings) -> Result<Self, ClientError> {
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::system()?)
            .user_agent(AGENT)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .connect_timeout(settings.connect)
            .dns_resolver(SystemNames)
            .build()?;
        Ok(Self { http, settings })
    }

    /// Looks at an address once within this time: the status and the beginning of the answer, or in a few words why there
    /// is none. A key goes into the header of this name, behind these words.
    pub(crate) async fn glance(
        &self,
        url: Url,
        key: Option<((&'static str, &str), &Secret)>,
        within: Duration,
    ) -> Result<(u16, Vec<u8>), String> {
        let mut request = HttpRequest::get(url, within);
        if let Some(((name, words), key)) = key {
            request = request.key_behind(name, words, key);
        }
        let asked = async {
            let sent = self.http.execute(request.http.ok_or(Silence::Garbled)?);
            let mut response = sent.await.map_err(|error| {
                if error.is_connect() {
                    Silence::NoConnection
                } else {
                    Silence::Garbled
                }
            })?;
            let mut body = Vec::new();
            while body.len() < GLANCE_MAX_BYTES
                && let Some(piece) = response.chunk().await.map_err(|_| Silence::Garbled)?
            {
                body.extend_from_slice(&piece);
            }
            Ok((response.status().as_u16(), body))
        };
        let asked = tokio::time::timeout(within, asked).await;
        asked
            .unwrap_or(Err(Silence::Late))
            .map_err(|silence| match silence {
                Silence::NoConnection => "no connection".to_owned(),
                Silence::Garbled => "no answer that can be read".to_owned(),
                Silence::Late => format!("no answer within {} s", within.as_secs_f64()),
            })
    }

    /// Sends the request and reads the whole answer. Anything but a success is a fault.
    pub(crate) async fn ask(
        &self,
        attempt: &CallAttempt,
        request: HttpRequest,
    ) -> Result<HttpReply, AttemptError> {
        let mut opened = self.open(attempt, request).await?;
        let body = opened.rest(Vec::new()).await?;
        Ok(opened.reply(body))
    }

    /// Sends the request and waits for the answer's head; its body is read by [`OpenResponse::next`].
    pub(crate) async fn open(
        &self,
        attempt: &CallAttempt,
        request: HttpRequest,
    ) -> Result<OpenResponse, AttemptError> {
        let HttpRequest {
            http,
            secrets,
            first_byte,
            idle,
        } = request;
        let sent = self.http.execute(http.ok_or(AttemptError::Bug)?);
        let mut opened = OpenResponse::wait(
            sent,
            secrets,
            (first_byte, idle.unwrap_or(self.settings.idle)),
            self.settings.answer_max_bytes,
        )
        .await?;
        if !opened.is_success() {
            return Err(opened.refusal().await);
        }
        attempt.saw(opened.headers().clone());
        Ok(opened)
    }
}

/// Why a glance showed nothing.
enum Silence {
    NoConnection,
    Garbled,
    Late,
}

/// Bytes of an answer that is only glanced at.
const GLANCE_MAX_BYTES: usize = 256 * 1024;

/// A success, read to its end.
pub(crate) struct HttpReply {
    headers: ResponseHeaders,
    status: u16,
    body: Bytes,
    secrets: Vec<Secret>,
}

impl HttpReply {
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The answer without the keys that were sent: some servers repeat the request, and hits are stored.
    pub(crate) fn struck(mut self) -> Self {
        for secret in &self.secrets {
            let text = String::from_utf8_lossy(&self.body);
            if let Cow::Owned(struck) = secret.strike(&text) {
                self.body = struck.into_bytes().into();
            }
        }
        self
    }

    /// The body as JSON. What is no such JSON becomes a fault by its own error code, if it carries one.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, AttemptError> {
        serde_json::from_slice(&self.body).map_err(|_| self.refused())
    }

    /// The success that is none: the fault that says what came instead.
    pub(crate) fn refused(&self) -> AttemptError {
        let answer = FailedResponse::new(self.status, self.headers.clone(), &self.body);
        strike(answer, &self.secrets).into()
    }
}

fn strike(answer: FailedResponse, secrets: &[Secret]) -> FailedResponse {
    secrets.iter().fold(answer, FailedResponse::strike)
}

/// The machine's names. A look-up that failed keeps its type on the way through the client.
struct SystemNames;

#[derive(Debug, PartialEq, thiserror::Error)]
enum NameLookupError {
    #[error("nobody has the name")]
    Unknown,
    #[error("the name could not be looked up")]
    NotAsked,
}

impl From<io::Error> for NameLookupError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Unknown,
            _ => Self::NotAsked,
        }
    }
}

impl Resolve for SystemNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = SystemNetwork.resolve(name.as_str()).await;
            let found = found.map_err(NameLookupError::from)?.into_iter();
            Ok(Box::new(found.map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
