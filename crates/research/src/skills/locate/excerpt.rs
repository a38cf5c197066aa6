//! The stretch of a passage that answers most: whole sentences, short enough to be read at a glance.

use std::collections::BTreeSet;

use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, Span, sentences};

use crate::analysis::Evidence;

/// Characters of an excerpt. A single sentence may be longer.
pub(crate) const EXCERPT_CHARS: usize = 230;

/// Excerpts are taken from so many of the first passages.
const PASSAGES_LOOKED_AT: usize = 10;

/// Sentences of fewer words say little alone, so they take others along or go.
const WORDS_LEAST: usize = 4;

/// What a rank, an encoder's opinion and the question's words count for an excerpt.
const RANK_SHARE: f64 = 0.6;
const MEANING_SHARE: f64 = 2.0;
const WORDS_SHARE: f64 = 0.6;

/// What an excerpt gains that has the figures asked for.
const FIGURES_GAIN: f64 = 0.2;

/// A few sentences of a piece of evidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Excerpt {
    /// The place of the evidence.
    pub(crate) evidence: usize,
    /// Within the source's text.
    pub(crate) span: Span,
    pub(crate) text: String,
    /// The share of the question's words that it has, its headings counted, 0 to 1.
    pub(crate) covered: f64,
}

/// The words of a question that tell what it is about, as terms, each once.
pub(crate) fn telling(terms: &Terms, question: &str) -> BTreeSet<String> {
    terms.telling(question).into_iter().collect()
}

/// The share of some terms that texts have, 0 to 1.
pub(crate) fn coverage<const N: usize>(
    terms: &Terms,
    wanted: &BTreeSet<String>,
    texts: [&str; N],
) -> f64 {
    let held: BTreeSet<String> = texts.iter().flat_map(|text| terms.telling(text)).collect();
    wanted.intersection(&held).count() as f64 / wanted.len().max(1) as f64
}

/// Every excerpt of the first passages: each sentence alone, and with those after it as far as they fit.
pub(crate) fn excerpts(question: &str, evidence: &[Evidence], language: Language) -> Vec<Excerpt> {
    let terms = Terms::new(language);
    let wanted = telling(&terms, question);
    let mut found = Vec::new();
    for (at, piece) in evidence.iter().enumerate().take(PASSAGES_LOOKED_AT) {
        let headings = piece.sections.join(" ");
        let spans = sentences(&piece.quote, language);
        for (nth, first) in spans.iter().enumerate() {
            let fits = |last: &&Span| last.end.saturating_sub(first.start) <= EXCERPT_CHARS;
            let rest = spans.get(nth + 1..).unwrap_or_default();
            let last = rest.iter().take_while(fits).last();
            for end in [Some(first), last].into_iter().flatten() {
                let within = Span::new(first.start, end.end);
                let Some(text) = within.of(&piece.quote) else {
                    continue;
                };
                if text.split_whitespace().count() < WORDS_LEAST {
                    continue;
                }
                found.push(Excerpt {
                    evidence: at,
                    span: Span::new(
                        piece.span.start + within.start,
                        piece.span.start + within.end,
                    ),
                    text: text.to_owned(),
                    covered: coverage(&terms, &wanted, [text, &headings]),
                });
            }
        }
    }
    found
}

/// The best excerpt of each passage, the best first. `meaning` is an encoder's opinion of each, where there is one.
pub(crate) fn best(
    excerpts: Vec<Excerpt>,
    meaning: Option<&[f32]>,
    figures_asked: bool,
) -> Vec<Excerpt> {
    let score = |at: usize, one: &Excerpt| {
        let rank = 1.0 - one.evidence as f64 / PASSAGES_LOOKED_AT as f64;
        let near = meaning.and_then(|all| all.get(at)).copied();
        let near = near.map_or(0.0, |near| MEANING_SHARE * f64::from(near));
        let figures = figures_asked && one.text.contains(|c: char| c.is_ascii_digit());
        let gain = if figures { FIGURES_GAIN } else { 0.0 };
        RANK_SHARE * rank + WORDS_SHARE * one.covered + near + gain
    };
    let mut scored: Vec<(f64, Excerpt)> = Vec::new();
    for (at, one) in excerpts.into_iter().enumerate() {
        scored.push((score(at, &one), one));
    }
    // Of equal ones the earlier, which is the shorter.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen = BTreeSet::new();
    let first = scored.into_iter().map(|(_, one)| one);
    first.filter(|one| seen.insert(one.evidence)).collect()
}
