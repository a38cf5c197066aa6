//! The fate of an owner that is stopped at one operation, and goes on when it is told to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use fathom_workflow::Error;
use rand::Rng;
use rand::rngs::StdRng;
use tokio::sync::watch;

use crate::proofs::faulty::{Op, StoreFaults, TakenWrite};

/// On which side of an operation an owner is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// Where an owner is stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopPoint {
    op: u64,
    side: Side,
}

impl StopPoint {
    /// Any side of one of the first so many operations.
    pub(super) fn draw(chance: &mut StdRng, ops: u64) -> Self {
        Self {
            op: chance.random_range(1..=ops),
            side: if chance.random() {
                Side::Before
            } else {
                Side::After
            },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Working,
    Stopped,
    WorkingAgain,
}

pub(super) struct Pause {
    stop: Option<StopPoint>,
    ops: AtomicU64,
    phase: watch::Sender<Phase>,
    taken: Mutex<Vec<TakenWrite>>,
}

impl Pause {
    pub(super) fn new(stop: Option<StopPoint>) -> Self {
        Self {
            stop,
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

    pub(super) fn go_on(&self) {
        self.phase.send_if_modified(|phase| {
            let stopped = *phase == Phase::Stopped;
            if stopped {
                *phase = Phase::WorkingAgain;
            }
            stopped
        });
    }

    /// How many operations there were, those in the background not counted.
    pub(super) fn ops(&self) -> u64 {
        self.ops.load(Ordering::SeqCst)
    }

    /// The writes that the store has taken from this owner.
    pub(super) fn taken(&self) -> Vec<TakenWrite> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<TakenWrite>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops here if this is the place. Whatever comes while the owner is stopped waits too: a process
    /// that is stopped does not prolong its leases either.
    async fn pass(&self, op: u64, side: Side) {
        let here = self
            .stop
            .is_some_and(|stop| stop.op == op && stop.side == side);
        if here {
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
        // The sender lives as long as this, so waiting cannot fail.
        let _ = self
            .phase
            .subscribe()
            .wait_for(|phase| wanted(*phase))
            .await;
    }
}

#[async_trait]
impl StoreFaults for Pause {
    async fn before(&self, op: Op) -> Result<(), Error> {
        let number = match op {
            Op::Keeping => u64::MAX,
            _ => self.ops.fetch_add(1, Ordering::SeqCst) + 1,
        };
        self.pass(number, Side::Before).await;
        Ok(())
    }

    async fn after(&self, op: Op) -> Result<(), Error> {
        let number = match op {
            Op::Keeping => u64::MAX,
            _ => self.ops(),
        };
        self.pass(number, Side::After).await;
        Ok(())
    }

    fn taken(&self, write: TakenWrite) {
        self.lock().push(write);
    }
}
