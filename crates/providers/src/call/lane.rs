//! What is remembered of each provider: its breaker, limiter and retry bucket, behind one short lock.
//!
//! The guards here give back what they hold when they are dropped, so a cancelled call leaves nothing behind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::attempt_error::CallKind;
use super::breaker::{BreakerPass, BreakerRefusal, CallOutcome, CircuitBreaker};
use super::limit::{QueueTicket, QueueTurn, RateLimiter};
use super::provider::ProviderName;
use super::retry::RetryBudget;
use super::settings::CallSettings;
use crate::Clock;

pub(crate) struct ProviderLane {
    pub(crate) provider: ProviderName,
    /// Attempts that may be under way at once.
    pub(crate) permits: Semaphore,
    /// There is a pause between attempts, and one is over before the next begins.
    pub(crate) one_by_one: bool,
    settings: Arc<CallSettings>,
    clock: Arc<dyn Clock>,
    state: Mutex<LaneState>,
}

pub(crate) struct LaneState {
    pub(crate) breaker: CircuitBreaker,
    pub(crate) limiter: RateLimiter,
    pub(crate) bucket: RetryBudget,
    used_at: Duration,
}

impl ProviderLane {
    /// The lock is never held across an await.
    pub(crate) fn state(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn admit(self: &Arc<Self>, last_resort: bool) -> Result<LanePass, BreakerRefusal> {
        let now = self.clock.elapsed();
        let mut state = self.state();
        state.used_at = now;
        let pass = state
            .breaker
            .admit(&self.settings.breaker, now, last_resort)?;
        state.bucket.earn(&self.settings.retry);
        Ok(LanePass {
            lane: self.clone(),
            pass,
            settled: false,
        })
    }

    /// Waits for this caller's turn under the limit; the error says when there would be room.
    pub(crate) async fn wait_turn(self: &Arc<Self>, latest: Duration) -> Result<(), Duration> {
        let limit = &self.settings.limit;
        let mut turn = self
            .state()
            .limiter
            .reserve(limit, self.clock.elapsed(), latest);
        // Each look is later than the one before, and the limiter gives up when `latest` cannot be kept.
        loop {
            let ticket = match turn {
                QueueTurn::Now => return Ok(()),
                QueueTurn::Full { until } => return Err(until),
                QueueTurn::Wait(ticket) => ticket,
            };
            let wait = ticket.look_at.saturating_sub(self.clock.elapsed());
            let mut place = QueuePlace {
                lane: self,
                ticket: Some(ticket),
            };
            self.clock.sleep(wait).await;
            let now = self.clock.elapsed();
            match place.ticket.take() {
                Some(ticket) => turn = self.state().limiter.redeem(limit, ticket, now, latest),
                None => return Ok(()),
            }
        }
    }
}

/// Leave to call, from the breaker. Dropped unsettled, it says that nothing was learnt.
pub(crate) struct LanePass {
    lane: Arc<ProviderLane>,
    pass: BreakerPass,
    settled: bool,
}

impl LanePass {
    pub(crate) fn is_probe(&self) -> bool {
        self.pass.probe
    }

    pub(crate) fn holds(&self) -> bool {
        self.lane.state().breaker.holds(self.pass)
    }

    pub(crate) fn settle(mut self, outcome: CallOutcome) {
        self.report(outcome);
    }

    fn report(&mut self, outcome: CallOutcome) {
        self.settled = true;
        let now = self.lane.clock.elapsed();
        let settings = &self.lane.settings.breaker;
        self.lane
            .state()
            .breaker
            .settle(settings, self.pass, outcome, now);
    }
}

impl Drop for LanePass {
    fn drop(&mut self) {
        if !self.settled {
            self.report(CallOutcome::Unknown);
        }
    }
}

/// A place in the limiter's line, given back when the caller goes away.
struct QueuePlace<'a> {
    lane: &'a ProviderLane,
    ticket: Option<QueueTicket>,
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = &self.ticket {
            self.lane.state().limiter.abandon(ticket);
        }
    }
}

/// The lanes in use, bounded in number.
pub(crate) struct ProviderLanes {
    settings: Arc<CallSettings>,
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<(CallKind, ProviderName), Arc<ProviderLane>>>,
}

impl ProviderLanes {
    pub(crate) fn new(settings: Arc<CallSettings>, clock: Arc<dyn Clock>) -> Self {
        Self {
            settings,
            clock,
            known: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, kind: CallKind, provider: &ProviderName) -> Arc<ProviderLane> {
        let mut known = self.known();
        let key = (kind, provider.clone());
        if let Some(lane) = known.get(&key) {
            return lane.clone();
        }
        if known.len() >= self.settings.lanes_max {
            forget_one(&mut known);
        }
        let now = self.clock.elapsed();
        let pace = self.settings.pace.get(provider).copied();
        let in_flight_max = self.settings.for_kind(kind).in_flight_max;
        let at_once = pace.map_or(in_flight_max, |pace| pace.at_once);
        let lane = Arc::new(ProviderLane {
            provider: provider.clone(),
            permits: Semaphore::new(at_once),
            one_by_one: pace.is_some() && at_once == 1,
            settings: self.settings.clone(),
            clock: self.clock.clone(),
            state: Mutex::new(LaneState {
                breaker: CircuitBreaker::default(),
                limiter: RateLimiter::keeping_apart(pace.map(|pace| pace.apart)),
                bucket: RetryBudget::new(&self.settings.retry, now),
                used_at: now,
            }),
        });
        known.insert(key, lane.clone());
        lane
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(CallKind, ProviderName), Arc<ProviderLane>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the lane that was idle for longest; those in use stay, even beyond the bound.
fn forget_one(known: &mut HashMap<(CallKind, ProviderName), Arc<ProviderLane>>) {
    let idle = known
        .iter()
        .filter(|(_, lane)| Arc::strong_count(lane) == 1);
    let oldest = idle.min_by_key(|(_, lane)| lane.state().used_at);
    if let Some(key) = oldest.map(|(key, _)| key.clone()) {
        known.remove(&key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemClock;

    #[test]
    fn hosts_are_forgotten_when_there_are_too_many() {
        let settings = CallSettings {
            lanes_max: 10,
            ..CallSettings::default()
        };
        let lanes = ProviderLanes::new(Arc::new(settings), Arc::new(SystemClock::default()));
        for host in 0..100 {
            lanes.get(CallKind::Page, &ProviderName::new(&format!("host{host}")));
        }
        assert_eq!(lanes.known().len(), 10);
    }
}
