//! The finished thing: a report with its figures, its references and the proof of each claim.
//!
//! Made by the last node; rendering it is left to the files below.

mod author;
pub mod bibtex;
mod clean;
pub mod docx;
mod figures;
pub mod html;
pub mod json;
pub mod markdown;
mod method;
mod outline;
mod prose;
mod references;
#[cfg(test)]
mod sample;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::analysis::{Contradiction, Gap, Strengths};
use crate::citations::{CheckedClaim, Counts};
use crate::critique::Critique;
use crate::draft::Section;
use crate::question::{Depth, Question};
use crate::settings::CitationStyle;
use crate::source::{Source, SourceId};
use crate::state::{ErrorEntry, Round};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub question: Question,
    pub status: Status,
    pub confidence: Confidence,
    pub title: String,
    pub summary: String,
    pub sections: Vec<Section>,
    pub conclusion: String,
    /// The sources that are cited, in the order of their numbers, which run from 1 without a hole.
    pub sources: Vec<Source>,
    pub citation_style: CitationStyle,
    pub claims: Vec<CheckedClaim>,
    pub contradictions: Vec<Contradiction>,
    pub gaps: Vec<Gap>,
    pub figures: Figures,
    /// What a reader must know before relying on it, in sentences.
    pub caveats: Vec<String>,
    pub critique: Option<Critique>,
    pub provenance: Provenance,
    pub finished_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Complete,
    /// Never to be presented as a full report.
    Partial {
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    High,
    Medium,
    Low,
}

/// The honest figures that a report opens with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    #[serde(default)]
    pub findings: Strengths,
    pub claims: Counts,
    pub sources_found: usize,
    pub sources_read: usize,
    pub sources_cited: usize,
    pub fetches_failed: usize,
    pub queries: usize,
    pub words: usize,
    pub time_ms: u64,
    pub tokens: u64,
    /// In millionths of a dollar; nothing where a price is not known.
    pub cost_micros: Option<u64>,
}

/// How the report came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The depth that was worked at: as asked, or as the planner chose.
    #[serde(default)]
    pub depth: Depth,
    pub sub_questions: Vec<String>,
    pub queries: Vec<String>,
    /// Who reasoned: `extractive`, or a model's name.
    pub reasoners: Vec<String>,
    pub rounds: Vec<Round>,
    pub drafts: u32,
    pub steps: u64,
    pub degraded: Vec<String>,
    /// The last of them.
    pub errors: Vec<ErrorEntry>,
}

impl Report {
    pub fn source(&self, id: SourceId) -> Option<&Source> {
        self.sources.get((id.0 as usize).checked_sub(1)?)
    }

    pub fn is_partial(&self) -> bool {
        matches!(self.status, Status::Partial { .. })
    }
}
