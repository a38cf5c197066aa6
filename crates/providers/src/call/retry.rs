//! Whether and when to try again.
//!
//! Takes the class of the last attempt, the server's hint and the time left; gives what to do next.
//! The bucket keeps a provider that is down from being asked more often than one that is up.

use std::time::Duration;

use rand::{Rng, RngCore};

use super::classify::FailureClass;
use super::event::{NextAction, StopReason, whole_ms};
use super::settings::{CallKindSettings, RetrySettings};
use crate::error::FailureCause;

/// The facts that decide.
pub(crate) struct TriedAttempt<'a> {
    pub(crate) class: &'a FailureClass,
    /// Counts from one.
    pub(crate) attempt: u32,
    pub(crate) hint: Option<Duration>,
    pub(crate) left: Duration,
}

pub(crate) fn next(
    tried: &TriedAttempt<'_>,
    kind: &CallKindSettings,
    settings: &RetrySettings,
    rng: &mut dyn RngCore,
) -> NextAction {
    if let Some(hint) = tried.hint.filter(|hint| *hint > settings.wait_max) {
        let limited = tried.class.retry || tried.class.cause == FailureCause::RateLimited;
        return if limited {
            NextAction::WakeLater {
                wait_ms: whole_ms(hint),
            }
        } else {
            stop(StopReason::Final)
        };
    }
    if !tried.class.retry {
        return stop(StopReason::Final);
    }
    if tried.attempt >= kind.attempts {
        return stop(StopReason::Attempts);
    }
    let wait = tried.hint.unwrap_or_else(|| match tried.class.cause {
        FailureCause::RateLimited => rate_wait(tried.attempt, settings, rng),
        _ => backoff(tried.attempt, kind, settings, rng),
    });
    if wait.saturating_add(kind.attempt_least) > tried.left {
        return stop(StopReason::Deadline);
    }
    NextAction::Retry {
        wait_ms: whole_ms(wait),
    }
}

pub(crate) fn stop(why: StopReason) -> NextAction {
    NextAction::Stop { why }
}

/// Full jitter: anything from nothing to the doubled base.
fn backoff(
    attempt: u32,
    kind: &CallKindSettings,
    settings: &RetrySettings,
    rng: &mut dyn RngCore,
) -> Duration {
    let ceiling = doubled(settings.backoff_base, attempt).min(kind.backoff_cap);
    rounded(ceiling.mul_f64(rng.random()))
}

/// A limit needs its time: jitter only adds to it.
fn rate_wait(attempt: u32, settings: &RetrySettings, rng: &mut dyn RngCore) -> Duration {
    let wait = doubled(settings.rate_base, attempt);
    let jitter = settings.rate_jitter * rng.random::<f64>();
    rounded(wait.mul_f64(1.0 + jitter)).min(settings.wait_max)
}

fn doubled(base: Duration, attempt: u32) -> Duration {
    base.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)))
}

/// To the millisecond.
fn rounded(wait: Duration) -> Duration {
    Duration::from_millis((wait.as_secs_f64() * 1_000.0).round() as u64)
}

/// Retries that a provider's calls have earned.
#[derive(Clone, Debug)]
pub(crate) struct RetryBudget {
    tokens: f64,
    filled_at: Duration,
}

impl RetryBudget {
    pub(crate) fn new(settings: &RetrySettings, now: Duration) -> Self {
        Self {
            tokens: settings.bucket_max,
            filled_at: now,
        }
    }

    pub(crate) fn earn(&mut self, settings: &RetrySettings) {
        self.tokens = (self.tokens + settings.bucket_per_call).min(settings.bucket_max);
    }

    /// Takes one retry out, if there is one.
    pub(crate) fn spend(&mut self, settings: &RetrySettings, now: Duration) -> bool {
        let passed = now.saturating_sub(self.filled_at).as_secs_f64();
        self.filled_at = self.filled_at.max(now);
        self.tokens = (self.tokens + passed * settings.bucket_per_second).min(settings.bucket_max);
        let enough = self.tokens >= 1.0;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }
}
