//! The one layer through which every model, search and page call goes.
//!
//! [`Caller::call`] asks one provider, [`Caller::chain`] several in order. Whoever calls brings an operation that
//! makes one attempt; this layer decides whether it may be made, when, how often, and what a failure means.
//!
//! `ask.rs` is the loop over attempts. `fault.rs` what an attempt can end in → `classify.rs` (with `codes.rs`) what that means → `hint.rs` how long the
//! server asks us to wait → `retry.rs` whether and when again. `breaker.rs` and `limit.rs` keep a provider's state,
//! `lane.rs` holds them together. All of these take time and chance as arguments. HTTP itself is left to others.

mod ask;
mod breaker;
mod chain;
mod classify;
mod codes;
mod event;
mod fault;
mod hint;
mod lane;
mod limit;
mod provider;
mod retry;
mod settings;

pub use chain::{Exhausted, Served};
pub use classify::{Class, classify};
pub use event::{Event, Sink, Stop, Then};
pub use fault::{Answer, BODY_PREFIX_MAX, Fault, Headers, Kind, Transport};
pub use provider::Provider;
pub use settings::{BreakerSettings, KindSettings, LimitSettings, RetrySettings, Settings};

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rand::RngCore;

use self::ask::Asking;
use self::breaker::Shut;
use self::lane::{Lane, Lanes};
use crate::Clock;
use crate::error::{Cause, Failure, Severity};

/// Makes calls, and remembers how each provider has been doing. One per process.
pub struct Caller {
    settings: Arc<Settings>,
    clock: Arc<dyn Clock>,
    rng: Mutex<Box<dyn RngCore + Send>>,
    lanes: Lanes,
}

/// What a call is, when it must be over, and who wants to know of its attempts.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    pub kind: Kind,
    /// The run's deadline, on the scale of [`Clock::elapsed`].
    pub deadline: Duration,
    pub sink: &'a dyn Sink,
}

/// One attempt, as the operation sees it.
#[derive(Clone)]
pub struct Attempt {
    pub provider: Provider,
    /// Counts from one.
    pub number: u32,
    /// It is cut off after this time.
    pub time_limit: Duration,
    seen: Arc<Mutex<Option<Headers>>>,
}

impl Attempt {
    /// Hands over a success's headers, so that the limiter learns what is left.
    pub fn saw(&self, headers: Headers) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(headers);
    }
}

/// How a provider is doing, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    pub provider: Provider,
    pub kind: Kind,
    pub key_refused: bool,
    /// When a provider that is left alone is asked again.
    pub open_until: Option<Timestamp>,
    /// The limit that was learnt, in calls a second.
    pub rate: Option<f64>,
}

impl Caller {
    pub fn new(settings: Settings, clock: Arc<dyn Clock>, rng: Box<dyn RngCore + Send>) -> Self {
        let settings = Arc::new(settings);
        Self {
            lanes: Lanes::new(settings.clone(), clock.clone()),
            settings,
            clock,
            rng: Mutex::new(rng),
        }
    }

    /// Asks one provider, as often as the rules allow. Dropping the future gives back all it holds.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use fathom_providers::{Clock, SystemClock, call::*};
    /// # use rand::SeedableRng;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let clock = Arc::new(SystemClock::default());
    /// let rng = Box::new(rand::rngs::StdRng::from_os_rng());
    /// let caller = Caller::new(Settings::default(), clock.clone(), rng);
    /// let sink = |event: Event| drop(event);
    /// let terms = Terms {
    ///     kind: Kind::Search,
    ///     deadline: clock.elapsed() + Duration::from_secs(60),
    ///     sink: &sink,
    /// };
    /// let answer = caller
    ///     .call(&Provider::new("serper"), &terms, |attempt| async move {
    ///         // One request, within `attempt.time_limit`.
    ///         Ok::<_, Fault>(attempt.number)
    ///     })
    ///     .await;
    /// assert_eq!(answer, Ok(1));
    /// # }
    /// ```
    pub async fn call<T, F, Fut>(
        &self,
        provider: &Provider,
        terms: &Terms<'_>,
        mut operation: F,
    ) -> Result<T, Failure>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, Fault>>,
    {
        self.ask(provider, terms, true, &mut operation).await
    }

    /// Forgets refused keys and open breakers: the operator has changed something.
    pub fn settings_changed(&self) {
        for lane in self.lanes.all() {
            lane.state().breaker.reset();
        }
    }

    pub fn health(&self) -> Vec<Health> {
        let mut all: Vec<Health> = self
            .lanes
            .all()
            .iter()
            .map(|lane| self.health_of(lane))
            .collect();
        all.sort_by(|one, other| one.provider.cmp(&other.provider));
        all
    }

    async fn ask<T, F, Fut>(
        &self,
        provider: &Provider,
        terms: &Terms<'_>,
        last_resort: bool,
        operation: &mut F,
    ) -> Result<T, Failure>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, Fault>>,
    {
        let lane = self.lanes.get(terms.kind, provider);
        let passage = lane
            .admit(last_resort)
            .map_err(|shut| self.kept_back(&lane, shut))?;
        let asking = Asking {
            caller: self,
            lane: &lane,
            terms,
            probe: passage.is_probe(),
        };
        asking.run(passage, operation).await
    }

    /// Nothing was sent: the breaker is open.
    fn kept_back(&self, lane: &Lane, shut: Shut) -> Failure {
        match shut {
            Shut::KeyRefused => Failure::new(&lane.provider, Cause::KeyRefused, Severity::Degraded),
            Shut::Until(at) => Failure {
                wake_at: self.timestamp(at),
                ..Failure::new(&lane.provider, Cause::BreakerOpen, Severity::Degraded)
            },
        }
    }

    fn health_of(&self, lane: &Lane) -> Health {
        let state = lane.state();
        let shut = state.breaker.shut();
        Health {
            provider: lane.provider.clone(),
            kind: lane.kind,
            key_refused: shut == Some(Shut::KeyRefused),
            open_until: match shut {
                Some(Shut::Until(at)) => self.timestamp(at),
                Some(Shut::KeyRefused) | None => None,
            },
            rate: state.limiter.rate(),
        }
    }

    /// A moment of the monotonic clock as the calendar's time, to show or store.
    fn timestamp(&self, at: Duration) -> Option<Timestamp> {
        let ahead = at.saturating_sub(self.clock.elapsed());
        self.clock
            .now()
            .checked_add(SignedDuration::try_from(ahead).ok()?)
            .ok()
    }
}
