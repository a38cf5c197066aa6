//! The one layer through which every model, search and page call goes.
//!
//! [`Caller::call`] asks one provider, [`Caller::chain`] several in order. Whoever calls brings an operation that
//! makes one attempt; this layer decides whether it may be made, when, how often, and what a failure means.
//!
//! `ask.rs` is the loop over attempts. `attempt_error.rs` what an attempt can end in → `classify.rs` (with `codes.rs`) what that means → `hint.rs` how long the
//! server asks us to wait → `retry.rs` whether and when again. `breaker.rs` and `limit.rs` keep a provider's state,
//! `lane.rs` holds them together. All of these take time and chance as arguments. HTTP itself is left to others.

mod ask;
mod attempt_error;
mod breaker;
mod chain;
mod classify;
mod codes;
mod event;
mod hint;
mod lane;
mod limit;
mod provider;
mod retry;
mod settings;

pub(crate) use attempt_error::BODY_PREFIX_MAX;
pub use attempt_error::{AttemptError, CallKind, FailedResponse, ResponseHeaders, TransportError};
pub use chain::{ChainAnswer, ChainExhausted};
pub use classify::{FailureClass, classify};
pub use event::{CallEvent, CallSink, NextAction, StopReason};
pub use provider::ProviderName;
pub use settings::{
    BreakerSettings, CallKindSettings, CallSettings, PublishedPace, RateLimitSettings,
    RetrySettings,
};

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rand::RngCore;

use self::ask::ProviderCall;
use self::breaker::BreakerRefusal;
use self::lane::{ProviderLane, ProviderLanes};
use crate::Clock;
use crate::error::{CallFailure, FailureCause};

/// Makes calls, and remembers how each provider has been doing. One per process.
pub struct Caller {
    settings: Arc<CallSettings>,
    clock: Arc<dyn Clock>,
    rng: Mutex<Box<dyn RngCore + Send>>,
    lanes: ProviderLanes,
}

/// What a call is, when it must be over, and who wants to know of its attempts.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    /// Which limits and time-outs hold.
    pub kind: CallKind,
    /// The run's deadline, on the scale of [`Clock::elapsed`].
    pub deadline: Duration,
    /// Gets an event for each attempt.
    pub sink: &'a dyn CallSink,
}

impl CallContext<'_> {
    pub(crate) fn with_kind(&self, kind: CallKind) -> Self {
        Self { kind, ..*self }
    }
}

/// One attempt, as the operation sees it.
#[derive(Clone)]
pub struct CallAttempt {
    /// Who is asked.
    pub provider: ProviderName,
    /// Counts from one.
    pub number: u32,
    /// It is cut off after this time.
    pub time_limit: Duration,
    seen: Arc<Mutex<Option<ResponseHeaders>>>,
}

impl CallAttempt {
    /// Hands over a success's headers, so that the limiter learns what is left.
    pub fn saw(&self, headers: ResponseHeaders) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(headers);
    }
}

impl Caller {
    /// Takes its time and its chance from outside, so that tests can set both.
    pub fn new(
        settings: CallSettings,
        clock: Arc<dyn Clock>,
        rng: Box<dyn RngCore + Send>,
    ) -> Self {
        let settings = Arc::new(settings);
        Self {
            lanes: ProviderLanes::new(settings.clone(), clock.clone()),
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
    /// let caller = Caller::new(CallSettings::default(), clock.clone(), rng);
    /// let sink = |event: CallEvent| drop(event);
    /// let context = CallContext {
    ///     kind: CallKind::Search,
    ///     deadline: clock.elapsed() + Duration::from_secs(60),
    ///     sink: &sink,
    /// };
    /// let answer = caller
    ///     .call(&ProviderName::new("serper"), &context, |attempt| async move {
    ///         // One request, within `attempt.time_limit`.
    ///         Ok::<_, AttemptError>(attempt.number)
    ///     })
    ///     .await;
    /// assert_eq!(answer, Ok(1));
    /// # }
    /// ```
    pub async fn call<T, F, Fut>(
        &self,
        provider: &ProviderName,
        context: &CallContext<'_>,
        mut operation: F,
    ) -> Result<T, CallFailure>
    where
        F: FnMut(CallAttempt) -> Fut,
        Fut: Future<Output = Result<T, AttemptError>>,
    {
        self.ask(provider, context, true, &mut operation).await
    }

    async fn ask<T, F, Fut>(
        &self,
        provider: &ProviderName,
        context: &CallContext<'_>,
        last_resort: bool,
        operation: &mut F,
    ) -> Result<T, CallFailure>
    where
        F: FnMut(CallAttempt) -> Fut,
        Fut: Future<Output = Result<T, AttemptError>>,
    {
        let lane = self.lanes.get(context.kind, provider);
        let passage = lane
            .admit(last_resort)
            .map_err(|shut| self.kept_back(&lane, shut))?;
        let asking = ProviderCall {
            caller: self,
            lane: &lane,
            context,
            probe: passage.is_probe(),
        };
        asking.run(passage, operation).await
    }

    /// Nothing was sent: the breaker is open.
    fn kept_back(&self, lane: &ProviderLane, shut: BreakerRefusal) -> CallFailure {
        match shut {
            BreakerRefusal::KeyRefused => {
                CallFailure::unsent(&lane.provider, FailureCause::KeyRefused)
            }
            BreakerRefusal::Until(at) => CallFailure {
                wake_at: self.timestamp(at),
                ..CallFailure::unsent(&lane.provider, FailureCause::BreakerOpen)
            },
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
