//! From a question to an answer out of one's own documents.
//!
//! ```text
//! analyse → retrieve → rerank → assess (→ retrieve, once) → generate
//! ```
//!
//! The one way back is bounded here: whatever is found, the documents are searched twice at most. A stage that fails or
//! hangs leads to `give_up`, which tells how far it came; so a run ends in an answer, a timeout or an error, and in
//! nothing else.

use fathom_workflow::{END, Graph, GraphError, RunEnding};

use super::nodes::{analyse, assess, generate, give_up, rerank, retrieve};
use super::state::AskState;
use crate::services::Services;

/// The workflow's name, saved in every log.
pub const NAME: &str = "ask";

/// Understands the question, with the turns before it. Names of nodes are saved in logs and stay.
pub const ANALYSE: &str = "analyse";
/// Searches the documents; the second time with more words.
pub const RETRIEVE: &str = "retrieve";
/// Puts what was found in order, by words and meaning.
pub const RERANK: &str = "rerank";
/// Measures what was found.
pub const ASSESS: &str = "assess";
/// Makes the answer of it.
pub const GENERATE: &str = "generate";
/// Tells how far a run came that could not answer.
pub const GIVE_UP: &str = "give_up";

/// Searches that may follow the first. No setting changes it.
const RETRIEVALS_AGAIN: u32 = 1;

/// Builds the graph; fails only if it is wired wrongly.
pub fn graph() -> Result<Graph<AskState, Services>, GraphError> {
    Graph::new(NAME)
        .node(ANALYSE, analyse::analyse)
        .node(RETRIEVE, retrieve::retrieve)
        .node(RERANK, rerank::rerank)
        .node(ASSESS, assess::assess)
        .node(GENERATE, generate::generate)
        .node(GIVE_UP, give_up::give_up)
        .start(ANALYSE)
        .rescue(GIVE_UP)
        .edge(ANALYSE, RETRIEVE)
        .edge(RETRIEVE, RERANK)
        .edge(RERANK, ASSESS)
        .route(ASSESS, [RETRIEVE, GENERATE], after_assess)
        .edge(GENERATE, END)
        .edge(GIVE_UP, END)
        .at_most(RETRIEVALS_AGAIN, ASSESS, RETRIEVE, GENERATE)
        .phase(ANALYSE, |_| "planning")
        .phase(RETRIEVE, |_| "searching")
        .phase(RERANK, |_| "searching")
        .phase(ASSESS, |_| "analyzing")
        .phase(GENERATE, |_| "writing")
        .phase(GIVE_UP, |_| "writing")
        .ending(ending)
        .build()
}

/// What was found is good enough, or there is another search. Whether there is one left is the graph's to say.
pub(super) fn after_assess(state: &AskState) -> &'static str {
    match state.assessments.last() {
        Some(last) if last.is_poor() => RETRIEVE,
        _ => GENERATE,
    }
}

/// How the end is listed: a run that ended without an answer is partial.
pub(super) fn ending(state: &AskState) -> RunEnding {
    match &state.answer {
        Some(answer) if !answer.is_answer() => {
            RunEnding::Partial(fathom_render::answer::verdict(answer))
        }
        _ => RunEnding::Complete,
    }
}
