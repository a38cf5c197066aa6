//! How a run passes from whoever began it to the background work of its process.
//!
//! Where there is room it stays in the same hands, open as it is. Where there is none it is given up, so that any process may
//! take it up.

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Host;
use crate::RunId;

impl Host {
    /// Leaves a run to the background work of this process or another, which begins with it at once where there is room.
    /// Whoever called may go away.
    pub async fn hand_over(&self, run: RunId) {
        if !self.hand_to_worker(run) {
            self.open_runs.release(run).await;
            self.background.hand_overs().left_in_store = true;
        }
        self.background.handed_over.notify_one();
    }

    /// Gives a run to the background work of this process without writing to the store, if it has room.
    fn hand_to_worker(&self, run: RunId) -> bool {
        let mut hand_overs = self.background.hand_overs();
        let has_room = hand_overs.runs.len() < hand_overs.room;
        if has_room {
            hand_overs.runs.push(run);
        }
        has_room
    }
}

/// What callers and the background work tell each other.
#[derive(Default)]
pub(super) struct Background {
    /// A run was handed over, so it is worth to look for due ones now.
    pub(super) handed_over: Notify,
    hand_overs: Mutex<HandOvers>,
    /// Due runs that this program cannot take up.
    pub(super) left_alone: AtomicUsize,
}

/// Runs on their way from callers to the background work.
#[derive(Default)]
pub(super) struct HandOvers {
    /// How many it would begin with at once; none while nobody works.
    pub(super) room: usize,
    /// Runs that go on as they are, open or not. No more than there is room for.
    pub(super) runs: Vec<RunId>,
    /// Whether one found no room and was left to whoever looks for due runs.
    pub(super) left_in_store: bool,
}

impl Background {
    pub(super) fn hand_overs(&self) -> MutexGuard<'_, HandOvers> {
        let locked = self.hand_overs.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what was handed over, and leaves what comes later in the store.
    pub(super) fn take_all_and_close(&self) -> HandOvers {
        std::mem::take(&mut *self.hand_overs())
    }
}
