//! A page that was read: its bytes, and where and when they came from.

use std::fmt;

use blake3::Hash;
use bytes::Bytes;
use jiff::Timestamp;
use url::Url;

use crate::fetch::{FetchedPage, PageCut};

/// A page that was read, now or earlier.
#[derive(Clone, PartialEq)]
pub struct ReadPage {
    /// What was asked for, as the guard understood it.
    pub requested: Url,
    /// Where the bytes came from, after redirects.
    pub url: Url,
    /// Always a success.
    pub status: u16,
    /// As the server declared it, which may be wrong.
    pub content_type: Option<String>,
    /// When the bytes came from the server, also for a page from the cache.
    pub fetched_at: Timestamp,
    /// blake3 of the bytes.
    pub hash: Hash,
    /// Decoded from their transfer, not yet from their charset.
    pub bytes: Bytes,
    /// Set if the end is missing because of the size limit.
    pub cut: Option<PageCut>,
    /// How many were followed.
    pub redirects: usize,
    /// Nothing was asked this time.
    pub from_cache: bool,
}

impl ReadPage {
    pub(super) fn new(requested: &Url, page: FetchedPage, fetched_at: Timestamp) -> Self {
        let bytes = Bytes::from(page.bytes);
        Self {
            requested: requested.clone(),
            url: page.url,
            status: page.status.as_u16(),
            hash: blake3::hash(&bytes),
            content_type: page.content_type,
            fetched_at,
            bytes,
            cut: page.cut,
            redirects: page.redirects,
            from_cache: false,
        }
    }

    /// The same page as if it had been asked for where it was found.
    pub(super) fn at_its_own_address(&self) -> Self {
        Self {
            requested: self.url.clone(),
            redirects: 0,
            ..self.clone()
        }
    }
}

impl fmt::Debug for ReadPage {
    /// Without the bytes: a stranger's text has no place in our logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadPage")
            .field("url", &self.url.as_str())
            .field("bytes", &self.bytes.len())
            .field("cut", &self.cut)
            .field("from_cache", &self.from_cache)
            .finish_non_exhaustive()
    }
}
