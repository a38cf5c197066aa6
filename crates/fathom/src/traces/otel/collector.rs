//! The collector that traces are sent to: an address of the operator's, asked over plain HTTP.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::Uri;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderValue};
use hyper_util::rt::TokioIo;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// Bytes of a reply that are read.
const REPLY_BYTES: usize = 64 * 1024;

/// How long a collector may take to accept traces.
const SEND_TIME: Duration = Duration::from_secs(10);

/// Where a collector listens.
#[derive(Clone, Debug)]
pub struct Collector {
    authority: String,
    /// Traces are sent by a thread of their own, and travel on this runtime.
    runtime: Handle,
}

impl Collector {
    /// Reads an address; why it cannot be used, where it cannot.
    pub fn parse(address: &str) -> Result<Self, String> {
        let uri: Uri = address.parse().map_err(|_| "it is no address".to_owned())?;
        if uri.scheme_str() != Some("http") {
            return Err(
                "it must begin with http://; a collector beside this program can pass traces on"
                    .to_owned(),
            );
        }
        let authority = uri.authority().ok_or("it names no host")?;
        let port = authority.port_u16().unwrap_or(80);
        Ok(Self {
            authority: format!("{}:{port}", authority.host()),
            runtime: Handle::current(),
        })
    }

    async fn send(self, mut request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let stream = TcpStream::connect(&self.authority).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the reply.
        tokio::spawn(connection);
        let path = request.uri().path_and_query().cloned();
        let host = HeaderValue::from_str(&self.authority)?;
        request.headers_mut().insert(HOST, host);
        *request.uri_mut() = path.map_or_else(Uri::default, Uri::from);
        let reply = sender.send_request(request.map(Full::new)).await?;
        let (parts, body) = reply.into_parts();
        let body = Limited::new(body, REPLY_BYTES).collect().await?;
        Ok(Response::from_parts(parts, body.to_bytes()))
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let collector = self.clone();
        // A collector that is silent must not hold up the traces behind this one, nor the end of the program.
        let sending = self
            .runtime
            .spawn(async move { timeout(SEND_TIME, collector.send(request)).await });
        sending.await??
    }
}
