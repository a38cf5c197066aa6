//! Time in which nobody worked on a run, counted as a meter so that views, forks, snapshots and
//! replays agree.
//!
//! An answer brings all that the run had waited in its step by then, so that a node that gets it
//! knows both the moment and the waiting. What comes after a step's last answer is counted with the
//! step's record. The run's deadline is put off by every such stretch, which is done elsewhere.

use std::time::Duration;

use jiff::Timestamp;

use crate::record::{LogHead, Meters};

/// The meter of the time in which nobody worked on a run: see [`crate::Context::waited`]. Its name is
/// saved in every log.
pub const WAITED_MS: &str = "waited_ms";

/// How long nobody worked from one moment to another; nothing if the clock was set back.
pub(crate) fn between(from: Timestamp, until: Timestamp) -> Duration {
    until.duration_since(from).try_into().unwrap_or_default()
}

/// How long nobody has worked on a run that was left as `head` says. A parked run's time is its own
/// until the moment that it is parked for; since the run was last written to, and not since its gate
/// was opened, because one that was cancelled there and resumed has had some of it counted already.
pub(crate) fn since_left(head: &LogHead, now: Timestamp) -> Duration {
    let from = match head.wake_at {
        Some(wake_at) if head.parked => wake_at.max(head.updated_at),
        _ => head.updated_at,
    };
    between(from, now)
}

/// What is counted here; `None` where nothing was, as in a log from before there was this meter.
pub(crate) fn counted(meters: &Meters) -> Option<Duration> {
    meters.get(WAITED_MS).copied().map(Duration::from_millis)
}

pub(crate) fn count(meters: &mut Meters, waited: Duration) {
    let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
    let counted = meters.entry(WAITED_MS.into()).or_default();
    *counted = counted.saturating_add(waited);
}

/// Takes the count out, for it to be kept elsewhere.
pub(crate) fn take(meters: &mut Meters) -> Duration {
    Duration::from_millis(meters.remove(WAITED_MS).unwrap_or(0))
}
