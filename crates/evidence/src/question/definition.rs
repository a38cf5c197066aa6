//! The thing that a question "what is …" asks for, and the sentences that tell what it is.
//!
//! Where documents say "A virtual table is an object that …", other sentences have the words oftener and tell less.

use std::sync::LazyLock;

use super::answer_kind::{AnswerKind, LANGUAGES};
use crate::fixed_hash::FixedMap;
use crate::terms::{Terms, plain_letters};
use crate::{Language, lists};

const TABLE: &str = include_str!("definitions.txt");

/// A thing of more words is a description, which no sentence defines.
const THING_WORDS: usize = 4;

/// Between a thing and what tells of it there may be so many words: "the type affinity *of a column* is the …".
const WORDS_BETWEEN: usize = 4;

/// So many words with a comma behind them may open a sentence: "In Python, a generator is …".
const INTRODUCING_WORDS: usize = 4;

/// What ends a sentence that says something.
const SENTENCE_ENDS: [char; 7] = ['.', '!', ':', ';', ')', '”', '"'];

/// The phrases of one language, each as its words.
struct DefinitionPhrases {
    /// What stands before and after the thing in a question.
    asks: Vec<(Vec<String>, Vec<String>)>,
    articles: Vec<&'static str>,
    ends: Vec<&'static str>,
    tells: Vec<Vec<String>>,
    /// Tell what several things are, where a noun follows.
    are: Vec<&'static str>,
    /// Follow them where they tell something else.
    no_nouns: Vec<&'static str>,
    names: Vec<Vec<String>>,
}

static PHRASES: LazyLock<FixedMap<&'static str, DefinitionPhrases>> = LazyLock::new(|| {
    let languages = LANGUAGES.into_iter();
    languages
        .map(|code| (code, DefinitionPhrases::read(code)))
        .collect()
});

impl DefinitionPhrases {
    fn read(code: &str) -> Self {
        let entries = |section: &str| lists::entries(TABLE, &format!("{code} {section}"));
        let phrases = |section: &str| entries(section).into_iter().map(small_words).collect();
        let asks = entries("asks").into_iter();
        Self {
            asks: asks
                .filter_map(|phrase| phrase.split_once('*'))
                .map(|(before, after)| (small_words(before), small_words(after)))
                .collect(),
            articles: entries("articles"),
            ends: entries("ends"),
            tells: phrases("tells"),
            are: entries("are"),
            no_nouns: entries("no nouns"),
            names: phrases("names"),
        }
    }
}

/// The thing that a question asks the meaning of.
pub struct AskedThing {
    terms: Terms,
    /// Its words as terms.
    words: Vec<String>,
    /// Such as "-e" of "set -e", which a list explains under that name alone.
    option: Option<String>,
    language: Language,
}

impl AskedThing {
    /// Reads a question; nothing where it does not ask what a thing is.
    pub fn read(question: &str, language: Language) -> Option<Self> {
        let phrases = PHRASES.get(language.code())?;
        // "What is the maximum number of …" asks for a number.
        use AnswerKind::{Other, WhatIs, Which};
        if !matches!(AnswerKind::read(question, language), WhatIs | Which | Other) {
            return None;
        }
        let asked = small_words(question);
        let inner = phrases.asks.iter().find_map(|(before, after)| {
            let rest = asked.strip_prefix(before.as_slice())?;
            rest.strip_suffix(after.as_slice())
        })?;
        let is_article = |word: &&String| phrases.articles.contains(&word.as_str());
        let is_end = |word: &&String| phrases.ends.contains(&word.as_str());
        let thing = inner.iter().skip_while(is_article);
        let thing: Vec<&String> = thing.take_while(|word| !is_end(word)).collect();
        let terms = Terms::new(language);
        let words: Vec<String> = thing.iter().map(|word| terms.term(word)).collect();
        let known = (1..=THING_WORDS).contains(&words.len());
        known.then(|| Self {
            option: thing
                .last()
                .filter(|word| word.starts_with('-'))
                .map(|word| (*word).clone()),
            terms,
            words,
            language,
        })
    }

    /// Whether a sentence tells what the thing is: it opens with it and goes on "is a", explains it as an entry of a list
    /// does, or gives something that name.
    pub fn is_told_in(&self, sentence: &str) -> bool {
        let Some(phrases) = PHRASES.get(self.language.code()) else {
            return false;
        };
        // A title such as "SQLite is a self-contained system" only announces it.
        if !sentence.trim_end().ends_with(SENTENCE_ENDS) {
            return false;
        }
        let said = small_words(sentence);
        self.is_opened_with(&said, phrases)
            || self.is_named(&said, phrases)
            || self.is_listed(sentence, &said)
    }

    /// "A virtual table is an object that …".
    fn is_opened_with(&self, said: &[String], phrases: &DefinitionPhrases) -> bool {
        let is_article = |word: &String| phrases.articles.contains(&word.as_str());
        let introduced = said.iter().take(INTRODUCING_WORDS);
        let comma = introduced.rev().position(|word| word.ends_with(','));
        let opening = comma.map_or(0, |from_end| {
            INTRODUCING_WORDS.min(said.len()).saturating_sub(from_end)
        });
        let rest = said.get(opening..).unwrap_or_default();
        let articles = rest.iter().take_while(|word| is_article(word)).count();
        let rest = rest.get(articles..).unwrap_or_default();
        let Some(after) = self.after(rest) else {
            return false;
        };
        let are_told = match after {
            [are, what, ..] => {
                let noun = !phrases.no_nouns.contains(&what.as_str()) && self.may_be_noun(what);
                noun && phrases.are.contains(&are.as_str())
            }
            _ => false,
        };
        // "Virtual tables of a database are …" tells of virtual tables, "virtual table modules are …" does not.
        let described = after
            .first()
            .is_some_and(|word| phrases.ends.contains(&word.as_str()));
        let between = if described { WORDS_BETWEEN } else { 0 };
        are_told
            || (0..=between).any(|skipped| {
                let rest = after.get(skipped..).unwrap_or_default();
                // A single word such as "means" says little unless it follows at once.
                let fits = |phrase: &&Vec<String>| phrase.len() > 1 || skipped == 0;
                let mut tells = phrases.tells.iter().filter(fits);
                tells.any(|phrase| begins_with(rest, phrase))
            })
    }

    /// "Slices are views" tells what they are, "slices are either …" and "slices are designed …" do not.
    fn may_be_noun(&self, word: &str) -> bool {
        let participle = self.language == Language::ENGLISH && word.ends_with("ed");
        !participle && !self.terms.is_stop(bare(word))
    }

    /// Whether a heading is the name of the thing, whatever number stands before it: what follows is about it.
    pub fn is_name(&self, heading: &str) -> bool {
        let said = small_words(heading);
        let numbered = |word: &&String| word.starts_with(|c: char| c.is_ascii_digit());
        let numbers = said.iter().take_while(numbered).count();
        let name = said.get(numbers..).unwrap_or_default();
        self.after(name).is_some_and(<[String]>::is_empty)
    }

    /// "… is known as a virtual table".
    fn is_named(&self, said: &[String], phrases: &DefinitionPhrases) -> bool {
        let is_article = |word: &&String| phrases.articles.contains(&word.as_str());
        (0..said.len()).any(|at| {
            let rest = said.get(at..).unwrap_or_default();
            let mut names = phrases.names.iter();
            names.any(|phrase| {
                let thing = rest.get(phrase.len()..).unwrap_or_default();
                let articles = thing.iter().take_while(is_article).count();
                let thing = thing.get(articles..).unwrap_or_default();
                // "Called the lifetime rules" names the rules.
                let ends =
                    |rest: &[String]| rest.first().is_none_or(|word| self.terms.is_stop(word));
                begins_with(rest, phrase) && self.after(thing).is_some_and(ends)
            })
        })
    }

    /// An entry of a list: its name, and what it is as a sentence of its own.
    fn is_listed(&self, sentence: &str, said: &[String]) -> bool {
        let named = self.option.as_ref().map_or(self.words.len(), |_| 1);
        let fits = match &self.option {
            Some(option) => said.first() == Some(option),
            None => self.after(said).is_some(),
        };
        let mut written = sentence.split_whitespace().skip(named);
        let explained = written.next();
        fits && explained.is_some_and(|word| word.starts_with(char::is_uppercase))
    }

    /// The words behind the thing, where a text begins with it.
    fn after<'w>(&self, said: &'w [String]) -> Option<&'w [String]> {
        let (thing, rest) = said.split_at_checked(self.words.len())?;
        let mut pairs = thing.iter().zip(&self.words);
        pairs
            .all(|(word, wanted)| self.terms.term(bare(word)) == *wanted)
            .then_some(rest)
    }
}

fn begins_with(said: &[String], phrase: &[String]) -> bool {
    let mut pairs = said.iter().zip(phrase);
    said.len() >= phrase.len() && pairs.all(|(word, wanted)| bare(word) == wanted)
}

/// Words in small letters without accents, without quotes around them and marks that end a sentence; those joined by hyphens or
/// apostrophes one by one. A comma stays, and so does the hyphen of an option.
fn small_words(text: &str) -> Vec<String> {
    let before = ['"', '“', '‘', '\'', '(', '«', '¿', '`', '„'];
    let after = [
        '"', '”', '“', '’', '\'', ')', '»', '?', '!', '.', ':', ';', '`',
    ];
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let word = word.trim_start_matches(before).trim_end_matches(after);
        if word.starts_with('-') {
            found.push(word.to_lowercase());
        } else {
            found.extend(word.split(['-', '\'', '’']).map(plain_letters));
        }
    }
    found.retain(|word| !word.is_empty());
    found
}

fn bare(word: &str) -> &str {
    word.trim_end_matches(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(question: &str, code: &str, sentence: &str) -> bool {
        let thing = AskedThing::read(question, code.parse().unwrap());
        thing.expect(question).is_told_in(sentence)
    }

    #[test]
    fn a_sentence_that_opens_with_the_thing_tells_what_it_is() {
        for (question, code, sentence) in [
            (
                "What is a lantern fly?",
                "en",
                "A lantern fly is an insect that feeds on vines.",
            ),
            ("whats a lantern fly", "en", "Lantern-flies are insects."),
            (
                "what is pruning in orchards?",
                "en",
                "In spring, pruning is the removal of dead wood.",
            ),
            (
                "what does soil texture mean?",
                "en",
                "The soil texture of a field is the share of sand in it.",
            ),
            (
                "Was ist ein Setzling?",
                "de",
                "Ein Setzling ist eine junge Pflanze.",
            ),
            (
                "Qu'est-ce qu'un verger ?",
                "fr",
                "Un verger est un terrain planté d'arbres.",
            ),
            (
                "¿Qué es un injerto?",
                "es",
                "Un injerto es una unión de dos plantas.",
            ),
            (
                "che cos'è un innesto?",
                "it",
                "Un innesto è una pianta su un'altra.",
            ),
            (
                "o que é um enxerto?",
                "pt",
                "Um enxerto é uma união de plantas.",
            ),
            (
                "wat is een ent?",
                "nl",
                "Een ent is een deel van een plant.",
            ),
        ] {
            assert!(told(question, code, sentence), "{question}");
        }
    }

    #[test]
    fn a_name_that_is_given_and_an_entry_of_a_list_tell_it_too() {
        let question = "what is a rootstock?";
        assert!(told(
            question,
            "en",
            "The lower part is known as the rootstock."
        ));
        assert!(told(
            question,
            "en",
            "rootstock The lower part of a grafted tree."
        ));
        assert!(told(
            "what does prune -e do",
            "en",
            "-e Ends at the first dead branch."
        ));
    }

    #[test]
    fn a_sentence_that_only_has_the_words_does_not() {
        let question = "What is a rootstock?";
        for sentence in [
            "An example of a dwarfing rootstock is the M9.",
            "The rootstock was planted in March.",
            "Rootstocks are either dwarfing or strong.",
            "Rootstocks are selected in autumn.",
            "Growers choose a rootstock for its size.",
            "A rootstock is a good beginning",
            "The rootstock growers are the members of a club.",
            "These rules are called the rootstock rules.",
            "The rootstock law is the oldest of its kind.",
        ] {
            assert!(!told(question, "en", sentence), "{sentence}");
        }
    }

    #[test]
    fn a_heading_may_be_the_name_of_the_thing() {
        let thing = AskedThing::read("what is a root stock?", Language::ENGLISH).unwrap();
        assert!(thing.is_name("3.2.1 Root Stocks"));
        assert!(!thing.is_name("Choosing a root stock"));
    }

    #[test]
    fn other_questions_ask_for_no_thing() {
        let read = |question| AskedThing::read(question, Language::ENGLISH);
        assert!(read("How do I prune a tree?").is_none());
        assert!(read("What is the maximum number of branches?").is_none());
        assert!(read("what is the best month to plant an old apple tree").is_none());
        assert!(read("what is").is_none());
    }
}
