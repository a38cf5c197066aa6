//! A work as its register describes it, in plain text.

use serde::{Deserialize, Serialize};

use super::notice::{NoticeKind, WorkNotice};
use crate::{Doi, PublicationDate};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    pub doi: Doi,
    pub title: Option<String>,
    /// In their order; very long lists are cut.
    pub authors: Vec<WorkAuthor>,
    pub published: Option<PublicationDate>,
    /// The journal, book, conference or repository.
    pub venue: Option<String>,
    pub publisher: Option<String>,
    pub volume: Option<String>,
    pub issue: Option<String>,
    pub pages: Option<String>,
    /// The register's own word, such as `journal-article` or `Dataset`.
    pub kind: Option<String>,
    /// Where a reader finds it.
    pub url: String,
    /// The gravest thing that was said about it since.
    pub notice: Option<WorkNotice>,
    /// How often it is cited, as far as the register knows.
    pub citations: Option<u64>,
}

impl Work {
    pub fn is_retracted(&self) -> bool {
        let kind = self.notice.as_ref().map(|notice| notice.kind);
        kind == Some(NoticeKind::Retraction)
    }
}

/// A person, or a body that has only one name, which is then its family name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkAuthor {
    pub family: String,
    pub given: Option<String>,
}
