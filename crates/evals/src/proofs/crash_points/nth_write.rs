//! The fate of a process that has one write fail.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;
use fathom_workflow::Error;

use super::{Moment, Process};
use crate::proofs::faulty::{Fate, Op, gone};

/// Fails one write. A process that dies with it gets no other operation through.
pub(super) struct NthWrite {
    nth: u64,
    moment: Moment,
    pub(super) process: Process,
    writes: AtomicU64,
    struck: AtomicBool,
    veto: AtomicBool,
}

impl NthWrite {
    pub(super) fn new(nth: u64, moment: Moment, process: Process) -> Self {
        Self {
            nth,
            moment,
            process,
            writes: AtomicU64::new(0),
            struck: AtomicBool::new(false),
            veto: AtomicBool::new(false),
        }
    }

    pub(super) fn has_struck(&self) -> bool {
        self.struck.load(Ordering::SeqCst)
    }

    /// Asked by SQLite before each commit.
    pub(super) fn vetoes(&self) -> bool {
        self.veto.swap(false, Ordering::SeqCst)
    }
}

#[async_trait]
impl Fate for NthWrite {
    async fn before(&self, op: Op) -> Result<(), Error> {
        if self.has_struck() && self.process == Process::Dies {
            return Err(gone());
        }
        if !op.is_write() || self.writes.fetch_add(1, Ordering::SeqCst) + 1 != self.nth {
            return Ok(());
        }
        self.struck.store(true, Ordering::SeqCst);
        match self.moment {
            Moment::Before => Err(gone()),
            Moment::Uncommitted => {
                self.veto.store(true, Ordering::SeqCst);
                Ok(())
            }
            Moment::Committed => Ok(()),
        }
    }

    async fn after(&self, op: Op) -> Result<(), Error> {
        let this = op.is_write() && self.writes.load(Ordering::SeqCst) == self.nth;
        match self.moment {
            Moment::Committed if this => Err(gone()),
            Moment::Before | Moment::Uncommitted | Moment::Committed => Ok(()),
        }
    }
}
