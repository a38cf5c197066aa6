//! A work as its register describes it, in plain text.

use serde::{Deserialize, Serialize};

use super::notice::{NoticeKind, WorkNotice};
use crate::{Doi, PublicationDate};

/// A work as its register records it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The work's own, or the one that was asked for.
    pub doi: Doi,
    /// Plain text, with the subtitle.
    pub title: Option<String>,
    /// In their order; very long lists are cut.
    pub authors: Vec<WorkAuthor>,
    /// As the register has it; for DataCite the date of issue.
    pub published: Option<PublicationDate>,
    /// The journal, book, conference or repository.
    pub venue: Option<String>,
    /// Who published it.
    pub publisher: Option<String>,
    /// Of the journal.
    pub volume: Option<String>,
    /// Of the volume.
    pub issue: Option<String>,
    /// From and to, or an article number.
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
    /// Whether its notice is a retraction.
    pub fn is_retracted(&self) -> bool {
        let kind = self.notice.as_ref().map(|notice| notice.kind);
        kind == Some(NoticeKind::Retraction)
    }
}

/// A person, or a body that has only one name, which is then its family name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkAuthor {
    /// The family name, or the whole name of a body.
    pub family: String,
    /// None for bodies and for people with one name.
    pub given: Option<String>,
}
