//! When to write a whole state beside a step, so that loading need not fold from the start.
//!
//! A snapshot is worth its bytes only where the log since the last one is much larger than the state.
//! So one is written when that many steps have passed and the log has grown to ten times the state's
//! size: snapshots never add more than a tenth to what a run writes, and a state that grows with its
//! log, which a fold reads as fast as a snapshot, gets none.

use crate::record::{RunTally, Snapshot};
use crate::{Error, Payload, State};

/// Fewer steps than this fold in no time.
const LEAST_STEPS: u64 = 256;

/// How much larger than the state the log must be.
const LEAST_GAIN: u64 = 10;

#[derive(Default)]
pub(crate) struct SnapshotPolicy {
    steps: u64,
    bytes: u64,
    /// The state's size when it was last encoded.
    state_bytes: u64,
}

impl SnapshotPolicy {
    /// Counts what an append wrote.
    pub(crate) fn count(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// A snapshot to write with this step, if one is due.
    pub(crate) fn take<S: State>(
        &mut self,
        step: u64,
        state: &S,
        tally: &RunTally,
    ) -> Result<Option<Snapshot>, Error> {
        self.steps += 1;
        if self.steps < LEAST_STEPS || self.bytes < LEAST_GAIN * self.state_bytes.max(1) {
            return Ok(None);
        }
        let state = Payload::encoded(state)?;
        self.state_bytes = state.bytes()?.len() as u64;
        if self.bytes < LEAST_GAIN * self.state_bytes {
            return Ok(None);
        }
        self.steps = 0;
        self.bytes = 0;
        Ok(Some(Snapshot {
            step,
            tally: tally.clone(),
            state,
        }))
    }
}
