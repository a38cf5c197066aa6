//! What the check of a draft's citations found: each sentence, its verdict, and the proof.

use fathom_evidence::Span;
use fathom_evidence::citation::{CitationReason, Support};
use fathom_render::report::{ClaimCounts, JudgementCounts};
use fathom_workflow::BlobHash;
use serde::{Deserialize, Serialize};

use crate::draft::DraftPlace;
use crate::source::SourceId;

/// A draft after its citations were checked, and what was changed for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CitationCheck {
    pub claims: Vec<CheckedClaim>,
    pub changes: Vec<ClaimChange>,
    /// The model that judged the meaning of sentences; nothing where the check is by code alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

/// One sentence that states something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedClaim {
    pub place: DraftPlace,
    /// Its words, without markup and citations.
    pub text: String,
    pub cites: Vec<SourceId>,
    pub support: Support,
    pub reasons: Vec<CitationReason>,
    pub proofs: Vec<Proof>,
    /// What a model says of it; nothing where none was asked, as for plain quotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judgement>,
}

/// A model's opinion on whether the cited passages bear a sentence out. Code decides what follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    Supported,
    Contradicted,
    NotSupported,
    CouldNotCheck { why: String },
}

/// Where the words stand that a claim rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub source: SourceId,
    /// The hash of the source's stored text.
    pub snapshot: BlobHash,
    pub span: Span,
    pub quote: String,
}

/// What was done about a claim that did not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimChange {
    pub place: DraftPlace,
    pub claim: String,
    pub why: String,
    pub done: Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// A source that says it was put in.
    Recited,
    /// It stays, with a mark that says it could not be checked.
    Marked,
    Removed,
    /// A model found that its passages bear it out, and the mark was taken off.
    Confirmed,
}

impl CitationCheck {
    pub fn counts(&self) -> ClaimCounts {
        let mut counts = ClaimCounts {
            claims: self.claims.len(),
            ..ClaimCounts::default()
        };
        for claim in &self.claims {
            counts.checked += 1;
            match claim.support {
                Support::Supported { .. } => counts.supported += 1,
                Support::Contradicted { .. } => counts.contradicted += 1,
                Support::NotSupported => counts.unsupported += 1,
                Support::NotChecked { .. } => counts.checked -= 1,
            }
        }
        let removed = |change: &&ClaimChange| change.done == Done::Removed;
        counts.removed = self.changes.iter().filter(removed).count();
        counts.judged = self.judge.as_ref().map(|_| self.opinions());
        counts
    }

    fn opinions(&self) -> JudgementCounts {
        let mut opinions = JudgementCounts::default();
        for judged in self.claims.iter().filter_map(|claim| claim.judged.as_ref()) {
            match judged {
                Judgement::Supported => opinions.supported += 1,
                Judgement::Contradicted => opinions.contradicted += 1,
                Judgement::NotSupported => opinions.not_supported += 1,
                Judgement::CouldNotCheck { .. } => opinions.could_not_check += 1,
            }
        }
        opinions
    }
}
