//! Prompts that were too long and had to be cut, kept until the step that asked tells of them in its run's error log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fathom_providers::FailureSeverity;
use fathom_workflow::RunId;

use super::ask::CUTS_MOST;
use crate::calls::RecordedFailure;
use crate::reasoner::Ctx;

/// Kept at once. Steps that never ask for theirs must not fill the memory.
const KEPT_MOST: usize = 1_000;

/// The overflows of all runs, by run, step and key, so that a step gets its own in the same order whenever it is run.
#[derive(Default)]
pub(super) struct Overflows(Mutex<BTreeMap<(RunId, u64, String), RecordedFailure>>);

impl Overflows {
    /// Notes that a prompt was too long, and that it is cut for the nth time.
    pub(super) fn note(&self, ctx: &Ctx, key: String, cut: u8, failure: RecordedFailure) {
        let message = format!(
            "{} (cut and asked again, {cut} of {CUTS_MOST})",
            failure.message
        );
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MOST {
            kept.pop_first();
        }
        let failure = RecordedFailure {
            severity: FailureSeverity::Recoverable,
            message,
            ..failure
        };
        kept.insert((ctx.run(), ctx.step(), key), failure);
    }

    /// What a step's calls met, once.
    pub(super) fn take(&self, ctx: &Ctx) -> Vec<RecordedFailure> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = Vec::new();
        kept.retain(|(run, step, _), failure| {
            let is_own = *run == ctx.run() && *step == ctx.step();
            if is_own {
                taken.push(failure.clone());
            }
            !is_own
        });
        taken
    }
}
