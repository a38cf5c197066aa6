//! Writes a draft: the answer first of all, then, where there is time, every section, the summary and the conclusion.
//!
//! A model writes sentences that rest on passages; code sets their citations (`skills::compose`). What it does not write, or
//! writes without ground, is quoted by the brief. The title is the question's, and headings say no more than the question
//! or a passage does. A revision writes the parts again that something was found in, and no others.

mod revise;

use std::sync::Arc;

use fathom_evidence::sentences;
use fathom_render::report::EXTRACTIVE;
use fathom_workflow::{NodeError, NodeResult, fan_out};

use super::{Notes, language};
use crate::analysis::Analysis;
use crate::calls::RecordedFailure;
use crate::degradation::{Degradation, JudgedPart};
use crate::draft::{Draft, DraftPlace, DraftSection};
use crate::plan::{Plan, PlannedSection};
use crate::reasoner::{
    AnswerTask, Ctx, FrameTask, Judged, SectionTask, TaskPassage, WrittenAnswer, brief,
    judge_if_able,
};
use crate::skills::compose::{CitedText, says_no_more};
use crate::skills::effort::{Effort, Schedule};
use crate::workflows::report::state::{ReportState, StateChange};

pub(super) use revise::would_change;

/// Of five words of a report its sections get four; the rest is answer, summary and conclusion.
const SECTIONS_FIFTHS: usize = 4;

/// Words of a sentence, about, and sentences of one part.
const SENTENCE_WORDS: usize = 18;
const SENTENCES: std::ops::RangeInclusive<usize> = 2..=14;

/// Sentences of the answer, and of a paragraph.
const ANSWER_SENTENCES: usize = 3;
const PARAGRAPH_SENTENCES: usize = 5;

/// Sentences of a slow, and so most likely small, model that stand above the sources' own words: these are to be seen at once.
const SENTENCES_ABOVE_QUOTES: usize = 1;

/// With fewer words there is neither summary nor conclusion: the answer says it.
const FRAMED_FROM: u32 = 400;

pub(crate) async fn write(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let (Some(plan), Some(analysis)) = (&state.plan, &state.analysis) else {
        return Err(NodeError::new("there is nothing to write from yet"));
    };
    let mut notes = Notes::new(ctx);
    let schedule = Schedule::at_step(ctx, state.settings.model_patience()).await?;
    let passages = TaskPassage::of_evidence(&state.sources, &state.evidence, &analysis.order);
    let quotes = quoted(state, plan, analysis);
    let mut draft = quotes.clone();
    let effort = schedule.effort();
    notes.less_by_model(effort, JudgedPart::Text);
    let places = places(state, ctx, plan, effort);
    let written = fan_out(&places, state.settings.max_concurrency, |place| {
        part(state, ctx, plan, &passages, (place, effort))
    });
    for (place, answer) in places.iter().zip(written.await) {
        match answer? {
            Ok(judged) => {
                notes.reasoner(&judged.by);
                notes.failures(judged.failures);
                take(&mut draft, state, (place, effort), judged.value, &passages);
            }
            Err(failures) => not_written(&mut notes, place, failures),
        }
    }
    if draft.by_model && draft.summary == quotes.summary {
        // Disagreements are shown apart where a model writes.
        draft.summary.clear();
    }
    match &state.draft {
        Some(before) if !places.is_empty() => keep_others(&mut draft, before, &places),
        _ => {}
    }
    if !draft.by_model {
        notes.reasoner(EXTRACTIVE);
    }
    draft.revisions = revise::notes(state, &draft);
    Ok(notes.update(StateChange::Written(Arc::new(draft))))
}

/// The parts that a model is to write. A revision has those that something was found in.
fn places(state: &ReportState, ctx: &Ctx, plan: &Plan, effort: Effort) -> Vec<DraftPlace> {
    if ctx.deps().reasoners.answer_writers.is_empty() || state.evidence.is_empty() {
        return Vec::new();
    }
    match effort {
        Effort::Nothing => return Vec::new(),
        Effort::Lean => return vec![DraftPlace::Answer],
        Effort::Full => {}
    }
    let framed = state.settings.target_length >= FRAMED_FROM;
    let mut all = vec![DraftPlace::Answer];
    all.extend(framed.then_some(DraftPlace::Summary));
    all.extend((0..plan.sections.len()).map(DraftPlace::Section));
    all.extend(framed.then_some(DraftPlace::Conclusion));
    match (&state.draft, &state.critique) {
        (Some(_), Some(critique)) if state.feedback.is_none() => {
            all.retain(|place| revise::is_faulted(critique, place));
        }
        _ => {}
    }
    all
}

/// Has one part written.
async fn part(
    state: &ReportState,
    ctx: &Ctx,
    plan: &Plan,
    passages: &[TaskPassage],
    (place, effort): (&DraftPlace, Effort),
) -> Result<Result<Judged<WrittenAnswer>, Vec<RecordedFailure>>, NodeError> {
    let (key, mut instructions, sentences) = asked_for(state, plan, place);
    let max_sentences = match effort {
        Effort::Lean => SENTENCES_ABOVE_QUOTES,
        Effort::Full | Effort::Nothing => sentences,
    };
    instructions.push_str(&revise::instructions(state, place));
    let task = AnswerTask {
        budget: state.settings.budget(state.started_at),
        key: &key,
        question: state.question.text(),
        turns: &[],
        instructions: Some(&instructions),
        passages,
        max_sentences,
        language: language(state),
    };
    let writers = &ctx.deps().reasoners.answer_writers;
    judge_if_able(writers, |writer| writer.write_sentences(ctx, &task)).await
}

/// The name of a part's call, what is to be written, and in how many sentences.
fn asked_for(state: &ReportState, plan: &Plan, place: &DraftPlace) -> (String, String, usize) {
    let style = &state.question.style;
    let length = state.settings.target_length;
    let sentences = |words: usize| {
        let count = words / SENTENCE_WORDS;
        count.clamp(*SENTENCES.start(), *SENTENCES.end())
    };
    let frame = frame_words(length);
    match place {
        DraftPlace::Section(at) => {
            let section = plan.sections.get(*at);
            let answers = section.map_or(&[][..], |section| &section.answers);
            let answers = answers.iter().filter_map(|id| plan.sub_question(*id));
            let answers: Vec<&str> = answers.map(|sub| sub.text.as_str()).collect();
            let title = section.map_or("", |section| &section.title);
            let text = format!(
                "Write the section “{title}” of a report in {style} style. It answers: {}",
                answers.join(" ")
            );
            let words = section_words(length, plan.sections.len());
            (format!("section/{at}"), text, sentences(words))
        }
        DraftPlace::Summary => {
            let text = format!(
                "Write the summary of a report in {style} style: what the passages say on the question, the numbers that \
                 matter, where they disagree."
            );
            ("summary".to_owned(), text, sentences(frame * 5 / 8))
        }
        DraftPlace::Conclusion => {
            let text = format!(
                "Write the conclusion of a report in {style} style: what is well supported and what is disputed."
            );
            ("conclusion".to_owned(), text, sentences(frame * 3 / 8))
        }
        DraftPlace::Answer | DraftPlace::Title | DraftPlace::Whole => {
            let text = "Answer the question directly, the most important fact first.".to_owned();
            ("answer".to_owned(), text, ANSWER_SENTENCES)
        }
    }
}

/// Puts what a model wrote into the draft; where nothing of it rests on a passage, or the first quote says it already, the
/// quotes stay.
fn take(
    draft: &mut Draft,
    state: &ReportState,
    (place, effort): (&DraftPlace, Effort),
    written: WrittenAnswer,
    passages: &[TaskPassage],
) {
    let mut cited = CitedText::new(&written, passages, language(state));
    draft.dropped += cited.dropped;
    let is_answer = *place == DraftPlace::Answer;
    let Some(quotes) = draft.text_mut(place) else {
        return;
    };
    let above_quotes = is_answer && effort == Effort::Lean && !quotes.is_empty();
    if cited.sentences.is_empty() {
        return;
    }
    if above_quotes {
        cited.sentences.truncate(SENTENCES_ABOVE_QUOTES);
        cited.leave_to_quotes(quotes);
    }
    let text = paragraphs(&cited.sentences);
    *quotes = match (text.is_empty(), above_quotes) {
        (true, _) => std::mem::take(quotes),
        // What the sources say themselves stands under what a small model makes of it.
        (false, true) => format!("{text}\n\n{quotes}"),
        (false, false) => text,
    };
    draft.by_model = true;
    if is_answer {
        let asked = state.question.text();
        let missing = Some(written.missing).filter(|missing| !missing.is_empty());
        draft.missing = missing.filter(|words| says_no_more(words, asked, language(state)));
        draft.answered = Some(written.answered);
    }
}

fn not_written(notes: &mut Notes, place: &DraftPlace, failures: Vec<RecordedFailure>) {
    let part = match place {
        DraftPlace::Section(_) => JudgedPart::Text,
        _ => JudgedPart::Summary,
    };
    notes.degraded(Degradation::MadeBy {
        part,
        reasoner: EXTRACTIVE.to_owned(),
    });
    notes.failures(failures);
}

/// The parts that were not written again, as they stood.
fn keep_others(draft: &mut Draft, before: &Draft, written: &[DraftPlace]) {
    for (place, text) in before.texts() {
        if let Some(own) = draft.text_mut(&place).filter(|_| !written.contains(&place)) {
            text.clone_into(own);
        }
    }
    if !written.contains(&DraftPlace::Answer) {
        draft.answered = before.answered;
        draft.missing.clone_from(&before.missing);
    }
    draft.dropped += before.dropped;
}

/// The draft that needs no model: quotes under the question.
pub(super) fn quoted(state: &ReportState, plan: &Plan, analysis: &Analysis) -> Draft {
    let report_words = state.settings.target_length as usize;
    let frame = brief::write_frame(&FrameTask {
        question: &state.question,
        analysis,
        language: language(state),
        report_words,
    });
    let section = |section: &PlannedSection| DraftSection {
        title: heading(state, section),
        answers: section.answers.clone(),
        text: brief::write_section(&SectionTask {
            question: &state.question,
            plan,
            section,
            sources: &state.sources,
            evidence: &state.evidence,
            analysis,
            report_words,
            language: language(state),
        }),
    };
    Draft {
        version: state.draft.as_ref().map_or(1, |draft| draft.version + 1),
        title: frame.title,
        answer: frame.answer,
        summary: frame.summary,
        sections: plan.sections.iter().map(section).collect(),
        conclusion: String::new(),
        ..Draft::default()
    }
}

/// A planned heading, where it says no more than the question or a sentence of the section's evidence; else none.
fn heading(state: &ReportState, section: &PlannedSection) -> String {
    let (title, asked) = (section.title.as_str(), state.question.text());
    let by_code = !state.reasoners.iter().any(|name| name != EXTRACTIVE);
    let own = state.evidence.iter();
    let own = own.filter(|piece| section.answers.contains(&piece.answers));
    let fits = |words: &str| says_no_more(title, &format!("{asked} {words}"), language(state));
    let mut stated = own.flat_map(|piece| {
        let spans = sentences(&piece.quote, language(state)).into_iter();
        spans.filter_map(|span| span.of(&piece.quote))
    });
    if by_code || fits("") || stated.any(fits) {
        title.to_owned()
    } else {
        String::new()
    }
}

/// Sentences in paragraphs.
fn paragraphs(sentences: &[String]) -> String {
    let paragraphs = sentences.chunks(PARAGRAPH_SENTENCES);
    let paragraphs: Vec<String> = paragraphs.map(|some| some.join(" ")).collect();
    paragraphs.join("\n\n")
}

/// Words of each section. There is no least number: many short sections must keep to the whole length too.
fn section_words(target_length: u32, sections: usize) -> usize {
    target_length as usize * SECTIONS_FIFTHS / 5 / sections.max(1)
}

/// Words of what stands before and after the sections.
fn frame_words(target_length: u32) -> usize {
    target_length as usize * (5 - SECTIONS_FIFTHS) / 5
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
