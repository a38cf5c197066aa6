//! The appraisal of a trial: its risk of bias by RoB 2, each answer with its proof, and the forms people get it in.
//!
//! Takes what the workflow `appraise` hands over; the files beside this one make a table, CSV for robvis, plots, a page and
//! a Word document of one appraisal or many, and compare two reviewers. Written as JSON it is the outcome of the workflow.

pub mod compare;
mod csv;
mod docx;
mod html;
mod markdown;
mod picture;
mod plot;
mod review;
mod table;
mod terms;

use fathom_evidence::Span;
use fathom_evidence::validate::retry::RetryEntry;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use csv::{CsvError, CsvRow, csv, read_csv};
pub use docx::docx;
pub use html::html;
pub use markdown::markdown;
pub use picture::{Picture, PictureTooLarge};
pub use plot::{summary_plot, traffic_lights};
pub use review::{AppraisalReview, ReviewResult};
pub use table::{details, table};
pub use terms::{Domain, Effect, Judgement, RulePath, SignalAnswer, UnknownAnswer};

/// What the outcome of a workflow that gives an [`Appraisal`] is called.
pub const KIND: &str = "appraisal";

/// The appraisal of one result of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Appraisal {
    /// Which trial it is.
    pub study: Study,
    /// Of which effect.
    pub effect: Effect,
    /// Of which outcome; nothing where none was named, and the primary outcome is meant then.
    pub outcome: Option<String>,
    /// Why the document was not appraised; nothing where it was.
    pub refused: Option<String>,
    /// Whether the document is the plan of a trial, a protocol or a register entry; such a one is never appraised.
    #[serde(default)]
    pub is_plan: bool,
    /// The judgement as a whole; nothing where the document was not appraised.
    pub overall: Option<OverallAppraisal>,
    /// The five domains in their order; empty where the document was not appraised.
    pub domains: Vec<DomainAppraisal>,
    /// What the report says of the trial, each with its quote.
    pub facts: Vec<TrialFact>,
    /// What a reader must know before relying on it, in sentences.
    pub notes: Vec<String>,
    /// Places of the report that contradict each other.
    pub conflicts: Vec<QuotedConflict>,
    /// Questions whose evidence did not pass validation in the end.
    pub failed_questions: Vec<String>,
    /// What second looks under relaxed rules changed; empty where none was needed.
    pub validation_retry_log: Vec<RetryEntry>,
    /// Who answered: `phrase rules`, or the name of a model.
    pub appraiser: String,
    /// What a person decided who was asked to look at it; nothing where nobody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<AppraisalReview>,
    /// When the last word of it was there.
    pub finished_at: Timestamp,
}

/// Names a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Study {
    /// As tables and plots name it: first author and year, else the name of the file.
    pub label: String,
    /// The title of the report, as far as it tells one.
    pub title: Option<String>,
    /// The file that was appraised.
    pub file: String,
    /// The protocol or register entry that was given beside it.
    pub protocol: Option<String>,
}

/// The judgement of the result as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverallAppraisal {
    /// By the rule, every open question taken as "no information".
    pub judgement: Judgement,
    /// The rule that applied.
    pub rule: String,
    /// What it can still become when open questions are answered: one judgement where it is settled.
    pub possible: Vec<Judgement>,
    /// What it was before people answered otherwise; nothing where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Judgement>,
}

/// One domain: its judgement, the path to it, and its questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DomainAppraisal {
    /// Which one.
    pub domain: Domain,
    /// By the published algorithm, every open question taken as "no information".
    pub judgement: Judgement,
    /// The rules and answers that led to it.
    pub path: RulePath,
    /// What it can still become when open questions are answered: one judgement where it is settled.
    pub possible: Vec<Judgement>,
    /// What it was before people answered otherwise; nothing where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Judgement>,
    /// Its questions in their order.
    pub answers: Vec<AnsweredQuestion>,
}

impl DomainAppraisal {
    /// The judgement, unless it hangs on a question that nobody answered.
    pub fn settled(&self) -> Option<Judgement> {
        settled(&self.possible)
    }

    /// The ids of the questions that nobody answered and that were to be asked.
    pub fn open_questions(&self) -> Vec<&str> {
        let open = self
            .answers
            .iter()
            .filter(|one| one.by == AnsweredBy::Nobody);
        open.map(|one| one.id.as_str()).collect()
    }
}

impl OverallAppraisal {
    /// The judgement, unless it hangs on a question that nobody answered.
    pub fn settled(&self) -> Option<Judgement> {
        settled(&self.possible)
    }
}

fn settled(possible: &[Judgement]) -> Option<Judgement> {
    match possible {
        [only] => Some(*only),
        _ => None,
    }
}

/// A signalling question with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnsweredQuestion {
    /// As published, such as `1.2`.
    pub id: String,
    /// What it asks.
    pub question: String,
    /// What was answered.
    pub answer: SignalAnswer,
    /// Who answered it.
    pub by: AnsweredBy,
    /// Why, in a sentence.
    pub rationale: String,
    /// Words of the report that show it; each stands there.
    pub quotes: Vec<AppraisalQuote>,
    /// The answer that a person's stands in place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<ReplacedAnswer>,
}

/// Who answered a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// A rule over phrases, with a quote or a count that proves it.
    Rules,
    /// A language model, from validated passages.
    Model(String),
    /// A person.
    Person(String),
    /// An earlier answer closed the question.
    Closed,
    /// Nobody could: the answer "no information" says nothing about the report.
    Nobody,
}

/// An answer that a person replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplacedAnswer {
    /// What was answered before.
    pub answer: SignalAnswer,
    /// By whom.
    pub by: AnsweredBy,
    /// Why.
    pub rationale: String,
    /// The answer that this one stood in place of, where several people answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<Box<ReplacedAnswer>>,
}

impl AnsweredQuestion {
    /// The answers before this one, the latest first.
    pub fn earlier(&self) -> impl Iterator<Item = &ReplacedAnswer> {
        std::iter::successors(self.replaced.as_ref(), |one| one.replaced.as_deref())
    }
}

impl AnsweredBy {
    /// As people read it.
    pub fn name(&self) -> &str {
        match self {
            Self::Rules => "phrase rules",
            Self::Model(name) | Self::Person(name) => name,
            Self::Closed | Self::Nobody => "not answered",
        }
    }
}

/// Words of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppraisalQuote {
    /// The words as they stand there.
    pub text: String,
    /// Where they stand in the text that was read.
    pub span: Span,
    /// The page, where the document has pages.
    pub page: Option<u32>,
    /// The section's title.
    pub section: Option<String>,
    /// Whether it stands in the protocol that was given beside the report.
    #[serde(default)]
    pub from_protocol: bool,
    /// Whether it was accepted only under relaxed rules.
    #[serde(default)]
    pub relaxed: bool,
}

/// Something the report says of the trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialFact {
    /// Such as `design`, `randomised`, `lost`, `registration`.
    pub name: String,
    /// In short.
    pub value: String,
    /// Where it is said.
    pub quote: AppraisalQuote,
}

/// Two places that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotedConflict {
    /// One side.
    pub left: AppraisalQuote,
    /// The other.
    pub right: AppraisalQuote,
}

impl Appraisal {
    /// What tables show for a domain: nothing where it was not appraised or hangs on an unanswered question.
    pub fn settled(&self, domain: Domain) -> Option<Judgement> {
        let mut domains = self.domains.iter();
        domains.find(|one| one.domain == domain)?.settled()
    }

    /// What a reader must know, with what the person decided who was asked.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.notes.clone();
        if let Some(review) = &self.review {
            remarks.push(format!("Reviewed: {}", review.sentence()));
        }
        for domain in &self.domains {
            if let Some(before) = domain.replaced.filter(|one| *one != domain.judgement) {
                let (code, now) = (domain.domain, domain.judgement.word());
                let before = before.word();
                remarks.push(format!(
                    "{code} is {now} by people's answers; it was {before} before."
                ));
            }
        }
        remarks
    }

    /// What tables show for the whole.
    pub fn settled_overall(&self) -> Option<Judgement> {
        self.overall.as_ref()?.settled()
    }

    /// Whether a question that matters was left unanswered, the document was not appraised at all, or the person who was
    /// asked did not accept it.
    pub fn is_partial(&self) -> bool {
        let open = self.domains.iter().any(|domain| domain.settled().is_none());
        let accepted = |review: &AppraisalReview| review.result.is_accepted();
        self.refused.is_some() || open || !self.review.as_ref().is_none_or(accepted)
    }
}

#[cfg(test)]
mod tests;
