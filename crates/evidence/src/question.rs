//! What a question asks: its kind and its parts, by rules over its words.
//!
//! Takes a question as a person wrote it, in English; gives what was understood of it. A question
//! that no rule fits, as one in another language, is of kind `Other` and its own subject.
//! Sub-questions, sections and queries are made from it by [`plan`].

mod clause;
mod parts;
mod pattern;
mod plan;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::lists;
use pattern::{Found, Pattern, Word};

pub use plan::{Hints, Plan, Section, SubQuestion, plan};

const WORDS: &str = include_str!("question/words.txt");
const PATTERNS: &str = include_str!("question/patterns.txt");

/// Patterns look at so many words: more words make no pattern, only work.
const MAX_WORDS: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Comparison,
    Quantity,
    Time,
    Definition,
    /// What the evidence is worth, or what speaks for and against a thing.
    Evaluation,
    Why,
    Effect,
    /// How a thing works.
    How,
    /// How a thing is done.
    HowTo,
    List,
    YesNo,
    Who,
    Other,
}

/// The sections of the file of patterns, in the order in which they are tried.
const KINDS: [(&str, Kind); 13] = [
    ("comparison", Kind::Comparison),
    ("evaluation", Kind::Evaluation),
    ("effect", Kind::Effect),
    ("quantity", Kind::Quantity),
    ("time", Kind::Time),
    ("definition", Kind::Definition),
    ("why", Kind::Why),
    ("how", Kind::How),
    ("other", Kind::Other),
    ("list", Kind::List),
    ("plain", Kind::Definition),
    ("things", Kind::List),
    ("yes-no", Kind::YesNo),
];

static ALL: LazyLock<Vec<(Kind, Pattern)>> = LazyLock::new(|| {
    let of = |(section, kind): (&str, Kind)| {
        let lines: Vec<_> = lists::lines(PATTERNS, section).collect();
        lines
            .into_iter()
            .map(move |line| (kind, Pattern::parse(line)))
    };
    KINDS.into_iter().flat_map(of).collect()
});

/// What was understood of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// As it was asked, without what was said before it.
    pub question: String,
    pub kind: Kind,
    pub subject: Option<String>,
    /// The two things that are compared; else none.
    pub compared: Vec<String>,
    pub outcome: Option<String>,
    /// For whom: "adults with type 2 diabetes".
    pub population: Option<String>,
    /// With its preposition: "since 2010".
    pub period: Option<String>,
    /// What is asked about, as a statement: "creatine improves memory".
    pub statement: Option<String>,
    /// What is to be done: "reduce bullying".
    pub task: Option<String>,
    /// Parts that only some kinds have, by the names that templates use.
    pub(crate) more: std::collections::BTreeMap<String, String>,
}

/// Reads a question.
pub fn read(question: &str) -> Reading {
    let asked = parts::without_opening(question.trim());
    let words = pattern::words(asked);
    let seen = words.get(..MAX_WORDS).unwrap_or(&words);
    let (seen, population) = parts::population(seen);
    let (seen, period) = parts::period(seen);
    let matched = ALL
        .iter()
        .find_map(|(kind, pattern)| Some((*kind, pattern.find(seen)?)));
    let (kind, found) = matched.unwrap_or_else(|| (Kind::Other, Found::new()));
    let mut reading = Reading {
        question: asked.to_owned(),
        kind,
        subject: None,
        compared: Vec::new(),
        outcome: None,
        population,
        period,
        statement: None,
        task: None,
        more: Default::default(),
    };
    fill(&mut reading, found, seen);
    reading
}

/// Puts what a pattern found where it belongs.
fn fill(reading: &mut Reading, mut found: Found, words: &[Word<'_>]) {
    let mut clause = None;
    let aux = found.get("aux").cloned().unwrap_or_default();
    if let Some(text) = found.remove("clause") {
        clause = clause::act(&pattern::words(&text), &aux);
        reading.subject = Some(text);
    }
    if let Some(text) = found.remove("predication") {
        clause = clause::state(&pattern::words(&text), &aux);
        reading.subject = Some(text);
    }
    if let Some(clause) = clause {
        reading.subject = Some(clause.subject);
        reading.statement = Some(clause.statement);
        reading.task = clause.act;
        // "Why do leaves change colour": the object is no outcome whose causes are asked for.
        if reading.kind != Kind::Why {
            reading.outcome = clause.object;
        }
    } else if reading.subject.is_some()
        && matches!(reading.kind, Kind::How | Kind::Why | Kind::YesNo)
    {
        reading.subject = None;
    }
    let sides = [found.remove("a"), found.remove("b")];
    reading.compared = sides
        .into_iter()
        .flatten()
        .map(|side| parts::named(&side))
        .collect();
    take(&mut reading.subject, found.remove("subject"));
    take(&mut reading.outcome, found.remove("outcome"));
    take(&mut reading.period, found.remove("period"));
    take(&mut reading.statement, found.remove("statement"));
    if let (Some(noun), Some(link), Some(task)) =
        (found.get("noun"), found.get("link"), found.get("task"))
    {
        reading
            .more
            .insert("named".to_owned(), format!("{noun} {link} {task}"));
    }
    // "What is the snowfall in the city where …" asks for a fact, not for what a word means.
    let long = reading
        .subject
        .as_ref()
        .is_some_and(|s| s.starts_with("the ") || s.split(' ').count() > 4);
    if reading.kind == Kind::Definition && long {
        reading.kind = Kind::Other;
    }
    if let Some(task) = found.remove("task") {
        reading.statement.get_or_insert(format!("to {task}"));
        reading.task = Some(task);
    }
    let modal = ["can", "could", "should"].contains(&aux.as_str());
    let how_to = reading
        .statement
        .as_ref()
        .is_some_and(|s| s.starts_with("to "));
    if reading.kind == Kind::How && (modal || how_to) {
        reading.kind = Kind::HowTo;
    }
    if reading.kind == Kind::Other && words.first().is_some_and(|word| word.plain == "who") {
        reading.kind = Kind::Who;
        reading.subject = None;
    }
    let named = |(name, text): (&str, String)| (name.to_owned(), text);
    reading.more.extend(found.into_iter().map(named));
}

fn take(into: &mut Option<String>, found: Option<String>) {
    if let Some(found) = found {
        *into = Some(parts::named(&found));
    }
}

#[cfg(test)]
mod tests;
