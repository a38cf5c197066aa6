//! A source made ready for many claims to be checked against it.
//!
//! Takes the text of a source; keeps its sentences and an index of their terms, so that a claim looks
//! only at the few sentences that share most of it, rare terms counting most.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::claim::StatedNumber;
use crate::claim::number::figures;
use crate::date::{StatedDate, dates};
use crate::fixed_hash::FixedMap;
use crate::quote::SearchedText;
use crate::terms::Terms;
use crate::{Language, Span, sentences};

/// How many sentences a claim is held against word by word.
const CANDIDATES_MAX: usize = 8;

/// The text of one source, indexed.
pub struct SourceText<'t> {
    searched: SearchedText<'t>,
    terms: Terms,
    language: Language,
    sentences: Vec<Span>,
    /// Of each term: the sentences that hold it, in order.
    postings: FixedMap<String, Vec<usize>>,
    numbers: OnceLock<Vec<StatedNumber>>,
    dates: OnceLock<Vec<StatedDate>>,
    /// Its letters and digits alone, in lower case.
    letters: OnceLock<String>,
}

/// The sentences of a source that a claim may rest on.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Their places, the nearest first.
    pub(super) places: Vec<usize>,
    /// The share of the claim's terms that the nearest has, from 0 to 1.
    pub(super) share: f64,
}

impl<'t> SourceText<'t> {
    /// Reads a source's text once, so that many claims can be compared with it.
    pub fn new(text: &'t str, language: Language) -> Self {
        Self::with_sentences(text, sentences(text, language), language)
    }

    /// For a source whose sentences are known already.
    pub fn with_sentences(text: &'t str, sentences: Vec<Span>, language: Language) -> Self {
        let terms = Terms::new(language);
        let mut postings: FixedMap<String, Vec<usize>> = FixedMap::default();
        for (at, span) in sentences.iter().enumerate() {
            for term in terms.telling(span.of(text).unwrap_or_default()) {
                let held = postings.entry(term).or_default();
                if held.last() != Some(&at) {
                    held.push(at);
                }
            }
        }
        Self {
            searched: SearchedText::new(text),
            terms,
            language,
            sentences,
            postings,
            numbers: OnceLock::new(),
            dates: OnceLock::new(),
            letters: OnceLock::new(),
        }
    }

    /// The text as it was given.
    pub fn text(&self) -> &'t str {
        self.searched.text()
    }

    /// Where the sentences of the text stand.
    pub fn sentences(&self) -> &[Span] {
        &self.sentences
    }

    pub(super) fn searched(&self) -> &SearchedText<'t> {
        &self.searched
    }

    pub(super) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(super) fn is_english(&self) -> bool {
        self.language == Language::ENGLISH
    }

    pub(super) fn sentence(&self, at: usize) -> Option<&'t str> {
        self.sentences.get(at)?.of(self.text())
    }

    /// The sentences that share most of a text, rare terms counting most.
    pub(super) fn nearest(&self, text: &str) -> Candidates {
        let wanted: BTreeSet<String> = self.terms.telling(text).into_iter().collect();
        let mut held: BTreeMap<usize, f64> = BTreeMap::new();
        let mut total = 0.0;
        for term in &wanted {
            let places = self.postings.get(term).map_or(&[][..], Vec::as_slice);
            let weight = (1.0 + self.sentences.len() as f64 / places.len().max(1) as f64).ln();
            total += weight;
            for at in places {
                *held.entry(*at).or_default() += weight;
            }
        }
        let mut ranked: Vec<(usize, f64)> = held.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        Candidates {
            share: ranked.first().map_or(0.0, |(_, most)| most / total),
            places: ranked
                .into_iter()
                .take(CANDIDATES_MAX)
                .map(|(at, _)| at)
                .collect(),
        }
    }

    /// Whether it tells a number anywhere.
    pub(super) fn tells(&self, number: &StatedNumber) -> bool {
        let all = self.numbers.get_or_init(|| figures(self.text()).numbers);
        all.iter().any(|told| number.is_told_by(told))
    }

    /// Whether it tells a date anywhere.
    pub(super) fn tells_date(&self, date: &StatedDate) -> bool {
        let all = self.dates.get_or_init(|| dates(self.text()));
        all.iter().any(|told| date.is_told_by(told))
    }

    /// Whether a name stands in it, however it is hyphenated and in whatever case.
    pub(super) fn names(&self, name: &str) -> bool {
        let made = || letters(self.text());
        self.letters.get_or_init(made).contains(&letters(name))
    }
}

fn letters(text: &str) -> String {
    let signs = text.chars().filter(|c| c.is_alphanumeric());
    signs.flat_map(char::to_lowercase).collect()
}
