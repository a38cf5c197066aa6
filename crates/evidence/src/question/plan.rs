//! Sub-questions, report sections and queries for a question that was read.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{QuestionKind, QuestionReading, pattern};
use crate::capital::capital;
use crate::terms::Terms;
use crate::{Language, lists, phrases};

const TEMPLATES: &str = include_str!("templates.txt");

/// A query has so many words at most: more words find less.
const QUERY_WORDS: usize = 14;

/// Words of the context that join a query: more would drown the question.
const CONTEXT_WORDS: usize = 4;

/// A part with more words is a sentence and names nothing.
const NAME_MAX_WORDS: usize = 12;

/// What else is known about what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanHints {
    /// Words of the field, such as "cardiology"; they are added to queries.
    pub domain: Vec<String>,
    /// What the asker said besides the question. Its first key words join the narrower queries.
    pub context: String,
}

/// Sub-questions and sections made from templates for the question's kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TemplatePlan {
    /// 3 to 7.
    pub sub_questions: Vec<SubQuestionTemplate>,
    /// The sections of a report, in order.
    pub sections: Vec<SectionTemplate>,
}

/// One part of the question, to be answered by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubQuestionTemplate {
    /// The sub-question as a sentence.
    pub text: String,
    /// One or two words: background, evidence, mechanism.
    pub intent: String,
    /// Places in the plan of the sub-questions that come before it.
    pub needs: Vec<usize>,
    /// What to search for, the broadest first.
    pub queries: Vec<String>,
}

/// A section of a report and what it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SectionTemplate {
    /// Its heading.
    pub title: String,
    /// Places in the plan of the sub-questions that it answers.
    pub answers: Vec<usize>,
}

/// Plans how to answer a question. The same question gives the same plan.
pub fn plan(reading: &QuestionReading, hints: &PlanHints) -> TemplatePlan {
    let slots = slots(reading);
    let mut plan = TemplatePlan::default();
    let mut numbers: Vec<&str> = Vec::new();
    for line in lists::lines(TEMPLATES, section_of(reading)) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [number, after, intent, section, text, query] = fields[..] else {
            continue;
        };
        let filled = (
            fill(text, &slots),
            fill(query, &slots),
            fill(section, &slots),
        );
        let (Some(text), Some(query), Some(title)) = filled else {
            continue;
        };
        if numbers.contains(&number) {
            continue;
        }
        numbers.push(number);
        let needed = after.split_whitespace();
        let needs = needed
            .filter_map(|n| numbers.iter().position(|known| *known == n))
            .collect();
        let answers = vec![plan.sub_questions.len()];
        plan.sections.push(SectionTemplate {
            title: capital(&title),
            answers,
        });
        plan.sub_questions.push(SubQuestionTemplate {
            // A quoted question brings its own mark.
            text: capital(&text.replace("?”?", "?”")),
            intent: intent.to_owned(),
            needs,
            queries: queries(&query, reading, hints),
        });
    }
    plan
}

/// The section of the file of templates.
fn section_of(reading: &QuestionReading) -> &'static str {
    match reading.kind {
        QuestionKind::Other if reading.language != Language::ENGLISH => "foreign",
        QuestionKind::Comparison => "comparison",
        QuestionKind::Quantity => "quantity",
        QuestionKind::Time => "time",
        QuestionKind::Definition => "definition",
        QuestionKind::Evaluation => "evaluation",
        QuestionKind::Why => "why",
        QuestionKind::Effect => "effect",
        QuestionKind::How => "how",
        QuestionKind::HowTo => "how-to",
        QuestionKind::List => "list",
        QuestionKind::YesNo => "yes-no",
        QuestionKind::Who => "who",
        QuestionKind::Other => "other",
    }
}

/// Every part that a template may name.
fn slots(reading: &QuestionReading) -> BTreeMap<&str, String> {
    let mut slots: BTreeMap<&str, String> = BTreeMap::new();
    for (name, text) in &reading.more {
        slots.insert(name, text.clone());
    }
    let parts = [
        ("subject", &reading.subject),
        ("outcome", &reading.outcome),
        ("population", &reading.population),
        ("period", &reading.period),
        ("statement", &reading.statement),
        ("task", &reading.task),
    ];
    for (name, part) in parts {
        slots.extend(part.clone().map(|part| (name, part)));
    }
    for (name, side) in ["a", "b"].into_iter().zip(&reading.compared) {
        slots.insert(name, side.clone());
    }
    slots.insert("question", reading.question.clone());
    slots.insert("topic", topic(reading));
    slots
}

/// A noun phrase for what the question is about. There is always one.
fn topic(reading: &QuestionReading) -> String {
    if let Some(named) = reading.more.get("named") {
        return named.clone();
    }
    let bare = reading.question.trim_end_matches(['?', '.', '!', ' ']);
    let parts = [&reading.subject, &reading.outcome].into_iter().flatten();
    let part = parts.into_iter().find(|part| is_short(part));
    match (reading.kind, part, &reading.statement) {
        (QuestionKind::Quantity | QuestionKind::List | QuestionKind::Time, None, _)
        | (QuestionKind::Quantity, _, _) => {
            let found = phrases::candidates(bare);
            let longest = found
                .into_iter()
                .max_by_key(|phrase| phrase.split(' ').count());
            longest.unwrap_or_else(|| "this".to_owned())
        }
        (_, Some(part), _) => part.clone(),
        (QuestionKind::Effect, None, Some(statement)) => format!("what happens when {statement}"),
        (_, None, Some(statement)) => format!("whether {statement}"),
        _ if bare.is_empty() => "this".to_owned(),
        _ => super::parts::named(bare),
    }
}

fn is_short(part: &str) -> bool {
    part.split_whitespace().count() <= NAME_MAX_WORDS
}

/// The template with its parts; nothing when one is missing.
fn fill(template: &str, slots: &BTreeMap<&str, String>) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['[', '{']) {
        filled.push_str(&rest[..at]);
        let optional = rest[at..].starts_with('[');
        let close = rest[at..].find(if optional { ']' } else { '}' })? + at;
        let inside = &rest[at + 1..close];
        if optional {
            filled.extend(fill(inside, slots));
        } else {
            filled.push_str(slots.get(inside).filter(|slot| !slot.is_empty())?);
        }
        rest = &rest[close + 1..];
    }
    filled.push_str(rest);
    Some(filled)
}

/// The broad query, and a narrower one where more is known: for whom, when, in which context.
fn queries(query: &str, reading: &QuestionReading, hints: &PlanHints) -> Vec<String> {
    let is_stop = stop_words(reading.language);
    let key_words = |texts: &[&str], most: usize| key_words(texts, most, &*is_stop);
    let domain = hints.domain.join(" ");
    let context = key_words(&[&hints.context], CONTEXT_WORDS);
    let population = reading.population.as_deref().unwrap_or_default();
    let period = reading.period.as_deref().unwrap_or_default();
    let broad = key_words(&[query, &domain], QUERY_WORDS);
    let narrow = key_words(&[query, population, period, &domain, &context], QUERY_WORDS);
    let mut queries = vec![broad];
    if !queries.contains(&narrow) {
        queries.push(narrow);
    }
    queries
}

/// Which words a query in this language does not need.
fn stop_words(language: Language) -> Box<dyn Fn(&str) -> bool> {
    if language == Language::ENGLISH {
        return Box::new(phrases::is_stop_word);
    }
    let terms = Terms::new(language);
    Box::new(move |word| terms.is_stop(word))
}

/// The first words of texts that bear meaning, each once. A text of small words only keeps them.
fn key_words(texts: &[&str], most: usize, is_stop: &dyn Fn(&str) -> bool) -> String {
    let all: Vec<_> = texts.iter().flat_map(|text| pattern::words(text)).collect();
    let says_nothing = all.iter().all(|word| is_stop(&word.plain));
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for word in &all {
        let wanted = says_nothing || !is_stop(&word.plain);
        if wanted && kept.len() < most && seen.insert(word.plain.as_str()) {
            let bare = word.written.trim_matches(|c: char| !c.is_alphanumeric());
            kept.push(bare);
        }
    }
    kept.join(" ")
}
