//! One provider is asked: wait for a turn, attempt, judge, perhaps again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::SemaphorePermit;

use super::attempt_error::{AttemptError, ResponseHeaders, TransportError};
use super::breaker::CallOutcome;
use super::classify::{FailureClass, classify};
use super::event::{CallEvent, NextAction, StopReason, whole_ms};
use super::hint;
use super::lane::{LanePass, ProviderLane};
use super::retry::{self, TriedAttempt};
use super::settings::CallKindSettings;
use super::{CallAttempt, CallContext, Caller};
use crate::error::{CallFailure, FailureCause};

pub(super) struct ProviderCall<'a> {
    pub(super) caller: &'a Caller,
    pub(super) lane: &'a Arc<ProviderLane>,
    pub(super) context: &'a CallContext<'a>,
    pub(super) probe: bool,
}

/// An attempt that brought nothing, and what follows from it.
struct FailedAttempt {
    failure: CallFailure,
    outcome: CallOutcome,
    /// The wait before the next attempt, if there is to be one.
    retry_after: Option<Duration>,
}

impl FailedAttempt {
    /// It was given up by us, and says nothing about the provider.
    fn to_us(failure: CallFailure) -> Self {
        Self {
            failure,
            outcome: CallOutcome::Unknown,
            retry_after: None,
        }
    }
}

impl ProviderCall<'_> {
    pub(super) async fn run<T, F, Fut>(
        &self,
        passage: LanePass,
        operation: &mut F,
    ) -> Result<T, CallFailure>
    where
        F: FnMut(CallAttempt) -> Fut,
        Fut: Future<Output = Result<T, AttemptError>>,
    {
        let mut number = 0;
        let mut before: Option<FailedAttempt> = None;
        // Bounded by the kind's number of attempts, which `retry::next` keeps.
        loop {
            number += 1;
            let permit = match self.permit().await {
                Ok(permit) => permit,
                Err(refusal) => {
                    let lost = before.unwrap_or(refusal);
                    passage.settle(lost.outcome);
                    return Err(lost.failure);
                }
            };
            let lost = match self.attempt(number, operation, permit).await {
                Ok((value, took)) => {
                    let slow = took > self.kind().slow_after;
                    passage.settle(CallOutcome::Answered { slow });
                    return Ok(value);
                }
                Err(lost) => lost,
            };
            let Some(wait) = lost.retry_after else {
                passage.settle(lost.outcome);
                return Err(lost.failure);
            };
            self.caller.clock.sleep(wait).await;
            if !passage.holds() {
                return Err(lost.failure);
            }
            before = Some(lost);
        }
    }

    /// Waits for the provider's limit and for one of its places in flight.
    async fn permit(&self) -> Result<SemaphorePermit<'_>, FailedAttempt> {
        let now = self.now();
        if now >= self.context.deadline {
            return Err(self.out_of_time(0));
        }
        let in_time = self
            .context
            .deadline
            .saturating_sub(self.kind().attempt_least);
        let latest = in_time
            .max(now)
            .min(now + self.caller.settings.retry.wait_max);
        // Those who wait for the only place after their turn would go out together when it becomes free.
        if self.lane.one_by_one {
            let place = self.place(latest).await?;
            self.turn(latest).await?;
            return Ok(place);
        }
        self.turn(latest).await?;
        self.place(latest).await
    }

    async fn turn(&self, latest: Duration) -> Result<(), FailedAttempt> {
        let turn = self.lane.wait_turn(latest).await;
        turn.map_err(|until| self.no_room(Some(until)))
    }

    async fn place(&self, latest: Duration) -> Result<SemaphorePermit<'_>, FailedAttempt> {
        if let Ok(permit) = self.lane.permits.try_acquire() {
            return Ok(permit);
        }
        let patience = self.caller.clock.sleep(latest.saturating_sub(self.now()));
        tokio::select! {
            biased;
            Ok(permit) = self.lane.permits.acquire() => Ok(permit),
            () = patience => Err(self.no_room(None)),
        }
    }

    /// Makes one attempt against its time limit and the run's deadline, whichever is sooner.
    async fn attempt<T, F, Fut>(
        &self,
        number: u32,
        operation: &mut F,
        permit: SemaphorePermit<'_>,
    ) -> Result<(T, Duration), FailedAttempt>
    where
        F: FnMut(CallAttempt) -> Fut,
        Fut: Future<Output = Result<T, AttemptError>>,
    {
        let started = self.now();
        let left = self.context.deadline.saturating_sub(started);
        let time_limit = left.min(self.kind().attempt_limit);
        let seen = Arc::<Mutex<Option<ResponseHeaders>>>::default();
        let attempt = CallAttempt {
            provider: self.lane.provider.clone(),
            number,
            time_limit,
            seen: seen.clone(),
        };
        let result = tokio::select! {
            biased;
            result = operation(attempt) => Some(result),
            () = self.caller.clock.sleep(time_limit) => None,
        };
        if let Some(headers) = seen.lock().unwrap_or_else(PoisonError::into_inner).take() {
            self.learn(&headers);
        }
        drop(permit);
        let took = self.now().saturating_sub(started);
        match result {
            Some(Ok(value)) => {
                self.tell(number, took, None, NextAction::Return);
                Ok((value, took))
            }
            Some(Err(fault)) => Err(self.judge(number, started, &fault)),
            None if left > time_limit => {
                Err(self.judge(number, started, &TransportError::Total.into()))
            }
            // The run's own deadline came, which says nothing about the provider.
            None => {
                let lost = self.out_of_time(number);
                let class = FailureClass::own(&lost.failure);
                let then = retry::stop(StopReason::Deadline);
                self.tell(number, took, Some(class), then);
                Err(lost)
            }
        }
    }

    /// Classes a fault, lets the limiter learn from it, and decides what follows.
    fn judge(&self, number: u32, started: Duration, fault: &AttemptError) -> FailedAttempt {
        let class = classify(self.context.kind, fault);
        let now = self.now();
        let mut wait = None;
        if let AttemptError::Answer(answer) = fault {
            wait = hint::wait(&answer.headers, self.caller.clock.now())
                .or_else(|| hint::wait_in_body(self.context.kind, &answer.body));
            // A limit that was hit has said how long to stay away; its other headers must not lengthen that.
            if class.cause != FailureCause::RateLimited {
                self.learn(&answer.headers);
            }
        }
        if class.cause == FailureCause::RateLimited {
            let limit = &self.caller.settings.limit;
            let mut state = self.lane.state();
            state.limiter.slow_down(limit, started, now, wait);
        }
        let then = self.then(&class, number, wait);
        let lost = FailedAttempt {
            failure: self.failure(&class, number, wait),
            outcome: outcome(&class),
            retry_after: match then {
                NextAction::Retry { wait_ms } => Some(Duration::from_millis(wait_ms)),
                NextAction::Return | NextAction::WakeLater { .. } | NextAction::Stop { .. } => None,
            },
        };
        self.tell(number, now.saturating_sub(started), Some(class), then);
        lost
    }

    fn then(&self, class: &FailureClass, attempt: u32, hint: Option<Duration>) -> NextAction {
        let settings = &self.caller.settings.retry;
        let tried = TriedAttempt {
            class,
            attempt,
            hint,
            left: self.context.deadline.saturating_sub(self.now()),
        };
        let mut rng = self
            .caller
            .rng
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match retry::next(&tried, self.kind(), settings, &mut **rng) {
            NextAction::Retry { .. } if self.probe => retry::stop(StopReason::Probe),
            NextAction::Retry { .. } if !self.lane.state().bucket.spend(settings, self.now()) => {
                retry::stop(StopReason::Bucket)
            }
            next => next,
        }
    }

    fn learn(&self, headers: &ResponseHeaders) {
        let settings = &self.caller.settings.limit;
        if let Some(pace) = hint::pace(headers) {
            self.lane.state().limiter.keep_to(settings, pace);
        }
        if let Some(room) = hint::room(headers, self.caller.clock.now()) {
            let now = self.now();
            self.lane.state().limiter.heed(settings, room, now);
        }
    }

    fn failure(&self, class: &FailureClass, attempts: u32, wait: Option<Duration>) -> CallFailure {
        CallFailure {
            status: class.status,
            code: class.code.clone(),
            attempts,
            wake_at: wait
                .filter(|_| class.retry || class.cause == FailureCause::RateLimited)
                .and_then(|wait| self.caller.timestamp(self.now() + wait)),
            ..CallFailure::new(&self.lane.provider, class.cause, class.severity)
        }
    }

    fn no_room(&self, until: Option<Duration>) -> FailedAttempt {
        let provider = &self.lane.provider;
        FailedAttempt::to_us(CallFailure {
            wake_at: until.and_then(|until| self.caller.timestamp(until)),
            ..CallFailure::unsent(provider, FailureCause::QueueFull)
        })
    }

    fn out_of_time(&self, attempts: u32) -> FailedAttempt {
        let provider = &self.lane.provider;
        FailedAttempt::to_us(CallFailure {
            attempts,
            ..CallFailure::unsent(provider, FailureCause::OutOfTime)
        })
    }

    fn tell(&self, attempt: u32, took: Duration, class: Option<FailureClass>, then: NextAction) {
        self.context.sink.attempt(CallEvent {
            provider: self.lane.provider.clone(),
            kind: self.context.kind,
            attempt,
            took_ms: whole_ms(took),
            class,
            then,
        });
    }

    fn kind(&self) -> &CallKindSettings {
        self.caller.settings.for_kind(self.context.kind)
    }

    fn now(&self) -> Duration {
        self.caller.clock.elapsed()
    }
}

/// What the breaker makes of it.
fn outcome(class: &FailureClass) -> CallOutcome {
    match class.cause {
        FailureCause::KeyRefused => CallOutcome::KeyRefused,
        _ if class.declined() => CallOutcome::Declined,
        FailureCause::ServerFailed
        | FailureCause::TimedOut
        | FailureCause::Unreachable
        | FailureCause::NoSuchHost => CallOutcome::Failed,
        FailureCause::TooLarge => CallOutcome::Declined,
        _ => CallOutcome::Unknown,
    }
}
