//! Runs that stay open between two steps, so that the next one need not read the log again.
//!
//! There are few of them and each is worked on by one caller at a time. While nobody works on a run
//! its lease is left to lapse, so another process can take it up; one that was idle for longer than
//! its lease is opened anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::OpenRun;
use crate::clock::later;
use crate::runtime::Runtime;
use crate::{Error, RunId};

pub(super) struct OpenRuns {
    slots: Mutex<HashMap<RunId, SlotState>>,
    capacity: usize,
    lease: Duration,
}

enum SlotState {
    /// Somebody works on it.
    Busy,
    Idle {
        open: Box<dyn OpenRun>,
        /// When its lease was last renewed by an append.
        since: Instant,
    },
}

/// A caller's right to work on a run. Dropped, it closes the run.
pub(super) struct RunSlot {
    open_runs: Arc<OpenRuns>,
    run: RunId,
    open: Option<Box<dyn OpenRun>>,
    /// Since when the run was idle, if it was open when the caller took hold of it.
    idle_since: Option<Instant>,
}

impl OpenRuns {
    pub(super) fn new(capacity: usize, lease: Duration) -> Self {
        Self {
            slots: Mutex::default(),
            capacity,
            lease,
        }
    }

    /// Takes hold of a run, open or not. Refused while another caller works on it.
    pub(super) async fn take(
        self: &Arc<Self>,
        run: RunId,
        runtime: &Runtime,
    ) -> Result<RunSlot, Error> {
        let before = self.lock().insert(run, SlotState::Busy);
        if let Some(SlotState::Busy) = before {
            return Err(Error::Held {
                run,
                owner: runtime.owner.clone(),
                until: later(runtime.clock.now(), self.lease),
            });
        }
        let mut slot = RunSlot {
            open_runs: Arc::clone(self),
            run,
            open: None,
            idle_since: None,
        };
        match before {
            // Somebody else may have taken it up meanwhile.
            Some(SlotState::Idle { open, since }) if since.elapsed() >= self.lease => {
                release([open]).await;
            }
            Some(SlotState::Idle { mut open, since }) => {
                open.set_idle(false);
                slot.open = Some(open);
                slot.idle_since = Some(since);
            }
            Some(SlotState::Busy) | None => {}
        }
        Ok(slot)
    }

    /// Keeps a run that was just written to open until somebody works on it.
    pub(super) async fn put(&self, run: RunId, open: Box<dyn OpenRun>) {
        self.put_since(run, open, Instant::now()).await;
    }

    async fn put_since(&self, run: RunId, mut open: Box<dyn OpenRun>, since: Instant) {
        open.set_idle(true);
        let evicted = {
            let mut slots = self.lock();
            slots.insert(run, SlotState::Idle { open, since });
            evict(&mut slots, self.capacity)
        };
        release(evicted).await;
    }

    /// Closes a run that nobody works on just now.
    pub(super) async fn release(&self, run: RunId) {
        let idle = {
            let mut slots = self.lock();
            match slots.remove(&run) {
                Some(SlotState::Idle { open, .. }) => Some(open),
                Some(SlotState::Busy) => {
                    slots.insert(run, SlotState::Busy);
                    None
                }
                None => None,
            }
        };
        release(idle).await;
    }

    /// Closes every run that nobody works on just now.
    pub(super) async fn release_all(&self) {
        let idle = evict(&mut self.lock(), 0);
        release(idle).await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, SlotState>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes out the runs that were idle longest, until no more than `capacity` are.
fn evict(slots: &mut HashMap<RunId, SlotState>, capacity: usize) -> Vec<Box<dyn OpenRun>> {
    let mut idle: Vec<(Instant, RunId)> = slots
        .iter()
        .filter_map(|(run, slot)| match slot {
            SlotState::Idle { since, .. } => Some((*since, *run)),
            SlotState::Busy => None,
        })
        .collect();
    idle.sort_unstable();
    let excess = idle.len().saturating_sub(capacity);
    idle.into_iter()
        .take(excess)
        .filter_map(|(_, run)| match slots.remove(&run) {
            Some(SlotState::Idle { open, .. }) => Some(open),
            Some(SlotState::Busy) | None => None,
        })
        .collect()
}

async fn release(runs: impl IntoIterator<Item = Box<dyn OpenRun>>) {
    for mut open in runs {
        open.release().await;
    }
}

impl RunSlot {
    /// The open run, if there is one, to be given back by [`RunSlot::fill`].
    pub(super) fn take_open(&mut self) -> Option<Box<dyn OpenRun>> {
        self.open.take()
    }

    pub(super) fn fill(&mut self, open: Box<dyn OpenRun>) -> &mut Box<dyn OpenRun> {
        self.open.insert(open)
    }

    /// Keeps the run open for the next caller, after an append has renewed its lease.
    pub(super) async fn put_back(mut self) {
        self.idle_since = None;
        self.put_back_unused().await;
    }

    /// Keeps the run open for the next caller. If it was open before, nothing has renewed its lease
    /// since, and it stays idle since then.
    pub(super) async fn put_back_unused(mut self) {
        if let Some(open) = self.open.take() {
            let since = self.idle_since.unwrap_or_else(Instant::now);
            let open_runs = Arc::clone(&self.open_runs);
            open_runs.put_since(self.run, open, since).await;
        }
    }

    /// Gives the run up unfinished.
    pub(super) async fn release(mut self) {
        release(self.open.take()).await;
    }
}

impl Drop for RunSlot {
    fn drop(&mut self) {
        let mut slots = self.open_runs.lock();
        if let Some(SlotState::Busy) = slots.get(&self.run) {
            slots.remove(&self.run);
        }
    }
}
