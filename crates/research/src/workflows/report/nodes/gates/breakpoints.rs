//! Breakpoints of a person's own: a step that can be stopped before, and what their decision does.
//!
//! A stop after a step is made before the next one, when what the step brought is stored already. To refuse there
//! takes the run to its fallback, with all that was found until then.

use fathom_workflow::interrupt::Verdict;
use fathom_workflow::{NodeError, NodeFn, NodeResult};
use futures::future::BoxFuture;

use super::question::{GateQuestion, Heard};
use crate::reasoner::Ctx;
use crate::services::Services;
use crate::workflows::report::breakpoint::{Breakpoint, Step};
use crate::workflows::report::nodes::Notes;
use crate::workflows::report::state::{Gate, ReportState, ReportUpdate, Ruling, StateChange};

/// A node before which a run can be stopped.
pub(crate) struct Stoppable<N> {
    /// The step that the node takes; none for the fallback, which is no step to stop before.
    step: Option<Step>,
    node: N,
}

pub(crate) fn stoppable<N>(step: Step, node: N) -> Stoppable<N> {
    let step = Some(step);
    Stoppable { step, node }
}

/// A node that is only stopped before because of what came before it.
pub(crate) fn stoppable_after<N>(node: N) -> Stoppable<N> {
    Stoppable { step: None, node }
}

impl<'a, N> NodeFn<'a, ReportState, Services> for Stoppable<N>
where
    N: for<'b> NodeFn<'b, ReportState, Services> + Copy + 'static,
{
    type Turn = BoxFuture<'a, NodeResult<ReportState>>;

    fn turn(&self, state: &'a ReportState, ctx: &'a Ctx) -> Self::Turn {
        let Self { step, node } = *self;
        Box::pin(async move {
            let Some(breakpoint) = first_stop(state, ctx, step) else {
                let update = node.turn(state, ctx).await?;
                return Ok(ReportUpdate { step, ..update });
            };
            let ruling = ask(breakpoint, state, ctx, step).await?;
            if !is_taken(&ruling, step) {
                let update = Notes::new(ctx).update(StateChange::Nothing);
                return Ok(ReportUpdate {
                    before: Some(ruling),
                    ..update
                });
            }
            let mut ruled = state.clone();
            ruled.take_ruling(&ruling);
            let update = node.turn(&ruled, ctx).await?;
            Ok(ReportUpdate {
                before: Some(ruling),
                step,
                ..update
            })
        })
    }
}

/// The first breakpoint that holds here. A run on its way out because of a failure, or because somebody has ended it, is
/// not stopped once more.
fn first_stop<'s>(state: &'s ReportState, ctx: &Ctx, next: Option<Step>) -> Option<&'s Breakpoint> {
    if ctx.rescued().is_some() || state.is_stopped() {
        return None;
    }
    let breakpoints = &state.settings.people.breakpoints;
    breakpoints.iter().find(|one| one.stops(state, next))
}

async fn ask(
    breakpoint: &Breakpoint,
    state: &ReportState,
    ctx: &Ctx,
    next: Option<Step>,
) -> Result<Ruling, NodeError> {
    let question = GateQuestion {
        gate: Gate::Own(breakpoint.at),
        reason: format!("{}. {}", breakpoint.reason(), use_of_feedback(next)),
        show: breakpoint.shown(state),
        heard: heard(next),
        within_s: breakpoint.timeout_s,
    };
    question.put(state, ctx).await
}

/// What becomes of feedback that is given here, so that nobody waits for what will not be done.
fn use_of_feedback(next: Option<Step>) -> &'static str {
    match next {
        Some(Step::Plan) => "Feedback goes into the plan",
        Some(Step::Search | Step::Analyse) => {
            "Feedback is kept for the draft, and nothing is searched again for it"
        }
        Some(Step::Write) => "Feedback goes into the draft",
        Some(Step::Check | Step::Review) => "Edits count here, feedback alone does not",
        Some(Step::Output) => "Feedback alone has the draft written again",
        None => "Nothing can be changed any more, so feedback is only a remark",
    }
}

/// What a person can say here: feedback is for whoever plans or writes next.
fn heard(next: Option<Step>) -> Heard {
    match next {
        Some(Step::Plan | Step::Search | Step::Analyse | Step::Write | Step::Output) => Heard::All,
        Some(Step::Check) => Heard::EditsUnchecked,
        Some(Step::Review) => Heard::Edits,
        None => Heard::Nothing,
    }
}

/// Whether the step is taken after the decision. Feedback alone on a finished report asks for another draft.
fn is_taken(ruling: &Ruling, next: Option<Step>) -> bool {
    match (ruling.decided.verdict, next) {
        (_, None) => true,
        (Verdict::Reject, _) => false,
        (Verdict::Modify, Some(Step::Output)) => ruling.decided.edited,
        (Verdict::Approve | Verdict::Modify | Verdict::Skip, _) => true,
    }
}
