//! The rule-based locator: where an answer of some kind usually stands, and how it is usually put.
//!
//! Rules are data: `rules/questions.txt` has those for questions of research; others, such as
//! those of an appraisal's questions, are handed in as text of the same form.

mod parse;

use super::{LocateQuestion, LocateReason, Locator, RankedPassage};
use crate::bm25::{Bm25, rarity};
use crate::encode;
use crate::inverted::best;
use crate::terms::{TermId, Terms};

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
    /// Rules in text: see `rules/questions.txt` for the form.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        parse::rules(text).map(Self)
    }

    /// The rules for questions of research, in English.
    pub fn for_research() -> Self {
        Self::parse(include_str!("rules/questions.txt")).unwrap_or(Self(Vec::new()))
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

/// Rules over the passages of a pool.
pub(super) struct RuleLocator<'p> {
    pub(super) rules: &'p LocatorRules,
    pub(super) words: &'p Bm25,
    /// The telling terms of each passage in their order.
    pub(super) sequences: &'p [Vec<TermId>],
    /// Of each passage, the titles of the sections around it.
    pub(super) sections: &'p [&'p [String]],
}

/// Each further phrase adds this share of what it would have added before the others.
const NEXT_PHRASE: f32 = 0.5;

impl Locator for RuleLocator<'_> {
    fn name(&self) -> &str {
        "rules"
    }

    /// Passages that a rule speaks for. Among those, the ones that share words with the question
    /// come first.
    fn locate(
        &self,
        question: LocateQuestion<'_>,
        top_n: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let Some(rule) = self.rules.rule(question) else {
            return Ok(Vec::new());
        };
        let phrases = self.as_terms(rule);
        let said: Vec<Vec<usize>> = self
            .sequences
            .iter()
            .map(|sequence| said(&phrases, sequence))
            .collect();
        let worth = worth(phrases.len(), &said);
        let overlap = self.words.scores(question.text);
        let most = overlap.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let mut reasons = Vec::with_capacity(said.len());
        let mut scores = Vec::with_capacity(said.len());
        for (place, said) in said.iter().enumerate() {
            let (prior, section) = self.prior(rule, place);
            let mut score = prior + phrase_score(said, &worth);
            if score > 0.0 {
                score += overlap.get(place).copied().unwrap_or_default() / most;
            }
            scores.push(score);
            let named = said.iter().filter_map(|nth| phrases.get(*nth));
            reasons.push(LocateReason {
                section,
                phrases: named.map(|(phrase, _)| (*phrase).to_owned()).collect(),
                ..LocateReason::default()
            });
        }
        let found = best(&scores, top_n).into_iter().map(|hit| RankedPassage {
            place: hit.doc,
            score: hit.score,
            why: reasons
                .get_mut(hit.doc)
                .map(std::mem::take)
                .unwrap_or_default(),
        });
        Ok(found.collect())
    }
}

impl RuleLocator<'_> {
    /// The phrases that can stand here at all, as the terms of the pool.
    fn as_terms<'r>(&self, rule: &'r LocatorRule) -> Vec<(&'r str, Vec<TermId>)> {
        let vocabulary = self.words.vocabulary();
        let terms: &Terms = vocabulary.terms();
        let known = |phrase: &'r String| {
            let ids = terms
                .telling(phrase)
                .iter()
                .map(|term| vocabulary.id(term))
                .collect();
            let ids: Option<Vec<TermId>> = ids;
            ids.filter(|ids| !ids.is_empty())
                .map(|ids| (phrase.as_str(), ids))
        };
        rule.phrases.iter().filter_map(known).collect()
    }

    /// What the sections around a passage say for it, by the best of them.
    fn prior(&self, rule: &LocatorRule, place: usize) -> (f32, Option<String>) {
        let titles = self.sections.get(place).copied().unwrap_or_default();
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
}

/// Which phrases stand in a passage.
fn said(phrases: &[(&str, Vec<TermId>)], sequence: &[TermId]) -> Vec<usize> {
    let stands = |ids: &[TermId]| sequence.windows(ids.len()).any(|window| window == ids);
    let said = phrases
        .iter()
        .enumerate()
        .filter(|(_, (_, ids))| stands(ids));
    said.map(|(nth, _)| nth).collect()
}

/// What each phrase is worth, from 0 to 1: one that many passages say tells them less apart.
fn worth(phrases: usize, said: &[Vec<usize>]) -> Vec<f32> {
    let mut frequencies = vec![0_usize; phrases];
    for nth in said.iter().flatten() {
        if let Some(frequency) = frequencies.get_mut(*nth) {
            *frequency += 1;
        }
    }
    let most = rarity(said.len(), 1).max(f32::MIN_POSITIVE);
    frequencies
        .iter()
        .map(|frequency| rarity(said.len(), (*frequency).max(1)) / most)
        .collect()
}

/// The worthiest phrase counts in full, each further one less.
fn phrase_score(said: &[usize], worth: &[f32]) -> f32 {
    let mut worth: Vec<f32> = said
        .iter()
        .filter_map(|nth| worth.get(*nth))
        .copied()
        .collect();
    worth.sort_unstable_by(|a, b| b.total_cmp(a));
    worth
        .iter()
        .rev()
        .fold(0.0, |sum, worth| worth + NEXT_PHRASE * sum)
}
