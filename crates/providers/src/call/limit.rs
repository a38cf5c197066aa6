//! The limiter of one provider: learns how fast it may be asked, and lines callers up.
//!
//! Without a word from the provider there is no limit. A 429 halves the present rate and holds everyone back for
//! as long as the provider asks; seconds without one raise it again. Limit headers say how many calls are left.
//! Takes the time as an argument. Who must wait gets a ticket for a later moment, if that comes soon enough.

use std::collections::VecDeque;
use std::time::Duration;

use super::hint::Room;
use super::settings::LimitSettings;

/// Starts of calls remembered to measure the present rate.
const STARTS_MAX: usize = 1_024;

/// When a caller may go.
#[derive(Debug, PartialEq)]
pub(crate) enum Turn {
    Now,
    Wait(Ticket),
    /// There is no room before the caller's time is up.
    Full {
        until: Duration,
    },
}

/// A place in the line. It must be redeemed or abandoned.
#[derive(Debug, PartialEq)]
pub(crate) struct Ticket {
    pub(crate) at: Duration,
    next: Duration,
    epoch: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Limiter {
    /// Calls a second; none as long as no limit is known.
    rate: Option<f64>,
    raised_at: Duration,
    cut_at: Option<Duration>,
    next_slot: Duration,
    paused_until: Duration,
    left: Option<Left>,
    starts: VecDeque<Duration>,
    waiting: usize,
    /// Changes when tickets given out before no longer hold.
    epoch: u64,
}

#[derive(Clone, Copy, Debug)]
struct Left {
    calls: u64,
    resets_at: Duration,
}

impl Limiter {
    /// The caller's turn, at `latest` or not at all.
    pub(crate) fn reserve(
        &mut self,
        settings: &LimitSettings,
        now: Duration,
        latest: Duration,
    ) -> Turn {
        self.relax(settings, now);
        let mut at = now.max(self.paused_until);
        if let Some(left) = self.left.filter(|left| left.calls == 0) {
            at = at.max(left.resets_at);
        }
        if self.rate.is_some() {
            at = at.max(self.next_slot);
        }
        if at > latest || (at > now && self.waiting >= settings.queue_max) {
            return Turn::Full { until: at };
        }
        if let Some(left) = &mut self.left {
            left.calls = left.calls.saturating_sub(1);
        }
        if let Some(rate) = self.rate {
            self.next_slot = at + Duration::from_secs_f64(1.0 / rate);
        }
        if at > now {
            self.waiting += 1;
            return Turn::Wait(Ticket {
                at,
                next: self.next_slot,
                epoch: self.epoch,
            });
        }
        self.start(now);
        Turn::Now
    }

    /// The ticket's time has come; if the provider has set a limit since, the caller lines up anew.
    pub(crate) fn redeem(
        &mut self,
        settings: &LimitSettings,
        ticket: Ticket,
        now: Duration,
        latest: Duration,
    ) -> Turn {
        self.waiting = self.waiting.saturating_sub(1);
        if ticket.epoch != self.epoch {
            return self.reserve(settings, now, latest);
        }
        self.start(now);
        Turn::Now
    }

    /// The caller has gone; its place is free again if nobody stands behind it.
    pub(crate) fn abandon(&mut self, ticket: &Ticket) {
        self.waiting = self.waiting.saturating_sub(1);
        if ticket.epoch != self.epoch {
            return;
        }
        if let Some(left) = &mut self.left {
            left.calls += 1;
        }
        if self.next_slot == ticket.next {
            self.next_slot = ticket.at;
        }
    }

    /// A call that began at `started` was told to slow down, and for how long to stay away.
    pub(crate) fn slow_down(
        &mut self,
        settings: &LimitSettings,
        started: Duration,
        now: Duration,
        wait: Option<Duration>,
    ) {
        let pause = now + wait.unwrap_or_default().min(settings.pause_max);
        // Calls that were under way together are told together; they are one message.
        let news = self.cut_at.is_none_or(|cut| started >= cut);
        if !news && pause <= self.paused_until {
            return;
        }
        self.paused_until = self.paused_until.max(pause);
        if news {
            let present = self.measured(settings, now);
            let rate = self.rate.map_or(present, |rate| rate.min(present));
            self.rate = Some((rate * settings.cut).max(settings.rate_least));
            self.cut_at = Some(now);
        }
        self.next_slot = self.paused_until;
        self.raised_at = self.paused_until;
        self.epoch += 1;
    }

    /// What the headers of an answer say is left.
    pub(crate) fn heed(&mut self, settings: &LimitSettings, room: Room, now: Duration) {
        let resets_at = now + room.resets_in.min(settings.pause_max);
        if room.remaining == 0 && self.rate.is_none() {
            // So that those who wait for the reset don't all come at once.
            self.rate = Some(self.measured(settings, now).max(settings.rate_least));
            self.cut_at = Some(now);
            self.raised_at = resets_at;
            self.next_slot = resets_at;
        }
        // Answers come out of order: within one period the lower count is the newer.
        let same = self.left.filter(|left| now < left.resets_at);
        let calls = same.map_or(room.remaining, |left| left.calls.min(room.remaining));
        self.left = Some(Left { calls, resets_at });
    }

    /// The limit in calls a second, as far as one is known.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// What time alone changes: limits are raised, and at last forgotten.
    fn relax(&mut self, settings: &LimitSettings, now: Duration) {
        self.left = self.left.filter(|left| now < left.resets_at);
        let Some(rate) = self.rate else { return };
        let calm_since = self.cut_at.unwrap_or_default().max(self.paused_until);
        if now.saturating_sub(calm_since) >= settings.forgotten_after {
            self.rate = None;
            self.cut_at = None;
            return;
        }
        let passed = now.saturating_sub(self.raised_at).as_secs_f64();
        self.rate = Some(rate + passed * settings.raise_per_second);
        self.raised_at = self.raised_at.max(now);
    }

    fn start(&mut self, now: Duration) {
        self.starts.push_back(now);
        if self.starts.len() > STARTS_MAX {
            self.starts.pop_front();
        }
    }

    fn measured(&mut self, settings: &LimitSettings, now: Duration) -> f64 {
        let since = now.saturating_sub(settings.measured_over);
        while self.starts.front().is_some_and(|start| *start < since) {
            self.starts.pop_front();
        }
        self.starts.len() as f64 / settings.measured_over.as_secs_f64()
    }
}

#[cfg(test)]
mod tests;
