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
use date::Published;
pub use style::{CitationStyle, UnknownStyle};

/// What styles say of every article without a volume; whether it is so is not known.
const MADE_UP: [&str; 3] = [
    " [published online ahead of print]",
    "Epub ahead of print ",
    "ahead of print, ",
];

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
    /// An address, of `http`, `https` or `mailto` only, and the words that lead to it: mostly the address itself.
    Link {
        to: String,
        shown: String,
    },
}

impl Piece {
    /// The words that a reader sees.
    fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Italic(text) | Self::Strong(text) => text,
            Self::Link { shown, .. } => shown,
        }
    }
}

/// The references of a report, in the order of their numbers.
pub(super) fn references(report: &Report) -> Vec<Reference> {
    set(&report.sources, report.citation_style)
}

/// Sources in a style, with what a reader must know of each behind it.
pub(super) fn set(sources: &[CitedSource], style: CitationStyle) -> Vec<Reference> {
    let works: Vec<Facts> = sources.iter().map(Facts::new).collect();
    let lines = style.csl.and_then(|style| csl::lines(&works, style));
    let lines = lines.unwrap_or_else(|| works.iter().map(numeric::line).collect());
    let noted = lines.into_iter().zip(sources).map(|(mut line, source)| {
        if source.retracted {
            line.text(" ").strong("Retracted.");
        }
        if source.snapshot.is_none() {
            line.text(" [Not read: only what a search said of it was seen.]");
        }
        Reference {
            source: source.number,
            pieces: line.pieces,
        }
    });
    noted.collect()
}

/// A reference as plain text.
pub(super) fn plain(pieces: &[Piece]) -> String {
    pieces.iter().map(Piece::text).collect()
}

/// Who wrote a source and when, in a few words; nothing where neither is known.
pub(super) fn byline(source: &CitedSource) -> Option<String> {
    let facts = Facts::new(source);
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

impl Facts {
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
            published: source.published.as_deref().and_then(Published::parse),
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
        self.link_as(to, to)
    }

    fn link_as(&mut self, to: &str, shown: &str) -> &mut Self {
        self.pieces.push(Piece::Link {
            to: to.to_owned(),
            shown: shown.to_owned(),
        });
        self
    }

    fn has_link(&self) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| matches!(piece, Piece::Link { .. }))
    }

    /// Drops what stood around a number at the beginning, blanks at both ends, and marks that a style sets twice.
    fn tidy(&mut self) {
        if let Some(Piece::Text(text)) = self.pieces.first_mut() {
            *text = text.trim_start_matches([' ', '.', ']', ')']).to_owned();
        }
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            *text = text.trim_end().to_owned();
        }
        let mut last = None;
        for piece in &mut self.pieces {
            if let Piece::Text(text) = piece {
                // A style that prints the day leaves its comma where only the year is known.
                *text = text.replace(",)", ")");
                for made_up in MADE_UP {
                    *text = text.replace(made_up, "");
                }
                // A title that ends in a mark of its own needs no full stop.
                for mark in ['?', '!', '…'] {
                    *text = text.replace(&format!("{mark}."), &mark.to_string());
                    if last == Some(mark) && text.starts_with('.') {
                        text.remove(0);
                    }
                }
            }
            last = piece.text().chars().last().or(last);
        }
        self.pieces.retain(|piece| !piece.text().is_empty());
    }

    /// Ends a part with a full stop, unless it has an end of its own.
    pub(super) fn stop(&mut self) -> &mut Self {
        let ended = match self.pieces.last() {
            Some(Piece::Link { .. }) | None => false,
            Some(piece) => {
                let words = piece.text().trim_end_matches(['”', '"', ' ']);
                words.ends_with(['.', '?', '!', '。', '؟', '…'])
            }
        };
        if ended { self } else { self.text(".") }
    }
}

#[cfg(test)]
mod tests;
