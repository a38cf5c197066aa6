//! The fate of a drawn run's operations.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use fathom_workflow::Error;
use rand::Rng;
use rand::rngs::StdRng;

use crate::proofs::faulty::{Op, StoreFaults, gone};

/// Operations fail by chance, and always take a few turns, so that a crash finds places to come.
pub(super) struct ChanceFaults {
    rate: f64,
    calm: AtomicBool,
    drawn: Mutex<DrawnFaults>,
}

struct DrawnFaults {
    chance: StdRng,
    struck: u64,
}

impl ChanceFaults {
    pub(super) fn new(chance: StdRng, rate: f64) -> Self {
        Self {
            rate,
            calm: AtomicBool::new(false),
            drawn: Mutex::new(DrawnFaults { chance, struck: 0 }),
        }
    }

    /// From now on nothing fails.
    pub(super) fn calm(&self) {
        self.calm.store(true, Ordering::SeqCst);
    }

    pub(super) fn strikes(&self) -> u64 {
        self.lock().struck
    }

    fn lock(&self) -> MutexGuard<'_, DrawnFaults> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn strike(&self) -> Result<(), Error> {
        let turns = self.lock().chance.random_range(0..3);
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        let mut drawn = self.lock();
        if !self.calm.load(Ordering::SeqCst) && drawn.chance.random_bool(self.rate) {
            drawn.struck += 1;
            return Err(gone());
        }
        Ok(())
    }
}

#[async_trait]
impl StoreFaults for ChanceFaults {
    async fn before(&self, _: Op) -> Result<(), Error> {
        self.strike().await
    }

    async fn after(&self, _: Op) -> Result<(), Error> {
        self.strike().await
    }
}
