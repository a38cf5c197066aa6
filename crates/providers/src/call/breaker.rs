//! The circuit breaker of one provider: stops asking who keeps failing, and finds out when that ends.
//!
//! It counts calls, not attempts, and takes the time as an argument. A call is admitted with a pass and settled
//! with what came of it. Whoever holds a pass from before the last change of state changes nothing any more.

use std::collections::VecDeque;
use std::time::Duration;

use super::settings::BreakerSettings;

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    Answered {
        slow: bool,
    },
    Failed,
    /// The provider answered no (4xx, 429): no failure of its own, and a sign of life.
    Declined,
    KeyRefused,
    /// The call was dropped or cut short by us: nothing was learnt.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BreakerPass {
    generation: u64,
    pub(crate) probe: bool,
}

/// Not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakerRefusal {
    /// Worth asking again at this time.
    Until(Duration),
    /// The key was refused: shut for good, since a new key comes with new settings and a new breaker.
    KeyRefused,
}

#[derive(Debug)]
pub(crate) struct CircuitBreaker {
    state: BreakerState,
    generation: u64,
}

#[derive(Debug)]
enum BreakerState {
    Closed(RecentCalls),
    Open(OpenPeriod),
    /// One call is under way to see whether the provider is back.
    Probing(OpenPeriod),
    KeyRefused,
}

#[derive(Clone, Copy, Debug)]
struct OpenPeriod {
    /// When the provider was last asked.
    asked_at: Duration,
    until: Duration,
    /// Times in a row, without a success between.
    times: u32,
}

#[derive(Debug, Default)]
struct RecentCalls {
    consecutive: u32,
    calls: VecDeque<RecentCall>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecentCall {
    Quick,
    Slow,
    Failed,
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self {
            state: BreakerState::Closed(RecentCalls::default()),
            generation: 0,
        }
    }
}

impl CircuitBreaker {
    /// Lets a call through, or says until when not. `last_resort`: the caller has nobody else to ask.
    pub(crate) fn admit(
        &mut self,
        settings: &BreakerSettings,
        now: Duration,
        last_resort: bool,
    ) -> Result<BreakerPass, BreakerRefusal> {
        match self.state {
            BreakerState::Closed(_) => Ok(self.pass(false)),
            BreakerState::KeyRefused => Err(BreakerRefusal::KeyRefused),
            BreakerState::Probing(_) => Err(BreakerRefusal::Until(now + settings.open)),
            BreakerState::Open(opened) => {
                let early = settings.last_resort.filter(|_| last_resort);
                let early = early.map_or(opened.until, |wait| opened.asked_at + wait);
                let until = opened.until.min(early);
                if now < until {
                    return Err(BreakerRefusal::Until(until));
                }
                self.change(BreakerState::Probing(OpenPeriod {
                    asked_at: now,
                    ..opened
                }));
                Ok(self.pass(true))
            }
        }
    }

    /// Whether a call may still go on trying: not when others have found the provider to be down.
    pub(crate) fn holds(&self, pass: BreakerPass) -> bool {
        pass.generation == self.generation
    }

    pub(crate) fn settle(
        &mut self,
        settings: &BreakerSettings,
        pass: BreakerPass,
        outcome: CallOutcome,
        now: Duration,
    ) {
        if !self.holds(pass) {
            return;
        }
        match self.state {
            BreakerState::Closed(_) => self.settle_call(settings, outcome, now),
            BreakerState::Probing(opened) => self.settle_probe(settings, opened, outcome, now),
            BreakerState::Open(_) | BreakerState::KeyRefused => {}
        }
    }

    fn settle_call(&mut self, settings: &BreakerSettings, outcome: CallOutcome, now: Duration) {
        let call = match outcome {
            CallOutcome::Declined | CallOutcome::Unknown => return,
            CallOutcome::KeyRefused => return self.change(BreakerState::KeyRefused),
            CallOutcome::Answered { slow: false } => RecentCall::Quick,
            CallOutcome::Answered { slow: true } => RecentCall::Slow,
            CallOutcome::Failed => RecentCall::Failed,
        };
        let BreakerState::Closed(record) = &mut self.state else {
            return;
        };
        record.add(settings, call);
        if record.is_bad(settings) {
            self.change(BreakerState::Open(OpenPeriod::again(settings, 1, now)));
        }
    }

    fn settle_probe(
        &mut self,
        settings: &BreakerSettings,
        opened: OpenPeriod,
        outcome: CallOutcome,
        now: Duration,
    ) {
        self.change(match outcome {
            CallOutcome::Answered { slow: false } | CallOutcome::Declined => {
                BreakerState::Closed(RecentCalls::default())
            }
            CallOutcome::Answered { slow: true } | CallOutcome::Failed => {
                BreakerState::Open(OpenPeriod {
                    asked_at: opened.asked_at,
                    ..OpenPeriod::again(settings, opened.times + 1, now)
                })
            }
            CallOutcome::KeyRefused => BreakerState::KeyRefused,
            // The next call may probe at once.
            CallOutcome::Unknown => BreakerState::Open(OpenPeriod {
                until: now,
                ..opened
            }),
        });
    }

    fn change(&mut self, state: BreakerState) {
        self.state = state;
        self.generation += 1;
    }

    fn pass(&self, probe: bool) -> BreakerPass {
        BreakerPass {
            generation: self.generation,
            probe,
        }
    }
}

impl OpenPeriod {
    fn again(settings: &BreakerSettings, times: u32, now: Duration) -> Self {
        let doubled = 2_u32.saturating_pow(times.saturating_sub(1));
        let open = settings.open.saturating_mul(doubled).min(settings.open_max);
        Self {
            asked_at: now,
            until: now + open,
            times,
        }
    }
}

impl RecentCalls {
    fn add(&mut self, settings: &BreakerSettings, call: RecentCall) {
        self.consecutive = match call {
            RecentCall::Failed => self.consecutive + 1,
            RecentCall::Quick | RecentCall::Slow => 0,
        };
        self.calls.push_back(call);
        if self.calls.len() > settings.window {
            self.calls.pop_front();
        }
    }

    fn is_bad(&self, settings: &BreakerSettings) -> bool {
        let count = |wanted| self.calls.iter().filter(|call| **call == wanted).count();
        let seen = self.calls.len();
        let half_failed = count(RecentCall::Failed) * 2 >= seen;
        let mostly_slow = count(RecentCall::Slow) * 2 > seen;
        self.consecutive >= settings.consecutive
            || (seen >= settings.window_least && (half_failed || mostly_slow))
    }
}

#[cfg(test)]
mod tests;
