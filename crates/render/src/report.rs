//! The finished report: its text, its figures, its sources and the proof of each claim.
//!
//! Takes what the research hands over at its end; the other files of this crate turn it into what people and programs
//! read. Written as JSON it is the file that [`crate::json`] gives, so a field that is renamed here is renamed for every
//! reader. Sources, claims, sections and sub-questions count from 1. What is not known is `None`, never a guess.

pub mod answer;
pub mod claim;
pub mod method;
pub mod review;
pub mod source;

use fathom_evidence::Language;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::phrases::Phrases;
use crate::references::CitationStyle;
pub use answer::{Answered, ReportAnswer};
use claim::{Disagreement, ReportClaim};
use method::ResearchMethod;
use review::ReportReview;
use source::{CitedSource, SourceId};

/// What the reasoner without a language model calls itself in stored reports.
pub const EXTRACTIVE: &str = "extractive";

/// What the outcome of a workflow that gives a [`Report`] is called.
pub const KIND: &str = "report";

/// A report as it leaves the research. Its texts are Markdown that cites sources as `[3]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was asked.
    pub question: AskedQuestion,
    /// Whether it is a full answer, and if not, why.
    #[serde(flatten)]
    pub status: ReportStatus,
    /// What a reader came for; nothing in reports of versions that did not tell it apart.
    #[serde(default)]
    pub answer: Option<ReportAnswer>,
    /// The language that it is written in: that of the question.
    #[serde(default = "english")]
    pub language: Language,
    /// How far a reader may rely on it, by a model's review; nothing where no model reviewed it.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// What a reader must know before relying on it, in sentences.
    pub caveats: Vec<String>,
    /// What was found, checked, read and spent.
    pub figures: ReportFigures,
    /// Its title; may be empty, and the question stands for it then.
    pub title: String,
    /// The answer in short.
    pub summary: String,
    /// The body, in reading order.
    pub sections: Vec<ReportSection>,
    /// What follows from the body; may be empty.
    pub conclusion: String,
    /// Every sentence that states something, with what was found when it was checked.
    pub claims: Vec<ReportClaim>,
    /// Where the sources disagree.
    pub contradictions: Vec<Disagreement>,
    /// What nothing answers.
    pub gaps: Vec<OpenQuestion>,
    /// How the list of references is set.
    pub citation_style: CitationStyle,
    /// The sources that are cited, in the order of their numbers, which run from 1 without a hole.
    pub sources: Vec<CitedSource>,
    /// What the last review said; nothing where none was made.
    pub review: Option<ReportReview>,
    /// How the report came about.
    pub method: ResearchMethod,
    /// When the last word of it was there.
    pub finished_at: Timestamp,
}

/// The language of reports that were stored before they named it.
fn english() -> Language {
    Language::ENGLISH
}

/// What a person asked, and how they wanted the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// The question in one line.
    pub text: String,
    /// What was said besides the question.
    pub context: Option<String>,
    /// Words of the field, such as "cardiology".
    pub domain: Vec<String>,
    /// `quick`, `standard` or `comprehensive`; `auto` where the planner was to choose.
    pub depth: String,
    /// How it was to be written, such as `academic`.
    pub style: String,
    /// The day on which it was asked.
    pub asked_on: Date,
}

/// Whether a report is a full answer. As JSON, `status` is a word and `reason` stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StatusFields", into = "StatusFields")]
pub enum ReportStatus {
    /// Everything that was planned was done.
    Complete,
    /// Cut short; never to be presented as a full report.
    Partial {
        /// Why, as a clause or a sentence.
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
struct StatusFields {
    status: StatusWord,
    reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StatusWord {
    Complete,
    Partial,
}

impl From<ReportStatus> for StatusFields {
    fn from(status: ReportStatus) -> Self {
        let (status, reason) = match status {
            ReportStatus::Complete => (StatusWord::Complete, None),
            ReportStatus::Partial { reason } => (StatusWord::Partial, Some(reason)),
        };
        Self { status, reason }
    }
}

impl From<StatusFields> for ReportStatus {
    fn from(fields: StatusFields) -> Self {
        match fields.status {
            StatusWord::Complete => Self::Complete,
            StatusWord::Partial => Self::Partial {
                reason: fields.reason.unwrap_or_default(),
            },
        }
    }
}

/// How well the sources bear each other out, over the whole report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Several independent sources agree on what matters.
    High,
    /// Some of it rests on few sources.
    Medium,
    /// Most of it rests on few sources, or the report is partial.
    Low,
}

/// A section of the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSection {
    /// Its heading; may be empty.
    pub title: String,
    /// The numbers of the sub-questions that it answers.
    pub sub_questions: Vec<u32>,
    /// Its prose.
    pub text: String,
}

/// A sub-question, or a part of one, that nothing answers well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The number of the sub-question.
    pub sub_question: u32,
    /// What is missing, in a sentence.
    pub missing: String,
    /// What to search for next.
    pub next_query: String,
}

/// The figures of a report: some in the line under its title, all of them at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportFigures {
    /// Findings by how well they are borne out.
    pub findings: StrengthCounts,
    /// Claims by what the check found.
    pub claims: ClaimCounts,
    /// Sources that a search found.
    pub sources_found: usize,
    /// Sources whose text was read.
    pub sources_read: usize,
    /// Sources that the report cites.
    pub sources_cited: usize,
    /// Files of the asker's library that could not be read.
    pub files_skipped: usize,
    /// Pages that could not be fetched.
    pub fetches_failed: usize,
    /// Queries that were put to a search.
    pub queries: usize,
    /// Words of the report.
    pub words: usize,
    /// Time at work, without waiting for people.
    pub time_ms: u64,
    /// Tokens of all model calls.
    pub tokens: u64,
    /// In millionths of a dollar; nothing where a price is not known.
    pub cost_micros: Option<u64>,
}

/// How many findings have each strength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrengthCounts {
    /// Several independent sources with data of their own agree.
    pub strong: usize,
    /// Two or three sources agree.
    pub moderate: usize,
    /// One source, or sources in conflict.
    pub weak: usize,
}

/// How many claims the check found to be what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimCounts {
    /// All claims that are left.
    pub claims: usize,
    /// Those that code could decide.
    pub checked: usize,
    /// Those whose sources say them.
    pub supported: usize,
    /// Those whose sources say the contrary.
    pub contradicted: usize,
    /// Those that no cited source says.
    pub unsupported: usize,
    /// Those that were taken out and are not among the claims.
    pub removed: usize,
    /// What a model says of the claims that are left; nothing where no model judged.
    #[serde(default)]
    pub judged: Option<JudgementCounts>,
}

/// How many claims a model judged to be what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementCounts {
    /// Borne out by their passages.
    pub supported: usize,
    /// Gainsaid by their passages.
    pub contradicted: usize,
    /// Neither.
    pub not_supported: usize,
    /// The model could not be asked, or gave no answer.
    pub could_not_check: usize,
}

impl JudgementCounts {
    /// All claims that the model was asked about.
    pub fn asked(&self) -> usize {
        self.supported + self.contradicted + self.not_supported + self.could_not_check
    }
}

impl Report {
    /// The source with this number; nothing where the list does not reach so far.
    pub fn source(&self, id: SourceId) -> Option<&CitedSource> {
        self.sources.get((id.0 as usize).checked_sub(1)?)
    }

    /// The sentences around its text, in its language.
    pub(crate) fn phrases(&self) -> &'static Phrases {
        Phrases::new(self.language)
    }

    /// Whether a language model took part in it.
    pub fn used_model(&self) -> bool {
        let mut reasoners = self.method.reasoners.iter();
        reasoners.any(|name| name != EXTRACTIVE)
    }

    /// Whether it is a brief: it quotes the passages that fit best, and its summary only tells where sources disagree.
    pub fn is_brief(&self) -> bool {
        !self.used_model() && self.answer.is_some()
    }

    /// Whether its passages are near the question and no more.
    pub(crate) fn shows_nearest_only(&self) -> bool {
        let mut answer = self.answer.iter();
        self.is_brief() && answer.any(|answer| answer.answered == Answered::No)
    }

    /// The review, where a language model made it: the reasoner without one has findings, but no score to give.
    pub fn model_review(&self) -> Option<&ReportReview> {
        let review = self.review.as_ref()?;
        let by_model = match &review.by {
            Some(by) => by != EXTRACTIVE,
            // Stored before reviews named their maker.
            None => {
                self.used_model() && !self.method.reasoners.iter().any(|name| name == EXTRACTIVE)
            }
        };
        by_model.then_some(review)
    }

    /// Whether it must be presented as partial.
    pub fn is_partial(&self) -> bool {
        matches!(self.status, ReportStatus::Partial { .. })
    }
}
