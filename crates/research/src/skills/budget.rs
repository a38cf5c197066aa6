//! What a run has spent and may still spend. Searching leaves a share for writing, so that the budget's end still
//! gives a report.

use std::time::Duration;

use jiff::Timestamp;

use crate::reasoner::Ctx;
use crate::settings::Caps;
use crate::skills::stop::StopReason;

/// The meters of a run. Their names are saved in every log.
pub const TOKENS: &str = "tokens";
/// Those of [`TOKENS`] that models wrote; the others they read.
pub const TOKENS_WRITTEN: &str = "tokens_written";
/// In millionths of a millionth of a dollar, as [`fathom_providers::model::Cost`] counts.
pub const COST_PICOS: &str = "cost_picos";
/// Searches that were made.
pub const QUERIES: &str = "queries";
/// Pages that were asked for.
pub const FETCHES: &str = "fetches";
/// Pages that could not be had.
pub const FETCHES_FAILED: &str = "fetches_failed";

/// What a run may use up, in time and in all that is metered.
#[derive(Clone, Copy, Debug)]
pub struct RunBudget {
    /// Caps on what is metered, and the share kept for writing.
    pub caps: Caps,
    /// Time of the whole run.
    pub time_limit: Duration,
    /// The time counts from here.
    pub started_at: Timestamp,
}

/// What is used up as far as searching is concerned, if anything.
pub fn used_up(budget: &RunBudget, ctx: &Ctx) -> Option<StopReason> {
    if let Some(stop) = only_reserve_left(budget, ctx) {
        return Some(stop);
    }
    let caps = &budget.caps;
    if left(caps.queries, ctx.spent(QUERIES)) == 0 {
        return Some(StopReason::Queries);
    }
    if left(caps.fetches, ctx.spent(FETCHES)) == 0 {
        return Some(StopReason::Fetches);
    }
    None
}

/// Whether so much time, tokens or money is spent that the rest is kept for writing.
pub fn only_reserve_left(budget: &RunBudget, ctx: &Ctx) -> Option<StopReason> {
    let caps = &budget.caps;
    let share = 1.0 - caps.writing_reserve.clamp(0.0, 1.0);
    let worked = time_worked(budget.started_at, ctx);
    if worked.as_secs_f64() >= share * budget.time_limit.as_secs_f64() {
        return Some(StopReason::Time);
    }
    let shared = |cap: Option<u64>, meter: &str| {
        cap.is_some_and(|cap| ctx.spent(meter) as f64 >= share * cap as f64)
    };
    if shared(caps.tokens, TOKENS) {
        return Some(StopReason::Tokens);
    }
    if shared(caps.cost_picos(), COST_PICOS) {
        return Some(StopReason::Cost);
    }
    None
}

/// How long the run has worked: waiting for people, or for somebody to take the run up, is not its own time.
pub(crate) fn time_worked(started_at: Timestamp, ctx: &Ctx) -> Duration {
    let passed = ctx.now().duration_since(started_at);
    let passed = Duration::try_from(passed).unwrap_or_default();
    passed.saturating_sub(ctx.waited())
}

/// How many of a capped thing are left.
pub fn left(cap: Option<u64>, spent: u64) -> usize {
    let left = cap.map_or(u64::MAX, |cap| cap.saturating_sub(spent));
    usize::try_from(left).unwrap_or(usize::MAX)
}
