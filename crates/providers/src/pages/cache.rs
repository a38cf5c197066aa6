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
    Page(Box<ReadPage>),
    /// The page is gone, refused or unreadable.
    Failure(CallFailure),
}

#[derive(Clone, Debug, PartialEq)]
pub struct CachedPage {
    pub found: CachedOutcome,
    /// Whoever reads the cache looks at this; the cache may hold it for longer, or shorter.
    pub fresh_until: Timestamp,
}

/// Keeps pages by address, and their bytes once for each hash. A cache that fails is one that has nothing.
#[async_trait]
pub trait PageCache: Send + Sync {
    async fn get(&self, url: &str) -> Option<CachedPage>;

    async fn put(&self, url: &str, page: CachedPage);
}
