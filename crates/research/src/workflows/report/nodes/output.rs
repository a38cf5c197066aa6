//! Turns an approved draft into the finished report.

use std::sync::Arc;

use fathom_workflow::{NodeError, NodeResult};

use super::{Notes, check, language};
use fathom_render::phrases::Phrases;
use fathom_render::report::{Confidence, ReportStatus};

use crate::analysis::{Finding, Strength};
use crate::citations::CitationCheck;
use crate::critique::{ReviewRemark, Severity};
use crate::degradation;
use crate::reasoner::Ctx;
use crate::skills::budget::{FETCHES, FETCHES_FAILED};
use crate::skills::{cite, works};
use crate::workflows::report::outcome::{Parts, assemble, marked, tell_retractions};
use crate::workflows::report::state::{ReportState, StateChange};

/// From this score on a report deserves high confidence.
const HIGH_FROM: f64 = 8.0;

/// Where more than one in so many sentences was taken out, confidence is never high.
const LOST_OF: usize = 4;

pub(crate) async fn output(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let draft = state.draft.as_deref().cloned();
    let mut draft = draft.ok_or_else(|| NodeError::new("there is no draft to hand over"))?;
    let mut notes = Notes::new(ctx);
    let check = match &state.check {
        Some(check) => Arc::clone(check),
        // A person has edited the draft since it was checked.
        None => {
            let checked = cite::check(&check::task(state), ctx, draft).await?;
            notes.failures(checked.failures);
            draft = checked.draft;
            Arc::new(checked.check)
        }
    };
    let reviewed = state.critique.as_deref();
    let reviewed = reviewed.filter(|critique| critique.is_by_model());
    let dropped = draft.dropped;
    let parts = Parts {
        draft,
        check: Some(&check),
        critique: state.critique.as_deref(),
        status: ReportStatus::Complete,
        confidence: reviewed.map(|critique| {
            if critique.score >= HIGH_FROM && is_sound(&check, dropped) {
                Confidence::High
            } else {
                Confidence::Medium
            }
        }),
        caveats: thin(state, ctx).into_iter().chain(caveats(state)).collect(),
    };
    let mut report = assemble(state, ctx, parts);
    let failures = works::complete(ctx, state.settings.work_lookups(), &mut report.sources).await?;
    tell_retractions(&mut report);
    notes.failures(failures);
    Ok(notes.update(StateChange::Reported(Arc::new(report))))
}

/// That hardly anything is behind the answer: weak findings of one source, while most pages could not be read.
fn thin(state: &ReportState, ctx: &Ctx) -> Option<String> {
    let (asked, failed) = (ctx.spent(FETCHES), ctx.spent(FETCHES_FAILED));
    let findings = &state.analysis.as_ref()?.findings;
    let sources = state.sources.iter();
    let read = sources.filter(|source| source.snapshot.is_some()).count();
    let weak = |finding: &Finding| matches!(finding.strength, Strength::Weak | Strength::Gap);
    let is_one = read == 1 && findings.iter().all(weak);
    (is_one && failed * 2 > asked).then(|| {
        let words = Phrases::new(language(state)).caveats.thin;
        let told = words.replace("{n}", &failed.to_string());
        told.replace("{m}", &asked.to_string())
    })
}

/// Whether most of what was written passed the check. A reviewer who praises the rest is not believed.
fn is_sound(check: &CitationCheck, dropped: usize) -> bool {
    let counts = check.counts();
    let lost = counts.removed + dropped;
    lost * LOST_OF <= counts.claims + lost
}

/// What a reader of a full report must know all the same.
fn caveats(state: &ReportState) -> Vec<String> {
    let mut caveats = Vec::new();
    let cut = state
        .rounds
        .last()
        .and_then(|round| round.stop)
        .filter(|stop| stop.is_cut_short());
    if let (Some(stop), Some(analysis)) = (cut, &state.analysis) {
        let missing: Vec<String> = analysis
            .gaps
            .iter()
            .map(|gap| marked(gap.missing.trim_end_matches('.'), state))
            .collect();
        if !missing.is_empty() {
            let told = Phrases::new(language(state)).caveats.ended_early;
            let told = told.replace("{why}", stop.sentence());
            caveats.push(told.replace("{missing}", &missing.join("; ")));
        }
    }
    caveats.extend(degradation::sentences(&state.degraded, language(state)));
    caveats.extend(proven_faults(state));
    caveats
}

/// What code has proven to be wrong with a draft that nobody reviewed; a review lists it with its own remarks.
fn proven_faults(state: &ReportState) -> impl Iterator<Item = String> {
    let unreviewed = state
        .critique
        .iter()
        .filter(|critique| !critique.is_by_model());
    let items = unreviewed.flat_map(|critique| &critique.items);
    let grave = items.filter(|item| item.severity >= Severity::Major);
    grave.map(|item| format!("In the {}: {}.", part(state, item), item.description))
}

fn part(state: &ReportState, item: &ReviewRemark) -> String {
    let draft = state.draft.as_ref();
    draft.map_or_else(String::new, |draft| draft.name(&item.place))
}
