//! One hit, whoever found it: plain text, bounded lengths, and unknown where nothing was said.

use serde::{Deserialize, Serialize};

use super::SearchKind;
use crate::call::ProviderName;
use crate::{Doi, PublicationDate};

/// A hit with a longer address is dropped.
pub const URL_CHARS_MAX: usize = 2_048;
/// Longer titles are cut.
pub const TITLE_CHARS_MAX: usize = 500;
/// Longer snippets are cut.
pub const SNIPPET_CHARS_MAX: usize = 2_000;
/// Longer abstracts are cut.
pub const ABSTRACT_CHARS_MAX: usize = 20_000;
/// The whole text of a page, where the provider sends it.
pub const TEXT_CHARS_MAX: usize = 200_000;
/// Longer than any real list but a handful.
pub const AUTHORS_MAX: usize = 5_000;
/// A person, a journal, an outlet.
pub const NAME_CHARS_MAX: usize = 300;

/// One result, in the same form whoever found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// `http` or `https`, as the provider gave it.
    pub url: String,
    /// Plain text, never empty.
    pub title: String,
    /// Plain text; empty if the engine shows none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// What was searched.
    pub kind: SearchKind,
    /// The engine that found it.
    pub provider: ProviderName,
    /// The place in the provider's list, from one.
    pub rank: u32,
    /// All of them, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// None if the engine does not tell, or in no form that we read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublicationDate>,
    /// Journal, conference, outlet, repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// By how many works it is cited, as this engine counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<u64>,
    /// As the engine tells it, or read from the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<Doi>,
    /// Plain text, without the heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstract_text: Option<String>,
    /// The page's own text, where the engine sends it along.
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
