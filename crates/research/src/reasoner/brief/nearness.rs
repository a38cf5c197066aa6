//! How near a statement comes to answering the question itself.
//!
//! Takes the question and the statements of all findings; gives each statement a value by which they are put in order.
//! What is told of them, and how much, is left to the frame.

use std::collections::BTreeSet;

use fathom_evidence::question::{self, QuestionKind, QuestionReading};
use fathom_evidence::terms::Terms;
use fathom_evidence::validate::times::NamedTimes;

use crate::analysis::Finding;
use crate::definition::defines;
use crate::measure::Measure;
use crate::reasoner::FrameTask;
use crate::skills::locate::synonyms;
use crate::words;

/// What a word of the subject counts beside one of what is asked of it (where an effect is asked for, the cause is as
/// much a part of the answer), what a word counts that only means the same, what a figure counts where one is
/// asked for, and what it counts that several sources or a synthesis bear a statement out.
const SUBJECT_SHARE: f64 = 0.3;
const SYNONYM: f64 = 0.7;
const FIGURE_GAIN: f64 = 0.8;
const SURE_GAIN: f64 = 4.0;

/// A statement that has this share of what is asked gains all of that; one that has less, less.
const SURE_SHARE: f64 = 0.6;

/// A finding from this confidence on covers its sub-question.
const COVERS_FROM: f64 = 0.7;

/// What a statement loses that measures something else of the same name, and one that tells of another time than
/// the one asked for.
const OTHER_MEASURE_COST: f64 = 5.0;
const OTHER_TIME_COST: f64 = 5.0;

/// What a statement loses that names nothing of what the question is about.
const OTHER_SUBJECT_COST: f64 = 2.0;

/// What a statement gains that gives a reason or a way of working where that is asked, and one that says what a thing is.
const SORT_GAIN: f64 = 2.5;
const DEFINES_GAIN: f64 = 9.0;

/// Whether several sources or a synthesis bear a statement out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sure {
    Yes,
    No,
}

pub(super) struct Nearness {
    terms: Terms,
    reading: QuestionReading,
    /// The terms that are wanted, and what each counts: the more the fewer findings have it, so that air comes before
    /// all other temperatures where the air was asked for.
    wanted: Vec<(String, f64)>,
    subject: BTreeSet<String>,
    /// The terms of each thing that is compared.
    compared: Vec<Vec<String>>,
    measure: Measure,
    when: NamedTimes,
}

impl Nearness {
    pub(super) fn new(task: &FrameTask<'_>) -> Self {
        let terms = Terms::new(task.language);
        let asked = task.question.text();
        let reading = question::read(asked);
        let telling =
            |text: &str| -> BTreeSet<String> { terms.telling(text).into_iter().collect() };
        let subject = telling(reading.subject.as_deref().unwrap_or_default());
        let findings = task.analysis.findings.iter();
        let told: Vec<BTreeSet<String>> = findings
            .map(|finding| telling(&finding.statement))
            .collect();
        let weight = |term: &String| {
            let held = told.iter().filter(|said| said.contains(term)).count();
            let known = subject.contains(term) && reading.kind != QuestionKind::Effect;
            let share = if known { SUBJECT_SHARE } else { 1.0 };
            share * (1.0 + told.len() as f64 / (held as f64 + 1.0)).ln()
        };
        let wanted = telling(asked).into_iter();
        Self {
            wanted: wanted.map(|term| (term.clone(), weight(&term))).collect(),
            compared: reading
                .compared
                .iter()
                .map(|one| terms.telling(one))
                .collect(),
            measure: Measure::parse(asked),
            when: NamedTimes::read(asked),
            subject,
            reading,
            terms,
        }
    }

    /// The higher the nearer.
    pub(super) fn value(&self, statement: &str, sure: Sure) -> f64 {
        let said: BTreeSet<String> = self.terms.telling(statement).into_iter().collect();
        let held = |term: &String| {
            if said.contains(term) {
                1.0
            } else if synonyms(term).any(|other| said.contains(other)) {
                SYNONYM
            } else {
                0.0
            }
        };
        let all: f64 = self.wanted.iter().map(|(_, weight)| weight).sum();
        let words: f64 = self
            .wanted
            .iter()
            .map(|(term, weight)| held(term) * weight)
            .sum();
        let share = if all > 0.0 { words / all } else { 0.0 };
        let figures = matches!(
            self.reading.kind,
            QuestionKind::Quantity | QuestionKind::Effect
        );
        let counts = has_figure(statement);
        let figure = if figures && counts { FIGURE_GAIN } else { 0.0 };
        let sure = sure == Sure::Yes && (counts || !figures) && self.compared.is_empty();
        let firm = match (self.compares(&said), sure) {
            (true, _) => SURE_GAIN,
            (false, true) => SURE_GAIN * (share / SURE_SHARE).min(1.0),
            (false, false) => 0.0,
        };
        let lower = statement.to_lowercase();
        let other = if self.measure.is_other(&lower) {
            OTHER_MEASURE_COST
        } else {
            0.0
        };
        let told = NamedTimes::read(statement);
        let late = if self.when.differ_from(&told) {
            OTHER_TIME_COST
        } else {
            0.0
        };
        let named = self.subject.is_empty() || self.subject.iter().any(|term| held(term) > 0.0);
        let strange = !named && self.compared.is_empty();
        let strange = if strange { OTHER_SUBJECT_COST } else { 0.0 };
        words + figure + firm + self.sort(statement, &lower) - other - late - strange
    }

    /// What a dispute gains: one on a figure, an effect or a yes is the answer that there is. It gives no reason, and
    /// says of nothing what it is.
    pub(super) fn dispute_gain(&self) -> f64 {
        match self.reading.kind {
            QuestionKind::How
            | QuestionKind::HowTo
            | QuestionKind::Why
            | QuestionKind::Definition
            | QuestionKind::List
            | QuestionKind::Who => 0.0,
            _ => SURE_GAIN,
        }
    }

    /// Whether it speaks of all that is compared, by which a comparison is answered.
    fn compares(&self, said: &BTreeSet<String>) -> bool {
        let named = |one: &Vec<String>| one.iter().any(|term| said.contains(term));
        self.compared.len() > 1 && self.compared.iter().all(named)
    }

    /// What a statement gains by being of the sort that is asked for: a reason, a way of working, what a thing is.
    fn sort(&self, statement: &str, lower: &str) -> f64 {
        let sort = match self.reading.kind {
            QuestionKind::How => "mechanism",
            QuestionKind::Why => "causes",
            QuestionKind::Definition if defines(statement, &self.subject, &self.terms) => {
                return DEFINES_GAIN;
            }
            _ => return 0.0,
        };
        let mut cues = words::list("telling cues", sort).iter();
        if cues.any(|cue| words::holds(lower, cue)) {
            SORT_GAIN
        } else {
            0.0
        }
    }
}

/// The findings with their values, those that answer the question itself first.
pub(super) fn answering_first<'t>(
    task: &FrameTask<'t>,
    nearness: &Nearness,
) -> Vec<(f64, &'t Finding)> {
    let sure = |finding: &Finding| {
        if finding.confidence >= COVERS_FROM {
            Sure::Yes
        } else {
            Sure::No
        }
    };
    let findings = task.analysis.findings.iter();
    let mut order: Vec<(f64, &Finding)> = findings
        .map(|finding| (nearness.value(&finding.statement, sure(finding)), finding))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order
}

/// Whether a number stands in the statement that is no year.
fn has_figure(statement: &str) -> bool {
    let number = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        word.contains(|c: char| c.is_ascii_digit()) && !year
    };
    statement.split_whitespace().any(number)
}
