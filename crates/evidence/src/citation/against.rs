//! One claim held against one source.
//!
//! Looks for the few sentences that hold most of the claim, pairs their words with its words, and
//! gives what came of it; the verdict is for the caller.

use crate::Span;
use crate::claim::align::Alignment;
use crate::claim::oppose::oppose;
use crate::claim::reading::SentenceWord;
use crate::claim::{Claim, quotes_of};

use super::details::missing;
use super::support::{LexicalSupport, support};
use super::{CitationReason, CitationSettings, SourceText, SupportingPassage};

/// How far apart the partners of two words that follow each other may stand.
const RUN_GAP: usize = 3;

/// What came of it.
pub(super) struct Comparison {
    /// The share of the claim that the source has, between 0 and 1.
    pub(super) score: f64,
    /// The share of neighbouring words of the claim that are neighbours in the source.
    pub(super) in_runs: f64,
    /// How many words of substance the claim has.
    pub(super) terms: usize,
    pub(super) by: Vec<SupportingPassage>,
    /// Numbers, names and dates of the claim that the source does not bear out.
    pub(super) missing: Vec<CitationReason>,
    /// The best sentences say the opposite.
    pub(super) opposed: Option<CitationReason>,
    /// The best sentences state numbers of their own, so that a missing one stands against them.
    pub(super) other_numbers: bool,
}

/// A claim beside the sentences of a source that hold most of it.
pub(super) struct MatchedSentences<'a> {
    pub(super) claim: &'a Claim,
    /// Where the claim's quotes stand in it.
    pub(super) quotes: Vec<Span>,
    pub(super) source: &'a SourceText<'a>,
    pub(super) lexical: LexicalSupport,
    pub(super) left: Vec<SentenceWord>,
    /// The words of those sentences, with their places in the source.
    pub(super) right: Vec<SentenceWord>,
    pub(super) pairs: Alignment,
}

impl Comparison {
    pub(super) fn new(
        id: u32,
        claim: &Claim,
        source: &SourceText<'_>,
        settings: &CitationSettings,
    ) -> Self {
        let terms = terms(claim, source);
        let beside = MatchedSentences::new(claim, source, support(&terms, &claim.text, source));
        let lexical = &beside.lexical;
        let place = |at: &usize| source.sentences().get(*at).copied();
        let supporting = |span: Span| SupportingPassage { source: id, span };
        Self {
            score: score(lexical).max(quoted(claim, source, &terms)),
            in_runs: beside.in_runs(),
            terms: lexical.terms,
            by: lexical
                .best
                .iter()
                .filter_map(place)
                .map(supporting)
                .collect(),
            missing: missing(&beside),
            opposed: beside.opposed(settings),
            other_numbers: source.numbers(&lexical.best).next().is_some(),
        }
    }
}

impl<'a> MatchedSentences<'a> {
    fn new(claim: &'a Claim, source: &'a SourceText<'a>, lexical: LexicalSupport) -> Self {
        let quotes = quotes_of(&claim.text, &claim.quotes);
        let mut left = source.reader().read(&claim.text);
        // A quote denies and points as its source does; only what was added to it can be wrong.
        for word in left
            .iter_mut()
            .filter(|word| quotes.iter().any(|q| q.holds(word.span)))
        {
            word.denies = false;
            word.directions = &[];
        }
        let mut places = lexical.best.clone();
        places.sort_unstable();
        let mut right: Vec<SentenceWord> = Vec::new();
        for at in places {
            let (Some(span), Some(sentence)) = (source.sentences().get(at), source.sentence(at))
            else {
                continue;
            };
            let clauses = right.last().map_or(0, |word| word.clause + 1);
            right.extend(
                source
                    .reader()
                    .read(sentence)
                    .into_iter()
                    .map(|word| SentenceWord {
                        span: word.span.moved(span.start),
                        clause: word.clause + clauses,
                        ..word
                    }),
            );
        }
        let pairs = Alignment::new(&left, &right);
        Self {
            claim,
            quotes,
            source,
            lexical,
            left,
            right,
            pairs,
        }
    }

    /// The share of the claim's neighbouring words of substance that stand side by side in the
    /// source too.
    fn in_runs(&self) -> f64 {
        let said = self
            .left
            .iter()
            .enumerate()
            .filter(|(_, word)| word.content);
        let places: Vec<Option<usize>> = said.map(|(at, _)| self.pairs.partner(at)).collect();
        let beside = |pair: &&[Option<usize>]| match pair {
            [Some(a), Some(b)] => b > a && b - a <= RUN_GAP,
            _ => false,
        };
        let held = places.windows(2).filter(beside).count();
        held as f64 / places.len().saturating_sub(1).max(1) as f64
    }

    /// What the source says against the claim, where it is on the same matter.
    fn opposed(&self, settings: &CitationSettings) -> Option<CitationReason> {
        if self.lexical.few < settings.citation_same_matter_min {
            return None;
        }
        let found = oppose(&self.left, &self.right, &self.pairs)?;
        Some(CitationReason::Opposed {
            kind: found.kind,
            claim: found.left.of(&self.claim.text)?.to_owned(),
            source: found.right.of(self.source.text())?.to_owned(),
        })
    }
}

/// A claim may rest on several sentences, but one that has it all says it best.
fn score(lexical: &LexicalSupport) -> f64 {
    0.5 * lexical.one + 0.3 * lexical.few + 0.2 * lexical.whole
}

/// The share of the claim that is quoted: the quotes have been found by now.
fn quoted(claim: &Claim, source: &SourceText<'_>, terms: &[String]) -> f64 {
    let quoted: Vec<String> = claim
        .quotes
        .iter()
        .flat_map(|quote| source.reader().about(quote))
        .collect();
    if terms.is_empty() && !claim.quotes.is_empty() {
        return 1.0;
    }
    let held = terms.iter().filter(|term| quoted.contains(term)).count();
    held as f64 / terms.len().max(1) as f64
}

/// What the claim is about, numbers apart: those are compared by their values.
fn terms(claim: &Claim, source: &SourceText<'_>) -> Vec<String> {
    let mut terms = source.reader().about(&claim.text);
    terms.retain(|term| {
        !term.starts_with(|c: char| c.is_ascii_digit()) || term.chars().any(char::is_alphabetic)
    });
    terms
}
