//! A work in Crossref's JSON, and in CSL-JSON, which has the same fields with plain values instead of lists.

use serde_json::Value;

use super::work::Work;
use super::{fields, notice};
use crate::Doi;
use crate::lenient::{count, date_parts, list};

/// Where the date of publication is looked for, in this order.
const DATES: [&str; 5] = [
    "issued",
    "published",
    "published-print",
    "published-online",
    "posted",
];

/// Crossref's answer about the work. A record without an envelope is CSL-JSON.
pub(super) fn work(answer: &Value, asked: &Doi) -> Option<Work> {
    let record = answer.get("message").unwrap_or(answer);
    let doi = fields::doi(record, "DOI", asked)?;
    let title = fields::text(record, "title").map(|title| with_subtitle(title, record));
    Some(Work {
        notice: notice::from_crossref(record, title.as_deref()),
        title,
        authors: authors(record),
        published: DATES.iter().find_map(|key| date_parts(&record[*key])),
        venue: fields::text(record, "container-title"),
        publisher: fields::text(record, "publisher"),
        volume: fields::text(record, "volume"),
        issue: fields::text(record, "issue"),
        pages: fields::text(record, "page").or_else(|| fields::text(record, "article-number")),
        kind: fields::text(record, "type"),
        url: doi.url(),
        citations: count(&record["is-referenced-by-count"]),
        doi,
    })
}

/// A book without authors has its editors.
fn authors(record: &Value) -> Vec<super::WorkAuthor> {
    let people = match list(&record["author"]) {
        [] => list(&record["editor"]),
        authors => authors,
    };
    // CSL-JSON calls a name that has no parts `literal`, Crossref `name`.
    let authors = fields::authors(people, ["family", "given", "name"]);
    match authors[..] {
        [] => fields::authors(people, ["family", "given", "literal"]),
        _ => authors,
    }
}

/// Some publishers repeat the subtitle in the title.
fn with_subtitle(title: String, record: &Value) -> String {
    match fields::text(record, "subtitle") {
        Some(subtitle) if !title.contains(&subtitle) => format!("{title}: {subtitle}"),
        _ => title,
    }
}
