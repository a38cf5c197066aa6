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
    /// It has no bytes, or blanks only.
    #[error("there is nothing in it: give a document that holds text")]
    Empty,

    /// It is larger than a setting allows.
    #[error(
        "the document has {bytes} bytes and {limit} are allowed: give a smaller one, or raise \"{setting}\""
    )]
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
        /// The name of the setting.
        setting: String,
    },

    /// It opens with a password only.
    #[error(
        "the {format} is protected by a password: open it with the password, save or print a copy that needs none, and give that"
    )]
    Encrypted {
        /// What it is.
        format: DocumentFormat,
    },

    /// It was read, and there are no words in it.
    #[error("the {format} holds no text, {why}: give a version with text in it")]
    NoText {
        /// What it is.
        format: DocumentFormat,
        /// What it holds instead.
        why: String,
    },

    /// It is a file of a kind that holds no document.
    #[error(
        "this is {found} and cannot be read: give HTML, PDF, DOCX, EPUB, Markdown, plain text, JSON or CSV"
    )]
    NotADocument {
        /// What it seems to be, with its article.
        found: String,
    },

    /// It breaks the rules of its format so far that nothing could be read.
    #[error("the {format} is damaged, {why}: get a fresh copy of it")]
    Broken {
        /// What it should be.
        format: DocumentFormat,
        /// What is wrong with it.
        why: String,
    },
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
