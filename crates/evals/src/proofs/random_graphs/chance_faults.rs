//! The fate of a drawn run's operations.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use fathom_workflow::Error;
use rand::Rng;
use rand::rngs::StdRng;

use crate::proofs::faulty::{Op, StoreFaults, gone};

/// Operations fail by chance, and always take a few turns, so that a crash finds places to come.
pub(super) struct ChanceFaults(Mutex<DrawnFaults>);

pub(super) struct DrawnFaults {
    pub(super) chance: StdRng,
    /// How likely an operation fails.
    pub(super) rate: f64,
    /// How many have failed.
    pub(super) struck: u64,
}

impl ChanceFaults {
    pub(super) fn new(chance: StdRng, rate: f64) -> Self {
        let struck = 0;
        Self(Mutex::new(DrawnFaults {
            chance,
            rate,
            struck,
        }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, DrawnFaults> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn strike(&self) -> Result<(), Error> {
        let turns = self.lock().chance.random_range(0..3);
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
        let mut drawn = self.lock();
        let rate = drawn.rate;
        if drawn.chance.random_bool(rate) {
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
