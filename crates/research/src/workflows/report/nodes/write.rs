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

/// Of five words of a report its sections get four; the rest is answer, summary and conclusion.
const SECTIONS_FIFTHS: usize = 4;

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
        degraded: &degradation::sentences(&state.degraded, language(state)),
        words: frame_words(state.settings.target_length),
        report_words: state.settings.target_length as usize,
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
        words: section_words(state.settings.target_length, plan.sections.len()),
        report_words: state.settings.target_length as usize,
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

/// Words of each section. There is no least number: many short sections must keep to the whole length too.
fn section_words(target_length: u32, sections: usize) -> usize {
    target_length as usize * SECTIONS_FIFTHS / 5 / sections.max(1)
}

/// Words of what stands before and after the sections.
fn frame_words(target_length: u32) -> usize {
    target_length as usize * (5 - SECTIONS_FIFTHS) / 5
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_together_keep_to_the_length_that_was_asked_for() {
        for length in [100, 300, 2_000, 20_000] {
            for sections in 1..=12 {
                let words = sections * section_words(length, sections) + frame_words(length);
                assert!(words <= length as usize, "{words} of {length}");
            }
        }
    }
}
