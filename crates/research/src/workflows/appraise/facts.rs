//! What a report says of its trial, each fact with its quote.

use std::sync::LazyLock;

use fathom_evidence::Document;
use fathom_render::appraisal::{AppraisalQuote, TrialFact};

use super::article::{Article, ArticleSentence, ReportPart};
use super::blinding::{TrialParty, knew};
use super::numbers::{ParticipantFlow, TrialCount};
use super::patterns::{self, PatternLine};
use super::phrases;
use super::state::DocumentRole;
use crate::rob2::{Effect, SignalAnswer};

static FACTS: LazyLock<Vec<PatternLine>> =
    LazyLock::new(|| patterns::read(include_str!("facts.txt")));

/// Values are cut to this.
const VALUE_CHARS: usize = 160;

/// Everything that could be found, in the order in which people ask for it.
pub(super) fn facts(document: &Document, article: &Article) -> Vec<TrialFact> {
    let quote = |at: usize| article.quote(document, DocumentRole::Article, at);
    let found = |name: &str| by_pattern(name, article, quote);
    let mut facts: Vec<TrialFact> = [found("design"), found("arms")]
        .into_iter()
        .flatten()
        .collect();
    facts.extend(numbers(article, quote));
    facts.extend(blinding(article, found("blinding"), quote));
    facts.extend(concealment(article, quote));
    facts.extend(
        [found("registration"), found("funding")]
            .into_iter()
            .flatten(),
    );
    facts
}

/// What the trial is called, and the people who are said not to have known the assignment.
fn blinding(
    article: &Article,
    called: Option<TrialFact>,
    quote: impl Fn(usize) -> Option<AppraisalQuote>,
) -> Option<TrialFact> {
    let parties = [
        (TrialParty::Participants, "participants"),
        (TrialParty::Carers, "carers"),
        (TrialParty::Assessors, "assessors"),
    ];
    let blind_in = |at: usize| {
        let sentence = article
            .sentences
            .get(at)
            .filter(|one| one.is_on_this_trial());
        let plain = sentence.map_or("", |one| one.plain.as_str());
        let blind = parties
            .iter()
            .filter(|(party, _)| knew(*party, plain) == Some(false));
        blind.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
    };
    let all = 0..article.sentences.len();
    let told = all
        .map(|at| (at, blind_in(at)))
        .find(|(_, who)| !who.is_empty());
    let Some((at, who)) = told else {
        return called;
    };
    let who = format!("{who} blinded");
    let value = match called {
        Some(called) if called.value != who => format!("{}; {who}", called.value),
        _ => who,
    };
    Some(TrialFact {
        name: "blinding".to_owned(),
        value,
        quote: quote(at)?,
    })
}

fn concealment(
    article: &Article,
    quote: impl Fn(usize) -> Option<AppraisalQuote>,
) -> Option<TrialFact> {
    let proven = phrases::prove("1.2", Effect::Assignment, article, &[])?;
    let value = match proven.answer {
        SignalAnswer::Yes | SignalAnswer::ProbablyYes => "described",
        _ => "absent",
    };
    Some(TrialFact {
        name: "concealment".to_owned(),
        value: value.to_owned(),
        quote: quote(*proven.sentences.first()?)?,
    })
}

fn by_pattern(
    name: &str,
    article: &Article,
    quote: impl Fn(usize) -> Option<AppraisalQuote>,
) -> Option<TrialFact> {
    let lines = FACTS.iter().filter(|line| line.group == name);
    let fits = |line: &PatternLine, one: &ArticleSentence| {
        one.is_on_this_trial() && line.is_in(&one.plain) && !is_told(line, &one.plain)
    };
    // A trial is what its title, abstract and methods call it: others may be spoken of elsewhere.
    let called = |one: &ArticleSentence| {
        matches!(
            one.part,
            ReportPart::Unknown | ReportPart::Abstract | ReportPart::Methods
        ) && lines.clone().any(|line| fits(line, one))
    };
    let called = (name == "blinding").then(|| article.sentences.iter().position(called));
    let found = |line: &PatternLine| {
        let mut sentences = article.sentences.iter();
        let at = match called.flatten() {
            Some(at) => fits(line, article.sentences.get(at)?).then_some(at)?,
            None => sentences.position(|one| fits(line, one))?,
        };
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
    lines.clone().find_map(found)
}

/// Whether what a line takes from a sentence tells a story instead of naming arms.
fn is_told(line: &PatternLine, plain: &str) -> bool {
    let taken = line.pattern.captures(plain.as_bytes());
    let taken = taken.and_then(|found| Some(found.get(1)?.as_bytes().to_vec()));
    let taken = String::from_utf8_lossy(&taken.unwrap_or_default()).into_owned();
    let told = [" were ", " was ", " had ", " received ", " who "];
    line.group == "arms" && told.iter().any(|verb| taken.contains(verb))
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
