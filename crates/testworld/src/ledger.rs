//! What was asked of the world, in the order in which it arrived.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A call that arrived.
#[derive(Clone, Debug)]
pub struct Call {
    /// `model`, `search`, `page`, `work`, or `stray` for what nothing here leads to.
    pub kind: &'static str,
    /// What was asked: the same for the same question.
    pub key: String,
    /// How often this very question had been asked before.
    pub repeats: usize,
    /// Since the world began.
    pub began: Duration,
    /// When its answer had been handed over; nothing if the asker went away before.
    pub answered: Option<Duration>,
}

pub struct Ledger {
    begun: Instant,
    calls: Mutex<Vec<Call>>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            calls: Mutex::default(),
        }
    }
}

impl Ledger {
    pub fn calls(&self) -> Vec<Call> {
        self.lock().clone()
    }

    /// How many calls of a kind have a key that begins so. Nothing is copied: worlds are asked thousands of times.
    pub(crate) fn count(&self, kind: &str, key: &str) -> usize {
        let calls = self.lock();
        let same = calls.iter().filter(|call| call.kind == kind);
        same.filter(|call| call.key.starts_with(key)).count()
    }

    /// Notes a call; gives its place and how often it had been made before.
    pub(crate) fn note(&self, kind: &'static str, key: String) -> (usize, usize) {
        let began = self.begun.elapsed();
        let mut calls = self.lock();
        let repeats = calls
            .iter()
            .filter(|call| call.kind == kind && call.key == key)
            .count();
        calls.push(Call {
            kind,
            key,
            repeats,
            began,
            answered: None,
        });
        (calls.len() - 1, repeats)
    }

    pub(crate) fn answered(&self, place: usize) {
        let now = self.begun.elapsed();
        if let Some(call) = self.lock().get_mut(place) {
            call.answered = Some(now);
        }
    }

    /// How much has happened: every call counts when it arrives and again when it is answered.
    pub fn moments(&self) -> usize {
        let calls = self.lock();
        let answered = calls.iter().filter(|call| call.answered.is_some());
        calls.len() + answered.count()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
