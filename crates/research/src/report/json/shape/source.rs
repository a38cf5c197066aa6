//! A cited source.

use jiff::Timestamp;
use serde::Serialize;

use crate::plan::Kind;
use crate::report::{Report, references};
use crate::source::Source;

#[derive(Serialize)]
pub(super) struct Cited<'r> {
    number: u32,
    kind: Kind,
    location: &'r str,
    title: &'r str,
    authors: &'r [String],
    published: Option<&'r str>,
    venue: Option<&'r str>,
    doi: Option<&'r str>,
    citations: Option<u64>,
    retracted: bool,
    relevance: f64,
    quality: f64,
    snippet: &'r str,
    /// `null` where only the snippet is known.
    snapshot: Option<Snapshot<'r>>,
    /// Why it could not be read.
    unread: Option<&'r str>,
    /// As the list of references has it, in plain text.
    reference: String,
}

#[derive(Serialize)]
struct Snapshot<'r> {
    text: String,
    words: u64,
    language: &'r str,
    taken_at: Timestamp,
    lost: &'r [String],
}

pub(super) fn sources(report: &Report) -> Vec<Cited<'_>> {
    report
        .sources
        .iter()
        .map(|source| one(report, source))
        .collect()
}

fn one<'r>(report: &Report, source: &'r Source) -> Cited<'r> {
    let work = &source.about;
    let pieces = references::reference(source, report.citation_style);
    Cited {
        number: source.id.0,
        kind: source.kind,
        location: &source.location,
        title: &work.title,
        authors: &work.authors,
        published: work.published.as_deref(),
        venue: work.venue.as_deref(),
        doi: work.doi.as_deref(),
        citations: work.citations,
        retracted: work.retracted,
        relevance: source.relevance,
        quality: source.quality,
        snippet: &source.snippet,
        snapshot: source.snapshot.as_ref().map(|snapshot| Snapshot {
            text: snapshot.text.to_string(),
            words: snapshot.words,
            language: &snapshot.language,
            taken_at: snapshot.taken_at,
            lost: &snapshot.lost,
        }),
        unread: source.unread.as_deref(),
        reference: references::plain(&pieces),
    }
}
