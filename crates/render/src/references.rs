//! The list of references, made by code from what is known about the sources.
//!
//! Takes the sources of a report and a citation style; gives each reference as pieces of text, so that every format can
//! set titles and links in its own way. The rules are those published for APA (7th edition), IEEE and Vancouver (NLM), as
//! far as the data goes; `Numeric` is our own plain form. Nothing is made up: what is not known is left out or said to
//! be unknown.

mod apa;
mod date;
mod ieee;
mod numeric;
mod vancouver;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::author::{Author, Authors};
use super::{Report, clean};
use crate::report::source::{CitedSource, SourceId, SourceKind};
use date::Published;

/// How the list of references is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CitationStyle {
    /// Our own plain form.
    #[default]
    Numeric,
    /// As the American Psychological Association publishes it (7th edition).
    Apa,
    /// As the Institute of Electrical and Electronics Engineers publishes it.
    Ieee,
    /// As the National Library of Medicine publishes it.
    Vancouver,
}

/// A title longer than this is cut.
const TITLE_MAX_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) source: SourceId,
    pub(super) pieces: Vec<Piece>,
}

/// A part of a reference. Its text is plain and not yet escaped for any format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Italic(String),
    Strong(String),
    /// An address, of `http`, `https` or `mailto` only, that is shown as it is.
    Link(String),
}

/// The references of a report, in the order of their numbers.
pub(super) fn references(report: &Report) -> Vec<Reference> {
    let one = |source: &CitedSource| Reference {
        source: source.number,
        pieces: reference(source, report.citation_style),
    };
    report.sources.iter().map(one).collect()
}

/// One source in a style, with what a reader must know of it behind it.
pub(super) fn reference(source: &CitedSource, style: CitationStyle) -> Vec<Piece> {
    let facts = Facts::of(source);
    let mut line = match style {
        CitationStyle::Numeric => numeric::line(&facts),
        CitationStyle::Apa => apa::line(&facts),
        CitationStyle::Ieee => ieee::line(&facts),
        CitationStyle::Vancouver => vancouver::line(&facts),
    };
    if source.retracted {
        line.text(" ").strong("Retracted.");
    }
    if source.snapshot.is_none() {
        line.text(" [Not read: only what a search said of it was seen.]");
    }
    line.pieces
}

/// A reference as plain text.
pub(super) fn plain(pieces: &[Piece]) -> String {
    let text = pieces.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Italic(text) | Piece::Strong(text) | Piece::Link(text) => {
            text.as_str()
        }
    });
    text.collect()
}

/// Who wrote a source and when, in a few words; nothing where neither is known.
pub(super) fn byline(source: &CitedSource) -> Option<String> {
    let facts = Facts::of(source);
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
pub(super) struct Facts {
    pub(super) authors: Authors,
    pub(super) title: String,
    pub(super) published: Option<Published>,
    pub(super) venue: Option<String>,
    pub(super) at: At,
    pub(super) is_article: bool,
}

/// Where a reader finds it.
pub(super) enum At {
    Doi(String),
    /// A page, and the day on which it was read.
    Page(String, Option<Date>),
    /// A path inside the library.
    File(String),
}

impl Facts {
    pub(super) fn of(source: &CitedSource) -> Self {
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
        let at = match (
            source.doi.as_deref().and_then(doi_link),
            clean::link(&location),
        ) {
            (Some(doi), _) => At::Doi(doi),
            (None, Some(page)) => At::Page(page, read_on),
            (None, None) => At::File(location),
        };
        let authors = Authors::parse(&source.authors);
        // A body that published its own work is not named twice.
        let other = |venue: &String| !authors.named.contains(&Author::Body(venue.clone()));
        let venue = source.venue.as_ref().and_then(filled).filter(other);
        let academic = source.kind == SourceKind::Academic || matches!(at, At::Doi(_));
        Self {
            authors,
            title,
            published: source.published.as_deref().and_then(Published::parse),
            is_article: academic && venue.is_some(),
            venue,
            at,
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
pub(super) struct Line {
    pieces: Vec<Piece>,
}

impl Line {
    pub(super) fn text(&mut self, text: impl AsRef<str>) -> &mut Self {
        let text = text.as_ref();
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
        self
    }

    pub(super) fn italic(&mut self, text: &str) -> &mut Self {
        self.pieces.push(Piece::Italic(text.to_owned()));
        self
    }

    fn strong(&mut self, text: &str) -> &mut Self {
        self.pieces.push(Piece::Strong(text.to_owned()));
        self
    }

    pub(super) fn link(&mut self, to: &str) -> &mut Self {
        self.pieces.push(Piece::Link(to.to_owned()));
        self
    }

    /// Ends a part with a full stop, unless it has an end of its own.
    pub(super) fn stop(&mut self) -> &mut Self {
        let last = self.pieces.last().and_then(|piece| match piece {
            Piece::Text(text) | Piece::Italic(text) | Piece::Strong(text) => text.chars().last(),
            Piece::Link(_) => None,
        });
        match last {
            Some('.' | '?' | '!' | '。' | '؟' | '…') => self,
            _ => self.text("."),
        }
    }
}

#[cfg(test)]
mod tests;
