//! Words that are written together in German and Dutch: a question about "Platten" also finds "Festplatten", and one
//! about "Festplatten" finds "Platten".

use super::{TermId, Vocabulary, tokens};
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

/// As [`Vocabulary::compounds`], of a question in a language with compounds to terms that are kept elsewhere.
pub fn compounds_among<'n>(
    question: &str,
    language: Language,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<(String, f32)> {
    let mut near = Vocabulary::new(language);
    let mut asked: Vec<(String, String)> = Vec::new();
    tokens::each(question, |token, _| {
        let stem = near.finished_in(language, token);
        asked.push((stem, super::plain_letters(token)));
    });
    // Only these can be compounds or parts: all others need not be held in memory.
    let is_near = |name: &str| {
        let start = name.char_indices().nth(PART_MIN_LETTERS - 1);
        let start = start.map_or(name, |(end, _)| &name[..end]);
        asked.iter().any(|(stem, plain)| {
            name.ends_with(stem.as_str()) || name.starts_with(plain) || plain.contains(start)
        })
    };
    for name in names {
        if is_near(name) {
            near.number(name.to_owned());
        }
    }
    let found = near.compounds(question).into_iter();
    found
        .filter_map(|(term, weight)| Some((near.name(term)?.to_owned(), weight)))
        .collect()
}

impl Vocabulary {
    /// Terms of this vocabulary that are compounds or parts of the question's words, with what each counts where the
    /// word itself counts 1. None unless the question is in a language with compounds. It looks at every term once for
    /// each word of the question.
    pub fn compounds(&self, question: &str) -> Vec<(TermId, f32)> {
        let asked = self.language_of(question);
        if !has_compounds(asked) {
            return Vec::new();
        }
        let mut found: Vec<(TermId, f32)> = Vec::new();
        tokens::each(question, |token, _| {
            if self
                .terms_of(asked)
                .is_some_and(|terms| terms.stop.has(token))
            {
                return;
            }
            for term in self.longer(token, asked).chain(self.parts(token, asked)) {
                if found.iter().all(|(known, _)| *known != term) {
                    found.push((term, COMPOUND_WEIGHT));
                }
            }
        });
        found
    }

    /// The terms that begin or end with a word, or have a long one inside.
    fn longer(&self, token: &str, language: Language) -> impl Iterator<Item = TermId> {
        let stem = self.finished_in(language, token);
        let whole = super::plain_letters(token);
        let letters = |text: &str| text.chars().count();
        let mut longer: Vec<(usize, TermId)> = Vec::new();
        if letters(&stem) >= PART_MIN_LETTERS {
            for (id, name) in (0..).zip(self.names()) {
                let rest = name.len().saturating_sub(stem.len());
                let inside = letters(&whole) >= INSIDE_MIN_LETTERS && name.contains(&whole);
                let fits = rest >= OTHER_PART_MIN_LETTERS
                    && (inside || name.ends_with(&stem) || name.starts_with(&whole));
                if fits {
                    longer.push((name.len(), id));
                }
            }
        }
        longer.sort_unstable();
        longer.into_iter().take(COMPOUNDS_MAX).map(|(_, term)| term)
    }

    /// The terms of a word's two parts, where both occur.
    fn parts(&self, token: &str, language: Language) -> impl Iterator<Item = TermId> {
        let id = |part: &str| self.id(&self.finished_in(language, part));
        let enough = |part: &str| part.chars().count() >= PART_MIN_LETTERS;
        let split = |(at, _): (usize, char)| {
            let (head, tail) = token.split_at(at);
            if !enough(head) || !enough(tail) {
                return None;
            }
            let heads = LINKS.iter().filter_map(|link| head.strip_suffix(link));
            let head = heads.filter(|head| enough(head)).find_map(id)?;
            Some([head, id(tail)?])
        };
        token.char_indices().find_map(split).into_iter().flatten()
    }
}
