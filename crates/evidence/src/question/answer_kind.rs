//! What kind of answer a question asks for, in seven languages.
//!
//! Takes a question as people type it, and its language; gives the kind. It looks for question words and set phrases of
//! a table and at nothing else, so that a further language is a further part of the table.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::fixed_hash::FixedMap;
use crate::{Language, lists, terms};

const TABLE: &str = include_str!("answer_kinds.txt");
const SIGNS: &str = include_str!("answer_signs.txt");

/// Languages of the table.
pub(super) const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "it", "pt", "nl"];

/// What an answer must bring to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// How two things differ, or which is better.
    Compare,
    /// A number, an amount, a duration.
    HowMuch,
    /// A reason or a purpose.
    Why,
    /// What to do: steps, a command, an option.
    HowTo,
    /// A date or a time.
    When,
    /// A person or an institution.
    Who,
    /// What a thing is, or what a word means.
    WhatIs,
    /// One or more of several things.
    Which,
    /// Whether something is so.
    YesNo,
    /// None of these, or asked in a language that the table does not have.
    Other,
}

/// The kinds by their names in the table, in the order in which they are tried.
const KINDS: [(&str, AnswerKind); 9] = [
    ("compare", AnswerKind::Compare),
    ("how much", AnswerKind::HowMuch),
    ("why", AnswerKind::Why),
    ("how to", AnswerKind::HowTo),
    ("when", AnswerKind::When),
    ("who", AnswerKind::Who),
    ("what is", AnswerKind::WhatIs),
    ("which", AnswerKind::Which),
    ("yes/no", AnswerKind::YesNo),
];

/// The phrases of one language. All have a blank before and after, to be found as whole words.
struct KindPhrases {
    lead: Vec<&'static str>,
    anywhere: Vec<(String, AnswerKind)>,
    opening: Vec<(String, AnswerKind)>,
}

static PHRASES: LazyLock<FixedMap<&'static str, KindPhrases>> = LazyLock::new(|| {
    let languages = LANGUAGES.into_iter();
    languages.map(|code| (code, phrases(code))).collect()
});

/// Signs of an answer by language and kind, each with a blank before and after it.
static SIGN_WORDS: LazyLock<FixedMap<(&'static str, AnswerKind), Vec<String>>> =
    LazyLock::new(|| {
        let mut all = FixedMap::default();
        for code in LANGUAGES {
            for (name, kind) in KINDS {
                all.insert((code, kind), signs(&format!("{code} {name}")));
            }
        }
        all
    });

/// The signs of a section, each with a blank before and after it.
fn signs(section: &str) -> Vec<String> {
    let signs = lists::entries(SIGNS, section).into_iter();
    signs.map(|sign| format!(" {sign} ")).collect()
}

/// Numbers in words, of all languages.
pub(super) fn number_words() -> Vec<&'static str> {
    let sections = LANGUAGES.map(|code| format!("{code} how much"));
    let words = sections.iter().flat_map(|name| lists::entries(SIGNS, name));
    words.collect()
}

fn phrases(language: &str) -> KindPhrases {
    let mut found = KindPhrases {
        lead: lists::entries(TABLE, &format!("{language} lead")),
        anywhere: Vec::new(),
        opening: Vec::new(),
    };
    for (name, kind) in KINDS {
        for phrase in lists::entries(TABLE, &format!("{language} {name}")) {
            match phrase.strip_prefix('^') {
                Some(phrase) => found.opening.push((format!(" {phrase} "), kind)),
                None => found.anywhere.push((format!(" {phrase} "), kind)),
            }
        }
    }
    found
}

impl AnswerKind {
    /// Reads a question. Phrases that ask wherever they stand come first, then the first clause that opens with a
    /// question word or a verb; only then those that ask for yes or no wherever they stand.
    pub fn read(question: &str, language: Language) -> Self {
        let Some(phrases) = PHRASES.get(language.code()) else {
            return Self::Other;
        };
        let clauses = clauses(question);
        let stands = |phrase: &str| clauses.iter().any(|clause| clause.contains(phrase));
        let anywhere = |yes_no: bool| {
            let phrases = phrases.anywhere.iter();
            let mut wanted = phrases.filter(|(_, kind)| (*kind == Self::YesNo) == yes_no);
            wanted.find(|(phrase, _)| stands(phrase))
        };
        let opened = |clause: &String| {
            let inner = phrases.without_lead(clause);
            let mut opening = phrases.opening.iter();
            opening.find(|(phrase, _)| {
                clause.starts_with(phrase.as_str()) || inner.starts_with(phrase.as_str())
            })
        };
        let found = anywhere(false)
            .or_else(|| clauses.iter().find_map(opened))
            .or_else(|| anywhere(true));
        found.map_or(Self::Other, |(_, kind)| *kind)
    }
}

impl AnswerKind {
    /// Whether sentences show by their words that they bring this kind.
    pub fn has_signs(self) -> bool {
        use AnswerKind::{HowMuch, WhatIs, When, Why, YesNo};
        matches!(self, HowMuch | When | Why | WhatIs | YesNo)
    }

    /// Whether a sentence shows by its words that it brings this kind of answer: a number where one is asked for,
    /// "because" where a reason is. A sign and no proof; kinds without signs have none.
    pub fn shows_in(self, sentence: &str, language: Language) -> bool {
        let kind = match self {
            Self::HowMuch | Self::When if has_number(sentence) => return true,
            Self::HowMuch | Self::When => Self::HowMuch,
            other => other,
        };
        let Some(signs) = SIGN_WORDS.get(&(language.code(), kind)) else {
            return false;
        };
        has_sign(sentence, signs)
    }
}

/// Whether a word of a sentence is or begins with a number. "N1" is a name.
fn has_number(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a sentence tells by its words what several studies found together, which counts more than one of them.
pub fn pools_studies(sentence: &str, language: Language) -> bool {
    has_sign(sentence, &signs(&format!("{} pooled", language.code())))
}

/// Whether a title is that of a review of studies.
pub fn names_review(title: &str, language: Language) -> bool {
    has_sign(title, &signs(&format!("{} review", language.code())))
}

fn has_sign(text: &str, signs: &[String]) -> bool {
    let words = plain_words(text);
    signs.iter().any(|sign| words.contains(sign.as_str()))
}

impl KindPhrases {
    /// A clause without the words that lead into it: "and in which file" asks "which file".
    fn without_lead<'c>(&self, clause: &'c str) -> &'c str {
        let mut rest = clause;
        while let Some((word, after)) = rest.trim_start().split_once(' ')
            && self.lead.contains(&word)
        {
            rest = &rest[rest.len() - after.len() - 1..];
        }
        rest
    }
}

/// A text as its words in small letters without accents, with a blank before and after each.
pub(super) fn plain_words(text: &str) -> String {
    let folded = terms::plain_letters(text);
    let words = folded.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

/// The clauses of a question as words in small letters without accents, each with a blank before and after it. Those
/// that end in a question mark come first.
fn clauses(question: &str) -> Vec<String> {
    let inside_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_' | '/');
    let (mut asked, mut said) = (Vec::new(), Vec::new());
    for clause in question.split_inclusive(|c: char| !c.is_whitespace() && !inside_word(c)) {
        let clause_words = plain_words(clause);
        if clause_words.trim().is_empty() {
            continue;
        } else if clause.ends_with(['?', '？']) {
            asked.push(clause_words);
        } else {
            said.push(clause_words);
        }
    }
    asked.append(&mut said);
    asked
}

#[cfg(test)]
mod tests;
