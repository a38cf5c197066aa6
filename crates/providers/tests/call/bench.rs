//! What the tests of the call layer share: a clock that jumps to the next timer, fixed chance, a list of events.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use fathom_providers::Clock;
use fathom_providers::call::{CallEvent, CallSettings, Caller, ResponseHeaders};
use jiff::{SignedDuration, Timestamp};
use rand::RngCore;
use tokio::time::Instant;

/// When the virtual clock begins; the dates in `hints.md` and `faults.http` are meant from here.
pub const BEGIN: &str = "2026-11-16T02:00:00Z";

/// Virtual time: tokio's paused clock, which jumps to the next timer when nobody has work.
pub struct VirtualClock {
    begun: Instant,
}

impl VirtualClock {
    pub fn start() -> Arc<Self> {
        Arc::new(Self {
            begun: Instant::now(),
        })
    }
}

#[async_trait]
impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        let passed = SignedDuration::try_from(self.elapsed()).unwrap();
        BEGIN.parse::<Timestamp>().unwrap() + passed
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// Chance that always gives the same: nothing, or as much as possible.
#[derive(Clone, Copy)]
pub enum Luck {
    Least,
    Most,
}

impl RngCore for Luck {
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    fn next_u64(&mut self) -> u64 {
        match self {
            Self::Least => 0,
            Self::Most => u64::MAX,
        }
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        let byte = self.next_u64() as u8;
        bytes.fill(byte);
    }
}

pub fn caller(settings: CallSettings, clock: &Arc<VirtualClock>, luck: Luck) -> Caller {
    Caller::new(settings, clock.clone(), Box::new(luck))
}

/// The events of a test's calls, in order.
#[derive(Default)]
pub struct Seen(Mutex<Vec<CallEvent>>);

impl Seen {
    pub fn take(&self) -> Vec<CallEvent> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl fathom_providers::call::CallSink for Seen {
    fn attempt(&self, event: CallEvent) {
        self.0.lock().unwrap().push(event);
    }
}

/// Headers written as `name: value`, one a line.
pub fn headers(lines: &str) -> ResponseHeaders {
    lines
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim(), value.trim().to_owned()))
        .collect()
}
