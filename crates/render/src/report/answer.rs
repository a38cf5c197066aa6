//! The answer that a report opens with, and whether it is one.

use serde::{Deserialize, Serialize};

/// What a reader came for. Whether the question is answered is not the review's score and not the share of verified
/// quotes: a report can quote truly and answer nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportAnswer {
    /// Whether the sources answer the question.
    pub answered: Answered,
    /// Why, in one sentence for the reader.
    pub reason: String,
    /// One to three cited sentences or passages, in Markdown; empty where nothing answers.
    pub text: String,
    /// Sources that say it.
    pub agree: usize,
    /// Sources that say otherwise.
    pub dispute: usize,
}

/// How far a question is answered, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// The sources do not answer it.
    No,
    /// A part of it is answered, or the whole of it weakly.
    Partly,
    /// The sources answer it.
    Yes,
}
