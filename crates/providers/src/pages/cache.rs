//! Pages that are kept in memory for a while, within a bound: what was used longest ago goes first.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use blake3::Hash;
use bytes::Bytes;
use jiff::Timestamp;
use lru::LruCache;

use super::ReadPage;
use crate::error::CallFailure;

/// What is known of an address.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CachedOutcome {
    /// The page as it was read.
    Page(Box<ReadPage>),
    /// The page is gone, refused or unreadable.
    Failure(CallFailure),
}

/// An entry of the cache.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CachedPage {
    /// The page, or why there is none.
    pub(super) found: CachedOutcome,
    /// Whoever reads the cache looks at this; the cache may hold it for longer, or shorter.
    pub(super) fresh_until: Timestamp,
}

/// About what an entry takes beside its address and its body.
const ENTRY_BYTES: usize = 1_024;

const DEFAULT_MAX_BYTES: usize = 64 * 1024 * 1024;

/// A page cache that lives as long as the process.
pub struct MemoryPageCache {
    max_bytes: usize,
    kept: Mutex<CacheContents>,
}

struct CacheContents {
    pages: LruCache<String, CachedPage>,
    /// Each body once, with the number of pages that have it.
    bodies: HashMap<Hash, (Bytes, usize)>,
    bytes: usize,
}

impl MemoryPageCache {
    /// Holds at most about so many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            kept: Mutex::new(CacheContents {
                pages: LruCache::unbounded(),
                bodies: HashMap::new(),
                bytes: 0,
            }),
        }
    }

    fn kept(&self) -> MutexGuard<'_, CacheContents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryPageCache {
    fn default() -> Self {
        Self::new(DEFAULT_MAX_BYTES)
    }
}

impl MemoryPageCache {
    /// What is kept under this address, fresh or not.
    pub(super) fn get(&self, url: &str) -> Option<CachedPage> {
        self.kept().pages.get(url).cloned()
    }

    /// Keeps it in place of what was there.
    pub(super) fn put(&self, url: &str, page: CachedPage) {
        let body = match &page.found {
            CachedOutcome::Page(read) => read.bytes.len(),
            CachedOutcome::Failure(_) => 0,
        };
        let mut kept = self.kept();
        kept.remove(url);
        // What fills the cache alone would drive out everything else.
        if entry_bytes(url) + body <= self.max_bytes {
            kept.add(url, page);
        }
        while kept.bytes > self.max_bytes && kept.remove_oldest() {}
    }
}

impl CacheContents {
    fn add(&mut self, url: &str, mut page: CachedPage) {
        if let CachedOutcome::Page(read) = &mut page.found {
            let fresh = || (read.bytes.clone(), 0);
            let (body, users) = self.bodies.entry(read.hash).or_insert_with(fresh);
            if *users == 0 {
                self.bytes += body.len();
            }
            *users += 1;
            read.bytes = body.clone();
        }
        self.bytes += entry_bytes(url);
        self.pages.put(url.to_owned(), page);
    }

    fn remove(&mut self, url: &str) {
        if let Some(page) = self.pages.pop(url) {
            self.release(url, &page);
        }
    }

    fn remove_oldest(&mut self) -> bool {
        let oldest = self.pages.pop_lru();
        if let Some((url, page)) = &oldest {
            self.release(url, page);
        }
        oldest.is_some()
    }

    fn release(&mut self, url: &str, page: &CachedPage) {
        self.bytes -= entry_bytes(url);
        let CachedOutcome::Page(read) = &page.found else {
            return;
        };
        if let Some((body, users)) = self.bodies.get_mut(&read.hash) {
            *users -= 1;
            if *users == 0 {
                self.bytes -= body.len();
                self.bodies.remove(&read.hash);
            }
        }
    }
}

fn entry_bytes(url: &str) -> usize {
    url.len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn page(url: &str, body: &str) -> CachedPage {
        let url = Url::parse(url).unwrap();
        let read = ReadPage {
            requested: url.clone(),
            url,
            status: 200,
            content_type: None,
            fetched_at: Timestamp::UNIX_EPOCH,
            hash: blake3::hash(body.as_bytes()),
            bytes: Bytes::copy_from_slice(body.as_bytes()),
            cut: None,
            redirects: 0,
            from_cache: false,
        };
        CachedPage {
            found: CachedOutcome::Page(Box::new(read)),
            fresh_until: Timestamp::MAX,
        }
    }

    fn url(n: usize) -> String {
        format!("https://example.com/{n:05}")
    }

    fn held(cache: &MemoryPageCache) -> usize {
        let kept = cache.kept();
        let bodies: usize = kept.bodies.values().map(|(body, _)| body.len()).sum();
        let entries: usize = kept.pages.iter().map(|(url, _)| entry_bytes(url)).sum();
        assert_eq!(kept.bytes, bodies + entries, "its account is right");
        kept.bytes
    }

    #[test]
    fn the_bound_is_kept_and_what_was_used_last_stays() {
        let cache = MemoryPageCache::new(100_000);
        for n in 0..200 {
            cache.put(&url(n), page(&url(n), &n.to_string().repeat(2_000)));
            assert!(cache.get(&url(0)).is_some(), "it is used each time");
            assert!(held(&cache) <= 100_000);
        }
        assert!(cache.get(&url(1)).is_none());
        assert!(cache.get(&url(199)).is_some());
        let whole = page(&url(200), &"a".repeat(100_000));
        cache.put(&url(200), whole);
        assert!(cache.get(&url(200)).is_none(), "it would fill the cache");
        assert!(cache.get(&url(0)).is_some());
    }

    #[test]
    fn a_body_that_many_pages_share_is_held_once() {
        let cache = MemoryPageCache::new(1_000_000);
        let body = "a".repeat(100_000);
        for n in 0..50 {
            cache.put(&url(n), page(&url(n), &body));
        }
        assert!(held(&cache) < 200_000);
        cache.put(&url(0), page(&url(0), "another"));
        for n in 1..50 {
            let Some(CachedOutcome::Page(read)) = cache.get(&url(n)).map(|page| page.found) else {
                panic!("it is there");
            };
            assert_eq!(read.bytes, body);
            cache.put(&url(n), page(&url(n), "another"));
        }
        assert!(held(&cache) < 100_000, "nobody has the first body any more");
    }
}
