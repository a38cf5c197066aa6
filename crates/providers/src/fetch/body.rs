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

use super::{Fault, Limits, decode::Encoding, exchange::Body};

const CHUNK_BYTES: usize = 16 * 1024;

/// Below this size no expansion does harm, and an honest page of blanks may well expand that much.
const EXPANSION_FREE_BYTES: u64 = 64 * 1024;

/// How documents begin that are worthless when cut: PDF, and ZIP for DOCX.
const WHOLE: [&[u8]; 2] = [b"%PDF-", b"PK\x03\x04"];

/// What is missing from the end of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Only so many bytes were kept.
    pub at_bytes: usize,
}

/// Gives the decoded bytes. A text that is too long is cut, anything else is a fault.
pub(super) async fn read(
    body: Body,
    headers: &HeaderMap,
    limits: &Limits,
) -> Result<(Vec<u8>, Option<Cut>), Fault> {
    let encoding = Encoding::of(headers)?;
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
    limits: &Limits,
) -> Result<(Vec<u8>, Option<Cut>), Fault> {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = decoded.read(&mut chunk).await.map_err(Fault::from_io)?;
        if count == 0 {
            // Pages are kept for a while, and room for growth is up to half of it.
            bytes.shrink_to_fit();
            return Ok((bytes, None));
        }
        bytes.extend_from_slice(&chunk[..count]);
        check_expansion(encoded.load(Ordering::Relaxed), bytes.len() as u64, limits)?;
        let whole = WHOLE.iter().any(|start| bytes.starts_with(start));
        let limit = match whole {
            true => limits.document_max_bytes,
            false => limits.text_max_bytes,
        };
        if bytes.len() > limit && whole {
            return Err(Fault::TooLarge { limit });
        }
        if bytes.len() > limit {
            bytes.truncate(limit);
            return Ok((bytes, Some(Cut { at_bytes: limit })));
        }
    }
}

fn check_expansion(encoded: u64, decoded: u64, limits: &Limits) -> Result<(), Fault> {
    if decoded > EXPANSION_FREE_BYTES && decoded > encoded.saturating_mul(limits.expansion_max) {
        return Err(Fault::Bomb { encoded, decoded });
    }
    Ok(())
}

/// A PDF that says it is too large is not begun.
fn refuse_declared(headers: &HeaderMap, limits: &Limits) -> Result<(), Fault> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let length = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    let pdf = text(header::CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/pdf"));
    let limit = limits.document_max_bytes;
    if pdf && length.is_some_and(|length| length > limit as u64) {
        return Err(Fault::TooLarge { limit });
    }
    Ok(())
}
