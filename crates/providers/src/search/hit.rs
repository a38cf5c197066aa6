//! One hit, whoever found it: plain text, bounded lengths, and unknown where nothing was said.

use serde::{Deserialize, Serialize};

use super::SearchKind;
use crate::call::ProviderName;
use crate::{Doi, PublicationDate};

pub const URL_CHARS_MAX: usize = 2_048;
pub const TITLE_CHARS_MAX: usize = 500;
pub const SNIPPET_CHARS_MAX: usize = 2_000;
pub const ABSTRACT_CHARS_MAX: usize = 20_000;
/// The whole text of a page, where the provider sends it.
pub const TEXT_CHARS_MAX: usize = 200_000;
/// Longer than any real list but a handful.
pub const AUTHORS_MAX: usize = 5_000;
/// A person, a journal, an outlet.
pub const NAME_CHARS_MAX: usize = 300;

/// Authors named before "et al.".
const AUTHORS_SHOWN: usize = 3;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// `http` or `https`, as the provider gave it.
    pub url: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    pub kind: SearchKind,
    pub provider: ProviderName,
    /// The place in the provider's list, from one.
    pub rank: u32,
    /// All of them, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublicationDate>,
    /// Journal, conference, outlet, repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<Doi>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstract_text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_text: Option<String>,
    /// A copy that can be read freely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
    /// The provider's own score: finite, from zero up, on a scale of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// As the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The register says that the work was withdrawn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retracted: bool,
}

impl SearchHit {
    pub fn year(&self) -> Option<i16> {
        self.published.map(PublicationDate::year)
    }

    /// Three authors, then "et al.".
    pub fn authors_short(&self) -> String {
        authors_short(&self.authors)
    }
}

pub(crate) fn authors_short(authors: &[String]) -> String {
    let shown: Vec<&str> = authors
        .iter()
        .take(AUTHORS_SHOWN)
        .map(String::as_str)
        .collect();
    let more = if authors.len() > AUTHORS_SHOWN {
        " et al."
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}
