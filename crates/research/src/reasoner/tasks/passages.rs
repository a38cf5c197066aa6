//! Tasks over passages: to write sentences that rest on them, to judge what bears on a question, and to put a question in
//! the words that documents use.

use std::sync::Arc;

use fathom_evidence::Language;
use fathom_render::report::Answered;

use crate::analysis::Evidence;
use crate::skills::budget::RunBudget;
use crate::source::{Source, SourceId};

/// A passage that a model may rest a sentence on. The model calls it by its place in the list, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskPassage {
    /// The number by which its source is cited.
    pub source: SourceId,
    /// The source in a line, such as `Street trees and heat (2021)`.
    pub about: String,
    /// The heading above it; empty where it has none.
    pub section: String,
    /// Its words.
    pub text: String,
}

impl TaskPassage {
    /// A passage of a source, with what is known of the source.
    pub fn new(source: &Source, sections: &[String], text: &str) -> Self {
        let year = source.about.published.as_deref();
        let year = year.map_or_else(String::new, |year| format!(" ({year})"));
        let retracted = if source.about.retracted {
            ", retracted"
        } else {
            ""
        };
        Self {
            source: source.id,
            about: format!("{}{year}{retracted}", source.name()),
            section: sections.last().cloned().unwrap_or_default(),
            text: text.to_owned(),
        }
    }
}

impl TaskPassage {
    /// Evidence in this order as a model is shown it. Sources are found by their numbers.
    pub(crate) fn of_evidence(
        sources: &[Arc<Source>],
        evidence: &[Evidence],
        order: &[usize],
    ) -> Vec<Self> {
        let shown = order.iter().filter_map(|at| {
            let piece = evidence.get(*at)?;
            let source = sources.get((piece.source.0 as usize).checked_sub(1)?)?;
            Some(Self::new(source, &piece.sections, &piece.quote))
        });
        shown.collect()
    }
}

/// Something asked and answered earlier in the same talk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierTurn {
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}

/// Sentences to be written from passages.
#[derive(Clone, Copy)]
pub struct AnswerTask<'a> {
    /// What the run may use up.
    pub budget: RunBudget,
    /// Names the call: the same whenever the step is run again, and no other in the step.
    pub key: &'a str,
    /// The question that is answered.
    pub question: &'a str,
    /// What was said before, the oldest first.
    pub turns: &'a [EarlierTurn],
    /// What is to be written, and how; a direct answer where nothing is said.
    pub instructions: Option<&'a str>,
    /// What the sentences may rest on, the best first. As many are shown as the model can read.
    pub passages: &'a [TaskPassage],
    /// More sentences are not taken.
    pub max_sentences: usize,
    /// The language to write in.
    pub language: Language,
}

/// What a model wrote. Nothing of it is checked yet, except that each passage exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAnswer {
    /// In reading order.
    pub sentences: Vec<WrittenSentence>,
    /// Whether the sentences answer the question, in the model's opinion.
    pub answered: Answered,
    /// What the passages do not say of what was asked; empty where nothing is missing.
    pub missing: String,
}

/// A sentence, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSentence {
    /// Places in the list of passages, from 0; each exists.
    pub passages: Vec<usize>,
    /// One sentence, without markup or citations.
    pub text: String,
    /// What it is meant to be.
    pub kind: SentenceKind,
}

/// What a written sentence is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceKind {
    /// It states what its passages state.
    Fact,
    /// It says in what its passages disagree.
    Disagreement,
    /// It says what the passages leave open.
    Unknown,
}

/// Passages to be held against a question.
#[derive(Clone, Copy)]
pub struct RelevanceTask<'a> {
    /// What the run may use up.
    pub budget: RunBudget,
    /// Names the call: the same whenever the step is run again, and no other in the step.
    pub key: &'a str,
    /// What they are to bear on.
    pub question: &'a str,
    /// Few enough for one call.
    pub passages: &'a [TaskPassage],
}

/// How far a passage bears on a question.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageRelevance {
    /// From 0, beside the point, to 1, it answers the question.
    pub score: f64,
    /// The words of the passage that bear on it most; nothing where the model gave none that stand there.
    pub quote: Option<String>,
}

/// A question to be put in the words that documents use.
#[derive(Clone, Copy)]
pub struct RephraseTask<'a> {
    /// What the run may use up.
    pub budget: RunBudget,
    /// As the person asked it.
    pub question: &'a str,
    /// What was said before, the oldest first: a later question may lean on it.
    pub turns: &'a [EarlierTurn],
    /// The language of the documents, as far as it is known.
    pub language: Language,
}

/// A question in other words. They are for searching: no reader sees them as facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rephrased {
    /// Terms that a document uses where it answers, at most six.
    pub terms: Vec<String>,
    /// The question in the words of documents, at most three times.
    pub phrasings: Vec<String>,
    /// A sentence that a document might answer with; empty where the model gave none.
    pub likely: String,
}

impl Rephrased {
    /// The phrasings and the likely sentence as texts to search for, each once.
    pub fn searches(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for text in self.phrasings.iter().chain([&self.likely]) {
            let text = text.trim();
            if !text.is_empty() && !texts.iter().any(|known| known == text) {
                texts.push(text.to_owned());
            }
        }
        texts
    }
}
