//! Patterns that a question is held against.
//!
//! A pattern is one line of the file of patterns; it is matched word by word, and what stands in a
//! named place is given back in the question's own letters.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::lists;

static COMPARATIVES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| lists::entries(super::WORDS, "comparative"));

/// What was found in a question, by the names of the places.
pub(super) type SlotValues = BTreeMap<&'static str, String>;

/// One part of a pattern.
#[derive(Debug)]
enum PatternPart {
    /// One of several runs of words; an empty run may be left out. Kept under a name where given.
    OneOf(Option<&'static str>, Vec<Vec<&'static str>>),
    /// One word or more.
    Slot(&'static str),
    /// A word such as "safer".
    Comparative,
}

#[derive(Debug)]
pub(super) struct QuestionPattern(Vec<PatternPart>);

impl QuestionPattern {
    pub(super) fn parse(line: &'static str) -> Self {
        let mut parts = Vec::new();
        let mut rest = line.trim();
        while !rest.is_empty() {
            let close = match rest.chars().next() {
                Some('(') => rest.find(')').map(|at| at + 1),
                Some('{') => rest.find('}').map(|at| at + 1),
                _ => rest.find(' '),
            };
            let (part, after) = rest.split_at(close.unwrap_or(rest.len()));
            parts.push(part_of(part));
            rest = after.trim_start();
        }
        Self(parts)
    }

    /// What stands in the named places when the whole question fits.
    pub(super) fn find(&self, words: &[QuestionWord<'_>]) -> Option<SlotValues> {
        let mut found = SlotValues::new();
        fits(&self.0, words, &mut found).then_some(found)
    }
}

fn part_of(part: &'static str) -> PatternPart {
    let choices = |inside: &'static str| {
        let runs = inside.split('|');
        runs.map(|run| run.split_whitespace().collect()).collect()
    };
    if let Some(inside) = part.strip_prefix('(') {
        return PatternPart::OneOf(None, choices(inside.trim_end_matches(')')));
    }
    let Some(inside) = part.strip_prefix('{').map(|p| p.trim_end_matches('}')) else {
        return PatternPart::OneOf(None, vec![vec![part]]);
    };
    match inside.split_once(':') {
        Some((name, runs)) => PatternPart::OneOf(Some(name), choices(runs)),
        None if inside == "er" => PatternPart::Comparative,
        None => PatternPart::Slot(inside),
    }
}

/// One word of a question: as written, and as compared.
#[derive(Clone, Debug)]
pub(super) struct QuestionWord<'q> {
    pub(super) written: &'q str,
    pub(super) plain: String,
}

pub(super) fn words(question: &str) -> Vec<QuestionWord<'_>> {
    let word = |written: &'_ str| {
        let bare = written.trim_matches(|c: char| !c.is_alphanumeric());
        bare.to_lowercase()
    };
    question
        .split_whitespace()
        .map(|written| QuestionWord {
            written,
            plain: word(written),
        })
        .filter(|word| !word.plain.is_empty())
        .collect()
}

/// The words as a phrase, without what punctuation stands around it.
pub(super) fn phrase(words: &[QuestionWord<'_>]) -> String {
    let written: Vec<&str> = words.iter().map(|word| word.written).collect();
    let joined = written.join(" ");
    let outer = |c: char| matches!(c, '?' | '.' | ',' | ';' | ':' | '!' | '"' | '“' | '”');
    joined.trim_matches(outer).to_owned()
}

/// Tries every way to cut the words; a question is short, and a pattern has few places.
fn fits(parts: &[PatternPart], words: &[QuestionWord<'_>], found: &mut SlotValues) -> bool {
    let Some((part, parts)) = parts.split_first() else {
        return words.is_empty();
    };
    match part {
        PatternPart::OneOf(name, runs) => runs.iter().any(|run| {
            let Some(rest) = without(words, run) else {
                return false;
            };
            let fits = fits(parts, rest, found);
            if let (true, Some(name)) = (fits, name) {
                found.insert(name, run.join(" "));
            }
            fits
        }),
        PatternPart::Comparative => words.split_first().is_some_and(|(word, rest)| {
            let fits = COMPARATIVES.contains(&word.plain.as_str()) && fits(parts, rest, found);
            if fits {
                found.insert("er", word.plain.clone());
            }
            fits
        }),
        PatternPart::Slot(name) => (1..=words.len()).any(|count| {
            let (inside, rest) = words.split_at(count);
            let fits = fits(parts, rest, found);
            if fits {
                found.insert(name, phrase(inside));
            }
            fits
        }),
    }
}

fn without<'w, 'q>(words: &'w [QuestionWord<'q>], run: &[&str]) -> Option<&'w [QuestionWord<'q>]> {
    let (head, rest) = words.split_at_checked(run.len())?;
    let same = head
        .iter()
        .zip(run)
        .all(|(word, wanted)| word.plain == *wanted);
    same.then_some(rest)
}
