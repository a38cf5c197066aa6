//! The circuit breaker of one provider: stops asking who keeps failing, and finds out when that ends.
//!
//! It counts calls, not attempts, and takes the time as an argument. A call is admitted with a pass and settled
//! with what came of it. Whoever holds a pass from before the last change of state changes nothing any more.

use std::collections::VecDeque;
use std::time::Duration;

use super::settings::BreakerSettings;

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
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
pub(crate) struct Pass {
    generation: u64,
    pub(crate) probe: bool,
}

/// Not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// Worth asking again at this time.
    Until(Duration),
    /// The key was refused: shut until the settings change.
    KeyRefused,
}

#[derive(Debug)]
pub(crate) struct Breaker {
    state: State,
    generation: u64,
}

#[derive(Debug)]
enum State {
    Closed(Record),
    Open(Opened),
    /// One call is under way to see whether the provider is back.
    Probing(Opened),
    KeyRefused,
}

#[derive(Clone, Copy, Debug)]
struct Opened {
    /// When the provider was last asked.
    asked_at: Duration,
    until: Duration,
    /// Times in a row, without a success between.
    times: u32,
}

#[derive(Debug, Default)]
struct Record {
    consecutive: u32,
    calls: VecDeque<Call>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Quick,
    Slow,
    Failed,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            state: State::Closed(Record::default()),
            generation: 0,
        }
    }
}

impl Breaker {
    /// Lets a call through, or says until when not. `last_resort`: the caller has nobody else to ask.
    pub(crate) fn admit(
        &mut self,
        settings: &BreakerSettings,
        now: Duration,
        last_resort: bool,
    ) -> Result<Pass, Shut> {
        match self.state {
            State::Closed(_) => Ok(self.pass(false)),
            State::KeyRefused => Err(Shut::KeyRefused),
            State::Probing(_) => Err(Shut::Until(now + settings.open)),
            State::Open(opened) => {
                let early = settings.last_resort.filter(|_| last_resort);
                let early = early.map_or(opened.until, |wait| opened.asked_at + wait);
                let until = opened.until.min(early);
                if now < until {
                    return Err(Shut::Until(until));
                }
                self.change(State::Probing(Opened {
                    asked_at: now,
                    ..opened
                }));
                Ok(self.pass(true))
            }
        }
    }

    /// Whether a call may still go on trying: not when others have found the provider to be down.
    pub(crate) fn holds(&self, pass: Pass) -> bool {
        pass.generation == self.generation
    }

    pub(crate) fn settle(
        &mut self,
        settings: &BreakerSettings,
        pass: Pass,
        outcome: Outcome,
        now: Duration,
    ) {
        if !self.holds(pass) {
            return;
        }
        match self.state {
            State::Closed(_) => self.settle_call(settings, outcome, now),
            State::Probing(opened) => self.settle_probe(settings, opened, outcome, now),
            State::Open(_) | State::KeyRefused => {}
        }
    }

    fn settle_call(&mut self, settings: &BreakerSettings, outcome: Outcome, now: Duration) {
        let call = match outcome {
            Outcome::Declined | Outcome::Unknown => return,
            Outcome::KeyRefused => return self.change(State::KeyRefused),
            Outcome::Answered { slow: false } => Call::Quick,
            Outcome::Answered { slow: true } => Call::Slow,
            Outcome::Failed => Call::Failed,
        };
        let State::Closed(record) = &mut self.state else {
            return;
        };
        record.add(settings, call);
        if record.is_bad(settings) {
            self.change(State::Open(Opened::again(settings, 1, now)));
        }
    }

    fn settle_probe(
        &mut self,
        settings: &BreakerSettings,
        opened: Opened,
        outcome: Outcome,
        now: Duration,
    ) {
        self.change(match outcome {
            Outcome::Answered { slow: false } | Outcome::Declined => {
                State::Closed(Record::default())
            }
            Outcome::Answered { slow: true } | Outcome::Failed => State::Open(Opened {
                asked_at: opened.asked_at,
                ..Opened::again(settings, opened.times + 1, now)
            }),
            Outcome::KeyRefused => State::KeyRefused,
            // The next call may probe at once.
            Outcome::Unknown => State::Open(Opened {
                until: now,
                ..opened
            }),
        });
    }

    /// The settings have changed, perhaps the key: begin anew.
    pub(crate) fn reset(&mut self) {
        self.change(State::Closed(Record::default()));
    }

    /// Whether calls are kept back, and until when as far as that is known.
    pub(crate) fn shut(&self) -> Option<Shut> {
        match self.state {
            State::Closed(_) => None,
            State::Open(opened) | State::Probing(opened) => Some(Shut::Until(opened.until)),
            State::KeyRefused => Some(Shut::KeyRefused),
        }
    }

    fn change(&mut self, state: State) {
        self.state = state;
        self.generation += 1;
    }

    fn pass(&self, probe: bool) -> Pass {
        Pass {
            generation: self.generation,
            probe,
        }
    }
}

impl Opened {
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

impl Record {
    fn add(&mut self, settings: &BreakerSettings, call: Call) {
        self.consecutive = match call {
            Call::Failed => self.consecutive + 1,
            Call::Quick | Call::Slow => 0,
        };
        self.calls.push_back(call);
        if self.calls.len() > settings.window {
            self.calls.pop_front();
        }
    }

    fn is_bad(&self, settings: &BreakerSettings) -> bool {
        let count = |wanted| self.calls.iter().filter(|call| **call == wanted).count();
        let seen = self.calls.len();
        let half_failed = count(Call::Failed) * 2 >= seen;
        let mostly_slow = count(Call::Slow) * 2 > seen;
        self.consecutive >= settings.consecutive
            || (seen >= settings.window_least && (half_failed || mostly_slow))
    }
}

#[cfg(test)]
mod tests;
