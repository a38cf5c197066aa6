//! Reads a body into memory, within its limits, whatever it says about itself.
//!
//! Counted are the bytes that come out of the decoder; a `Content-Length` is believed only when it
//! already condemns. What is held is the decoded bytes and a few small buffers, never the encoded body.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use futures::TryStreamExt;
use http::{HeaderMap, header};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::io::StreamReader;

use super::{FetchError, FetchLimits, decode::ContentEncoding, exchange::RawBody};

const CHUNK_BYTES: usize = 16 * 1024;

/// Below this size no expansion does harm, and an honest page of blanks may well expand that much.
const EXPANSION_FREE_BYTES: u64 = 64 * 1024;

/// How documents begin that are worthless when cut: PDF, and ZIP for DOCX.
const WHOLE: [&[u8]; 2] = [b"%PDF-", b"PK\x03\x04"];

/// What is missing from the end of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCut {
    /// Only so many bytes were kept.
    pub at_bytes: usize,
}

/// Gives the decoded bytes. A text that is too long is cut, anything else is a fault.
pub(super) async fn read(
    body: RawBody,
    headers: &HeaderMap,
    limits: &FetchLimits,
) -> Result<(Vec<u8>, Option<PageCut>), FetchError> {
    let encoding = ContentEncoding::from_headers(headers)?;
    refuse_declared(headers, limits)?;
    let encoded = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&encoded);
    let pieces = body.pieces(limits).inspect_ok(move |piece| {
        counter.fetch_add(piece.len() as u64, Ordering::Relaxed);
    });
    let reader = StreamReader::new(Box::pin(pieces));
    let mut decoded = encoding.decode(reader).await?;
    collect(&mut decoded, &encoded, limits).await
}

async fn collect(
    decoded: &mut (impl AsyncRead + Unpin),
    encoded: &AtomicU64,
    limits: &FetchLimits,
) -> Result<(Vec<u8>, Option<PageCut>), FetchError> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = decoded
            .read(&mut chunk)
            .await
            .map_err(FetchError::from_io)?;
        if count == 0 {
            // Pages are kept for a while, and room for growth is up to half of it.
            bytes.shrink_to_fit();
            return Ok((bytes, None));
        }
        bytes.extend_from_slice(&chunk[..count]);
        check_expansion(encoded.load(Ordering::Relaxed), bytes.len() as u64, limits)?;
        let whole = WHOLE.iter().any(|start| bytes.starts_with(start));
        let limit = if whole {
            limits.document_max_bytes
        } else {
            limits.text_max_bytes
        };
        if bytes.len() > limit && whole {
            return Err(FetchError::TooLarge { limit });
        }
        if bytes.len() > limit {
            bytes.truncate(limit);
            return Ok((bytes, Some(PageCut { at_bytes: limit })));
        }
    }
}

fn check_expansion(encoded: u64, decoded: u64, limits: &FetchLimits) -> Result<(), FetchError> {
    if decoded > EXPANSION_FREE_BYTES && decoded > encoded.saturating_mul(limits.expansion_max) {
        return Err(FetchError::Bomb { encoded, decoded });
    }
    Ok(())
}

/// A PDF that says it is too large is not begun.
fn refuse_declared(headers: &HeaderMap, limits: &FetchLimits) -> Result<(), FetchError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    let pdf = text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/pdf"));
    let limit = limits.document_max_bytes;
    if pdf && length.is_some_and(|length| length > limit as u64) {
        return Err(FetchError::TooLarge { limit });
    }
    Ok(())
}
