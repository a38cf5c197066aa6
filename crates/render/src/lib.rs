//! The finished report or answer, and the forms in which people and programs get it.
//!
//! Takes a [`Report`], which holds nothing but what its readers may see; gives Markdown, a page, a Word document, JSON
//! or BibTeX. Nothing here waits, opens a file or asks the network: the same report gives the same bytes. How a report
//! comes about is left to the crates that do the research.

#![warn(missing_docs, unreachable_pub)]

pub mod answer;
pub mod appraisal;
mod author;
pub mod bibtex;
mod clean;
pub mod docx;
mod figures;
pub mod html;
pub mod json;
pub mod markdown;
mod notes;
mod outline;
pub mod phrases;
mod prose;
mod references;
pub mod report;
mod written;

/// What a form holds besides the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormOptions {
    /// Whether it says at the end how the report came about, with all figures.
    pub method: bool,
    /// Whether an appendix says for each claim which stored words it rests on. A page always has it, folded.
    pub proofs: bool,
}

impl Default for FormOptions {
    fn default() -> Self {
        Self {
            method: true,
            proofs: false,
        }
    }
}

impl FormOptions {
    /// With everything that a form may hold.
    pub const FULL: Self = Self {
        method: true,
        proofs: true,
    };
}

pub use answer::Answer;
pub use references::{CitationStyle, StyleError};
pub use report::Report;
pub use report::source::{CitedSource, SourceId, SourceKind};

#[cfg(test)]
mod tests {
    pub(crate) mod sample;
}
