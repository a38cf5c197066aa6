//! The claims of a report and the words of sources that they rest on.

use fathom_evidence::citation::CitationReason;
use serde::{Deserialize, Serialize};

use super::source::SourceId;

/// One sentence that states something, and what its check found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportClaim {
    /// Its number, from 1 in reading order.
    pub number: usize,
    /// The part of the text that it stands in.
    pub place: TextPlace,
    /// The number of the section, where it stands in one.
    pub section: Option<usize>,
    /// Its words, without markup and citations.
    pub text: String,
    /// What code found.
    pub verdict: ClaimVerdict,
    /// Why it could not be checked; nothing where it was.
    pub why: Option<String>,
    /// What the check noticed on its way to the verdict.
    pub reasons: Vec<CitationReason>,
    /// What a model says of its meaning; nothing where none was asked, as for plain quotations.
    pub judged: Option<ModelVerdict>,
    /// The sources that it cites.
    pub sources: Vec<SourceId>,
    /// The words that it rests on.
    pub proofs: Vec<SourceQuote>,
}

/// A part of a report's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextPlace {
    /// The title.
    Title,
    /// The answer that the report opens with.
    Answer,
    /// The summary.
    Summary,
    /// A section, whose number stands beside it.
    Section,
    /// The conclusion.
    Conclusion,
    /// The report as a whole.
    Whole,
}

/// What code found when it checked a claim against its sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimVerdict {
    /// A cited source says it.
    Supported,
    /// A cited source says the contrary.
    Contradicted,
    /// No cited source says it.
    NotSupported,
    /// Code could not tell.
    NotChecked,
}

/// What a model says of a claim and the passages that it cites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelVerdict {
    /// The passages bear it out.
    Supported,
    /// The passages gainsay it.
    Contradicted,
    /// The passages do neither.
    NotSupported,
    /// The model could not be asked, or gave no answer.
    CouldNotCheck,
}

/// Words of a source and where they stand in its stored text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceQuote {
    /// The source.
    pub source: SourceId,
    /// The words, as they stand there.
    pub quote: String,
    /// The BLAKE3 hash of the stored text in hexadecimal; nothing where no text was stored.
    pub snapshot: Option<String>,
    /// The byte at which the words begin.
    pub start: usize,
    /// The byte behind their last.
    pub end: usize,
    /// They stand in evidence that relaxed rules alone accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
}

/// Two statements of sources that cannot both hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disagreement {
    /// What they differ in, in a sentence; empty where that is left to their words.
    pub about: String,
    /// The two statements.
    pub sides: [SourceQuote; 2],
    /// What the document of one side says on results that differ from its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<SourceQuote>,
    /// What weighs for one side, such as its date or its method; nothing where a person must judge.
    pub weighed: Option<String>,
}
