//! The list of references, made by code from what is known about the sources.
//!
//! Takes the sources of a report and a citation style; gives each reference as pieces of text, so that every format can
//! set titles and links in its own way. `numeric` is our own plain form; all other styles are set by hayagriva. Nothing is
//! made up: what is not known is left out or said to be unknown.

mod csl;
mod date;
mod numeric;
mod style;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::author::{Author, Authors};
use super::{Report, clean};
use crate::report::source::{CitedSource, SourceId, SourceKind};
use date::PublicationDate;
pub use style::{CitationStyle, StyleError};

/// A title longer than this is cut.
const TITLE_MAX_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) source: SourceId,
    pub(super) pieces: Vec<ReferencePiece>,
}

/// A part of a reference. Its text is plain and not yet escaped for any format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReferencePiece {
    Text(String),
    Italic(String),
    Strong(String),
    /// An address, of `http`, `https` or `mailto` only, and the words that lead to it: mostly the address itself.
    Link {
        to: String,
        shown: String,
    },
}

impl ReferencePiece {
    /// The words that a reader sees.
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Italic(text) | Self::Strong(text) => text,
            Self::Link { shown, .. } => shown,
        }
    }

    fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Text(text) | Self::Italic(text) | Self::Strong(text) => text,
            Self::Link { shown, .. } => shown,
        }
    }
}

/// The references of a report, in the order of their numbers.
pub(super) fn references(report: &Report) -> Vec<Reference> {
    set(&report.sources, &report.citation_style)
}

/// Sources in a style, with what a reader must know of each behind it.
pub(super) fn set(sources: &[CitedSource], style: &CitationStyle) -> Vec<Reference> {
    let works: Vec<WorkFacts> = sources.iter().map(WorkFacts::new).collect();
    let lines = match &style.csl {
        Some(style) => csl::lines(&works, style),
        None => works.iter().map(numeric::line).collect(),
    };
    let noted = lines.into_iter().zip(sources).map(|(mut line, source)| {
        if source.retracted {
            line.text(" ")
                .push(ReferencePiece::Strong("Retracted.".to_owned()));
        }
        // A DOI leads to the work; which of one's own files was read is told besides.
        if source.kind == SourceKind::Local && source.doi.as_deref().and_then(doi_link).is_some() {
            line.text(format!(" [File {}]", clean::line(&source.location)));
        }
        if source.snapshot.is_none() {
            line.text(" [Not read; only its search result was seen.]");
        }
        Reference {
            source: source.number,
            pieces: line.pieces,
        }
    });
    noted.collect()
}

/// A reference as plain text.
pub(super) fn plain(pieces: &[ReferencePiece]) -> String {
    pieces.iter().map(ReferencePiece::text).collect()
}

/// Who wrote a source and when, in a few words; nothing where neither is known.
pub(super) fn byline(source: &CitedSource) -> Option<String> {
    let facts = WorkFacts::new(source);
    let first = facts.authors.named.first().map(|author| match author {
        Author::Person { family, .. } => family.clone(),
        Author::Body(name) => name.clone(),
    });
    let several = facts.authors.more || facts.authors.named.len() > 1;
    let who = first.map(|name| {
        if several {
            format!("{name} et al.")
        } else {
            name
        }
    });
    let when = facts.published.map(|published| published.year.to_string());
    match (who, when) {
        (Some(who), Some(when)) => Some(format!("{who}, {when}")),
        (who, when) => who.or(when),
    }
}

/// What a style needs to know, cleaned and decided once for all of them.
pub(super) struct WorkFacts {
    pub(super) authors: Authors,
    pub(super) title: String,
    pub(super) published: Option<PublicationDate>,
    pub(super) venue: Option<String>,
    pub(super) address: SourceAddress,
    pub(super) is_article: bool,
}

/// Where a reader finds it.
pub(super) enum SourceAddress {
    Doi(String),
    /// A page, and the day on which it was read.
    Page(String, Option<Date>),
    /// A path inside the library.
    File(String),
}

impl WorkFacts {
    pub(super) fn new(source: &CitedSource) -> Self {
        let filled = |text: &String| Some(clean::line(text)).filter(|text| !text.is_empty());
        let location = clean::line(&source.location);
        let title = match clean::cut(&source.title, TITLE_MAX_CHARS) {
            title if title.is_empty() => file_name(&location).to_owned(),
            title => title,
        };
        let read_on = |at: jiff::Timestamp| at.to_zoned(TimeZone::UTC).date();
        let read_on = source
            .snapshot
            .as_ref()
            .map(|taken| read_on(taken.taken_at));
        let address = match (
            source.doi.as_deref().and_then(doi_link),
            clean::link(&location),
        ) {
            (Some(doi), _) => SourceAddress::Doi(doi),
            (None, Some(page)) => SourceAddress::Page(page, read_on),
            (None, None) => SourceAddress::File(location),
        };
        let authors = Authors::parse(&source.authors);
        // A body that published its own work is not named twice.
        let other = |venue: &String| !authors.named.contains(&Author::Body(venue.clone()));
        let venue = source.venue.as_ref().and_then(filled).filter(other);
        let academic =
            source.kind == SourceKind::Academic || matches!(address, SourceAddress::Doi(_));
        Self {
            authors,
            title,
            published: source.published.as_deref().and_then(PublicationDate::parse),
            is_article: academic && venue.is_some(),
            venue,
            address,
        }
    }
}

fn file_name(location: &str) -> &str {
    if clean::link(location).is_some() {
        return location;
    }
    location.rsplit(['/', '\\']).next().unwrap_or(location)
}

/// `https://doi.org/…` of a DOI, with or without what people write before it.
pub(super) fn doi_link(doi: &str) -> Option<String> {
    let doi = clean::line(doi);
    let start = doi.find("10.")?;
    let bare = doi.get(start..)?;
    let (prefix, name) = bare.split_once('/')?;
    let numbered = prefix.len() > 3 && prefix.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !numbered || name.is_empty() {
        return None;
    }
    clean::link(&format!("https://doi.org/{bare}"))
}

/// A reference under construction.
#[derive(Default)]
pub(super) struct ReferenceLine {
    pieces: Vec<ReferencePiece>,
}

impl ReferenceLine {
    /// Adds a piece; plain text that follows plain text is one with it.
    fn push(&mut self, piece: ReferencePiece) -> &mut Self {
        match (self.pieces.last_mut(), piece) {
            (Some(ReferencePiece::Text(last)), ReferencePiece::Text(text)) => last.push_str(&text),
            (_, piece) if piece.text().is_empty() => {}
            (_, piece) => self.pieces.push(piece),
        }
        self
    }

    pub(super) fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(ReferencePiece::Text(text.into()))
    }

    pub(super) fn italic(&mut self, text: &str) -> &mut Self {
        self.push(ReferencePiece::Italic(text.to_owned()))
    }

    pub(super) fn link(&mut self, to: &str) -> &mut Self {
        self.push(ReferencePiece::Link {
            to: to.to_owned(),
            shown: to.to_owned(),
        })
    }

    fn has_link(&self) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| matches!(piece, ReferencePiece::Link { .. }))
    }

    /// Drops blanks at both ends.
    fn trim(&mut self) {
        if let Some(first) = self.pieces.first_mut() {
            *first.text_mut() = first.text().trim_start().to_owned();
        }
        if let Some(last) = self.pieces.last_mut() {
            *last.text_mut() = last.text().trim_end().to_owned();
        }
        self.pieces.retain(|piece| !piece.text().is_empty());
    }

    /// Whether what is written so far has an end of its own, be it inside quotation marks.
    fn is_ended(&self) -> bool {
        match self.pieces.last() {
            Some(ReferencePiece::Link { .. }) | None => false,
            Some(piece) => {
                let words = piece.text().trim_end_matches(['”', '"', ' ']);
                words.ends_with(['.', '?', '!', '。', '؟', '…'])
            }
        }
    }

    /// Ends a part with a full stop, unless it has an end of its own.
    pub(super) fn stop(&mut self) -> &mut Self {
        if self.is_ended() {
            self
        } else {
            self.text(".")
        }
    }
}

#[cfg(test)]
mod tests;
