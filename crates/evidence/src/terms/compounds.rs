//! Words that are written together in German and Dutch: a question about "Platten" also finds "Festplatten", and one
//! about "Festplatten" finds "Platten".

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::{TermId, Terms, Vocabulary};
use crate::Language;

/// Languages that write compounds as one word.
const COMPOUNDING: [&str; 2] = ["de", "nl"];

/// Letters that may stand between the parts of a compound.
const LINKS: [&str; 5] = ["", "s", "es", "n", "en"];

/// A shorter part is found in words that it is no part of.
const PART_MIN_LETTERS: usize = 4;

/// From so many letters on a word is also found inside a longer one: "Wasser" in "Bewässerung".
const INSIDE_MIN_LETTERS: usize = 5;

/// What is added to a part is a word too.
const OTHER_PART_MIN_LETTERS: usize = 3;

/// Of more compounds the shortest are taken, for they are nearest to the word.
const COMPOUNDS_MAX: usize = 8;

/// What a compound or a part counts beside the word itself.
const COMPOUND_WEIGHT: f32 = 0.5;

/// Whether a language writes compounds as one word.
pub fn has_compounds(language: Language) -> bool {
    COMPOUNDING.contains(&language.code())
}

/// The terms of an index, as compounds are looked for among them.
pub trait CompoundTerms {
    /// Why they cannot be looked up.
    type Error;

    /// Hands over every term that has these letters in it.
    fn containing(&self, letters: &str, take: &mut dyn FnMut(&str)) -> Result<(), Self::Error>;

    /// Whether there is this term.
    fn has(&self, term: &str) -> Result<bool, Self::Error>;
}

impl CompoundTerms for Vocabulary {
    type Error = Infallible;

    fn containing(&self, letters: &str, take: &mut dyn FnMut(&str)) -> Result<(), Infallible> {
        self.names()
            .filter(|name| name.contains(letters))
            .for_each(take);
        Ok(())
    }

    fn has(&self, term: &str) -> Result<bool, Infallible> {
        Ok(self.id(term).is_some())
    }
}

impl Vocabulary {
    /// Terms of this vocabulary that are compounds or parts of the question's words, with what each counts where the
    /// word itself counts 1. None unless the question is in a language with compounds.
    pub fn compounds(&self, question: &str) -> Vec<(TermId, f32)> {
        let asked = self.language_of(question);
        if !has_compounds(asked) {
            return Vec::new();
        }
        let terms = self.terms_of(asked).unwrap_or(self.terms());
        let Ok(found) = near_terms(question, terms, self);
        let found = found.into_iter();
        found
            .filter_map(|(term, weight)| Some((self.id(&term)?, weight)))
            .collect()
    }
}

/// As [`Vocabulary::compounds`], of a question in a language with compounds to terms that are kept elsewhere.
pub fn compounds_among<T: CompoundTerms>(
    question: &str,
    language: Language,
    among: &T,
) -> Result<Vec<(String, f32)>, T::Error> {
    near_terms(question, &Terms::new(language), among)
}

/// The terms that have a word of a language with compounds in them, the shortest first.
pub fn compounds_with<T: CompoundTerms>(
    word: &str,
    language: Language,
    among: &T,
) -> Result<Vec<String>, T::Error> {
    let terms = Terms::new(language);
    let mut found = Vec::new();
    for token in terms.telling_tokens(word, false) {
        found.extend(longer(&token, &terms, among)?);
    }
    Ok(found)
}

fn near_terms<T: CompoundTerms>(
    question: &str,
    terms: &Terms,
    among: &T,
) -> Result<Vec<(String, f32)>, T::Error> {
    let mut found: Vec<(String, f32)> = Vec::new();
    for token in terms.telling_tokens(question, false) {
        let longer = longer(&token, terms, among)?;
        for term in longer.into_iter().chain(parts(&token, terms, among)?) {
            if found.iter().all(|(known, _)| *known != term) {
                found.push((term, COMPOUND_WEIGHT));
            }
        }
    }
    Ok(found)
}

/// The terms that begin or end with a word, or have a long one inside; the shortest of them.
fn longer<T: CompoundTerms>(
    token: &str,
    terms: &Terms,
    among: &T,
) -> Result<Vec<String>, T::Error> {
    let (stem, whole) = (terms.finished(token), super::plain_letters(token));
    let letters = |text: &str| text.chars().count();
    if letters(&stem) < PART_MIN_LETTERS {
        return Ok(Vec::new());
    }
    let anywhere = letters(&whole) >= INSIDE_MIN_LETTERS;
    let mut found: BTreeSet<(usize, String)> = BTreeSet::new();
    let mut take = |name: &str| {
        let rest = name.len().saturating_sub(stem.len());
        let inside = anywhere && name.contains(&whole);
        let fits = inside || name.ends_with(&stem) || name.starts_with(&whole);
        if rest >= OTHER_PART_MIN_LETTERS && fits {
            found.insert((name.len(), name.to_owned()));
            if found.len() > COMPOUNDS_MAX {
                found.pop_last();
            }
        }
    };
    among.containing(&stem, &mut take)?;
    // Mostly the word begins with its stem, and whatever has the word in it has been met.
    if !whole.contains(&stem) {
        among.containing(&whole, &mut take)?;
    }
    Ok(found.into_iter().map(|(_, name)| name).collect())
}

/// The terms of a word's two parts, where both occur.
fn parts<T: CompoundTerms>(token: &str, terms: &Terms, among: &T) -> Result<Vec<String>, T::Error> {
    let enough = |part: &str| part.chars().count() >= PART_MIN_LETTERS;
    for (at, _) in token.char_indices() {
        let (head, tail) = token.split_at(at);
        if !enough(head) || !enough(tail) {
            continue;
        }
        let tail = terms.finished(tail);
        if !among.has(&tail)? {
            continue;
        }
        for link in LINKS {
            let head = head.strip_suffix(link).filter(|head| enough(head));
            if let Some(head) = head.map(|head| terms.finished(head))
                && among.has(&head)?
            {
                return Ok(vec![head, tail]);
            }
        }
    }
    Ok(Vec::new())
}
