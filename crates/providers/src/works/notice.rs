//! What was said about a work after it appeared: that it is retracted, doubted or corrected.

use serde::{Deserialize, Serialize};

use serde_json::Value;

use crate::lenient::{date_parts, list};
use crate::{Doi, PublicationDate};

/// What happened to a work after it was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkNotice {
    /// The gravest, where there are several.
    pub kind: NoticeKind,
    /// The notice itself.
    pub doi: Option<Doi>,
    /// When the notice was published.
    pub date: Option<PublicationDate>,
}

/// In the order of how grave they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// An erratum or correction.
    Correction,
    /// An expression of concern.
    Concern,
    /// Also a withdrawal or removal.
    Retraction,
}

impl NoticeKind {
    /// By the register's word for it, whose spelling differs among publishers. A new version is no notice.
    fn named(word: &str) -> Option<Self> {
        let letters = word.chars().filter(char::is_ascii_alphabetic);
        let word: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        match word.as_str() {
            "retraction" | "partialretraction" | "withdrawal" | "removal" => Some(Self::Retraction),
            "expressionofconcern" | "concern" => Some(Self::Concern),
            "correction" | "corrigendum" | "erratum" | "addendum" => Some(Self::Correction),
            _ => None,
        }
    }
}

/// How publishers mark the title of what they retract.
const TITLE_MARKS: [&str; 4] = ["retracted:", "retracted article:", "withdrawn:", "removed:"];

/// In capitals the word alone is a mark.
const CAPITAL_MARKS: [&str; 2] = ["RETRACTED", "WITHDRAWN"];

pub(crate) fn is_retracted(record: &Value, title: Option<&str>) -> bool {
    from_crossref(record, title).is_some_and(|notice| notice.kind == NoticeKind::Retraction)
}

/// The gravest notice of a Crossref record, and of several the last.
pub(super) fn from_crossref(record: &Value, title: Option<&str>) -> Option<WorkNotice> {
    let notices = list(&record["updated-by"]).iter();
    let gravest = notices
        .filter_map(notice)
        .max_by_key(|notice| (notice.kind, notice.date));
    let is_notice_itself = !list(&record["update-to"]).is_empty();
    let marked = title.is_some_and(is_marked) && !is_notice_itself;
    match gravest {
        Some(notice) if notice.kind == NoticeKind::Retraction || !marked => Some(notice),
        _ => marked.then_some(WorkNotice {
            kind: NoticeKind::Retraction,
            doi: None,
            date: None,
        }),
    }
}

fn notice(update: &Value) -> Option<WorkNotice> {
    Some(WorkNotice {
        kind: NoticeKind::named(update["type"].as_str()?)?,
        doi: update["DOI"].as_str().and_then(|doi| Doi::parse(doi).ok()),
        date: date_parts(&update["updated"]),
    })
}

fn is_marked(title: &str) -> bool {
    let begins = |mark: &&str| {
        let start = title.get(..mark.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(mark))
    };
    TITLE_MARKS.iter().any(begins) || CAPITAL_MARKS.iter().any(|mark| title.starts_with(mark))
}
