//! The best there is when a full report cannot be had: a draft, else the findings, else the sources, else the reason.
//!
//! It is marked as partial throughout, and is never presented as a full report.

use std::sync::Arc;

use fathom_workflow::NodeResult;
use fathom_workflow::interrupt::Verdict as Decision;

use super::{Notes, language};
use fathom_render::phrases::Phrases;
use fathom_render::report::{Confidence, ReportStatus};

use crate::analysis::Analysis;
use crate::critique::{Critique, NoRevision, ReviewVerdict, Severity};
use crate::degradation;
use crate::draft::{Draft, DraftSection};
use crate::reasoner::{Ctx, brief};
use crate::workflows::report::breakpoint::{Step, StopPlace};
use crate::workflows::report::outcome::{Parts, assemble, tell_retractions};
use crate::workflows::report::state::{
    Decided, Gate, ReportState, Reviewed, SearchOutcome, StateChange,
};

/// Sources that are shown when they answer nothing.
const SOURCES_SHOWN: usize = 10;

pub(crate) async fn fallback(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let reason = reason(state, ctx);
    let best = state.best.as_deref();
    let (draft, what) = the_best_there_is(state, best);
    let check = match best {
        Some(best) => Some(&*best.check),
        None => state.check.as_deref(),
    };
    let mut caveats = vec![what.to_owned()];
    caveats.extend(degradation::sentences(&state.degraded, language(state)));
    let parts = Parts {
        draft,
        check,
        critique: best.map_or(state.critique.as_deref(), |best| Some(&*best.critique)),
        status: ReportStatus::Partial { reason },
        confidence: Some(Confidence::Low),
        caveats,
    };
    let mut report = assemble(state, ctx, parts);
    tell_retractions(&mut report);
    Ok(Notes::new(ctx).update(StateChange::Reported(Arc::new(report))))
}

/// Why there is no full report, in a sentence.
fn reason(state: &ReportState, ctx: &Ctx) -> String {
    if let Some(rescue) = ctx.rescued() {
        return format!(
            "the step \"{}\" could not be finished: {}",
            rescue.from, rescue.cut
        );
    }
    let refused = |decided: &&Decided| decided.verdict == Decision::Reject;
    if let Some(decided) = state.decisions.last().filter(refused) {
        return refusal(decided);
    }
    // Words that nobody has heard yet: what they were to change was not made again.
    let sent_back = |decided: &&Decided| {
        decided.verdict == Decision::Modify && !decided.edited && state.feedback.is_some()
    };
    if let Some(decided) = state.decisions.last().filter(sent_back)
        && let Some(what) = sent_back_too_often(decided.gate)
    {
        return format!("the {what} was sent back more often than a run allows");
    }
    if let Some(critique) = &state.critique {
        let score = critique.score;
        if !critique.is_by_model() {
            return "the draft still had faults that code can prove after the last revision"
                .to_owned();
        }
        return match critique.verdict {
            ReviewVerdict::Reject => {
                format!("the review gave the draft {score:.1} of 10 and judged it beyond repair")
            }
            ReviewVerdict::Revise | ReviewVerdict::Approve => match critique.no_revision {
                Some(NoRevision::NothingToChange) => {
                    format!(
                        "the review gave the draft {score:.1} of 10 and named nothing to put right"
                    )
                }
                Some(NoRevision::NoTime) => format!(
                    "the review gave the draft {score:.1} of 10, and there was no time for another"
                ),
                // A good score does not outweigh a fault that code has proven.
                None if score >= state.settings.review.approve_score => faults_left(critique),
                None => format!(
                    "the review still gave the draft {score:.1} of 10 after the last revision"
                ),
            },
        };
    }
    if all_searches_failed(state) {
        return "every search failed".to_owned();
    }
    let reasons = &Phrases::new(language(state)).reasons;
    if state.sources.is_empty() {
        clause(reasons.nothing_found)
    } else if nothing_read(state) {
        "none of the sources found could be read".to_owned()
    } else {
        clause(reasons.nothing_answers)
    }
}

fn faults_left(critique: &Critique) -> String {
    let count = |severity: Severity| {
        let items = critique.items.iter();
        items.filter(|item| item.severity == severity).count()
    };
    let (critical, major) = (count(Severity::Critical), count(Severity::Major));
    format!(
        "after the last revision the draft still had {critical} critical and {major} major faults"
    )
}

/// A sentence as a part of another.
fn clause(sentence: &str) -> String {
    let mut words = sentence.trim_end_matches('.').chars();
    let first = words.next().into_iter().flat_map(char::to_lowercase);
    first.chain(words).collect()
}

/// What feedback alone has made again; at other stops it sends nothing back.
fn sent_back_too_often(gate: Gate) -> Option<&'static str> {
    match gate {
        Gate::Plan => Some("plan"),
        Gate::Critical | Gate::Final => Some("report"),
        Gate::Own(place) if place.step == Step::Output => Some("report"),
        Gate::Own(_) => None,
    }
}

/// What a person, or a deadline in a person's place, did not accept.
pub(crate) fn refusal(decided: &Decided) -> String {
    let gate = match decided.gate {
        Gate::Plan => "plan",
        Gate::Critical | Gate::Final => "report",
        Gate::Own(place) => return stopped(decided, place),
    };
    match (&decided.by, &decided.feedback) {
        (None, _) => format!("nobody decided on the {gate} in time"),
        (Some(by), Some(feedback)) => format!("{by} did not accept the {gate}: {feedback}"),
        (Some(by), None) => format!("{by} did not accept the {gate}"),
    }
}

/// Who ended the run at a stop of their own.
fn stopped(decided: &Decided, place: StopPlace) -> String {
    match (&decided.by, &decided.feedback) {
        (None, _) => format!("nobody decided at the stop {place} in time"),
        (Some(by), Some(feedback)) => format!("{by} ended the run at the stop {place}: {feedback}"),
        (Some(by), None) => format!("{by} ended the run at the stop {place}"),
    }
}

fn all_searches_failed(state: &ReportState) -> bool {
    let failed = |outcome: &SearchOutcome| matches!(outcome, SearchOutcome::Failed { .. });
    let mut outcomes = state
        .queries
        .iter()
        .filter_map(|asked| asked.outcome.as_ref())
        .peekable();
    outcomes.peek().is_some() && outcomes.all(failed)
}

/// What can be shown, and what it is.
fn the_best_there_is(state: &ReportState, best: Option<&Reviewed>) -> (Draft, &'static str) {
    let words = Phrases::new(language(state)).caveats.drafts;
    let [
        best_draft,
        unreviewed,
        findings,
        only_reason,
        unread,
        unweighed,
        idle,
    ] = words;
    if let Some(best) = best {
        return (Draft::clone(&best.draft), best_draft);
    }
    if let (Some(draft), Some(_)) = (&state.draft, &state.check) {
        return (Draft::clone(draft), unreviewed);
    }
    let found = state.analysis.as_ref();
    if let Some(analysis) = found.filter(|analysis| !analysis.findings.is_empty()) {
        return (of_findings(state, analysis), findings);
    }
    if state.sources.is_empty() {
        return (bare(state, Vec::new()), only_reason);
    }
    let what = if nothing_read(state) {
        unread
    } else if state.analysis.is_none() {
        unweighed
    } else {
        idle
    };
    (of_sources(state), what)
}

fn nothing_read(state: &ReportState) -> bool {
    let mut sources = state.sources.iter();
    sources.all(|source| source.snapshot.is_none())
}

/// What the findings rest on, in the sources' own words: a model's were not checked.
fn of_findings(state: &ReportState, analysis: &Analysis) -> Draft {
    let mut shown: Vec<usize> = Vec::new();
    for at in analysis
        .findings
        .iter()
        .flat_map(|finding| &finding.evidence)
    {
        if !shown.contains(at) {
            shown.push(*at);
        }
    }
    let pieces = shown.iter().filter_map(|at| state.evidence.get(*at));
    let quotes = pieces.map(|piece| brief::quote(&piece.quote, piece.source));
    let quotes: Vec<String> = quotes.collect();
    let findings = DraftSection {
        title: "Findings".to_owned(),
        answers: Vec::new(),
        text: quotes.join("\n\n"),
    };
    bare(state, vec![findings])
}

fn of_sources(state: &ReportState) -> Draft {
    let line =
        |source: &Arc<crate::source::Source>| format!("- {} [{}]", source.name(), source.id.0);
    let text: Vec<String> = state.sources.iter().take(SOURCES_SHOWN).map(line).collect();
    let sources = DraftSection {
        title: "Sources found".to_owned(),
        answers: Vec::new(),
        text: text.join("\n"),
    };
    bare(state, vec![sources])
}

fn bare(state: &ReportState, sections: Vec<DraftSection>) -> Draft {
    Draft {
        title: state.question.text().to_owned(),
        sections,
        ..Draft::default()
    }
}
