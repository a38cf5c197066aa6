//! Counts what is asked of a store, and fails where a test tells it to.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fathom_testworld::{FaultyStore, StoreFaults, StoreOp, store_gone};
use fathom_workflow::{Error, RunId};

use super::Stage;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFault {
    Nothing,
    RenewalFails,
    /// The first time only.
    RenewalPanics,
    ClaimFails,
    /// Claims of this run are refused for a reason that may pass.
    ClaimRefused(RunId),
}

/// Every operation that was asked for.
pub struct CountedOps {
    fault: StoreFault,
    ops: Mutex<Vec<StoreOp>>,
}

impl CountedOps {
    /// The same stage, whose store counts and fails.
    pub fn over(stage: Stage, fault: StoreFault) -> (Stage, Arc<Self>) {
        let counted = Arc::new(Self {
            fault,
            ops: Mutex::default(),
        });
        let store = FaultyStore::new(stage.store.clone(), counted.clone());
        (Stage { store, ..stage }, counted)
    }

    fn count(&self, wanted: impl Fn(&StoreOp) -> bool) -> usize {
        let ops = self.ops.lock().unwrap();
        ops.iter().filter(|op| wanted(op)).count()
    }

    /// How often a log was loaded, and how many appends were made.
    pub fn loads_and_appends(&self) -> (usize, usize) {
        let count = |wanted| self.count(|op| *op == wanted);
        (count(StoreOp::Load), count(StoreOp::Append))
    }

    pub fn claims(&self) -> usize {
        self.count(|op| matches!(op, StoreOp::Claim(_)))
    }

    pub fn renewals(&self) -> usize {
        self.count(|op| *op == StoreOp::Renew)
    }
}

#[async_trait]
impl StoreFaults for CountedOps {
    async fn before(&self, op: StoreOp) -> Result<(), Error> {
        self.ops.lock().unwrap().push(op);
        match (self.fault, op) {
            (StoreFault::RenewalFails, StoreOp::Renew)
            | (StoreFault::ClaimFails, StoreOp::Claim(_)) => Err(store_gone()),
            (StoreFault::RenewalPanics, StoreOp::Renew) if self.renewals() == 1 => {
                panic!("the renewal falls over")
            }
            (StoreFault::ClaimRefused(refused), StoreOp::Claim(run)) if refused == run => {
                Err(Error::Store {
                    why: "out of memory".into(),
                })
            }
            _ => Ok(()),
        }
    }
}
