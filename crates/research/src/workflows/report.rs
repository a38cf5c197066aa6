//! From a question to a reviewed, cited report.
//!
//! ```text
//! plan → [plan review] → search → analyse (→ search) → write → check → review (→ write)
//!      → [critical review] → [final review] → output, or fallback
//! ```
//!
//! Routes only read the state. Every way back is bounded here, whatever a run's own settings say.

use fathom_workflow::interrupt::Verdict as Decision;
use fathom_workflow::{END, Graph, GraphError};

use crate::critique::Verdict;
use crate::deps::Deps;
use crate::nodes::{analyse, check, fallback, output, people, plan, review, search, write};
use crate::state::{Decided, Gate, State};

pub const NAME: &str = "report";

pub const PLAN: &str = "plan";
pub const PLAN_REVIEW: &str = "plan_review";
pub const SEARCH: &str = "search";
pub const ANALYSE: &str = "analyse";
pub const WRITE: &str = "write";
pub const CHECK: &str = "check";
pub const REVIEW: &str = "review";
pub const CRITICAL_REVIEW: &str = "critical_review";
pub const FINAL_REVIEW: &str = "final_review";
pub const OUTPUT: &str = "output";
pub const FALLBACK: &str = "fallback";

/// What no setting can exceed.
const PLANS_MOST: u32 = 5;
const SEARCHES_MOST: u32 = 10;
const REVISIONS_MOST: u32 = 10;
const REWRITES_MOST: u32 = 5;

pub fn graph() -> Result<Graph<State, Deps>, GraphError> {
    Graph::new(NAME)
        .node(PLAN, plan::plan)
        .node(PLAN_REVIEW, people::plan_review)
        .node(SEARCH, search::search)
        .node(ANALYSE, analyse::analyse)
        .node(WRITE, write::write)
        .node(CHECK, check::check)
        .node(REVIEW, review::review)
        .node(CRITICAL_REVIEW, people::critical_review)
        .node(FINAL_REVIEW, people::final_review)
        .node(OUTPUT, output::output)
        .node(FALLBACK, fallback::fallback)
        .start(PLAN)
        .rescue(FALLBACK)
        .route(PLAN, [PLAN_REVIEW, SEARCH], after_plan)
        .route(
            PLAN_REVIEW,
            [PLAN, SEARCH, FALLBACK, END],
            after_plan_review,
        )
        .route(SEARCH, [ANALYSE, FALLBACK], after_search)
        .route(ANALYSE, [SEARCH, WRITE, FALLBACK], after_analyse)
        .edge(WRITE, CHECK)
        .edge(CHECK, REVIEW)
        .route(
            REVIEW,
            [WRITE, CRITICAL_REVIEW, FINAL_REVIEW, OUTPUT, FALLBACK],
            after_review,
        )
        .route(
            CRITICAL_REVIEW,
            [WRITE, FINAL_REVIEW, OUTPUT, FALLBACK],
            after_critical_review,
        )
        .route(FINAL_REVIEW, [WRITE, OUTPUT, FALLBACK], after_final_review)
        .edge(OUTPUT, END)
        .edge(FALLBACK, END)
        .at_most(PLANS_MOST, PLAN_REVIEW, PLAN, FALLBACK)
        .at_most(SEARCHES_MOST, ANALYSE, SEARCH, WRITE)
        .at_most(REVISIONS_MOST, REVIEW, WRITE, FALLBACK)
        .at_most(REWRITES_MOST, CRITICAL_REVIEW, WRITE, FALLBACK)
        .at_most(REWRITES_MOST, FINAL_REVIEW, WRITE, FALLBACK)
        .phase(PLAN, |_| "planning")
        .phase(PLAN_REVIEW, |_| "planning")
        .phase(SEARCH, |_| "searching")
        .phase(ANALYSE, |_| "analyzing")
        .phase(WRITE, |state: &State| {
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

fn after_plan(state: &State) -> &'static str {
    match state.settings.people.hitl_after_planning {
        true => PLAN_REVIEW,
        false => SEARCH,
    }
}

fn after_plan_review(state: &State) -> &'static str {
    match last(state, Gate::Plan) {
        Some(Decided {
            by: None,
            verdict: Decision::Reject,
            ..
        }) => FALLBACK,
        Some(Decided {
            verdict: Decision::Reject,
            ..
        }) => END,
        Some(Decided {
            verdict: Decision::Modify,
            edited: false,
            ..
        }) => PLAN,
        _ => SEARCH,
    }
}

fn after_search(state: &State) -> &'static str {
    match state.sources.is_empty() {
        true => FALLBACK,
        false => ANALYSE,
    }
}

fn after_analyse(state: &State) -> &'static str {
    let found = state
        .analysis
        .as_ref()
        .is_some_and(|analysis| !analysis.findings.is_empty());
    let stopped = state
        .rounds
        .last()
        .is_some_and(|round| round.stop.is_some());
    match (stopped, found) {
        (false, _) => SEARCH,
        (true, true) => WRITE,
        (true, false) => FALLBACK,
    }
}

fn after_review(state: &State) -> &'static str {
    let Some(critique) = &state.critique else {
        return FALLBACK;
    };
    if critique.has_critical() && state.settings.people.hitl_on_critical {
        return CRITICAL_REVIEW;
    }
    by_verdict(state, critique.verdict)
}

fn by_verdict(state: &State, verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approve => before_output(state),
        Verdict::Revise if state.revisions() < state.settings.max_iterations => WRITE,
        Verdict::Revise | Verdict::Reject => FALLBACK,
    }
}

fn after_critical_review(state: &State) -> &'static str {
    match (last(state, Gate::Critical), &state.critique) {
        (
            Some(Decided {
                verdict: Decision::Skip,
                ..
            }),
            Some(critique),
        ) => by_verdict(state, critique.verdict),
        (Some(decided), _) => match by_decision(decided) {
            OUTPUT => before_output(state),
            other => other,
        },
        (None, _) => FALLBACK,
    }
}

fn after_final_review(state: &State) -> &'static str {
    last(state, Gate::Final).map_or(FALLBACK, by_decision)
}

/// What a person's word on a draft leads to.
fn by_decision(decided: &Decided) -> &'static str {
    match (decided.verdict, decided.edited) {
        (Decision::Approve | Decision::Skip, _) | (Decision::Modify, true) => OUTPUT,
        (Decision::Modify, false) => WRITE,
        (Decision::Reject, _) => FALLBACK,
    }
}

fn before_output(state: &State) -> &'static str {
    match state.settings.people.hitl_before_output {
        true => FINAL_REVIEW,
        false => OUTPUT,
    }
}

fn last(state: &State, gate: Gate) -> Option<&Decided> {
    state
        .decisions
        .iter()
        .rev()
        .find(|decided| decided.gate == gate)
}
