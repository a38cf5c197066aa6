//! The door through which pages are read: cache, one fetch for all who ask at once, the call layer, the fetcher.
//!
//! Takes a URL and the run's context; gives a [`ReadPage`] with the page's bytes, or a [`CallFailure`]. A failure that
//! marks a dead link is told by [`DeadLink::from_failure`]. What the bytes say is for `evidence`.

mod attempt_error;
mod cache;
mod dead_link;
mod flight;
mod read;

pub use cache::MemoryPageCache;
use cache::{CachedOutcome, CachedPage};
pub use dead_link::DeadLink;
pub use read::ReadPage;

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;

use self::flight::PageFlights;
use crate::call::{AttemptError, CallAttempt, CallContext, CallKind, Caller, ProviderName};
use crate::client::authority;
use crate::error::{CallFailure, FailureCause};
use crate::fetch::{FetchRefusal, FetchTarget, FetchedPage, Fetcher};
use crate::{Clock, call};

/// How long pages are kept.
#[derive(Clone, Debug)]
pub struct PageSettings {
    /// How long a page that was read is fresh.
    pub kept: Duration,
    /// A page that is gone, refused or unreadable is not asked for again within this time.
    pub failure_kept: Duration,
}

impl Default for PageSettings {
    fn default() -> Self {
        Self {
            kept: Duration::from_secs(24 * 60 * 60),
            failure_kept: Duration::from_secs(10 * 60),
        }
    }
}

/// What pages are read with.
pub struct PageDeps {
    /// Makes one attempt at a page.
    pub fetcher: Fetcher,
    /// Retries, breakers and limits, by host.
    pub caller: Arc<Caller>,
    /// The same as the caller's.
    pub clock: Arc<dyn Clock>,
    /// Where pages are kept.
    pub cache: Arc<MemoryPageCache>,
}

/// Reads pages. One per process, so that it knows of all who ask.
pub struct Pages {
    deps: PageDeps,
    settings: PageSettings,
    flights: PageFlights,
}

impl Pages {
    /// Starts with nothing under way.
    pub fn new(deps: PageDeps, settings: PageSettings) -> Self {
        Self {
            deps,
            settings,
            flights: PageFlights::default(),
        }
    }

    /// Reads a page, from the cache if it is there. Whatever kind the context name, this is a page.
    pub async fn read(
        &self,
        url: &str,
        context: &CallContext<'_>,
    ) -> Result<ReadPage, CallFailure> {
        let target = self.target(url)?;
        match self.cached(target.url().as_str()) {
            Some(CachedOutcome::Page(read)) => Ok(ReadPage {
                from_cache: true,
                ..*read
            }),
            Some(CachedOutcome::Failure(failure)) => Err(CallFailure {
                attempts: 0,
                ..failure
            }),
            None => self.share(&target, context).await,
        }
    }

    /// The address by the guard's rules. What they refuse is never dialled, and no lane is opened for it.
    fn target(&self, url: &str) -> Result<FetchTarget, CallFailure> {
        let target = FetchTarget::parse(url, self.deps.fetcher.allow());
        target.map_err(|refusal| refused(&refusal))
    }

    fn cached(&self, url: &str) -> Option<CachedOutcome> {
        let page = self.deps.cache.get(url)?;
        (page.fresh_until > self.deps.clock.now()).then_some(page.found)
    }

    /// Whoever asks for a page that is being fetched waits for that fetch, but not past its own deadline.
    async fn share(
        &self,
        target: &FetchTarget,
        context: &CallContext<'_>,
    ) -> Result<ReadPage, CallFailure> {
        let context = context.with_kind(CallKind::Page);
        let seat = self.flights.join(target.url().as_str());
        let left = context.deadline.saturating_sub(self.deps.clock.elapsed());
        let mut result = tokio::select! {
            biased;
            turn = seat.turn() => turn,
            () = self.deps.clock.sleep(left) => {
                let provider = provider(target);
                return Err(CallFailure::unsent(&provider, FailureCause::OutOfTime));
            }
        };
        if let Some(result) = &*result {
            return result.clone();
        }
        let fetched = self.fetch(target, &context).await;
        if !fetched.as_ref().is_err_and(is_callers_own) {
            *result = Some(fetched.clone());
        }
        fetched
    }

    async fn fetch(
        &self,
        target: &FetchTarget,
        context: &CallContext<'_>,
    ) -> Result<ReadPage, CallFailure> {
        let operation = |attempt: CallAttempt| self.attempt(target, attempt);
        let page = self
            .deps
            .caller
            .call(&provider(target), context, operation)
            .await;
        match page {
            Ok(page) => {
                let keep = !forbids_keeping(&page);
                let read = ReadPage::new(target.url(), page, self.deps.clock.now());
                if keep {
                    self.keep_page(&read);
                }
                Ok(read)
            }
            Err(failure) => {
                if is_lasting(&failure) {
                    let found = CachedOutcome::Failure(failure.clone());
                    self.keep(target.url().as_str(), found, self.settings.failure_kept);
                }
                Err(failure)
            }
        }
    }

    async fn attempt(
        &self,
        target: &FetchTarget,
        attempt: CallAttempt,
    ) -> Result<FetchedPage, AttemptError> {
        let page = self.deps.fetcher.get(target.url().as_str()).await;
        let page = page.map_err(|fault| attempt_error::to_attempt_error(&fault))?;
        let headers = call::ResponseHeaders::from(page.headers.clone());
        if !page.status.is_success() {
            return Err(call::FailedResponse::new(page.status.as_u16(), headers, &[]).into());
        }
        attempt.saw(headers);
        Ok(page)
    }

    /// Under the address that was asked for and under the one where it was found.
    fn keep_page(&self, read: &ReadPage) {
        if read.url != read.requested {
            let found = CachedOutcome::Page(Box::new(read.at_its_own_address()));
            self.keep(read.url.as_str(), found, self.settings.kept);
        }
        let found = CachedOutcome::Page(Box::new(read.clone()));
        self.keep(read.requested.as_str(), found, self.settings.kept);
    }

    fn keep(&self, url: &str, found: CachedOutcome, time: Duration) {
        let time = SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
        // A time beyond the calendar is as good as for ever, which nothing is kept for.
        if let Ok(fresh_until) = self.deps.clock.now().checked_add(time) {
            let page = CachedPage { found, fresh_until };
            self.deps.cache.put(url, page);
        }
    }
}

/// A page's host is its provider; after a redirect it is still the first one that answers for the page.
fn provider(target: &FetchTarget) -> ProviderName {
    ProviderName::new(&authority(target.url()))
}

fn refused(refusal: &FetchRefusal) -> CallFailure {
    CallFailure {
        message: format!("the address is not opened: {refusal}"),
        ..CallFailure::unsent(&ProviderName::new("page"), FailureCause::Forbidden)
    }
}

/// It came of the asker's own deadline, so it says nothing to others.
fn is_callers_own(failure: &CallFailure) -> bool {
    matches!(
        failure.cause,
        FailureCause::OutOfTime | FailureCause::QueueFull
    )
}

/// It would be the same again, for a while.
fn is_lasting(failure: &CallFailure) -> bool {
    matches!(
        failure.cause,
        FailureCause::SourceRefused
            | FailureCause::NoSuchHost
            | FailureCause::TooLarge
            | FailureCause::Garbled
    )
}

fn forbids_keeping(page: &FetchedPage) -> bool {
    let lines = page.headers.get_all(http::header::CACHE_CONTROL);
    lines.iter().any(|line| {
        let line = String::from_utf8_lossy(line.as_bytes());
        line.split(',')
            .any(|word| word.trim().eq_ignore_ascii_case("no-store"))
    })
}
