//! From a task to a cited answer, in bounded rounds.
//!
//! ```text
//! plan → search → reflect (→ search) → synthesize
//! ```
//!
//! Whatever cuts a run short leads to `degrade`, which answers from what there is.

use fathom_workflow::{END, Graph, GraphError, RunEnding};

use super::nodes::{degrade, plan, reflect, search, synthesize};
use super::state::AnswerState;
use crate::services::Services;

/// The workflow's name, saved in every log.
pub const NAME: &str = "answer";

/// Makes queries of the task. Names of nodes are saved in logs and stay.
pub const PLAN: &str = "plan";
/// Puts pending queries and reads the best results.
pub const SEARCH: &str = "search";
/// Decides whether what was found suffices, and what to search for if it does not.
pub const REFLECT: &str = "reflect";
/// Writes the answer and checks its citations.
pub const SYNTHESIZE: &str = "synthesize";
/// Answers from what there is when time is used up or something failed.
pub const DEGRADE: &str = "degrade";

/// Rounds that follow the first, whatever a request says.
pub const ROUNDS_MOST: u32 = 20;

/// Builds the graph; fails only if it is wired wrongly.
pub fn graph() -> Result<Graph<AnswerState, Services>, GraphError> {
    Graph::new(NAME)
        .node(PLAN, plan::plan)
        .node(SEARCH, search::search)
        .node(REFLECT, reflect::reflect)
        .node(SYNTHESIZE, synthesize::synthesize)
        .node(DEGRADE, degrade::degrade)
        .start(PLAN)
        .rescue(DEGRADE)
        .edge(PLAN, SEARCH)
        .edge(SEARCH, REFLECT)
        .route(REFLECT, [SEARCH, SYNTHESIZE], after_reflect)
        .edge(SYNTHESIZE, END)
        .edge(DEGRADE, END)
        .at_most(ROUNDS_MOST, REFLECT, SEARCH, SYNTHESIZE)
        .phase(PLAN, |_| "planning")
        .phase(SEARCH, |_| "searching")
        .phase(REFLECT, |_| "analyzing")
        .phase(SYNTHESIZE, |_| "writing")
        .phase(DEGRADE, |_| "writing")
        .ending(ending)
        .build()
}

/// It searches on while the last reflection has not stopped it.
fn after_reflect(state: &AnswerState) -> &'static str {
    match state.reflections.last() {
        Some(last) if last.stop.is_none() => SEARCH,
        _ => SYNTHESIZE,
    }
}

/// How the end is listed: an answer that was cut short is partial.
fn ending(state: &AnswerState) -> RunEnding {
    match &state.answer {
        Some(answer) if !answer.is_answer() => {
            RunEnding::Partial(fathom_render::answer::verdict(answer))
        }
        _ => RunEnding::Complete,
    }
}
