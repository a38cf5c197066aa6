//! Breakpoints of a person's own: a step that can be stopped before, and what their decision does.
//!
//! A stop after a step is made before the next one, when what the step brought is stored already. To refuse there
//! takes the run to its fallback, with all that was found until then.

use fathom_workflow::interrupt::Verdict;
use fathom_workflow::{NodeError, NodeFn, NodeResult};
use futures::future::BoxFuture;

use super::question::Question;
use crate::breakpoint::{Breakpoint, Step};
use crate::deps::Deps;
use crate::reasoner::Ctx;
use crate::state::{Decided, Gate, Ruling, State};

/// A node before which a run can be stopped.
pub(crate) struct Stoppable<N>(N);

pub(crate) fn stoppable<N>(node: N) -> Stoppable<N>
where
    N: for<'a> NodeFn<'a, State, Deps> + Copy + 'static,
{
    Stoppable(node)
}

impl<'a, N> NodeFn<'a, State, Deps> for Stoppable<N>
where
    N: for<'b> NodeFn<'b, State, Deps> + Copy + 'static,
{
    type Turn = BoxFuture<'a, NodeResult<State>>;

    fn turn(&self, state: &'a State, ctx: &'a Ctx) -> Self::Turn {
        let node = self.0;
        Box::pin(async move {
            let step = Step::named(ctx.node());
            let ruling = match step.and_then(|next| first_stop(state, next)) {
                Some(breakpoint) => Some(ask(breakpoint, state, ctx).await?),
                None => None,
            };
            let mut update = match &ruling {
                Some(ruling) => {
                    let mut ruled = state.clone();
                    ruled.take_ruling(ruling);
                    node.turn(&ruled, ctx).await?
                }
                None => node.turn(state, ctx).await?,
            };
            update.before = ruling;
            update.step = step;
            Ok(update)
        })
    }
}

fn first_stop(state: &State, next: Step) -> Option<&Breakpoint> {
    let breakpoints = &state.settings.people.breakpoints;
    breakpoints.iter().find(|one| one.stops(state, next))
}

async fn ask(breakpoint: &Breakpoint, state: &State, ctx: &Ctx) -> Result<Ruling, NodeError> {
    let question = Question {
        gate: Gate::Own(breakpoint.at),
        reason: breakpoint.reason(),
        show: breakpoint.shown(state),
        within_s: breakpoint.timeout_s,
    };
    let ruling = question.put(state, ctx).await?;
    match ruling.decided.verdict {
        Verdict::Reject => Err(refused(&ruling.decided, breakpoint)),
        Verdict::Approve | Verdict::Modify | Verdict::Skip => Ok(ruling),
    }
}

fn refused(decided: &Decided, breakpoint: &Breakpoint) -> NodeError {
    let at = breakpoint.at;
    let words = match (&decided.by, &decided.feedback) {
        (None, _) => format!("nobody decided at the stop {at} in time"),
        (Some(by), None) => format!("{by} ended the run at the stop {at}"),
        (Some(by), Some(feedback)) => format!("{by} ended the run at the stop {at}: {feedback}"),
    };
    NodeError::new(words)
}
