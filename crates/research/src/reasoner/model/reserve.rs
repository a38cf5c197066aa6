//! Room under a run's caps on tokens and money, shared by the model calls that are under way at once.
//!
//! A call reserves its estimate before it starts and gives the reservation back when it has ended and its true cost is
//! counted. Calls that fit together run together. One that does not fit waits for the others, and a call that finds
//! nobody else under way is made as long as the cap is not reached: so the cap is passed by one call at most.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fathom_providers::model::ModelSpending;
use fathom_workflow::RunId;
use tokio::sync::Notify;

use crate::reasoner::Ctx;
use crate::settings::Caps;
use crate::skills::budget;

/// Tokens and money, in the units of the run's meters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) tokens: u64,
    pub(super) picos: u64,
}

impl From<&ModelSpending> for Amount {
    fn from(spent: &ModelSpending) -> Self {
        Self {
            tokens: spent.usage.input.saturating_add(spent.usage.output),
            picos: spent.cost.map_or(0, |cost| cost.0),
        }
    }
}

impl Amount {
    /// What so many answers cost at most.
    pub(super) fn times(self, answers: u32) -> Self {
        Self {
            tokens: self.tokens.saturating_mul(answers.into()),
            picos: self.picos.saturating_mul(answers.into()),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            picos: self.picos.saturating_add(other.picos),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            picos: self.picos.saturating_sub(other.picos),
        }
    }

    /// Whether a cap would be passed by this.
    fn is_over(self, caps: &Caps) -> bool {
        let over = |cap: Option<u64>, amount: u64| cap.is_some_and(|cap| amount > cap);
        over(caps.tokens, self.tokens) || over(caps.cost_picos(), self.picos)
    }

    /// Whether a cap leaves nothing.
    fn reaches(self, caps: &Caps) -> bool {
        let reaches = |cap: Option<u64>, amount: u64| cap.is_some_and(|cap| amount >= cap);
        reaches(caps.tokens, self.tokens) || reaches(caps.cost_picos(), self.picos)
    }
}

/// What the calls of each run that are under way may still spend.
#[derive(Default)]
pub(super) struct Reservations {
    /// Runs with a call under way, and no others.
    open: Mutex<HashMap<RunId, OpenCalls>>,
    settled: Notify,
}

#[derive(Clone, Copy, Default)]
struct OpenCalls {
    calls: usize,
    reserved: Amount,
}

/// Room for one call, given back when it is dropped.
pub(super) struct Reservation<'r> {
    reservations: &'r Reservations,
    run: RunId,
    amount: Amount,
}

enum Room {
    Taken,
    /// Others must end first.
    NotYet,
    Never,
}

impl Reservations {
    /// Waits until the estimate fits under the caps; nothing if they are reached.
    pub(super) async fn reserve(
        &self,
        ctx: &Ctx,
        caps: &Caps,
        amount: Amount,
    ) -> Option<Reservation<'_>> {
        let run = ctx.run();
        let spent = || Amount {
            tokens: ctx.spent_so_far(budget::TOKENS),
            picos: ctx.spent_so_far(budget::COST_PICOS),
        };
        // Ends, because every call that is under way ends and wakes those that wait.
        loop {
            let settled = self.settled.notified();
            match self.try_reserve(run, caps, spent(), amount) {
                Room::Taken => {
                    return Some(Reservation {
                        reservations: self,
                        run,
                        amount,
                    });
                }
                Room::NotYet => settled.await,
                Room::Never => return None,
            }
        }
    }

    fn try_reserve(&self, run: RunId, caps: &Caps, spent: Amount, amount: Amount) -> Room {
        if spent.reaches(caps) {
            return Room::Never;
        }
        let mut open = self.lock();
        let own = open.entry(run).or_default();
        let together = spent.plus(own.reserved).plus(amount);
        if own.calls > 0 && together.is_over(caps) {
            return Room::NotYet;
        }
        own.calls += 1;
        own.reserved = own.reserved.plus(amount);
        Room::Taken
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, OpenCalls>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut open = self.reservations.lock();
        if let Some(own) = open.get_mut(&self.run) {
            own.calls = own.calls.saturating_sub(1);
            own.reserved = own.reserved.minus(self.amount);
            if own.calls == 0 {
                open.remove(&self.run);
            }
        }
        drop(open);
        self.reservations.settled.notify_waiters();
    }
}
