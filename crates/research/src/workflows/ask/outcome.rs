//! Puts the answer together: sentences, the passages they rest on with their places, and how they were found.

use fathom_render::answer::{Answer, AnswerSentence, AnswerSource, AnswerStatus, Answered};
use fathom_render::{SourceId, SourceKind};
use fathom_workflow::NodeError;
use jiff::Timestamp;

use super::assessment::{confidence, passage_relevance};
use super::state::AskState;
use crate::analysis::AnsweredVerdict;
use crate::library::LocalPassage;
use crate::reasoner::Ctx;
use crate::skills::locate::excerpt::QuestionWords;
use crate::skills::place;

/// What a stage wrote or chose, before its passages are numbered for the reader.
pub(super) struct AskDraft {
    pub(super) sentences: Vec<AskSentence>,
    pub(super) verdict: AnsweredVerdict,
    /// Who wrote it.
    pub(super) reasoner: String,
}

/// A sentence and the ranks of the passages that it rests on, from 1.
pub(super) struct AskSentence {
    pub(super) text: String,
    pub(super) quoted: bool,
    /// Whether the passages were found to say it.
    pub(super) confirmed: bool,
    pub(super) passages: Vec<SourceId>,
}

impl AskDraft {
    /// The answer, with the passages numbered in reading order and their lines looked up.
    pub(super) async fn answer(
        self,
        state: &AskState,
        ctx: &Ctx,
        words: &QuestionWords,
    ) -> Result<Answer, NodeError> {
        let ranks = shown_ranks(&self.sentences, state);
        let number = |rank: &SourceId| {
            let at = ranks.iter().position(|shown| shown == rank)?;
            Some(SourceId(u32::try_from(at).ok()? + 1))
        };
        let sentences = self.sentences.iter().map(|sentence| AnswerSentence {
            text: sentence.text.clone(),
            quoted: sentence.quoted,
            confirmed: sentence.confirmed,
            sources: sentence.passages.iter().filter_map(number).collect(),
        });
        let sentences = sentences.collect();
        let mut sources = sources(state, &ranks, words);
        add_lines(state, ctx, &mut sources).await?;
        let answered = self.verdict.answered;
        Ok(Answer {
            answered,
            reason: self.verdict.reason,
            sentences,
            sources,
            confidence: confidence(&state.assessments, answered),
            reasoner: self.reasoner,
            ..empty(state, AnswerStatus::Answer, ctx.now())
        })
    }
}

/// The end of a run that did not answer, with the passages that it had found.
pub(super) fn without_answer(
    state: &AskState,
    status: AnswerStatus,
    words: &QuestionWords,
    now: Timestamp,
) -> Answer {
    let ranks = shown_ranks(&[], state);
    Answer {
        sources: sources(state, &ranks, words),
        ..empty(state, status, now)
    }
}

/// Stages and caveats are filled in when the state takes it.
fn empty(state: &AskState, status: AnswerStatus, now: Timestamp) -> Answer {
    let understood = state.understood.as_ref().filter(|one| one.follow_up);
    Answer {
        question: state.question.text().to_owned(),
        understood_as: understood.map(|understood| understood.text.clone()),
        language: state.language(),
        status,
        answered: Answered::No,
        reason: String::new(),
        sentences: Vec::new(),
        sources: Vec::new(),
        confidence: 0.0,
        assessments: state.assessments.clone(),
        stages: Vec::new(),
        caveats: Vec::new(),
        reasoner: fathom_render::report::EXTRACTIVE.to_owned(),
        finished_at: now,
    }
}

/// The ranks of the passages to show: those that the sentences cite, in reading order, then the best of the others.
fn shown_ranks(sentences: &[AskSentence], state: &AskState) -> Vec<SourceId> {
    let mut shown: Vec<SourceId> = Vec::new();
    for rank in sentences.iter().flat_map(|sentence| &sentence.passages) {
        if !shown.contains(rank) {
            shown.push(*rank);
        }
    }
    let all = u32::try_from(state.ranked.len()).unwrap_or(u32::MAX);
    for rank in (1..=all).map(SourceId) {
        if shown.len() < state.settings.max_sources && !shown.contains(&rank) {
            shown.push(rank);
        }
    }
    shown
}

fn sources(state: &AskState, ranks: &[SourceId], words: &QuestionWords) -> Vec<AnswerSource> {
    let passage = |rank: &SourceId| -> Option<&LocalPassage> {
        state.ranked.get((rank.0 as usize).checked_sub(1)?)
    };
    let numbered = (1..).map(SourceId).zip(ranks.iter().filter_map(passage));
    numbered
        .map(|(number, passage)| AnswerSource {
            number,
            kind: SourceKind::Local,
            location: passage.name.clone(),
            title: passage.title.clone(),
            section: passage.sections.last().cloned(),
            page: passage.page,
            line: None,
            passage: passage.text.clone(),
            relevance: passage_relevance(words, passage),
        })
        .collect()
}

/// Looks up the lines of passages in files that are text. What cannot be told stays open.
async fn add_lines(
    state: &AskState,
    ctx: &Ctx,
    sources: &mut [AnswerSource],
) -> Result<(), NodeError> {
    let Some(library) = ctx.deps().library(state.settings.scope()) else {
        return Ok(());
    };
    let wanted: Vec<(String, String)> = sources
        .iter()
        .map(|source| (source.location.clone(), source.passage.clone()))
        .collect();
    let lines = ctx.effect("lines", |_| async move {
        let mut lines = Vec::new();
        for (name, passage) in &wanted {
            lines.push(place::line(&*library, name, passage).await);
        }
        lines
    });
    let lines: Vec<Option<u32>> = lines.await?;
    for (source, line) in sources.iter_mut().zip(lines) {
        source.line = line.filter(|_| source.page.is_none());
    }
    Ok(())
}
