//! The rule-based locator: where an answer of some kind usually stands, and how it is usually put.
//!
//! Rules are data, handed in as text: those of an appraisal's questions, say. They rank what the words found.

mod parse;

use super::{LocateQuestion, LocateReason, PassageEntry};
use crate::bm25::{Bm25, rarity};
use crate::terms::TermId;

pub use parse::RuleError;

/// Several rules, each for one kind of question.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatorRules(Vec<LocatorRule>);

/// Where answers of one kind stand and what they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocatorRule {
    /// The kind of question, by which a caller may name it.
    pub name: String,
    /// What a question of this kind says, in lower case.
    pub asks: Vec<String>,
    /// What a section's title has, in lower case, and how much that speaks for its passages.
    pub sections: Vec<(String, f32)>,
    /// What the passages say.
    pub phrases: Vec<String>,
}

impl LocatorRules {
    /// Rules in text: a name in brackets, then lines `asks:`, `sections:`, `phrases:`, each with parts between bars.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        parse::rules(text).map(Self)
    }

    /// The rule of the named kind, else the first whose words the question has.
    pub fn rule(&self, question: LocateQuestion<'_>) -> Option<&LocatorRule> {
        if let Some(kind) = question.kind {
            return self.0.iter().find(|rule| rule.name == kind);
        }
        let text = format!(" {} ", plain(question.text));
        let fits = |asked: &String| text.contains(&format!(" {asked}"));
        self.0.iter().find(|rule| rule.asks.iter().any(fits))
    }
}

/// In lower case, with one space between words and nothing else.
fn plain(text: &str) -> String {
    let words: Vec<String> = crate::terms::words(text)
        .filter_map(|span| span.of(text))
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}

/// Each further phrase adds this share of what it would have added before the others.
const NEXT_PHRASE: f32 = 0.5;

/// Those of the found passages that a rule speaks for, best first. Among them, those that share more words with the
/// question come first.
pub(super) fn by_rule(
    rule: &LocatorRule,
    found: &[(usize, f32, LocateReason)],
    entries: &[PassageEntry],
    words: &Bm25,
) -> Vec<(usize, f32, LocateReason)> {
    let phrases = known_phrases(rule, words);
    let scores = found.iter().map(|(_, score, _)| *score);
    let most = scores.fold(f32::MIN_POSITIVE, f32::max);
    let judged = found.iter().filter_map(|(place, score, _)| {
        let entry = entries.get(*place)?;
        let (prior, section) = prior(rule, &entry.sections);
        let (vocabulary, text) = (words.vocabulary(), &entry.text);
        let language = entry.language.unwrap_or(vocabulary.language_of(text));
        let terms = vocabulary.find_in(language, text);
        let stands = |phrase: &&KnownPhrase<'_>| {
            let length = phrase.terms.len();
            terms.windows(length).any(|window| window == phrase.terms)
        };
        let said: Vec<&KnownPhrase<'_>> = phrases.iter().filter(stands).collect();
        let speaks = prior + phrase_score(&said);
        let why = LocateReason {
            section,
            phrases: said.iter().map(|phrase| phrase.text.to_owned()).collect(),
            ..LocateReason::default()
        };
        (speaks > 0.0).then(|| (*place, speaks + score / most, why))
    });
    let mut judged: Vec<(usize, f32, LocateReason)> = judged.collect();
    judged.sort_by(|a, b| b.1.total_cmp(&a.1));
    judged
}

/// A phrase that can stand in some passage.
struct KnownPhrase<'r> {
    text: &'r str,
    terms: Vec<TermId>,
    /// From 0 to 1: one whose words many passages have tells them less apart.
    worth: f32,
}

fn known_phrases<'r>(rule: &'r LocatorRule, words: &Bm25) -> Vec<KnownPhrase<'r>> {
    let vocabulary = words.vocabulary();
    let most = rarity(words.len(), 1).max(f32::MIN_POSITIVE);
    let known = |phrase: &'r String| {
        let telling = vocabulary.terms().telling(phrase);
        let terms = telling.iter().map(|term| vocabulary.id(term)).collect();
        let terms: Option<Vec<TermId>> = terms;
        let terms = terms.filter(|terms| !terms.is_empty())?;
        let rarities = terms
            .iter()
            .map(|term| rarity(words.len(), words.frequency(*term)));
        Some(KnownPhrase {
            text: phrase,
            worth: rarities.fold(0.0, f32::max) / most,
            terms,
        })
    };
    rule.phrases.iter().filter_map(known).collect()
}

/// What the sections around a passage say for it, by the best of them.
fn prior(rule: &LocatorRule, titles: &[String]) -> (f32, Option<String>) {
    let mut best = (0.0, None);
    for title in titles {
        let plain = title.to_lowercase();
        for (part, weight) in &rule.sections {
            if *weight > best.0 && plain.contains(part.as_str()) {
                best = (*weight, Some(title.clone()));
            }
        }
    }
    best
}

/// The worthiest phrase counts in full, each further one less.
fn phrase_score(said: &[&KnownPhrase<'_>]) -> f32 {
    let mut worth: Vec<f32> = said.iter().map(|phrase| phrase.worth).collect();
    worth.sort_unstable_by(f32::total_cmp);
    worth
        .iter()
        .fold(0.0, |sum, worth| worth + NEXT_PHRASE * sum)
}
