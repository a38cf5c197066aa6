//! Where pages are kept for a while: a small trait, and a cache in memory.

mod memory;

pub use memory::MemoryPageCache;

use async_trait::async_trait;
use jiff::Timestamp;

use super::ReadPage;
use crate::error::CallFailure;

/// What is known of an address.
#[derive(Clone, Debug, PartialEq)]
pub enum CachedOutcome {
    /// The page as it was read.
    Page(Box<ReadPage>),
    /// The page is gone, refused or unreadable.
    Failure(CallFailure),
}

/// An entry of the cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedPage {
    /// The page, or why there is none.
    pub found: CachedOutcome,
    /// Whoever reads the cache looks at this; the cache may hold it for longer, or shorter.
    pub fresh_until: Timestamp,
}

/// Keeps pages by address, and their bytes once for each hash. A cache that fails is one that has nothing.
#[async_trait]
pub trait PageCache: Send + Sync {
    /// What is kept under this address, fresh or not.
    async fn get(&self, url: &str) -> Option<CachedPage>;

    /// Keeps it in place of what was there.
    async fn put(&self, url: &str, page: CachedPage);
}
