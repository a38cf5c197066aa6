//! What a question asks: its kind and its parts, by rules over its words.
//!
//! Takes a question as a person wrote it; gives what was understood of it. The rules are English: a
//! question that none fits, as one in another language, is of kind `Other` and its own subject.
//! Sub-questions, sections and queries are made from it by [`plan`].

mod answer_kind;
mod clause;
mod fillers;
mod parts;
mod pattern;
mod plan;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{Language, lists};
use pattern::{QuestionPattern, QuestionWord, SlotValues};

pub use answer_kind::AnswerKind;
pub use fillers::without_fillers;
pub use plan::{PlanHints, SectionTemplate, SubQuestionTemplate, TemplatePlan, plan};

const WORDS: &str = include_str!("question/words.txt");
const PATTERNS: &str = include_str!("question/patterns.txt");

/// Patterns look at so many words: more words make no pattern, only work.
const MAX_WORDS: usize = 60;

/// A term that a definition is asked of has so many words at most.
const TERM_MAX_WORDS: usize = 4;

/// What kind of answer a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// How two things differ.
    Comparison,
    /// How much, how many, how far.
    Quantity,
    /// When, or since when.
    Time,
    /// What a thing is.
    Definition,
    /// What the evidence is worth, or what speaks for and against a thing.
    Evaluation,
    /// The cause of something.
    Why,
    /// What one thing does to another.
    Effect,
    /// How a thing works.
    How,
    /// How a thing is done.
    HowTo,
    /// Which things there are.
    List,
    /// Whether something is so.
    YesNo,
    /// A person or an institution.
    Who,
    /// None of these, or asked in a language without patterns.
    Other,
}

/// The sections of the file of patterns, in the order in which they are tried.
const KINDS: [(&str, QuestionKind); 13] = [
    ("comparison", QuestionKind::Comparison),
    ("evaluation", QuestionKind::Evaluation),
    ("effect", QuestionKind::Effect),
    ("quantity", QuestionKind::Quantity),
    ("time", QuestionKind::Time),
    ("definition", QuestionKind::Definition),
    ("why", QuestionKind::Why),
    ("how", QuestionKind::How),
    ("other", QuestionKind::Other),
    ("list", QuestionKind::List),
    ("plain", QuestionKind::Definition),
    ("things", QuestionKind::List),
    ("yes-no", QuestionKind::YesNo),
];

static ALL: LazyLock<Vec<(QuestionKind, QuestionPattern)>> = LazyLock::new(|| {
    let of = |(section, kind): (&str, QuestionKind)| {
        let lines: Vec<_> = lists::lines(PATTERNS, section).collect();
        lines
            .into_iter()
            .map(move |line| (kind, QuestionPattern::parse(line)))
    };
    KINDS.into_iter().flat_map(of).collect()
});

/// What was understood of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuestionReading {
    /// As it was asked, without what was said before it.
    pub question: String,
    /// The language it is asked in; English where that cannot be told.
    pub language: Language,
    /// What kind of answer it asks for.
    pub kind: QuestionKind,
    /// What it is about.
    pub subject: Option<String>,
    /// The two things that are compared; else none.
    pub compared: Vec<String>,
    /// What the subject is said to act on.
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
    pub(crate) more: BTreeMap<String, String>,
}

/// Reads a question.
pub fn read(question: &str) -> QuestionReading {
    let asked = parts::without_opening(question.trim());
    let words = pattern::words(asked);
    let seen = words.get(..MAX_WORDS).unwrap_or(&words);
    let (seen, population) = parts::population(seen);
    let (seen, period) = parts::period(seen);
    // The patterns are English: "was ist das?" must not be read with them.
    let language = Language::detect(asked).unwrap_or(Language::ENGLISH);
    let mut patterns = ALL.iter().filter(|_| language == Language::ENGLISH);
    let matched = patterns.find_map(|(kind, pattern)| Some((*kind, pattern.find(seen)?)));
    let (kind, found) = matched.unwrap_or_else(|| (QuestionKind::Other, SlotValues::new()));
    let mut reading = QuestionReading {
        question: asked.to_owned(),
        language,
        kind,
        subject: None,
        compared: Vec::new(),
        outcome: None,
        population,
        period,
        statement: None,
        task: None,
        more: BTreeMap::new(),
    };
    fill(&mut reading, found, seen);
    reading
}

/// Puts what a pattern found where it belongs.
fn fill(reading: &mut QuestionReading, mut found: SlotValues, words: &[QuestionWord<'_>]) {
    let aux = found.get("aux").cloned().unwrap_or_default();
    fill_clause(reading, &mut found, &aux);
    let sides = [found.remove("a"), found.remove("b")];
    let sides = sides.into_iter().flatten();
    reading.compared = sides.map(|side| parts::named(&side)).collect();
    if let Some(history) = found.get("history").cloned() {
        found.entry("subject").or_insert(history);
    }
    take(&mut reading.subject, found.remove("subject"));
    take(&mut reading.outcome, found.remove("outcome"));
    take(&mut reading.period, found.remove("period"));
    take(&mut reading.statement, found.remove("statement"));
    fill_named(reading, &found);
    if let Some(task) = found.remove("task") {
        reading.statement.get_or_insert(format!("to {task}"));
        reading.task = Some(task);
    }
    settle_kind(reading, &aux, words);
    let named = |(name, text): (&str, String)| (name.to_owned(), text);
    reading.more.extend(found.into_iter().map(named));
}

/// Takes apart the clause that a pattern found, and keeps its parts.
fn fill_clause(reading: &mut QuestionReading, found: &mut SlotValues, aux: &str) {
    let acts = found.remove("clause");
    let is = found.remove("predication");
    let clause = match (&acts, &is) {
        (_, Some(text)) => clause::state(&pattern::words(text), aux),
        (Some(text), None) => clause::act(&pattern::words(text), aux),
        (None, None) => None,
    };
    let Some(clause) = clause else {
        let whole = is.or(acts);
        let told_by_clause_only = matches!(
            reading.kind,
            QuestionKind::How | QuestionKind::Why | QuestionKind::YesNo
        );
        reading.subject = whole.filter(|_| !told_by_clause_only);
        return;
    };
    // What should be done is no fact that evidence could show: templates ask about it in words of its own.
    if ["should", "must"].contains(&aux) {
        let statement = clause.statement.clone();
        reading.more.insert("should".to_owned(), statement);
    }
    reading.subject = Some(clause.subject);
    reading.statement = Some(clause.statement);
    reading.task = clause.act;
    // "Why do leaves change colour": the object is no outcome whose causes are asked for.
    if reading.kind != QuestionKind::Why {
        reading.outcome = clause.object;
    }
}

/// "treatments for migraine": what is to be listed, by its name. Means can be tested, sorts cannot.
fn fill_named(reading: &mut QuestionReading, found: &SlotValues) {
    let (Some(link), Some(task)) = (found.get("link"), found.get("task")) else {
        return;
    };
    for noun in ["means", "sorts"] {
        if let Some(name) = found.get(noun) {
            let named = format!("{name} {link} {task}");
            reading.more.insert("named".to_owned(), named);
        }
    }
}

/// What a pattern's kind does not tell: the same opening may ask for different things.
fn settle_kind(reading: &mut QuestionReading, aux: &str, words: &[QuestionWord<'_>]) {
    // "What is the snowfall in the city where …" asks for a fact, not for what a word means.
    let is_fact = |s: &String| {
        let words = s.split(' ').count();
        let part_of = [" of ", " in ", " for ", " on ", " at "]
            .iter()
            .any(|joint| s.contains(joint));
        words > TERM_MAX_WORDS || (s.starts_with("the ") && (part_of || words < 3))
    };
    if reading.kind == QuestionKind::Definition && reading.subject.as_ref().is_some_and(is_fact) {
        reading.kind = QuestionKind::Other;
    }
    // "What is the standard model": the article is no part of the term.
    if reading.kind == QuestionKind::Definition
        && let Some(term) = reading.subject.as_mut()
        && let Some(bare) = term.strip_prefix("the ")
    {
        *term = bare.to_owned();
    }
    let is_act = |s: &String| s.starts_with("to ");
    let modal = ["can", "could", "should"].contains(&aux);
    if reading.kind == QuestionKind::How
        && (modal || reading.statement.as_ref().is_some_and(is_act))
    {
        reading.kind = QuestionKind::HowTo;
    }
    if reading.kind == QuestionKind::Other && words.first().is_some_and(|word| word.plain == "who")
    {
        reading.kind = QuestionKind::Who;
        reading.subject = None;
    }
}

fn take(into: &mut Option<String>, found: Option<String>) {
    if let Some(found) = found {
        *into = Some(parts::named(&found));
    }
}

#[cfg(test)]
mod tests;
