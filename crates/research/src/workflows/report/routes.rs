//! Where each node of the report workflow leads. Every route reads the state and nothing else.

use fathom_render::report::ReportStatus;
use fathom_workflow::interrupt::Verdict as Decision;
use fathom_workflow::{END, RunEnding};

use super::graph::{
    ANALYSE, CHECK, CRITICAL_REVIEW, FALLBACK, FINAL_REVIEW, OUTPUT, PLAN, PLAN_REVIEW, REVIEW,
    SEARCH, WRITE,
};
use super::nodes::fallback;
use crate::critique::{Critique, ReviewVerdict};
use crate::workflows::report::state::{Decided, Gate, ReportState};

pub(super) fn after_plan(state: &ReportState) -> &'static str {
    if state.is_stopped() {
        FALLBACK
    } else if state.settings.people.hitl_after_planning {
        PLAN_REVIEW
    } else {
        SEARCH
    }
}

pub(super) fn after_plan_review(state: &ReportState) -> &'static str {
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

pub(super) fn after_search(state: &ReportState) -> &'static str {
    if state.sources.is_empty() || state.is_stopped() {
        FALLBACK
    } else {
        ANALYSE
    }
}

pub(super) fn after_analyse(state: &ReportState) -> &'static str {
    let found = state
        .analysis
        .as_ref()
        .is_some_and(|analysis| !analysis.findings.is_empty());
    let stopped = state
        .rounds
        .last()
        .is_some_and(|round| round.stop.is_some());
    match (stopped, found) {
        _ if state.is_stopped() => FALLBACK,
        (false, _) => SEARCH,
        (true, true) => WRITE,
        (true, false) => FALLBACK,
    }
}

pub(super) fn after_write(state: &ReportState) -> &'static str {
    if state.is_stopped() { FALLBACK } else { CHECK }
}

pub(super) fn after_check(state: &ReportState) -> &'static str {
    if state.is_stopped() { FALLBACK } else { REVIEW }
}

pub(super) fn after_review(state: &ReportState) -> &'static str {
    if state.is_stopped() {
        return FALLBACK;
    }
    let Some(critique) = &state.critique else {
        return before_output(state);
    };
    if critique.has_critical() && state.settings.people.hitl_on_critical {
        return CRITICAL_REVIEW;
    }
    by_verdict(state, critique)
}

fn by_verdict(state: &ReportState, critique: &Critique) -> &'static str {
    let left = state.revisions() < state.settings.max_iterations;
    match critique.verdict {
        ReviewVerdict::Approve => before_output(state),
        ReviewVerdict::Revise if left && critique.no_revision.is_none() => WRITE,
        ReviewVerdict::Revise | ReviewVerdict::Reject => FALLBACK,
    }
}

pub(super) fn after_critical_review(state: &ReportState) -> &'static str {
    match (last(state, Gate::Critical), &state.critique) {
        (
            Some(Decided {
                verdict: Decision::Skip,
                ..
            }),
            Some(critique),
        ) => by_verdict(state, critique),
        (Some(decided), _) => match by_decision(decided) {
            OUTPUT => before_output(state),
            other => other,
        },
        (None, _) => FALLBACK,
    }
}

pub(super) fn after_final_review(state: &ReportState) -> &'static str {
    last(state, Gate::Final).map_or(FALLBACK, by_decision)
}

/// Without a report a person has stopped it: to end it, or with words for another draft.
pub(super) fn after_output(state: &ReportState) -> &'static str {
    match (&state.report, state.is_stopped()) {
        (Some(_), _) => END,
        (None, true) => FALLBACK,
        (None, false) => WRITE,
    }
}

/// How the end is listed: a report may be partial, and without one a person has rejected the plan.
pub(super) fn ending(state: &ReportState) -> RunEnding {
    match (&state.report, last(state, Gate::Plan)) {
        (Some(report), _) => match &report.status {
            ReportStatus::Complete => RunEnding::Complete,
            ReportStatus::Partial { reason } => RunEnding::Partial(reason.clone()),
        },
        (None, Some(decided)) => RunEnding::Refused(fallback::refusal(decided)),
        (None, None) => RunEnding::Complete,
    }
}

/// What a person's word on a draft leads to.
fn by_decision(decided: &Decided) -> &'static str {
    match (decided.verdict, decided.edited) {
        (Decision::Approve | Decision::Skip, _) | (Decision::Modify, true) => OUTPUT,
        (Decision::Modify, false) => WRITE,
        (Decision::Reject, _) => FALLBACK,
    }
}

fn before_output(state: &ReportState) -> &'static str {
    if state.settings.people.hitl_before_output {
        FINAL_REVIEW
    } else {
        OUTPUT
    }
}

fn last(state: &ReportState, gate: Gate) -> Option<&Decided> {
    state
        .decisions
        .iter()
        .rev()
        .find(|decided| decided.gate == gate)
}
