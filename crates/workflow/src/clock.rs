//! Wall-clock time, handed in so that tests turn the hands themselves.

use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use tokio::sync::watch;

/// What time it is. Deadlines and wake-up times go by it; leases go by the store's own.
pub trait Clock: Send + Sync + 'static {
    /// The moment now, which may lie before an earlier one if the clock was set back.
    fn now(&self) -> Timestamp;

    /// Resolves once `now()` has reached `at`, and never before, however the clock is set meanwhile.
    fn reach(&self, at: Timestamp) -> BoxFuture<'_, ()>;
}

/// The machine's clock.
pub struct SystemClock;

/// A sleep never lasts longer than this before the wall clock is read again: it may have been set.
const LONGEST_NAP: Duration = Duration::from_secs(1);

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn reach(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            while let Some(left) = time_until(self.now(), at) {
                tokio::time::sleep(left.min(LONGEST_NAP)).await;
            }
        })
    }
}

/// A clock that moves only when told to, in either direction.
pub struct ManualClock {
    now: watch::Sender<Timestamp>,
}

impl ManualClock {
    /// A clock that shows `now` until it is moved.
    pub fn at(now: Timestamp) -> Self {
        Self {
            now: watch::Sender::new(now),
        }
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: Timestamp) {
        self.now.send_replace(now);
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.now.send_modify(|now| *now = later(*now, by));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    fn reach(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut now = self.now.subscribe();
            now.wait_for(|now| *now >= at)
                .await
                .expect("the clock holds the sender it waits on");
        })
    }
}

/// `from` moved on by `by`, or the last representable moment.
pub(crate) fn later(from: Timestamp, by: Duration) -> Timestamp {
    jiff::SignedDuration::try_from(by)
        .ok()
        .and_then(|by| from.checked_add(by).ok())
        .unwrap_or(Timestamp::MAX)
}

/// How long from `now` to `at`; `None` when `at` has come.
pub(crate) fn time_until(now: Timestamp, at: Timestamp) -> Option<Duration> {
    let left = at.duration_since(now);
    match Duration::try_from(left) {
        Ok(left) if !left.is_zero() => Some(left),
        _ => None,
    }
}
