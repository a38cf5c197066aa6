//! What a run of the workflow `appraise` knows, and the only ways it changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_evidence::Span;
use fathom_evidence::document::DocumentMetadata;
use fathom_evidence::validate::ValidatedEvidence;
use fathom_evidence::validate::consistency::Conflict;
use fathom_evidence::validate::retry::{Retry, RetryDecision};
use fathom_render::appraisal::{Appraisal, AppraisalReview, DomainAppraisal, TrialFact};
use fathom_workflow::InvalidUpdate;
use serde::{Deserialize, Serialize};

use super::definition::{AppraiseInput, GivenAnswer};
use super::opinion::{AppraiseError, AskedModel};
use crate::source::Snapshot;

/// The fold of all updates of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// As the run was started.
    pub input: Arc<AppraiseInput>,
    /// The report, once it was read.
    pub article: Option<StoredDocument>,
    /// The protocol or register entry beside it, once it was read.
    pub protocol: Option<StoredDocument>,
    /// Why the document cannot be appraised.
    pub refused: Option<String>,
    /// Whether the document is the plan of a trial, a protocol or a register entry, and no report.
    #[serde(default)]
    pub is_plan: bool,
    /// What the report says of the trial.
    pub facts: Vec<TrialFact>,
    /// What a reader must know, in sentences.
    pub notes: Vec<String>,
    /// The last rankings, by question.
    pub located: BTreeMap<String, Vec<LocatedPassage>>,
    /// The evidence of all questions, with what the validators said.
    pub evidence: Arc<Vec<ValidatedEvidence>>,
    /// Places of accepted evidence that contradict each other.
    pub conflicts: Vec<Conflict>,
    /// Where validation stands.
    pub retry: Retry,
    /// What was decided after the last validation.
    pub decision: Option<RetryDecision>,
    /// The domains that were judged, in their order.
    pub domains: Vec<DomainAppraisal>,
    /// What a model said of each of them, in the same order.
    pub asked: Vec<AskedModel>,
    /// Every failure that the run lived through.
    #[serde(default)]
    pub error_log: Vec<AppraiseError>,
    /// What a person decided at the review, where there was one.
    #[serde(default)]
    pub review: Option<AppraisalReview>,
    /// The answers that were given at the review.
    #[serde(default)]
    pub reviewed_answers: Vec<GivenAnswer>,
    /// What the run brought.
    pub appraisal: Option<Arc<Appraisal>>,
}

/// A document that was read and stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredDocument {
    /// Its stored text.
    pub snapshot: Snapshot,
    /// What it says about itself.
    pub about: DocumentMetadata,
    /// The part of the text that is appraised: the main article of a file that holds several.
    pub span: Span,
}

/// Where a document is looked for evidence: the report, or the protocol beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentRole {
    /// The report of the trial.
    Article,
    /// The protocol or register entry.
    Protocol,
}

impl DocumentRole {
    /// As evidence names its source.
    pub fn source(self) -> &'static str {
        match self {
            Self::Article => "article",
            Self::Protocol => "protocol",
        }
    }
}

/// A passage that may answer a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocatedPassage {
    /// The document it stands in.
    pub document: DocumentRole,
    /// Where.
    pub span: Span,
    /// The locators that named it, best rank first, such as `rules 1`.
    pub found_by: Vec<String>,
    /// Phrases of the question's list that it has.
    pub phrases: Vec<String>,
}

/// What a node brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    /// The report was read.
    Read(Box<ReadReport>),
    /// Questions were located; others keep what they had.
    Located {
        /// By question.
        passages: BTreeMap<String, Vec<LocatedPassage>>,
        /// What could not be done, in sentences.
        notes: Vec<String>,
    },
    /// Evidence was validated.
    Validated {
        /// Of all questions.
        evidence: Arc<Vec<ValidatedEvidence>>,
        /// Of all questions.
        conflicts: Vec<Conflict>,
        /// With what was decided.
        retry: Retry,
        /// What to do next.
        decision: RetryDecision,
    },
    /// A domain was judged.
    Judged {
        /// The domain.
        domain: DomainAppraisal,
        /// What a model said of it.
        asked: AskedModel,
    },
    /// A person looked at the domains.
    Reviewed(Box<ReviewedAppraisal>),
    /// The appraisal is there.
    Appraised(Arc<Appraisal>),
}

/// What reading the report brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadReport {
    /// The report; nothing where it could not be read.
    pub article: Option<StoredDocument>,
    /// The protocol beside it.
    pub protocol: Option<StoredDocument>,
    /// Why it cannot be appraised.
    pub refused: Option<String>,
    /// Whether it is the plan of a trial.
    #[serde(default)]
    pub is_plan: bool,
    /// What it says of the trial.
    pub facts: Vec<TrialFact>,
    /// What a reader must know.
    pub notes: Vec<String>,
}

/// What a review brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewedAppraisal {
    /// The decision.
    pub review: AppraisalReview,
    /// The answers that were changed.
    pub answers: Vec<GivenAnswer>,
    /// The domains, judged with those answers.
    pub domains: Vec<DomainAppraisal>,
}

impl State {
    /// Before the first step.
    pub fn new(input: AppraiseInput) -> Self {
        Self {
            retry: Retry::new(input.validation),
            input: Arc::new(input),
            article: None,
            protocol: None,
            refused: None,
            is_plan: false,
            facts: Vec::new(),
            notes: Vec::new(),
            located: BTreeMap::new(),
            evidence: Arc::default(),
            conflicts: Vec::new(),
            decision: None,
            domains: Vec::new(),
            asked: Vec::new(),
            error_log: Vec::new(),
            review: None,
            reviewed_answers: Vec::new(),
            appraisal: None,
        }
    }

    /// Whether evidence is to be located again.
    pub fn retries_now(&self) -> bool {
        matches!(self.decision, Some(RetryDecision::Retry { .. }))
    }

    /// The questions to be located now: all of them at first, the failed ones in a retry.
    pub fn failed_questions(&self) -> Option<&[String]> {
        match &self.decision {
            None | Some(RetryDecision::Proceed) => None,
            Some(
                RetryDecision::Retry {
                    failed_questions, ..
                }
                | RetryDecision::ProceedMarked {
                    failed_questions, ..
                },
            ) => Some(failed_questions),
        }
    }

    /// The answers that people gave, the latest last.
    pub fn given_answers(&self) -> impl DoubleEndedIterator<Item = &GivenAnswer> {
        self.input.answers.iter().chain(&self.reviewed_answers)
    }

    /// One of the two documents.
    pub fn document(&self, role: DocumentRole) -> Option<&StoredDocument> {
        match role {
            DocumentRole::Article => self.article.as_ref(),
            DocumentRole::Protocol => self.protocol.as_ref(),
        }
    }
}

impl fathom_workflow::State for State {
    type Update = Update;

    fn apply(&mut self, update: &Update) -> Result<(), InvalidUpdate> {
        match update {
            Update::Read(read) => {
                self.article.clone_from(&read.article);
                self.protocol.clone_from(&read.protocol);
                self.refused.clone_from(&read.refused);
                self.is_plan = read.is_plan;
                self.facts.clone_from(&read.facts);
                self.notes.extend_from_slice(&read.notes);
            }
            Update::Located { passages, notes } => {
                for (question, found) in passages {
                    self.located.insert(question.clone(), found.clone());
                }
                self.note(notes);
            }
            Update::Validated {
                evidence,
                conflicts,
                retry,
                decision,
            } => {
                self.evidence = Arc::clone(evidence);
                self.conflicts.clone_from(conflicts);
                self.retry = retry.clone();
                self.decision = Some(decision.clone());
            }
            Update::Judged { domain, asked } => {
                if self.domains.iter().any(|one| one.domain == domain.domain) {
                    return Err(InvalidUpdate::new("a domain was judged twice"));
                }
                self.domains.push(domain.clone());
                self.note(&asked.notes);
                self.error_log.extend_from_slice(&asked.errors);
                self.asked.push(asked.clone());
            }
            Update::Reviewed(reviewed) => {
                self.review = Some(reviewed.review.clone());
                self.reviewed_answers.clone_from(&reviewed.answers);
                self.domains.clone_from(&reviewed.domains);
            }
            Update::Appraised(appraisal) => self.appraisal = Some(Arc::clone(appraisal)),
        }
        Ok(())
    }
}

impl State {
    fn note(&mut self, notes: &[String]) {
        for note in notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }
}
