//! Writes a draft: every section at once, each from its own evidence, then what stands before and after them.

use std::sync::Arc;

use fathom_workflow::{NodeError, NodeResult, fan_out};

use super::{Notes, language};
use crate::analysis::Analysis;
use crate::critique::{ReviewRemark, Severity};
use crate::degradation::{self, JudgedPart};
use crate::draft::{Draft, DraftPlace, DraftSection};
use crate::plan::Plan;
use crate::reasoner::{Ctx, FrameTask, Judged, Revision, SectionTask, judge};
use crate::workflows::report::state::{State, StateChange};

/// The share of a report's words that its sections get; the rest is summary and conclusion.
const SECTIONS_SHARE: f64 = 0.8;
const SECTION_WORDS_LEAST: usize = 80;

pub(crate) async fn write(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let (Some(plan), Some(analysis)) = (&state.plan, &state.analysis) else {
        return Err(NodeError::new("there is nothing to write from yet"));
    };
    let mut notes = Notes::new(ctx);
    let written = fan_out(
        0..plan.sections.len(),
        state.settings.max_concurrency,
        |place| section(state, ctx, plan, analysis, place),
    );
    let mut sections = Vec::new();
    for (planned, judged) in plan.sections.iter().zip(written.await) {
        sections.push(DraftSection {
            title: planned.title.clone(),
            answers: planned.answers.clone(),
            text: notes.take(judged?, JudgedPart::Text),
        });
    }
    let task = FrameTask {
        caps: state.settings.caps,
        banned_words: &state.settings.banned_words,
        question: &state.question,
        plan,
        sections: &sections,
        evidence: &state.evidence,
        analysis,
        sources: &state.sources,
        language: language(state),
        degraded: &degradation::sentences(&state.degraded),
    };
    let judged = judge(&ctx.deps().reasoners.writers, |writer| {
        writer.write_frame(ctx, &task)
    })
    .await?;
    let frame = notes.take(judged, JudgedPart::Summary);
    let draft = Draft {
        version: state.draft.as_ref().map_or(1, |draft| draft.version + 1),
        title: frame.title,
        answer: frame.answer,
        summary: frame.summary,
        sections,
        conclusion: frame.conclusion,
        notes: revision_notes(state),
    };
    Ok(notes.update(StateChange::Written(Arc::new(draft))))
}

async fn section(
    state: &State,
    ctx: &Ctx,
    plan: &Plan,
    analysis: &Analysis,
    place: usize,
) -> Result<Judged<String>, NodeError> {
    let Some(section) = plan.sections.get(place) else {
        return Err(NodeError::new("a section that the plan does not have"));
    };
    let items = items_at(state, place);
    let before = state
        .draft
        .as_ref()
        .and_then(|draft| draft.sections.get(place));
    let words = f64::from(state.settings.target_length) * SECTIONS_SHARE;
    let words = words as usize / plan.sections.len().max(1);
    let task = SectionTask {
        caps: state.settings.caps,
        banned_words: &state.settings.banned_words,
        question: &state.question,
        plan,
        section,
        place,
        sources: &state.sources,
        evidence: &state.evidence,
        analysis,
        words: words.max(SECTION_WORDS_LEAST),
        language: language(state),
        revision: before.map(|before| Revision {
            text: &before.text,
            items: &items,
        }),
        feedback: state.feedback.as_deref(),
    };
    judge(&ctx.deps().reasoners.writers, |writer| {
        writer.write_section(ctx, &task)
    })
    .await
}

/// What the last review found in a section, or in the whole.
fn items_at(state: &State, place: usize) -> Vec<ReviewRemark> {
    let items = state.critique.iter().flat_map(|critique| &critique.items);
    items
        .filter(|item| item.place == DraftPlace::Section(place) || item.place == DraftPlace::Whole)
        .cloned()
        .collect()
}

/// Which items a revision was made for.
fn revision_notes(state: &State) -> Vec<String> {
    let Some(draft) = &state.draft else {
        return Vec::new();
    };
    let items = state.critique.iter().flat_map(|critique| &critique.items);
    let grave = items.filter(|item| item.severity >= Severity::Major);
    let mut notes: Vec<String> = grave
        .map(|item| format!("{}: {}", draft.name(&item.place), item.description))
        .collect();
    notes.extend(
        state
            .feedback
            .iter()
            .map(|feedback| format!("a reader asked: {feedback}")),
    );
    notes
}
