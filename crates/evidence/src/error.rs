//! What can go wrong in this crate, in sentences that say what to do.
//!
//! The values are plain facts and travel between processes: a PDF is read in a child process, which
//! hands its error to the parent as data.

use serde::{Deserialize, Serialize};

use crate::extract::DocumentFormat;

/// Why a document could not be read at all. What is lost of a document that *was* read stands in
/// [`crate::Document::lost`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "error", rename_all = "snake_case")]
pub enum Error {
    #[error("there is nothing in it: give a document that holds text")]
    Empty,

    #[error(
        "the document has {bytes} bytes and {limit} are allowed: give a smaller one, or raise \"{setting}\""
    )]
    TooLarge {
        bytes: u64,
        limit: u64,
        setting: String,
    },

    #[error(
        "the {format} is protected by a password: give a copy that opens without one, or read it with the password"
    )]
    Encrypted { format: DocumentFormat },

    #[error("the {format} holds no text, {why}: give a version with text in it")]
    NoText { format: DocumentFormat, why: String },

    #[error(
        "this is {found} and cannot be read: give HTML, PDF, DOCX, Markdown, plain text, JSON or CSV"
    )]
    NotADocument { found: String },

    #[error("the {format} is damaged, {why}: get a fresh copy of it")]
    Broken { format: DocumentFormat, why: String },
}

impl Error {
    pub(crate) fn broken(format: DocumentFormat, why: impl ToString) -> Self {
        Self::Broken {
            format,
            why: why.to_string(),
        }
    }

    pub(crate) fn too_large(bytes: u64, limit: usize, setting: &str) -> Self {
        Self::TooLarge {
            bytes,
            limit: limit as u64,
            setting: setting.to_owned(),
        }
    }
}
