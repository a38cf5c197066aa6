//! The sentences of located passages, each with its terms and what speaks for and against it.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::document::Role;
use fathom_evidence::summarise::{self, Score, Sentence};
use fathom_evidence::terms::Terms;
use fathom_evidence::{Language, Span};

use super::Reading;
use crate::words;

/// A quote is one or two sentences of together so many words.
pub(super) const QUOTE_WORDS: std::ops::RangeInclusive<usize> = 5..=60;

/// What speaks against a sentence so much that it is never quoted: a question, boilerplate.
const NOT_QUOTED: f64 = 0.6;

/// One sentence that may be quoted.
pub(super) struct Said<'d> {
    /// The place of its reading among those that are kept.
    pub(super) reading: usize,
    pub(super) passage: usize,
    /// From the sentence before it where it hangs on that one.
    pub(super) span: Span,
    pub(super) quote: &'d str,
    pub(super) lower: String,
    pub(super) terms: BTreeSet<String>,
    pub(super) sections: &'d [String],
    pub(super) score: Score,
    /// It begins with a word that points back, and what it points to could not be taken along.
    pub(super) hangs: bool,
}

/// Everything that may be quoted from the passages at hand.
pub(super) struct Gathered<'d> {
    pub(super) said: Vec<Said<'d>>,
    /// Of each passage: the terms of its title, its sections and its own text.
    around: BTreeMap<(usize, usize), BTreeSet<String>>,
    /// In how many sentences each term stands.
    held: BTreeMap<String, f64>,
    terms: Terms,
    language: Language,
}

impl<'d> Gathered<'d> {
    pub(super) fn new(language: Language) -> Self {
        Self {
            said: Vec::new(),
            around: BTreeMap::new(),
            held: BTreeMap::new(),
            terms: Terms::new(language),
            language,
        }
    }

    /// Reads passages that were not read before, each given by its reading and its place in it.
    pub(super) fn add(&mut self, readings: &[&'d Reading], passages: &BTreeSet<(usize, usize)>) {
        let fresh = |s: &Sentence<'_>| {
            let key = (s.source, s.passage);
            passages.contains(&key) && !self.around.contains_key(&key)
        };
        let mut sentences: Vec<Sentence<'d>> = Vec::new();
        for (nth, reading) in readings.iter().enumerate() {
            let own = summarise::sentences_of(nth, &reading.document, &reading.passages);
            sentences.extend(own.into_iter().filter(fresh));
        }
        // Only what speaks for and against a sentence is taken, whatever is asked.
        let scores = summarise::scores("", &sentences, self.language);
        let mut before: Option<&Sentence<'d>> = None;
        for (sentence, score) in sentences.iter().zip(scores) {
            let Some(reading) = readings.get(sentence.source) else {
                continue;
            };
            let key = (sentence.source, sentence.passage);
            let own: BTreeSet<String> = self.terms.telling(sentence.text).into_iter().collect();
            let titles = || titles(reading, sentence, &self.terms);
            let around = self.around.entry(key).or_insert_with(titles);
            around.extend(own.iter().cloned());
            for term in &own {
                *self.held.entry(term.clone()).or_default() += 1.0;
            }
            let earlier = before.filter(|b| (b.source, b.passage) == key);
            self.said
                .extend(said(reading, sentence, earlier, own, score));
            before = Some(sentence);
        }
    }

    /// The places of the sentences of one passage.
    pub(super) fn of(&self, spot: (usize, usize)) -> impl Iterator<Item = usize> {
        let said = self.said.iter().enumerate();
        said.filter(move |(_, one)| (one.reading, one.passage) == spot)
            .map(|(nth, _)| nth)
    }

    pub(super) fn around(&self, said: &Said<'_>) -> Option<&BTreeSet<String>> {
        self.around.get(&(said.reading, said.passage))
    }

    /// What a term counts: more the fewer sentences have it.
    pub(super) fn rarity(&self, term: &str) -> f64 {
        let all = self.said.len().max(1) as f64;
        let held = self.held.get(term).copied().unwrap_or(0.0);
        (1.0 + all / (held + 1.0)).ln()
    }
}

fn titles(reading: &Reading, sentence: &Sentence<'_>, terms: &Terms) -> BTreeSet<String> {
    let title = reading.document.about.title.iter();
    let titles = title.chain(sentence.sections);
    titles.flat_map(|title| terms.telling(title)).collect()
}

fn said<'d>(
    reading: &'d Reading,
    sentence: &Sentence<'d>,
    before: Option<&Sentence<'d>>,
    terms: BTreeSet<String>,
    score: Score,
) -> Option<Said<'d>> {
    let lower = sentence.text.to_lowercase();
    if !may_be_quoted(reading, sentence, &lower) || score.against >= NOT_QUOTED {
        return None;
    }
    let hangs = hangs(&lower);
    let joined = before
        .filter(|_| hangs)
        .filter(|b| !self::hangs(&b.text.to_lowercase()) && !is_order(&b.text.to_lowercase()))
        .map(|b| Span::new(b.span.start, sentence.span.end))
        .filter(|span| in_one_paragraph(reading, *span))
        .and_then(|span| Some((span, reading.document.at(span)?)))
        .filter(|(_, text)| QUOTE_WORDS.contains(&text.split_whitespace().count()));
    let (span, quote) = joined.unwrap_or((sentence.span, sentence.text));
    QUOTE_WORDS
        .contains(&quote.split_whitespace().count())
        .then(|| Said {
            reading: sentence.source,
            passage: sentence.passage,
            span,
            quote,
            lower,
            terms,
            sections: sentence.sections,
            score,
            hangs: hangs && joined.is_none(),
        })
}

/// Prose that ends as sentences do and gives no orders. Rows of tables say nothing alone.
fn may_be_quoted(reading: &Reading, sentence: &Sentence<'_>, lower: &str) -> bool {
    let text = sentence.text;
    let role = paragraph_role(reading, sentence.span.start);
    let prose = matches!(role, Some(Role::Body | Role::ListItem | Role::Quote));
    let whole = text.ends_with(['.', '!', '”', '"', ')', '’', '。']);
    let begins = !text.starts_with(char::is_lowercase);
    prose && whole && begins && !is_order(lower)
}

fn paragraph_role(reading: &Reading, offset: usize) -> Option<Role> {
    let paragraphs = &reading.document.paragraphs;
    let after = paragraphs.partition_point(|p| p.span.start <= offset);
    Some(paragraphs.get(after.checked_sub(1)?)?.role)
}

fn in_one_paragraph(reading: &Reading, span: Span) -> bool {
    let paragraphs = &reading.document.paragraphs;
    paragraphs.iter().any(|p| p.span.holds(span))
}

fn is_order(lower: &str) -> bool {
    words::all("orders").any(|order| words::holds(lower, order))
}

/// Whether a sentence begins with words that point back.
fn hangs(lower: &str) -> bool {
    let start = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    words::all("hangs").any(|opening| {
        let rest = start.strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    })
}
