//! The limiter of one provider: learns how fast it may be asked, and lines callers up.
//!
//! Without a word from the provider there is no limit. A 429 halves the present rate and holds everyone back for
//! as long as the provider asks; seconds without one raise it again. Limit headers say how many calls are left.
//! A provider whose terms ask for a pause between requests is known by its settings, and learns nothing below that.
//! Takes the time as an argument. Who must wait gets a place in the line and a time to look again, so that the line
//! moves faster as soon as the limit is raised.

use std::collections::VecDeque;
use std::time::Duration;

use super::hint::RemainingCalls;
use super::settings::RateLimitSettings;

/// Starts of calls remembered to measure the present rate.
const STARTS_MAX: usize = 1_024;

/// Who waits in the line looks again after this time at the latest: the limit may have been raised.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// When a caller may go.
#[derive(Debug, PartialEq)]
pub(crate) enum QueueTurn {
    Now,
    Wait(QueueTicket),
    /// There is no room before the caller's time is up.
    Full {
        until: Duration,
    },
}

/// A place in the line. It must be redeemed or abandoned.
#[derive(Debug, PartialEq)]
pub(crate) struct QueueTicket {
    id: u64,
    pub(crate) look_at: Duration,
}

#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    /// Calls a second; none as long as no limit is known.
    rate: Option<f64>,
    /// The calls a second that the provider says it allows.
    allowed: Option<f64>,
    /// The time between two starts by the provider's terms; none for most.
    apart: Option<Duration>,
    raised_at: Duration,
    cut_at: Option<Duration>,
    /// When the last call went out under a limit or a pause.
    limited_start: Option<Duration>,
    paused_until: Duration,
    left: Option<CallsLeft>,
    starts: VecDeque<Duration>,
    line: VecDeque<u64>,
    next_id: u64,
}

#[derive(Clone, Copy, Debug)]
struct CallsLeft {
    calls: u64,
    resets_at: Duration,
}

impl RateLimiter {
    /// A limiter that lets so much time pass between two starts, however fast it might go else.
    pub(crate) fn keeping_apart(apart: Option<Duration>) -> Self {
        Self {
            apart,
            ..Self::default()
        }
    }

    /// Goes at once, lines up, or gives up if the turn would come after `latest`.
    pub(crate) fn reserve(
        &mut self,
        settings: &RateLimitSettings,
        now: Duration,
        latest: Duration,
    ) -> QueueTurn {
        self.relax(settings, now);
        let place = self.line.len();
        let until = self.turn_of(place);
        if until <= now {
            self.start(now);
            return QueueTurn::Now;
        }
        if until > latest || place >= settings.queue_max {
            return QueueTurn::Full { until };
        }
        let id = self.next_id;
        self.next_id += 1;
        self.line.push_back(id);
        QueueTurn::Wait(self.ticket(id, place, now))
    }

    /// It is time to look: goes if there is room, else waits on.
    pub(crate) fn redeem(
        &mut self,
        settings: &RateLimitSettings,
        ticket: QueueTicket,
        now: Duration,
        latest: Duration,
    ) -> QueueTurn {
        self.relax(settings, now);
        let until = self.turn_of(0);
        if until <= now {
            self.abandon(&ticket);
            self.start(now);
            return QueueTurn::Now;
        }
        if until > latest {
            self.abandon(&ticket);
            return QueueTurn::Full { until };
        }
        let place = self.line.iter().position(|id| *id == ticket.id);
        QueueTurn::Wait(self.ticket(ticket.id, place.unwrap_or_default(), now))
    }

    /// The caller leaves the line.
    pub(crate) fn abandon(&mut self, ticket: &QueueTicket) {
        self.line.retain(|id| *id != ticket.id);
    }

    /// A call that began at `started` was told to slow down, and for how long to stay away.
    pub(crate) fn slow_down(
        &mut self,
        settings: &RateLimitSettings,
        started: Duration,
        now: Duration,
        wait: Option<Duration>,
    ) {
        let pause = now + wait.unwrap_or_default().min(settings.pause_max);
        self.paused_until = self.paused_until.max(pause);
        self.raised_at = self.paused_until;
        // Calls that were under way together are told together; that is one message.
        if self.cut_at.is_none_or(|cut| started >= cut) {
            let present = self.measured(settings, now);
            let rate = self.rate.map_or(present, |rate| rate.min(present));
            self.rate = Some((rate * settings.cut).max(settings.rate_least));
            self.cut_at = Some(now);
        }
    }

    /// What the headers of an answer say is left.
    pub(crate) fn heed(
        &mut self,
        settings: &RateLimitSettings,
        room: RemainingCalls,
        now: Duration,
    ) {
        let resets_at = now + room.resets_in.min(settings.pause_max);
        if room.remaining == 0 && self.rate.is_none() {
            // So that those who wait for the reset don't all come at once.
            self.rate = Some(self.measured(settings, now).max(settings.rate_least));
            self.cut_at = Some(now);
            self.raised_at = resets_at;
        }
        // Answers come out of order: within one period the lower count is the newer.
        let same = self.left.filter(|left| now < left.resets_at);
        let calls = same.map_or(room.remaining, |left| left.calls.min(room.remaining));
        self.left = Some(CallsLeft { calls, resets_at });
    }

    /// The provider says how many calls a second it allows.
    pub(crate) fn keep_to(&mut self, settings: &RateLimitSettings, allowed: f64) {
        self.allowed = Some(allowed.max(settings.rate_least));
    }

    /// The limit in calls a second, as far as one is known.
    pub(crate) fn rate(&self) -> Option<f64> {
        let rates = [self.rate, self.allowed];
        rates.into_iter().flatten().reduce(f64::min)
    }

    /// When the caller at this place in the line may go, as things stand.
    fn turn_of(&self, place: usize) -> Duration {
        let floor = self.floor(place);
        let Some(apart) = self.pause() else {
            return floor;
        };
        let first = self
            .limited_start
            .map_or(floor, |start| floor.max(start + apart));
        first + apart.mul_f64(place as f64)
    }

    /// The time between two starts, as far as there is a limit.
    fn pause(&self) -> Option<Duration> {
        let learnt = self.rate().map(|rate| Duration::from_secs_f64(1.0 / rate));
        learnt.max(self.apart)
    }

    /// Before this nobody at this place goes, however the rate may change.
    fn floor(&self, place: usize) -> Duration {
        let used_up = self.left.filter(|left| left.calls <= place as u64);
        used_up.map_or(self.paused_until, |left| {
            self.paused_until.max(left.resets_at)
        })
    }

    fn ticket(&self, id: u64, place: usize, now: Duration) -> QueueTicket {
        let soon = self.floor(place).max(now) + LOOK_AGAIN;
        QueueTicket {
            id,
            look_at: self.turn_of(place).min(soon),
        }
    }

    /// What time alone changes: limits are raised, and at last forgotten.
    fn relax(&mut self, settings: &RateLimitSettings, now: Duration) {
        self.left = self.left.filter(|left| now < left.resets_at);
        let Some(rate) = self.rate else { return };
        let calm_since = self.cut_at.unwrap_or_default().max(self.paused_until);
        if now.saturating_sub(calm_since) >= settings.forgotten_after {
            self.rate = None;
            self.cut_at = None;
            return;
        }
        let passed = now.saturating_sub(self.raised_at).as_secs_f64();
        let steady = rate + passed * settings.raise_per_second;
        let grown = rate * (1.0 + settings.raise_share_per_second).powf(passed);
        self.rate = Some(steady.max(grown));
        self.raised_at = self.raised_at.max(now);
    }

    fn start(&mut self, now: Duration) {
        if self.pause().is_some() {
            self.limited_start = Some(now);
        }
        if let Some(left) = &mut self.left {
            left.calls = left.calls.saturating_sub(1);
        }
        self.starts.push_back(now);
        if self.starts.len() > STARTS_MAX {
            self.starts.pop_front();
        }
    }

    fn measured(&mut self, settings: &RateLimitSettings, now: Duration) -> f64 {
        let since = now.saturating_sub(settings.measured_over);
        while self.starts.front().is_some_and(|start| *start < since) {
            self.starts.pop_front();
        }
        self.starts.len() as f64 / settings.measured_over.as_secs_f64()
    }
}

#[cfg(test)]
mod tests;
