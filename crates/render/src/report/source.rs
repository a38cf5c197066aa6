//! The sources that a report cites.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The number by which a source is cited, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceId(pub u32);

/// Where a source was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The open web.
    Web,
    /// An index of scholarly works.
    Academic,
    /// A news search.
    News,
    /// A search of program code.
    Code,
    /// The asker's own library.
    Local,
}

/// A cited source, with what is known about it as a work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CitedSource {
    /// Its number.
    pub number: SourceId,
    /// Where it was found.
    pub kind: SourceKind,
    /// A web address, or a path inside a library.
    pub location: String,
    /// Its title; empty where it has none.
    pub title: String,
    /// Its authors, each as the source gives the name.
    pub authors: Vec<String>,
    /// `2024`, `2024-05` or `2024-05-17`, if the source keeps to a form.
    pub published: Option<String>,
    /// The journal, outlet or site.
    pub venue: Option<String>,
    /// Its DOI, with or without what people write before it.
    pub doi: Option<String>,
    /// How often other works cite it.
    pub citations: Option<u64>,
    /// Whether it was retracted.
    pub retracted: bool,
    /// How well its text fits the query that found it, 0 to 1.
    pub relevance: f64,
    /// What speaks for it whatever is asked, 0 to 1.
    pub quality: f64,
    /// What a search said of it.
    pub snippet: String,
    /// Its text; nothing where only the snippet is known.
    pub snapshot: Option<StoredText>,
    /// Why it could not be read, in a sentence.
    pub unread: Option<String>,
    /// As the list of references has it, in plain text. Only the JSON form fills it in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference: String,
}

/// The text of a source as it was stored when it was read. Quotes refer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredText {
    /// The BLAKE3 hash of the text in hexadecimal.
    pub text: String,
    /// Its length in words.
    pub words: u64,
    /// The code of its language, such as `en`.
    pub language: String,
    /// When it was read.
    pub taken_at: Timestamp,
    /// What could not be read of the document, in sentences.
    pub lost: Vec<String>,
}

impl CitedSource {
    /// A title to show; the location where there is none.
    pub fn name(&self) -> &str {
        match self.title.trim() {
            "" => &self.location,
            title => title,
        }
    }
}
