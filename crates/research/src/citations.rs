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
    /// Every sentence that states something, in reading order.
    pub claims: Vec<CheckedClaim>,
    /// What was changed because it did not hold.
    pub changes: Vec<ClaimChange>,
    /// The model that judged the meaning of sentences; nothing where the check is by code alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

/// One sentence that states something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedClaim {
    /// The part of the draft that it stands in.
    pub place: DraftPlace,
    /// Its words, without markup and citations.
    pub text: String,
    /// The sources that it cites.
    pub cites: Vec<SourceId>,
    /// Whether code finds it in them.
    pub support: Support,
    /// What speaks against it, where something does.
    pub reasons: Vec<CitationReason>,
    /// Where its words stand, for each source that bears it out.
    pub proofs: Vec<Proof>,
    /// What a model says of it; nothing where none was asked, as for plain quotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judgement>,
}

impl CheckedClaim {
    /// Whether code or a model found that the cited passages say it.
    pub(crate) fn is_confirmed(&self) -> bool {
        matches!(self.support, Support::Supported { .. })
            || self.judged == Some(Judgement::Supported)
    }

    /// Whether most of some sentences are confirmed. What a model says it answered is held to that.
    pub(crate) fn most_confirmed<'a>(claims: impl Iterator<Item = &'a Self>) -> bool {
        let (confirmed, open): (Vec<&Self>, Vec<&Self>) =
            claims.partition(|claim| claim.is_confirmed());
        confirmed.len() > open.len()
    }

    /// Whether all that it rests on was accepted under relaxed rules only.
    pub(crate) fn is_relaxed(&self) -> bool {
        !self.proofs.is_empty() && self.proofs.iter().all(|proof| proof.relaxed)
    }
}

/// A model's opinion on whether the cited passages bear a sentence out. Code decides what follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The passages say it.
    Supported,
    /// The passages say the opposite.
    Contradicted,
    /// The passages say neither.
    NotSupported,
    /// The model could not tell, or was not asked.
    CouldNotCheck {
        /// The reason, in a few words.
        why: String,
    },
}

/// Where the words stand that a claim rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The source.
    pub source: SourceId,
    /// The hash of the source's stored text.
    pub snapshot: BlobHash,
    /// Where the words stand in that text.
    pub span: Span,
    /// The words of that span.
    pub quote: String,
    /// They stand in evidence that relaxed rules alone accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
}

/// What was done about a claim that did not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimChange {
    /// The part of the draft that it stood in.
    pub place: DraftPlace,
    /// The sentence as it was.
    pub claim: String,
    /// Why it did not hold.
    pub why: String,
    /// What became of it.
    pub done: Done,
}

/// What became of a sentence that did not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// A source that says it was put in.
    Recited,
    /// It stays, with a mark that says it could not be checked.
    Marked,
    /// It was taken out.
    Removed,
    /// A model found that its passages bear it out, and the mark was taken off.
    Confirmed,
}

impl CitationCheck {
    /// How many claims hold, do not hold or could not be checked.
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
