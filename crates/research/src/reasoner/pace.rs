//! How quick a model is, measured by every call: a run asks a slow one for less, and waits for none that hangs.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fathom_providers::model::TokenUsage;
use serde::{Deserialize, Serialize};

/// Writing a token takes about as long as reading so many, where a model runs on a processor.
const READ_FOR_WRITTEN: f64 = 3.0;

/// Fewer tokens measure the way to the endpoint and not the model.
const MEASURED_LEAST: f64 = 50.0;

/// A call may take so many times what it is expected to take.
const PATIENCE: f64 = 4.0;
const LIMIT_LEAST: Duration = Duration::from_secs(30);
const LIMIT_MOST: Duration = Duration::from_secs(600);

/// How long the first call may take, and the next one after one that never came.
const LIMIT_UNKNOWN: Duration = Duration::from_secs(180);
const LIMIT_LATE: Duration = Duration::from_secs(20);

/// A model's speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Tokens read in a second; one that is written counts as three.
    pub tokens_per_s: f64,
}

impl Pace {
    /// About how long it takes to read and write so many tokens.
    pub fn seconds(self, input: u64, output: u64) -> f64 {
        (input as f64 + READ_FOR_WRITTEN * output as f64) / self.tokens_per_s.max(0.1)
    }
}

/// What was measured so far.
#[derive(Default)]
pub(super) struct PaceMeter(Mutex<Measured>);

#[derive(Clone, Copy, Default)]
struct Measured {
    pace: Option<Pace>,
    /// The last call was given up.
    late: bool,
}

impl PaceMeter {
    /// Nothing before the first call; none at all where the last one never came.
    pub(super) fn pace(&self) -> Option<Pace> {
        match *self.state() {
            Measured { late: true, .. } => Some(Pace { tokens_per_s: 0.0 }),
            Measured { pace, .. } => pace,
        }
    }

    /// Takes in a call that was answered.
    pub(super) fn answered(&self, usage: &TokenUsage, took: Duration) {
        let read = usage.input.saturating_sub(usage.cached) as f64;
        let tokens = read + READ_FOR_WRITTEN * usage.output as f64;
        let mut state = self.state();
        state.late = false;
        if tokens < MEASURED_LEAST {
            return;
        }
        let now = tokens / took.as_secs_f64().max(0.001);
        let mean = state
            .pace
            .map_or(now, |before| (before.tokens_per_s + now) / 2.0);
        state.pace = Some(Pace { tokens_per_s: mean });
    }

    /// Takes in a call that was given up.
    pub(super) fn given_up(&self) {
        self.state().late = true;
    }

    /// How long a call may take, if the run has so much time left: what comes after it needs some too.
    pub(super) fn limit(&self, input: u64, output: u64, left: Duration) -> Duration {
        match *self.state() {
            Measured { late: true, pace } => {
                // One that was quick enough before is waited for as long as it takes, so that it can be again.
                let expected = pace.map_or(0.0, |pace| pace.seconds(input, output));
                let expected = expected.min(LIMIT_MOST.as_secs_f64());
                LIMIT_LATE
                    .max(Duration::from_secs_f64(expected))
                    .min(left / 4)
            }
            Measured { pace: None, .. } => LIMIT_UNKNOWN.min(left / 3),
            Measured {
                pace: Some(pace), ..
            } => {
                let expected =
                    (PATIENCE * pace.seconds(input, output)).min(LIMIT_MOST.as_secs_f64());
                Duration::from_secs_f64(expected)
                    .max(LIMIT_LEAST)
                    .min(left / 2)
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(input: u64, output: u64) -> TokenUsage {
        TokenUsage {
            input,
            output,
            ..TokenUsage::default()
        }
    }

    #[test]
    fn a_slow_model_is_measured_and_its_calls_get_the_time_they_need() {
        let meter = PaceMeter::default();
        let day = Duration::from_secs(86_400);
        assert_eq!(meter.limit(1_000, 100, day), LIMIT_UNKNOWN);
        meter.answered(&used(280, 100), Duration::from_secs(20));
        let pace = meter.pace().unwrap();
        assert!((pace.tokens_per_s - 29.0).abs() < 0.1, "{pace:?}");
        assert!(pace.seconds(1_300, 200) > 60.0);
        assert!(meter.limit(1_300, 200, day) > Duration::from_secs(200));
    }

    #[test]
    fn one_that_hangs_is_not_waited_for_again_and_never_takes_all_that_is_left() {
        let meter = PaceMeter::default();
        let left = Duration::from_secs(3);
        assert!(meter.limit(1_000, 100, left) <= left / 3);
        meter.given_up();
        assert_eq!(
            meter.limit(1_000, 100, Duration::from_secs(1_800)),
            LIMIT_LATE
        );
        meter.answered(&used(100, 100), Duration::from_secs(1));
        assert!(meter.limit(100, 100, left) <= left / 2);
    }

    #[test]
    fn a_slow_one_that_was_late_once_gets_the_time_it_needs_again() {
        let meter = PaceMeter::default();
        meter.answered(&used(280, 100), Duration::from_secs(20));
        meter.given_up();
        let day = Duration::from_secs(86_400);
        assert!(meter.limit(1_300, 200, day) > Duration::from_secs(60));
    }
}
