//! From a question to a reviewed, cited report.
//!
//! ```text
//! plan → [plan review] → search → analyse (→ search) → write → check → review (→ write)
//!      → [critical review] → [final review] → output, or fallback
//! ```
//!
//! Routes only read the state. Every way back is bounded here, whatever a run's own settings say.

use fathom_workflow::{END, Graph, GraphError};

use super::nodes::gates::{stoppable, stoppable_after};
use super::nodes::{analyse, check, fallback, gates, output, plan, review, search, write};
use super::routes;
use crate::services::Services;
use crate::workflows::report::breakpoint::Step;
use crate::workflows::report::state::ReportState;

/// The workflow's name, saved in every log.
pub const NAME: &str = "report";

/// Makes or mends the plan. Names of nodes are saved in logs and stay.
pub const PLAN: &str = "plan";
/// Asks a person about the plan.
pub const PLAN_REVIEW: &str = "plan_review";
/// Puts pending queries and reads the best results.
pub const SEARCH: &str = "search";
/// Locates evidence, makes findings, decides whether to search on.
pub const ANALYSE: &str = "analyse";
/// Writes or revises the draft.
pub const WRITE: &str = "write";
/// Holds every sentence against its sources.
pub const CHECK: &str = "check";
/// Judges the draft.
pub const REVIEW: &str = "review";
/// Asks a person about a draft with a critical fault.
pub const CRITICAL_REVIEW: &str = "critical_review";
/// Asks a person about the finished draft.
pub const FINAL_REVIEW: &str = "final_review";
/// Hands the report over.
pub const OUTPUT: &str = "output";
/// Makes a partial report of what there is.
pub const FALLBACK: &str = "fallback";

/// What no setting can exceed.
const PLANS_MOST: u32 = 5;
const SEARCHES_MOST: u32 = 10;
const REVISIONS_MOST: u32 = 10;
const REWRITES_MOST: u32 = 5;

/// Builds the graph; fails only if it is wired wrongly.
pub fn graph() -> Result<Graph<ReportState, Services>, GraphError> {
    Graph::new(NAME)
        .node(PLAN, stoppable(Step::Plan, plan::plan))
        .node(PLAN_REVIEW, gates::plan_review)
        .node(SEARCH, stoppable(Step::Search, search::search))
        .node(ANALYSE, stoppable(Step::Analyse, analyse::analyse))
        .node(WRITE, stoppable(Step::Write, write::write))
        .node(CHECK, stoppable(Step::Check, check::check))
        .node(REVIEW, stoppable(Step::Review, review::review))
        .node(CRITICAL_REVIEW, gates::critical_review)
        .node(FINAL_REVIEW, gates::final_review)
        .node(OUTPUT, stoppable(Step::Output, output::output))
        .node(FALLBACK, stoppable_after(fallback::fallback))
        .start(PLAN)
        .rescue(FALLBACK)
        .route(PLAN, [PLAN_REVIEW, SEARCH, FALLBACK], routes::after_plan)
        .route(
            PLAN_REVIEW,
            [PLAN, SEARCH, FALLBACK, END],
            routes::after_plan_review,
        )
        .route(SEARCH, [ANALYSE, FALLBACK], routes::after_search)
        .route(ANALYSE, [SEARCH, WRITE, FALLBACK], routes::after_analyse)
        .route(WRITE, [CHECK, FALLBACK], routes::after_write)
        .route(CHECK, [REVIEW, FALLBACK], routes::after_check)
        .route(
            REVIEW,
            [WRITE, CRITICAL_REVIEW, FINAL_REVIEW, OUTPUT, FALLBACK],
            routes::after_review,
        )
        .route(
            CRITICAL_REVIEW,
            [WRITE, FINAL_REVIEW, OUTPUT, FALLBACK],
            routes::after_critical_review,
        )
        .route(
            FINAL_REVIEW,
            [WRITE, OUTPUT, FALLBACK],
            routes::after_final_review,
        )
        .route(OUTPUT, [END, WRITE, FALLBACK], routes::after_output)
        .edge(FALLBACK, END)
        .at_most(PLANS_MOST, PLAN_REVIEW, PLAN, FALLBACK)
        .at_most(SEARCHES_MOST, ANALYSE, SEARCH, WRITE)
        .at_most(REVISIONS_MOST, REVIEW, WRITE, FALLBACK)
        .at_most(REWRITES_MOST, CRITICAL_REVIEW, WRITE, FALLBACK)
        .at_most(REWRITES_MOST, FINAL_REVIEW, WRITE, FALLBACK)
        .at_most(REWRITES_MOST, OUTPUT, WRITE, FALLBACK)
        .ending(routes::ending)
        .phase(PLAN, |_| "planning")
        .phase(PLAN_REVIEW, |_| "planning")
        .phase(SEARCH, |_| "searching")
        .phase(ANALYSE, |_| "analyzing")
        .phase(WRITE, |state: &ReportState| {
            if state.draft.is_some() {
                "revising"
            } else {
                "writing"
            }
        })
        .phase(CHECK, |_| "writing")
        .phase(REVIEW, |_| "reviewing")
        .phase(CRITICAL_REVIEW, |_| "reviewing")
        .phase(FINAL_REVIEW, |_| "reviewing")
        .phase(OUTPUT, |_| "writing")
        .phase(FALLBACK, |_| "writing")
        .build()
}
