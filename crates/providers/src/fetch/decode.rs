//! Undoes the one encoding that an answer may have, as its bytes come: gzip or deflate, which every server knows.
//!
//! A second layer is refused: no honest server needs it, and each layer multiplies a bomb.

use std::pin::Pin;

use async_compression::tokio::bufread::{DeflateDecoder, GzipDecoder, ZlibDecoder};
use http::{HeaderMap, header};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead};

use super::FetchError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentEncoding {
    Identity,
    Gzip,
    Deflate,
}

impl ContentEncoding {
    /// What the headers say, which may be spread over several lines.
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, FetchError> {
        let mut found = Self::Identity;
        for value in headers.get_all(header::CONTENT_ENCODING) {
            let value = String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase();
            for name in value.split(',').map(str::trim) {
                let encoding = Self::named(name)?;
                if encoding != Self::Identity && found != Self::Identity {
                    return Err(FetchError::NestedEncoding);
                }
                if encoding != Self::Identity {
                    found = encoding;
                }
            }
        }
        Ok(found)
    }

    fn named(name: &str) -> Result<Self, FetchError> {
        match name {
            "" | "identity" | "none" => Ok(Self::Identity),
            "gzip" | "x-gzip" => Ok(Self::Gzip),
            "deflate" => Ok(Self::Deflate),
            unknown => Err(FetchError::UnknownEncoding {
                encoding: unknown.chars().take(40).collect(),
            }),
        }
    }

    pub(super) async fn decode<'a>(
        self,
        mut encoded: impl AsyncBufRead + Send + Unpin + 'a,
    ) -> Result<Pin<Box<dyn AsyncRead + Send + 'a>>, FetchError> {
        let first = encoded.fill_buf().await.map_err(FetchError::from_io)?;
        // No bytes at all are an empty page, whatever the header says.
        let Some(first) = first.first().copied() else {
            return Ok(Box::pin(encoded));
        };
        Ok(match self {
            Self::Identity => Box::pin(encoded),
            // As browsers do: what follows the first gzip member is left unread.
            Self::Gzip => Box::pin(GzipDecoder::new(encoded)),
            // "deflate" means zlib, but some servers send it without zlib's header.
            Self::Deflate if first & 0x0f == 8 => Box::pin(ZlibDecoder::new(encoded)),
            Self::Deflate => Box::pin(DeflateDecoder::new(encoded)),
        })
    }
}
