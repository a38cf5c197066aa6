//! One provider is asked: wait for a turn, attempt, judge, perhaps again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::SemaphorePermit;

use super::breaker::Outcome;
use super::classify::{Class, classify};
use super::event::{Event, Stop, Then, whole_ms};
use super::fault::{Fault, Headers, Transport};
use super::hint;
use super::lane::{Lane, Passage};
use super::retry::{self, Next, Tried};
use super::settings::KindSettings;
use super::{Attempt, Caller, Terms};
use crate::error::{Cause, Failure, Severity};

pub(super) struct Asking<'a> {
    pub(super) caller: &'a Caller,
    pub(super) lane: &'a Arc<Lane>,
    pub(super) terms: &'a Terms<'a>,
    pub(super) probe: bool,
}

/// An attempt that brought nothing, and what follows from it.
struct Lost {
    failure: Failure,
    outcome: Outcome,
    /// The wait before the next attempt, if there is to be one.
    retry_after: Option<Duration>,
}

impl Lost {
    /// It was given up by us, and says nothing about the provider.
    fn to_us(failure: Failure) -> Self {
        Self {
            failure,
            outcome: Outcome::Unknown,
            retry_after: None,
        }
    }
}

/// Why an attempt ended without its answer.
enum Cut {
    Fault(Fault),
    /// The run's own deadline came: that says nothing about the provider.
    Deadline,
}

impl Asking<'_> {
    pub(super) async fn run<T, F, Fut>(
        &self,
        passage: Passage,
        operation: &mut F,
    ) -> Result<T, Failure>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, Fault>>,
    {
        let mut number = 0;
        let mut before: Option<Lost> = None;
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
                    passage.settle(Outcome::Answered { slow });
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
    async fn permit(&self) -> Result<SemaphorePermit<'_>, Lost> {
        let now = self.now();
        if now >= self.terms.deadline {
            return Err(self.out_of_time(0));
        }
        let in_time = self
            .terms
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

    async fn turn(&self, latest: Duration) -> Result<(), Lost> {
        let turn = self.lane.wait_turn(latest).await;
        turn.map_err(|until| self.no_room(Some(until)))
    }

    async fn place(&self, latest: Duration) -> Result<SemaphorePermit<'_>, Lost> {
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

    async fn attempt<T, F, Fut>(
        &self,
        number: u32,
        operation: &mut F,
        permit: SemaphorePermit<'_>,
    ) -> Result<(T, Duration), Lost>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, Fault>>,
    {
        let started = self.now();
        let result = self.race(number, operation).await;
        drop(permit);
        let took = self.now().saturating_sub(started);
        match result {
            Ok(value) => {
                self.tell(number, took, None, Then::Return);
                Ok((value, took))
            }
            Err(Cut::Fault(fault)) => Err(self.judge(number, started, &fault)),
            Err(Cut::Deadline) => {
                let lost = self.out_of_time(number);
                let class = Class::own(&lost.failure);
                let why = Stop::Deadline;
                self.tell(number, took, Some(class), Then::Stop { why });
                Err(lost)
            }
        }
    }

    /// Makes the attempt against its time limit and the run's deadline, whichever is sooner.
    async fn race<T, F, Fut>(&self, number: u32, operation: &mut F) -> Result<T, Cut>
    where
        F: FnMut(Attempt) -> Fut,
        Fut: Future<Output = Result<T, Fault>>,
    {
        let left = self.terms.deadline.saturating_sub(self.now());
        let seen = Arc::new(Mutex::new(None));
        let attempt = Attempt {
            provider: self.lane.provider.clone(),
            number,
            time_limit: left.min(self.kind().attempt_limit),
            seen: seen.clone(),
        };
        let alarm = self.caller.clock.sleep(attempt.time_limit);
        let result = tokio::select! {
            biased;
            result = operation(attempt) => result.map_err(Cut::Fault),
            () = alarm => Err(if left <= self.kind().attempt_limit {
                Cut::Deadline
            } else {
                Cut::Fault(Transport::Total.into())
            }),
        };
        let headers: Option<Headers> = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(headers) = headers {
            self.learn(&headers);
        }
        result
    }

    /// Classes a fault, lets the limiter learn from it, and decides what follows.
    fn judge(&self, number: u32, started: Duration, fault: &Fault) -> Lost {
        let class = classify(self.terms.kind, fault);
        let now = self.now();
        let mut wait = None;
        if let Fault::Answer(answer) = fault {
            wait = hint::wait(&answer.headers, self.caller.clock.now())
                .or_else(|| hint::wait_in_body(self.terms.kind, &answer.body));
            // A limit that was hit has said how long to stay away; its other headers must not lengthen that.
            if class.cause != Cause::RateLimited {
                self.learn(&answer.headers);
            }
        }
        if class.cause == Cause::RateLimited {
            let limit = &self.caller.settings.limit;
            let mut state = self.lane.state();
            state.limiter.slow_down(limit, started, now, wait);
        }
        let then = self.then(&class, number, wait);
        let lost = Lost {
            failure: self.failure(&class, number, wait),
            outcome: outcome(&class),
            retry_after: match then {
                Then::Retry { wait_ms } => Some(Duration::from_millis(wait_ms)),
                Then::Return | Then::WakeLater { .. } | Then::Stop { .. } => None,
            },
        };
        self.tell(number, now.saturating_sub(started), Some(class), then);
        lost
    }

    fn then(&self, class: &Class, attempt: u32, hint: Option<Duration>) -> Then {
        let settings = &self.caller.settings.retry;
        let tried = Tried {
            class,
            attempt,
            hint,
            left: self.terms.deadline.saturating_sub(self.now()),
        };
        let mut rng = self
            .caller
            .rng
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match retry::next(&tried, self.kind(), settings, &mut **rng) {
            Next::Later(wait) => Then::WakeLater {
                wait_ms: whole_ms(wait),
            },
            Next::Stop(why) => Then::Stop { why },
            Next::After(_) if self.probe => Then::Stop { why: Stop::Probe },
            Next::After(wait) => {
                if self.lane.state().bucket.spend(settings, self.now()) {
                    Then::Retry {
                        wait_ms: whole_ms(wait),
                    }
                } else {
                    Then::Stop { why: Stop::Bucket }
                }
            }
        }
    }

    fn learn(&self, headers: &Headers) {
        let settings = &self.caller.settings.limit;
        if let Some(pace) = hint::pace(headers) {
            self.lane.state().limiter.keep_to(settings, pace);
        }
        if let Some(room) = hint::room(headers, self.caller.clock.now()) {
            let now = self.now();
            self.lane.state().limiter.heed(settings, room, now);
        }
    }

    fn failure(&self, class: &Class, attempts: u32, wait: Option<Duration>) -> Failure {
        Failure {
            status: class.status,
            code: class.code.clone(),
            attempts,
            wake_at: wait
                .filter(|_| class.retry || class.cause == Cause::RateLimited)
                .and_then(|wait| self.caller.timestamp(self.now() + wait)),
            ..Failure::new(&self.lane.provider, class.cause, class.severity)
        }
    }

    fn no_room(&self, until: Option<Duration>) -> Lost {
        let provider = &self.lane.provider;
        Lost::to_us(Failure {
            wake_at: until.and_then(|until| self.caller.timestamp(until)),
            ..Failure::new(provider, Cause::QueueFull, Severity::Recoverable)
        })
    }

    fn out_of_time(&self, attempts: u32) -> Lost {
        let provider = &self.lane.provider;
        Lost::to_us(Failure {
            attempts,
            ..Failure::new(provider, Cause::OutOfTime, Severity::Degraded)
        })
    }

    fn tell(&self, attempt: u32, took: Duration, class: Option<Class>, then: Then) {
        self.terms.sink.attempt(Event {
            provider: self.lane.provider.clone(),
            kind: self.terms.kind,
            attempt,
            took_ms: whole_ms(took),
            class,
            then,
        });
    }

    fn kind(&self) -> &KindSettings {
        self.caller.settings.of(self.terms.kind)
    }

    fn now(&self) -> Duration {
        self.caller.clock.elapsed()
    }
}

/// What the breaker makes of it.
fn outcome(class: &Class) -> Outcome {
    match class.cause {
        Cause::KeyRefused => Outcome::KeyRefused,
        _ if class.declined() => Outcome::Declined,
        Cause::ServerFailed | Cause::TimedOut | Cause::Unreachable | Cause::NoSuchHost => {
            Outcome::Failed
        }
        Cause::TooLarge => Outcome::Declined,
        _ => Outcome::Unknown,
    }
}
