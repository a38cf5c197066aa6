//! One request on one fresh connection, and its answer: status, headers, and a body yet to be read.
//!
//! Nothing of ours goes out but the address, the agent's name, what we can read and the version that we have: no cookie,
//! no referrer, no key. The connection lives as long as the answer and is closed with it.

use std::io;

use bytes::Bytes;
use futures::{Stream, stream};
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::{BodyExt, Empty};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::{FetchError, FetchLimits, FetchTarget, dial::WireStream, page::PageVersion};
use crate::client::authority;

const HEADERS_MAX: usize = 100;
const BUFFER_MAX_BYTES: usize = 64 * 1024;

const ACCEPT: &str = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5";

pub(super) struct RawResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: RawBody,
}

/// A body on its way, with the task that drives its connection.
pub(super) struct RawBody {
    incoming: Incoming,
    _connection: AbortOnDropHandle<hyper::Result<()>>,
}

/// Asks for the target and waits for the answer's headers.
pub(super) async fn ask(
    wire: Box<dyn WireStream>,
    target: &FetchTarget,
    known: &PageVersion,
    agent: &str,
    limits: &FetchLimits,
) -> Result<RawResponse, FetchError> {
    let request = request(target, known, agent)?;
    let limit = limits.first_byte;
    let answer = timeout(limit, send(wire, request))
        .await
        .map_err(|_| FetchError::FirstByteTime { limit })?;
    answer.map_err(|error| fault(&error))
}

async fn send(
    wire: Box<dyn WireStream>,
    request: Request<Empty<Bytes>>,
) -> hyper::Result<RawResponse> {
    let (mut sender, connection) = http1::Builder::new()
        .max_headers(HEADERS_MAX)
        .max_buf_size(BUFFER_MAX_BYTES)
        .handshake(TokioIo::new(wire))
        .await?;
    let connection = AbortOnDropHandle::new(tokio::spawn(connection));
    let (head, incoming) = sender.send_request(request).await?.into_parts();
    Ok(RawResponse {
        status: head.status,
        headers: head.headers,
        body: RawBody {
            incoming,
            _connection: connection,
        },
    })
}

fn request(
    target: &FetchTarget,
    known: &PageVersion,
    agent: &str,
) -> Result<Request<Empty<Bytes>>, FetchError> {
    let url = target.url();
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut request = Request::get(path);
    if let Some(etag) = &known.etag {
        request = request.header(header::IF_NONE_MATCH, etag);
    }
    if let Some(last_modified) = &known.last_modified {
        request = request.header(header::IF_MODIFIED_SINCE, last_modified);
    }
    request
        .header(header::HOST, authority(url))
        .header(header::USER_AGENT, agent)
        .header(header::ACCEPT, ACCEPT)
        .header(header::ACCEPT_ENCODING, "gzip, deflate")
        .header(header::CONNECTION, "close")
        .body(Empty::new())
        .map_err(|error| {
            let why = error.to_string();
            FetchError::Refused(super::FetchRefusal::Malformed { why })
        })
}

impl RawBody {
    /// The body's pieces as they come, each within the idle limit; a fault travels as `io::Error`.
    pub(super) fn pieces(
        self,
        limits: &FetchLimits,
    ) -> impl Stream<Item = io::Result<Bytes>> + use<> {
        let limit = limits.idle;
        stream::try_unfold(self, move |mut body| async move {
            loop {
                let frame = match timeout(limit, body.incoming.frame()).await {
                    Err(_) => return Err(FetchError::IdleTime { limit }.into_io()),
                    Ok(None) => return Ok(None),
                    Ok(Some(Err(error))) => return Err(fault(&error).into_io()),
                    Ok(Some(Ok(frame))) => frame,
                };
                // Trailers carry nothing that we use.
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some((bytes, body)));
                }
            }
        })
    }
}

fn fault(error: &hyper::Error) -> FetchError {
    if error.is_parse() {
        FetchError::NotHttp
    } else {
        FetchError::Reset
    }
}
