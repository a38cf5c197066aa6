//! Older results as summaries: the sentences of a passage that bear on the task most, with the way back to the whole.
//!
//! A summary is a shorter quote. Its span leads into the stored text of its source, so nothing is lost, and what is cited
//! from it is still checked against the whole text.

use std::collections::BTreeSet;

use fathom_evidence::{Language, sentences};
use fathom_workflow::BlobHash;
use serde::{Deserialize, Serialize};

use super::state::AnswerState;
use crate::analysis::Evidence;
use crate::skills::locate::excerpt::QuestionWords;
use crate::source::{Source, SourceId};

/// Sentences of a passage that are kept.
const SENTENCES_KEPT: usize = 2;

/// Characters that make about one token.
const CHARS_A_TOKEN: usize = 4;

/// Why older results were made summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionReason {
    /// Few tokens are left.
    TokenBudget,
    /// The state has grown large.
    StateSize,
    /// The answer is about to be written, and wants the room.
    Synthesis,
}

/// That older results were made summaries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    /// Why.
    pub reason: CompactionReason,
    /// The sources whose passages were shortened, each with the hash of its whole stored text.
    pub handles: Vec<(SourceId, BlobHash)>,
    /// Tokens of the evidence before, about.
    pub tokens_before: u64,
    /// And after.
    pub tokens_after: u64,
}

/// Why the evidence should be shortened after a round, if it should.
pub(super) fn wanted(state: &AnswerState, token_budget: u64) -> Option<CompactionReason> {
    let settings = &state.settings;
    if (token_budget as f64) < settings.compact_below * settings.token_budget as f64 {
        return Some(CompactionReason::TokenBudget);
    }
    let large = serde_json::to_vec(state)
        .is_ok_and(|json| tokens(json.len()) > settings.compact_above_tokens);
    large.then_some(CompactionReason::StateSize)
}

/// Shortens the passages of the sources that were `known` before the last round. Nothing where there is nothing to
/// shorten.
pub(super) fn compact(
    state: &AnswerState,
    known: usize,
    evidence: &mut [Evidence],
    reason: CompactionReason,
) -> Option<Compaction> {
    let (words, language) = (
        QuestionWords::new(state.task.text(), state.language(), &[]),
        state.language(),
    );
    let before = length(evidence);
    let mut shortened = BTreeSet::new();
    let older = evidence
        .iter_mut()
        .filter(|piece| piece.source.0 as usize <= known);
    for piece in older {
        if shorten(piece, &words, language) {
            shortened.insert(piece.source);
        }
    }
    let handle = |source: &Source| {
        let text = source.snapshot.as_ref()?.text;
        shortened.contains(&source.id).then_some((source.id, text))
    };
    let sources = state.search_results.iter();
    let handles: Vec<_> = sources.filter_map(|source| handle(source)).collect();
    (!handles.is_empty()).then(|| Compaction {
        reason,
        handles,
        tokens_before: tokens(before),
        tokens_after: tokens(length(evidence)),
    })
}

/// Cuts a passage to its best sentence and the one behind it, and says whether it became shorter.
fn shorten(piece: &mut Evidence, words: &QuestionWords, language: Language) -> bool {
    let spans = sentences(&piece.quote, language);
    if spans.len() <= SENTENCES_KEPT {
        return false;
    }
    let covered = |at: &usize| {
        let text = spans.get(*at).and_then(|span| span.of(&piece.quote));
        text.map_or(0.0, |text| words.covered([text]))
    };
    let best = (0..spans.len()).max_by(|a, b| covered(a).total_cmp(&covered(b)).then(b.cmp(a)));
    let best = best.unwrap_or_default();
    let last = (best + SENTENCES_KEPT - 1).min(spans.len() - 1);
    let (Some(first), Some(last)) = (spans.get(best), spans.get(last)) else {
        return false;
    };
    let kept = fathom_evidence::Span::new(first.start, last.end);
    let Some(quote) = kept.of(&piece.quote).map(str::to_owned) else {
        return false;
    };
    piece.span = kept.moved(piece.span.start);
    piece.quote = quote;
    true
}

fn length(evidence: &[Evidence]) -> usize {
    evidence.iter().map(|piece| piece.quote.len()).sum()
}

fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes / CHARS_A_TOKEN).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::SubQuestionId;
    use fathom_evidence::Span;

    #[test]
    fn a_summary_is_a_shorter_quote_that_stands_where_it_says() {
        let text = "Intro of the page. Nothing yet here. Street trees cool the air by 1.9 degrees. It was measured at noon. The council paid.";
        let whole = format!("before {text}");
        let mut piece = Evidence {
            answers: SubQuestionId(0),
            source: SourceId(1),
            span: Span::new(7, whole.len()),
            quote: text.to_owned(),
            sections: Vec::new(),
            page: None,
            confidence: 1.0,
            relaxed: false,
        };
        let words = QuestionWords::new(
            "How much do street trees cool the air?",
            Language::ENGLISH,
            &[],
        );
        assert!(shorten(&mut piece, &words, Language::ENGLISH));
        assert_eq!(
            piece.quote,
            "Street trees cool the air by 1.9 degrees. It was measured at noon."
        );
        assert_eq!(piece.span.of(&whole), Some(piece.quote.as_str()));
        assert!(!shorten(&mut piece, &words, Language::ENGLISH));
    }
}
