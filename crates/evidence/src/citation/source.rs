//! A source made ready for many claims to be checked against it.
//!
//! Takes the text of a source; keeps its sentences, what each says, and an index of their terms, so
//! that a claim looks only at the sentences that share a term with it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::claim::StatedNumber;
use crate::claim::number::{StatedNumbers, figures};
use crate::claim::reading::{SentenceReader, words};
use crate::date::{StatedDate, dates};
use crate::fixed_hash::FixedMap;
use crate::quote::SearchedText;
use crate::{Language, Span, sentences};

/// Terms that begin with the same letters, this many of them, may be forms of one word.
const STEM_LETTERS: usize = 5;

/// The text of one source, indexed.
pub struct SourceText<'t> {
    searched: SearchedText<'t>,
    reader: SentenceReader,
    sentences: Vec<Span>,
    /// Its letters and digits alone, in lower case.
    letters: OnceLock<String>,
    /// The first letters of its words, in lower case.
    initials: OnceLock<String>,
    /// Of each sentence.
    figures: Vec<StatedNumbers>,
    /// All of them, smallest first.
    numbers: Vec<StatedNumber>,
    codes: BTreeSet<String>,
    dates: Vec<StatedDate>,
    terms: FixedMap<String, usize>,
    names: Vec<String>,
    /// Of each term: the sentences that hold it, in order.
    postings: Vec<Vec<u32>>,
    /// By the first letters of a term: the terms that begin so.
    families: FixedMap<String, Vec<usize>>,
}

impl<'t> SourceText<'t> {
    /// Reads a source's text once, so that many claims can be compared with it.
    pub fn new(text: &'t str, language: Language) -> Self {
        Self::with_sentences(text, sentences(text, language), language)
    }

    /// For a source whose sentences are known already.
    pub fn with_sentences(text: &'t str, sentences: Vec<Span>, language: Language) -> Self {
        let mut source = Self {
            searched: SearchedText::new(text),
            reader: SentenceReader::new(language),
            letters: OnceLock::new(),
            initials: OnceLock::new(),
            figures: Vec::with_capacity(sentences.len()),
            numbers: Vec::new(),
            codes: BTreeSet::new(),
            sentences,
            dates: dates(text),
            terms: FixedMap::default(),
            names: Vec::new(),
            postings: Vec::new(),
            families: FixedMap::default(),
        };
        for at in 0..source.sentences.len() {
            source.index(at);
        }
        source.numbers.sort_by(|a, b| a.value.total_cmp(&b.value));
        source
    }

    /// The text as it was given.
    pub fn text(&self) -> &'t str {
        self.searched.text()
    }

    /// Where the sentences of the text stand.
    pub fn sentences(&self) -> &[Span] {
        &self.sentences
    }

    pub(crate) fn searched(&self) -> &SearchedText<'t> {
        &self.searched
    }

    pub(crate) fn reader(&self) -> &SentenceReader {
        &self.reader
    }

    pub(super) fn dates(&self) -> &[StatedDate] {
        &self.dates
    }

    pub(super) fn sentence(&self, at: usize) -> Option<&'t str> {
        self.sentences.get(at)?.of(self.text())
    }

    /// The numbers that the sentences at these places state.
    pub(super) fn numbers(&self, places: &[usize]) -> impl Iterator<Item = &StatedNumber> {
        let figures = places.iter().filter_map(|at| self.figures.get(*at));
        figures.flat_map(|figures| &figures.numbers)
    }

    /// The numbers that the sentences at these places state with certain words of the source.
    pub(super) fn numbers_at(&self, words: &[Span], places: &[usize]) -> Vec<&StatedNumber> {
        let mut found = Vec::new();
        for at in places {
            let (Some(span), Some(figures)) = (self.sentences.get(*at), self.figures.get(*at))
            else {
                continue;
            };
            let told = |number: &&StatedNumber| {
                let place = number.span.moved(span.start);
                words.iter().any(|word| word.overlaps(place))
            };
            found.extend(figures.numbers.iter().filter(told));
        }
        found
    }

    /// Whether it tells a number anywhere.
    pub(super) fn tells(&self, number: &StatedNumber) -> bool {
        // A number is told only by one that rounds to it, so that no other need be looked at.
        let least = number.value - number.step;
        let from = self.numbers.partition_point(|told| told.value < least);
        let near = self.numbers.iter().skip(from);
        near.take_while(|told| told.value <= number.value + number.step)
            .any(|told| number.is_told_by(told))
    }

    pub(super) fn has_code(&self, code: &str) -> bool {
        self.codes.contains(code)
    }

    /// Whether words that follow each other begin with these letters.
    pub(super) fn has_initials(&self, letters: &str) -> bool {
        let first = |span: Span| span.of(self.text()).and_then(|word| word.chars().next());
        let made = || {
            words(self.text())
                .filter_map(first)
                .flat_map(char::to_lowercase)
                .collect()
        };
        self.initials.get_or_init(made).contains(letters)
    }

    /// Whether a name stands in it, however it is hyphenated and in whatever case.
    pub(super) fn has_letters(&self, name: &str) -> bool {
        self.letters
            .get_or_init(|| letters(self.text()))
            .contains(&letters(name))
    }

    /// The sentences that hold a term.
    pub(super) fn holding(&self, term: &str) -> &[u32] {
        let held = self.terms.get(term).and_then(|id| self.postings.get(*id));
        held.map_or(&[], Vec::as_slice)
    }

    /// Terms of the source that look like forms of one it does not hold, with the share of letters
    /// they have in common.
    pub(super) fn relatives(&self, term: &str) -> Vec<(&[u32], f64)> {
        let Some(family) = head(term).and_then(|head| self.families.get(head)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for id in family {
            if let Some((held, shared)) = self.relative(term, *id) {
                found.push((held, shared));
            }
        }
        found
    }

    fn relative(&self, term: &str, id: usize) -> Option<(&[u32], f64)> {
        let held = self.postings.get(id)?;
        let name = self.names_of(id)?;
        let shared = name
            .bytes()
            .zip(term.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let share = shared as f64 / name.len().max(term.len()) as f64;
        (share >= 0.6).then_some((held.as_slice(), share))
    }

    fn names_of(&self, id: usize) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    fn index(&mut self, at: usize) {
        let Some(sentence) = self.sentence(at) else {
            self.figures.push(StatedNumbers::default());
            return;
        };
        let told = figures(sentence);
        self.numbers.extend(told.numbers.iter().cloned());
        self.codes
            .extend(told.codes.iter().map(|(_, code)| code.clone()));
        self.figures.push(told);
        for term in self.reader.about(sentence) {
            let id = self.id(term);
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            if let Some(held) = self.postings.get_mut(id)
                && held.last() != Some(&place)
            {
                held.push(place);
            }
        }
    }

    fn id(&mut self, term: String) -> usize {
        if let Some(id) = self.terms.get(&term) {
            return *id;
        }
        let id = self.postings.len();
        if let Some(head) = head(&term) {
            self.families.entry(head.to_owned()).or_default().push(id);
        }
        self.postings.push(Vec::new());
        self.names.push(term.clone());
        self.terms.insert(term, id);
        id
    }
}

/// The first letters of a term, when it has as many.
fn head(term: &str) -> Option<&str> {
    let (end, _) = term.char_indices().nth(STEM_LETTERS)?;
    term.get(..end)
}

fn letters(text: &str) -> String {
    let signs = text.chars().filter(|c| c.is_alphanumeric());
    signs.flat_map(char::to_lowercase).collect()
}
