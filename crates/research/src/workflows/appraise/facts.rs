//! What a report says of its trial, each fact with its quote.

use std::sync::LazyLock;

use fathom_evidence::Document;
use fathom_render::appraisal::{AppraisalQuote, TrialFact};

use super::article::Article;
use super::numbers::{ParticipantFlow, TrialCount};
use super::patterns::{self, PatternLine};
use super::state::DocumentRole;

static FACTS: LazyLock<Vec<PatternLine>> =
    LazyLock::new(|| patterns::read(include_str!("facts.txt")));

const NAMES: [&str; 6] = [
    "design",
    "arms",
    "blinding",
    "concealment",
    "registration",
    "funding",
];

/// Values are cut to this.
const VALUE_CHARS: usize = 160;

/// Everything that could be found, in the order in which people ask for it.
pub(super) fn facts(document: &Document, article: &Article) -> Vec<TrialFact> {
    let quote = |at: usize| article.quote(document, DocumentRole::Article, at);
    let mut facts = Vec::new();
    for name in NAMES {
        facts.extend(by_pattern(name, article, quote));
        if name == "arms" {
            facts.extend(numbers(article, quote));
        }
    }
    facts
}

fn by_pattern(
    name: &str,
    article: &Article,
    quote: impl Fn(usize) -> Option<AppraisalQuote>,
) -> Option<TrialFact> {
    let lines = FACTS.iter().filter(|line| line.group == name);
    let found = |line: &PatternLine| {
        let mut sentences = article.sentences.iter();
        let at = sentences.position(|one| one.is_on_this_trial() && line.is_in(&one.plain))?;
        let plain = &article.sentences.get(at)?.plain;
        let value = if line.label == "$1" {
            let captured = line.pattern.captures(plain.as_bytes())?.get(1)?;
            let value = String::from_utf8_lossy(captured.as_bytes())
                .trim()
                .to_owned();
            if name == "registration" {
                value.to_uppercase()
            } else {
                value
            }
        } else {
            line.label.clone()
        };
        Some(TrialFact {
            name: name.to_owned(),
            value: value.chars().take(VALUE_CHARS).collect(),
            quote: quote(at)?,
        })
    };
    lines.into_iter().find_map(found)
}

/// How many were randomised, analysed and lost, as far as the report says.
fn numbers(article: &Article, quote: impl Fn(usize) -> Option<AppraisalQuote>) -> Vec<TrialFact> {
    let flow = ParticipantFlow::read(article);
    let fact = |name: &str, value: String, at: usize| {
        let name = name.to_owned();
        Some(TrialFact {
            name,
            value,
            quote: quote(at)?,
        })
    };
    let count = |name: &str, count: Option<TrialCount>| {
        let count = count?;
        fact(name, count.number.to_string(), count.sentence)
    };
    // Where a report counts by arm, "2 of 120 in the placebo group" are not all who were lost.
    let lost = match flow.arms.first() {
        Some(first) => {
            let lost: u64 = flow.arms.iter().map(|arm| arm.lost).sum();
            fact("lost", lost.to_string(), first.sentence)
        }
        None => count("lost", flow.lost),
    };
    let mut facts: Vec<TrialFact> = [
        count("randomised", flow.randomised),
        count("analysed", flow.analysed),
        lost,
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(first) = flow.arms.first() {
        let arms = flow.arms.iter();
        let arms: Vec<String> = arms
            .map(|arm| format!("{} of {} ({})", arm.lost, arm.of, arm.name))
            .collect();
        facts.extend(fact("lost by arm", arms.join(", "), first.sentence));
    }
    facts
}
