//! A research plan: what to find out, what to search for, what the report will hold.

use std::collections::BTreeSet;

pub use fathom_render::SourceKind;
use serde::{Deserialize, Serialize};

use crate::question::{AskedDepth, Depth};

/// A plan of fewer sub-questions does not take its question apart.
pub const SUB_QUESTIONS_LEAST: usize = 2;
/// Sub-questions beyond this are left out.
pub const SUB_QUESTIONS_MOST: usize = 7;

/// The place of a sub-question in its plan, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SubQuestionId(pub u32);

/// The place of a query among all of its run, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueryId(pub u32);

/// How a question is to be answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What to find out; ids are places in this list.
    pub sub_questions: Vec<SubQuestion>,
    /// What to search for at first.
    pub queries: Vec<Query>,
    /// What the report will hold, in order.
    pub sections: Vec<PlannedSection>,
    /// How the answer is found, in sentences for the reader.
    pub methodology: String,
    /// 0 to 1.
    pub confidence: f64,
    /// What is ambiguous or out of scope, in sentences.
    pub warnings: Vec<String>,
    /// How far to go, where the question leaves that to the planner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// How the plan was reasoned, part by part.
    pub trace: PlanTrace,
}

/// The five parts of planning, kept for the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanTrace {
    /// What is asked.
    pub understanding: String,
    /// How it was split into sub-questions, and why so.
    pub decomposition: String,
    /// Where and how it is searched for.
    pub strategy: String,
    /// How the report is laid out.
    pub outline: String,
    /// What may go wrong.
    pub risks: String,
}

/// A part of the question that can be answered on its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubQuestion {
    /// It, put as a question.
    pub text: String,
    /// Sub-questions whose answers it builds on.
    pub needs: Vec<SubQuestionId>,
}

/// A search to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The words to search for.
    pub text: String,
    /// Terms that documents of one's own may use where they answer, searched for beside the words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// What it is to find, in a few words.
    pub intent: String,
    /// Where it is put.
    pub kind: SourceKind,
    /// 1 is the most urgent, 5 the least.
    pub priority: u8,
    /// The sub-question that it is made for.
    pub serves: SubQuestionId,
}

/// A section that is to be written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSection {
    /// Its heading.
    pub title: String,
    /// The sub-questions that it answers.
    pub answers: Vec<SubQuestionId>,
}

/// A rule that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanFault {
    /// The question was not taken apart.
    #[error("it has too few sub-questions: {count}")]
    FewSubQuestions {
        /// How many it has.
        count: usize,
    },
    /// There is nothing to search for.
    #[error("it has no search query")]
    NoQuery,
    /// There is nothing to write.
    #[error("it has no section")]
    NoSection,
    /// Two queries of one kind have the same words.
    #[error("the query \"{text}\" stands in it twice")]
    QueryTwice {
        /// The words.
        text: String,
    },
    /// A query, section or sub-question refers to nothing.
    #[error("it refers to sub-question {number}, which it does not have")]
    UnknownSubQuestion {
        /// Counted from 1, as a person counts.
        number: u32,
    },
}

impl Plan {
    /// Every rule that the plan breaks; none if it can be worked with. A planner that takes questions apart owes at least
    /// [`SUB_QUESTIONS_LEAST`] sub-questions; one that does not gives the question itself.
    pub fn faults(&self, takes_apart: bool) -> Vec<PlanFault> {
        let mut faults = Vec::new();
        let count = self.sub_questions.len();
        let least = if takes_apart { SUB_QUESTIONS_LEAST } else { 1 };
        if count < least {
            faults.push(PlanFault::FewSubQuestions { count });
        }
        if self.queries.is_empty() {
            faults.push(PlanFault::NoQuery);
        }
        if self.sections.is_empty() {
            faults.push(PlanFault::NoSection);
        }
        let mut seen = BTreeSet::new();
        for query in &self.queries {
            if !seen.insert((query.kind, folded(&query.text))) {
                let text = query.text.clone();
                faults.push(PlanFault::QueryTwice { text });
            }
        }
        let unknown = |id: &SubQuestionId| id.0 as usize >= count;
        let referred = self.referred().filter(unknown);
        faults.extend(referred.map(|id| PlanFault::UnknownSubQuestion { number: id.0 + 1 }));
        faults
    }

    /// Repairs what code can repair: blanks, repeats, too many, references to nothing, and queries that
    /// are missing are made from the sub-questions.
    #[must_use]
    pub fn mended(mut self, depth: Depth, local_only: bool) -> Self {
        self.sub_questions.retain(|sub| !sub.text.trim().is_empty());
        self.sub_questions.truncate(SUB_QUESTIONS_MOST);
        let count = self.sub_questions.len();
        let known = |id: &SubQuestionId| (id.0 as usize) < count;
        for sub in &mut self.sub_questions {
            sub.needs.retain(known);
        }
        for section in &mut self.sections {
            section.answers.retain(known);
        }
        self.queries
            .retain(|query| known(&query.serves) && !query.text.trim().is_empty());
        if self.queries.is_empty() {
            self.queries = queries_from(&self.sub_questions, depth, local_only);
        }
        let mut seen = BTreeSet::new();
        self.queries
            .retain(|query| seen.insert((query.kind, folded(&query.text))));
        for query in &mut self.queries {
            query.priority = query.priority.clamp(1, 5);
        }
        self.confidence = if self.confidence.is_finite() {
            self.confidence.clamp(0.0, 1.0)
        } else {
            0.0
        };
        self
    }

    /// The plan with how far to go, repaired, its queries put to who can answer them, the most urgent first. `most` bounds
    /// them where the caller does not leave that to the depth.
    #[must_use]
    pub fn fitted(mut self, asked: AskedDepth, kinds: &[SourceKind], most: Option<usize>) -> Self {
        self.depth = match asked {
            AskedDepth::Exactly(_) => None,
            AskedDepth::Auto => self.depth.or(Some(Depth::Standard)),
        };
        let depth = asked.or(self.depth);
        let local_only = kinds == [SourceKind::Local];
        let mut plan = self.mended(depth, local_only);
        let fallback = kinds.first().copied().unwrap_or(SourceKind::Local);
        for query in &mut plan.queries {
            if !kinds.contains(&query.kind) {
                query.kind = fallback;
            }
        }
        plan.queries.sort_by_key(|query| query.priority);
        // Queries that were put to somebody else may now be the same.
        let mut plan = plan.mended(depth, local_only);
        plan.queries
            .truncate(most.unwrap_or(depth.bounds().queries));
        plan
    }

    /// A sub-question by its id; nothing where the plan has none of that id.
    pub fn sub_question(&self, id: SubQuestionId) -> Option<&SubQuestion> {
        self.sub_questions.get(id.0 as usize)
    }

    /// The ids of all sub-questions, in order.
    pub fn ids(&self) -> impl Iterator<Item = SubQuestionId> + use<> {
        (0..u32::try_from(self.sub_questions.len()).unwrap_or(u32::MAX)).map(SubQuestionId)
    }

    fn referred(&self) -> impl Iterator<Item = SubQuestionId> {
        let needs = self.sub_questions.iter().flat_map(|sub| &sub.needs);
        let answers = self.sections.iter().flat_map(|section| &section.answers);
        let serves = self.queries.iter().map(|query| &query.serves);
        needs.chain(answers).chain(serves).copied()
    }
}

/// Queries for sub-questions, by the kinds of sources that the depth asks for; at most five of the
/// sub-questions get queries of their own.
fn queries_from(sub_questions: &[SubQuestion], depth: Depth, local_only: bool) -> Vec<Query> {
    const SERVED_MOST: usize = 5;
    let kinds: &[SourceKind] = match (local_only, depth) {
        (true, _) => &[SourceKind::Local],
        (false, Depth::Quick) => &[SourceKind::Web],
        (false, Depth::Standard) => &[SourceKind::Web, SourceKind::Academic],
        (false, Depth::Comprehensive) => &[SourceKind::Web, SourceKind::Academic, SourceKind::News],
    };
    let mut queries = Vec::new();
    for (nth, sub) in (0_u32..).zip(sub_questions.iter().take(SERVED_MOST)) {
        queries.extend(kinds.iter().map(|&kind| Query {
            terms: Vec::new(),
            text: sub.text.trim_end_matches('?').to_owned(),
            intent: sub.text.clone(),
            kind,
            priority: u8::try_from(nth + 1).unwrap_or(5),
            serves: SubQuestionId(nth),
        }));
    }
    queries
}

/// Two queries that differ in case and blanks alone are one.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
