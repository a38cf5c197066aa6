//! Answers that are kept for a while, so that a question put again within that time is not sent again.
//!
//! Takes a [`SearchQuery`] and what a provider answered; gives the answer back as long as it counts. What is kept does not
//! depend on who answered, but an answer counts only while the same provider is asked first, at the same address: whoever
//! sets up a better one gets its answers at once. The bytes lie in a [`FolderSearchCache`].

mod folder;

pub use folder::FolderSearchCache;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{SearchAnswer, SearchQuery};
use crate::call::{ChainAnswer, ProviderName};
use crate::{BaseUrl, Clock};

/// An empty answer, or one by another provider than the first, may be due to a bad hour.
const THIN_KEPT_MAX: Duration = Duration::from_secs(60 * 60);

/// Part of every name, so that answers of an older form are not found any more.
const FORM: u32 = 2;

/// Who is asked first for a kind of sources, and where.
pub(super) struct FirstPlace<'a> {
    pub(super) provider: ProviderName,
    pub(super) address: &'a BaseUrl,
}

/// What is known of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedAnswer {
    /// What the engine answered.
    pub found: SearchAnswer,
    /// Which engine answered.
    pub by: ProviderName,
    /// Who was asked first.
    pub first: ProviderName,
    /// Whoever reads the cache looks at this; the cache may hold it for longer, or shorter.
    pub kept_at: Timestamp,
}

/// How long answers are kept, and where.
#[derive(Clone)]
pub struct SearchCaching {
    /// Where answers are kept.
    pub cache: Arc<FolderSearchCache>,
    /// Tells whether an answer is still fresh.
    pub clock: Arc<dyn Clock>,
    /// How long an answer is fresh.
    pub kept: Duration,
}

impl SearchCaching {
    /// The answer to this question, if one is kept that still counts.
    pub(super) async fn answer(
        &self,
        query: &SearchQuery,
        first: &FirstPlace<'_>,
    ) -> Option<ChainAnswer<SearchAnswer>> {
        let answer = self.cache.get(&name(query, first.address)?).await?;
        let counts = answer.first == first.provider && self.is_fresh(&answer);
        counts.then(|| ChainAnswer {
            value: SearchAnswer {
                from_cache: true,
                ..answer.found
            },
            by: answer.by,
            tried: Vec::new(),
        })
    }

    pub(super) async fn keep(
        &self,
        query: &SearchQuery,
        first: &FirstPlace<'_>,
        served: &ChainAnswer<SearchAnswer>,
    ) {
        let answer = CachedAnswer {
            found: served.value.clone(),
            by: served.by.clone(),
            first: first.provider.clone(),
            kept_at: self.clock.now(),
        };
        if let Some(name) = name(query, first.address) {
            self.cache.put(&name, answer).await;
        }
    }

    /// A time to come is that of a clock that was set back, and says nothing.
    fn is_fresh(&self, answer: &CachedAnswer) -> bool {
        let is_thin = answer.found.hits.is_empty() || answer.by != answer.first;
        let most = if is_thin {
            THIN_KEPT_MAX
        } else {
            Duration::MAX
        };
        let kept = SignedDuration::try_from(self.kept.min(most)).unwrap_or(SignedDuration::MAX);
        let age = self.clock.now().duration_since(answer.kept_at);
        (SignedDuration::ZERO..kept).contains(&age)
    }
}

/// The question, whoever answers it: its kind, its words, its bounds, and where it is put first. The day on which it is put
/// counts only where it bounds the answer, as it does for news.
fn name(query: &SearchQuery, address: &BaseUrl) -> Option<String> {
    let asked = (
        FORM,
        query.kind(),
        query.text(),
        query.max_results(),
        query.years(),
        query.since(),
        query.language(),
        address.to_string(),
    );
    let asked = serde_json::to_vec(&asked).ok()?;
    Some(blake3::hash(&asked).to_hex().to_string())
}
