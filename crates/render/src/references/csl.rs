//! References in a CSL style, set by hayagriva.
//!
//! Takes what is known about the sources; gives one line for each, in their order. The numbers that a style would print
//! are left out, for the list has its own. Where a style says nothing of the address or the file, it is added: a reader
//! must be able to find every source. Only the style's own text is corrected; the words of a source stay as they are.

use std::sync::LazyLock;

use hayagriva::archive::locales;
use hayagriva::citationberg::{FontStyle, FontWeight, IndependentStyle, Locale};
use hayagriva::types::{Date, EntryType, FormatString, Person, QualifiedUrl, StringChunk};
use hayagriva::{
    BibliographyDriver, BibliographyItem, BibliographyRequest, CitationItem, CitationRequest,
    ElemChild, ElemMeta, Entry,
};

use super::date::PublicationDate;
use super::{ReferenceLine, ReferencePiece, SourceAddress, WorkFacts};
use crate::author::{Author, Authors};
use crate::clean;

static LOCALES: LazyLock<Vec<Locale>> = LazyLock::new(locales);

/// A line for each work.
pub(super) fn lines(works: &[WorkFacts], style: &IndependentStyle) -> Vec<ReferenceLine> {
    let entries: Vec<Entry> = works.iter().enumerate().map(entry).collect();
    let items = set_entries(&entries, style);
    // What a style says without the days of reading tells whether it prints them.
    let undated: Vec<Entry> = entries.into_iter().map(without_read_day).collect();
    let undated_items = set_entries(&undated, style);
    let line = |(at, work): (usize, &WorkFacts)| {
        let key = at.to_string();
        let of_work = |items: &[BibliographyItem]| {
            let item = items.iter().find(|item| item.key == key)?;
            let first = item.first_field.iter().cloned();
            Some(first.chain(item.content.0.clone()).collect::<Vec<_>>())
        };
        let item = of_work(&items).unwrap_or_default();
        let prints_read_day = Some(&item) != of_work(&undated_items).as_ref();
        let mut line = SetLine::default();
        line.push_all(&item, false);
        let mut line = line.tidy(&work.title);
        complete(&mut line, work, prints_read_day);
        line
    };
    works.iter().enumerate().map(line).collect()
}

fn set_entries(entries: &[Entry], style: &IndependentStyle) -> Vec<BibliographyItem> {
    let mut driver = BibliographyDriver::new();
    for entry in entries {
        let cited = vec![CitationItem::with_entry(entry)];
        driver.citation(CitationRequest::from_items(cited, style, &LOCALES));
    }
    let request = BibliographyRequest::new(style, None, &LOCALES);
    let bibliography = driver.finish(request).bibliography;
    bibliography.map_or_else(Vec::new, |list| list.items)
}

fn without_read_day(mut entry: Entry) -> Entry {
    if let Some(url) = entry.url().cloned() {
        entry.set_url(QualifiedUrl::new(url.value, None));
    }
    entry
}

fn entry((at, work): (usize, &WorkFacts)) -> Entry {
    let kind = match (&work.address, work.is_article) {
        (_, true) => EntryType::Article,
        (SourceAddress::File(_), false) => EntryType::Report,
        (_, false) => EntryType::Web,
    };
    let mut entry = Entry::new(&at.to_string(), kind);
    entry.set_title(verbatim(&work.title));
    let authors = persons(&work.authors);
    if !authors.is_empty() {
        entry.set_authors(authors);
    }
    if let Some(published) = work.published {
        entry.set_date(date(published));
    }
    if let Some(venue) = &work.venue {
        let kind = if work.is_article {
            EntryType::Periodical
        } else {
            EntryType::Web
        };
        let mut parent = Entry::new("venue", kind);
        parent.set_title(verbatim(venue));
        entry.set_parents(vec![parent]);
    }
    match &work.address {
        SourceAddress::Doi(to) => entry.set_doi(bare_doi(to).to_owned()),
        SourceAddress::Page(to, read_on) => {
            if let Ok(to) = to.parse() {
                let read_on = read_on.map(|day| date(PublicationDate::from_day(day)));
                entry.set_url(QualifiedUrl::new(to, read_on));
            }
        }
        SourceAddress::File(_) => {}
    }
    entry
}

fn bare_doi(link: &str) -> &str {
    link.trim_start_matches("https://doi.org/")
}

/// Text that is set as it stands: hayagriva would read braces and dollar signs as markup.
fn verbatim(text: &str) -> FormatString {
    StringChunk::verbatim(text).into()
}

fn persons(authors: &Authors) -> Vec<Person> {
    let person = |name: &str| Person {
        name: name.to_owned(),
        given_name: None,
        prefix: None,
        suffix: None,
        comma_suffix: false,
        alias: None,
    };
    let named = authors.named.iter().map(|author| match author {
        Author::Body(name) => person(name),
        Author::Person {
            family,
            given,
            suffix,
        } => Person {
            given_name: Some(given.join(" ")).filter(|given| !given.is_empty()),
            suffix: suffix.clone(),
            ..person(family)
        },
    });
    let mut named: Vec<Person> = named.collect();
    if authors.more && !named.is_empty() {
        named.push(person("others"));
    }
    named
}

/// Hayagriva counts months and days from 0.
fn date(published: PublicationDate) -> Date {
    Date {
        month: published.month.map(|month| month.saturating_sub(1)),
        day: published.day.map(|day| day.saturating_sub(1)),
        ..Date::from_year(i32::from(published.year))
    }
}

/// A line as a style sets it, in the order of its pieces.
#[derive(Default)]
struct SetLine {
    pieces: Vec<SetPiece>,
}

/// A piece of a line, and whose words it holds.
enum SetPiece {
    /// Punctuation, terms and dates, which the style brings along.
    OfStyle(ReferencePiece),
    /// A title, a name or an address.
    OfSource(ReferencePiece),
    /// Where the style would print a number.
    Number,
}

impl SetLine {
    fn push_all(&mut self, children: &[ElemChild], of_source: bool) {
        for child in children {
            self.push_child(child, of_source);
        }
    }

    fn push_child(&mut self, child: &ElemChild, of_source: bool) {
        let piece = match child {
            ElemChild::Text(words) => {
                let text = words.text.clone();
                if words.formatting.font_style == FontStyle::Italic {
                    ReferencePiece::Italic(text)
                } else if words.formatting.font_weight == FontWeight::Bold {
                    ReferencePiece::Strong(text)
                } else {
                    ReferencePiece::Text(text)
                }
            }
            ElemChild::Elem(elem) => {
                if elem.display.is_some() {
                    self.push(ReferencePiece::Text(" ".to_owned()), false);
                }
                let children = &elem.children.0;
                return match elem.meta {
                    Some(ElemMeta::CitationNumber) => self.pieces.push(SetPiece::Number),
                    // A style that has one address in two places needs only one of them.
                    Some(ElemMeta::Text) if self.links_again(children) => {}
                    Some(ElemMeta::Text | ElemMeta::Names(_) | ElemMeta::Name(..)) => {
                        self.push_all(children, true);
                    }
                    _ => self.push_all(children, of_source),
                };
            }
            ElemChild::Markup(words) => ReferencePiece::Text(words.clone()),
            ElemChild::Link { text, url } => match clean::link(url) {
                Some(to) => ReferencePiece::Link {
                    to,
                    shown: text.text.clone(),
                },
                None => ReferencePiece::Text(text.text.clone()),
            },
            ElemChild::Transparent { .. } => return,
        };
        self.push(piece, of_source);
    }

    /// Adds a piece; plain text of the style that follows such text is one with it.
    fn push(&mut self, piece: ReferencePiece, of_source: bool) {
        match (self.pieces.last_mut(), piece) {
            (Some(SetPiece::OfStyle(ReferencePiece::Text(last))), ReferencePiece::Text(text))
                if !of_source =>
            {
                last.push_str(&text);
            }
            (_, piece) if of_source => self.pieces.push(SetPiece::OfSource(piece)),
            (_, piece) => self.pieces.push(SetPiece::OfStyle(piece)),
        }
    }

    fn links_again(&self, children: &[ElemChild]) -> bool {
        children.iter().any(|child| match child {
            ElemChild::Link { url, .. } => self.pieces.iter().any(|piece| match piece {
                SetPiece::OfSource(ReferencePiece::Link { to, .. }) => to == url,
                _ => false,
            }),
            _ => false,
        })
    }

    /// The line without what surrounded a number, and without marks that stand twice or alone.
    fn tidy(self, title: &str) -> ReferenceLine {
        let mut line = ReferenceLine::default();
        let mut behind_number = false;
        // A title that ends in a mark of its own needs no full stop.
        let marked = title.ends_with(['?', '!', '…']);
        let doubled = format!("{title}{}", if marked { "." } else { "" });
        for piece in self.pieces {
            match piece {
                SetPiece::Number => {
                    line.pieces
                        .retain(|piece| piece.text().contains(char::is_alphanumeric));
                    behind_number = true;
                }
                SetPiece::OfSource(mut piece) => {
                    let text = piece.text_mut();
                    *text = text.replacen(&doubled, title, 1);
                    // Here stands the mark that a style sets before a venue.
                    if line.is_ended() && text.starts_with(". ") {
                        text.remove(0);
                    }
                    line.push(piece);
                    behind_number = false;
                }
                SetPiece::OfStyle(mut piece) => {
                    let text = piece.text_mut();
                    // Where something is not known or left out, a style may leave the marks around it.
                    for (left, tidied) in [(",)", ")"), (" .", "."), ("..", ".")] {
                        *text = text.replace(left, tidied);
                    }
                    if behind_number {
                        *text = text.trim_start_matches([' ', '.', ']', ')']).to_owned();
                        behind_number = text.is_empty();
                    }
                    if line.is_ended() && text.starts_with('.') {
                        text.remove(0);
                    }
                    line.push(piece);
                }
            }
        }
        line.trim();
        line
    }
}

/// Adds where the work is found and when it was read, if the style has left that out.
fn complete(line: &mut ReferenceLine, work: &WorkFacts, prints_read_day: bool) {
    match &work.address {
        SourceAddress::Doi(to) | SourceAddress::Page(to, _) if !line.has_link() => {
            line.stop().text(" ").link(to);
        }
        // No style is told of the file, so it can only stand there as the title.
        SourceAddress::File(path) if *path != work.title => {
            line.stop().text(format!(" File {path}"));
        }
        _ => {}
    }
    if let SourceAddress::Page(_, Some(day)) = &work.address
        && !prints_read_day
    {
        line.text(format!(" (read {day})"));
    }
}
