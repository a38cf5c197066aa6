//! The fate of an owner that is stopped at one moment, and goes on when it is told to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use fathom_workflow::Error;
use tokio::sync::watch;

use crate::proofs::faulty::{Op, StoreFaults, TakenWrite};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Working,
    Stopped,
    WorkingAgain,
}

pub(super) struct Pause {
    /// The moment to stop at. Every operation has two: the even one just before it, the odd one after.
    stop_at: Option<u64>,
    ops: AtomicU64,
    phase: watch::Sender<Phase>,
    taken: Mutex<Vec<TakenWrite>>,
}

impl Pause {
    pub(super) fn new(stop_at: Option<u64>) -> Self {
        Self {
            stop_at,
            ops: AtomicU64::new(0),
            phase: watch::Sender::new(Phase::Working),
            taken: Mutex::default(),
        }
    }

    /// Resolves when the owner has been stopped.
    pub(super) async fn stopped(&self) {
        self.until(|phase| phase != Phase::Working).await;
    }

    pub(super) fn was_stopped(&self) -> bool {
        *self.phase.borrow() != Phase::Working
    }

    /// Lets the owner go on, to be stopped no more.
    pub(super) fn go_on(&self) {
        self.phase.send_replace(Phase::WorkingAgain);
    }

    /// How many operations there were, those in the background not counted.
    pub(super) fn ops(&self) -> u64 {
        self.ops.load(Ordering::SeqCst)
    }

    /// The writes that the store has taken from this owner.
    pub(super) fn taken(&self) -> Vec<TakenWrite> {
        let taken = self.taken.lock();
        taken.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops here if this is the moment. Whatever comes while the owner is stopped waits too: a
    /// process that is stopped does not prolong its leases either.
    async fn pass(&self, moment: Option<u64>) {
        if moment.is_some() && moment == self.stop_at {
            self.phase.send_if_modified(|phase| {
                let working = *phase == Phase::Working;
                if working {
                    *phase = Phase::Stopped;
                }
                working
            });
        }
        self.until(|phase| phase != Phase::Stopped).await;
    }

    async fn until(&self, wanted: impl Fn(Phase) -> bool) {
        let mut phase = self.phase.subscribe();
        // The sender lives as long as this, so waiting cannot fail.
        let _ = phase.wait_for(|phase| wanted(*phase)).await;
    }
}

#[async_trait]
impl StoreFaults for Pause {
    async fn before(&self, op: Op) -> Result<(), Error> {
        let counts = op != Op::Keeping;
        let moment = counts.then(|| 2 * self.ops.fetch_add(1, Ordering::SeqCst));
        self.pass(moment).await;
        Ok(())
    }

    async fn after(&self, op: Op) -> Result<(), Error> {
        let counts = op != Op::Keeping;
        self.pass(counts.then(|| 2 * self.ops() - 1)).await;
        Ok(())
    }

    fn taken(&self, write: TakenWrite) {
        let taken = self.taken.lock();
        taken.unwrap_or_else(PoisonError::into_inner).push(write);
    }
}
