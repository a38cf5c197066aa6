//! A short answer with its sources: what a question over documents at hand ends in.
//!
//! Takes what a workflow hands over at its end; the files beside this one turn it into Markdown, a page or JSON. It is
//! always one of three: an answer (that the documents do not say it is one too), a timeout, an error. Each sentence
//! names the passages it rests on, and each source is one passage with the place where it stands.

mod html;
mod json;
mod markdown;
mod notes;
#[cfg(test)]
mod tests;
mod words;

use fathom_evidence::Language;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use crate::report::Answered;
use crate::report::EXTRACTIVE;
use crate::{SourceId, SourceKind, clean};
pub use html::html;
pub use json::{json, value};
pub use markdown::{markdown, opening};
pub(crate) use words::AnswerWords;

pub use notes::{footnotes, place, verdict, warnings};

/// What the outcome of a workflow that gives an [`Answer`] is called.
pub const KIND: &str = "answer";

/// A question, what the documents say to it, and how that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// As it was asked.
    pub question: String,
    /// The question in full, where it was asked as the continuation of an earlier one.
    #[serde(default)]
    pub understood_as: Option<String>,
    /// That of the question, and of the sentences around the answer.
    pub language: Language,
    /// Whether it is an answer, and if not, what came in its way.
    #[serde(flatten)]
    pub status: AnswerStatus,
    /// Whether the documents answer the question.
    pub answered: Answered,
    /// Why, in one sentence for the reader.
    pub reason: String,
    /// The answer; empty where nothing answers.
    pub sentences: Vec<AnswerSentence>,
    /// The passages: those that the answer rests on first, then what else comes near.
    pub sources: Vec<AnswerSource>,
    /// How far a reader may rely on it, 0 to 1.
    pub confidence: f64,
    /// What was thought of the passages found, once for each search.
    pub assessments: Vec<Assessment>,
    /// What was done, in order, with the time it took.
    pub stages: Vec<StageTime>,
    /// What else a reader must know before relying on it, in sentences.
    #[serde(default)]
    pub caveats: Vec<String>,
    /// Who wrote it: a model's name, or [`EXTRACTIVE`] where it is made of quotes.
    pub reasoner: String,
    /// When the last word of it was there.
    pub finished_at: Timestamp,
}

/// How a question over documents ends. As JSON, `status` is a word and the facts stand beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum AnswerStatus {
    /// All stages were passed; also where the documents do not answer.
    Answer,
    /// The time was used up.
    Timeout {
        /// The stage that was under way.
        stage: String,
    },
    /// A stage failed.
    Error {
        /// The stage that failed.
        stage: String,
        /// Why, in a sentence.
        why: String,
    },
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSentence {
    /// Its words, without citation marks.
    pub text: String,
    /// Whether they are the words of its source.
    pub quoted: bool,
    /// Whether code or a model found that its passages say it; quotes stand there word for word.
    #[serde(default = "confirmed")]
    pub confirmed: bool,
    /// The passages that it rests on.
    pub sources: Vec<SourceId>,
}

/// What is not said to be otherwise.
fn confirmed() -> bool {
    true
}

/// A passage that an answer rests on or that comes near the question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerSource {
    /// Its number, from 1.
    pub number: SourceId,
    /// Where it was found.
    pub kind: SourceKind,
    /// A path inside a library, or a web address.
    pub location: String,
    /// The title of its document; may be empty.
    pub title: String,
    /// The heading that it stands under.
    #[serde(default)]
    pub section: Option<String>,
    /// Its page, from 1, in documents that have pages.
    #[serde(default)]
    pub page: Option<u32>,
    /// The line of the file that it begins in, from 1, in files that are text.
    #[serde(default)]
    pub line: Option<u32>,
    /// Its words.
    pub passage: String,
    /// How well it fits the question, 0 to 1.
    pub relevance: f64,
}

/// How good the passages are that a search found. The measures are between 0 and 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// How well the best single sentence fits the question.
    pub quality: f64,
    /// The share of the question's words that the passages have together.
    pub coverage: f64,
    /// How well the first passages fit the question.
    pub relevance: f64,
    /// How many passages there are.
    pub results: usize,
    /// The measures that fall short; none where the passages are good enough.
    pub below: Vec<Shortfall>,
}

impl Assessment {
    /// Whether some measure falls short.
    pub fn is_poor(&self) -> bool {
        !self.below.is_empty()
    }
}

/// A measure that is below what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shortfall {
    /// Which one.
    pub measure: Measure,
    /// What it is.
    pub value: f64,
    /// The least that is good enough.
    pub wanted: f64,
}

/// What passages are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// [`Assessment::quality`].
    Quality,
    /// [`Assessment::coverage`].
    Coverage,
    /// [`Assessment::relevance`].
    Relevance,
    /// [`Assessment::results`].
    Results,
}

/// A stage that was passed, and how long it took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageTime {
    /// Its name, such as `retrieve`; a stage that was passed twice is there twice.
    pub stage: String,
    /// In milliseconds.
    pub ms: u64,
}

impl Answer {
    /// Whether it is an answer, and no timeout or error.
    pub fn is_answer(&self) -> bool {
        self.status == AnswerStatus::Answer
    }

    /// Whether a language model wrote it.
    pub fn used_model(&self) -> bool {
        self.reasoner != EXTRACTIVE
    }

    /// The answer as plain text with citation marks: quotes apart from each other, written sentences in one paragraph.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut before: Option<&AnswerSentence> = None;
        for sentence in &self.sentences {
            text.push_str(match before {
                None => "",
                Some(before) if before.quoted || sentence.quoted => "\n\n",
                Some(_) => " ",
            });
            text.push_str(&clean::line(&sentence.text));
            for SourceId(number) in &sentence.sources {
                text.push_str(&format!(" [{number}]"));
            }
            if !sentence.confirmed {
                let words = AnswerWords::new(self.language).unconfirmed;
                text.push_str(&format!(" ({words})"));
            }
            before = Some(sentence);
        }
        text
    }

    /// The sources that a sentence of the answer cites.
    pub fn cited(&self) -> impl Iterator<Item = &AnswerSource> {
        self.sources.iter().filter(|source| {
            let mut sentences = self.sentences.iter();
            sentences.any(|sentence| sentence.sources.contains(&source.number))
        })
    }

    /// How long all stages took, in milliseconds.
    pub fn time_ms(&self) -> u64 {
        self.stages.iter().map(|stage| stage.ms).sum()
    }
}
