//! References in a CSL style, set by hayagriva.
//!
//! Takes what is known about the sources; gives one line for each, in their order. The numbers that a style would print
//! are left out, for the list has its own. Where a style says nothing of the address or the file, it is added: a reader
//! must be able to find every source.

use std::sync::LazyLock;

use hayagriva::archive::{ArchivedStyle, locales};
use hayagriva::citationberg::{FontStyle, FontWeight, Locale, Style};
use hayagriva::types::{Date, EntryType, FormatString, Person, QualifiedUrl, StringChunk};
use hayagriva::{
    BibliographyDriver, BibliographyRequest, CitationItem, CitationRequest, Elem, ElemChild,
    ElemChildren, ElemMeta, Entry,
};

use super::date::Published;
use super::{Facts, Line, SourceAddress, plain};
use crate::author::{Author, Authors};
use crate::clean;

static LOCALES: LazyLock<Vec<Locale>> = LazyLock::new(locales);

/// A line for each work; nothing where the style sets no list of references.
pub(super) fn lines(works: &[Facts], style: ArchivedStyle) -> Option<Vec<Line>> {
    let Style::Independent(style) = style.get() else {
        return None;
    };
    let entries: Vec<Entry> = works.iter().enumerate().map(entry).collect();
    let mut driver = BibliographyDriver::new();
    for entry in &entries {
        let cited = vec![CitationItem::with_entry(entry)];
        driver.citation(CitationRequest::from_items(cited, &style, &LOCALES));
    }
    let request = BibliographyRequest::new(&style, None, &LOCALES);
    let items = driver.finish(request).bibliography?.items;
    let line = |(at, work): (usize, &Facts)| {
        let item = items.iter().find(|item| item.key == at.to_string());
        let mut line = Line::default();
        if let Some(item) = item {
            let first = item.first_field.iter();
            first.for_each(|field| write(field, &mut line));
            write_all(&item.content, &mut line);
        }
        line.tidy();
        complete(&mut line, work);
        line
    };
    Some(works.iter().enumerate().map(line).collect())
}

fn entry((at, work): (usize, &Facts)) -> Entry {
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
        let kind = match work.is_article {
            true => EntryType::Periodical,
            false => EntryType::Web,
        };
        let mut parent = Entry::new("venue", kind);
        parent.set_title(verbatim(venue));
        entry.set_parents(vec![parent]);
    }
    match &work.address {
        SourceAddress::Doi(to) => entry.set_doi(bare_doi(to).to_owned()),
        SourceAddress::Page(to, read_on) => {
            if let Ok(to) = to.parse() {
                let read_on = read_on.map(|day| date(Published::from_day(day)));
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
fn date(published: Published) -> Date {
    Date {
        month: published.month.map(|month| month.saturating_sub(1)),
        day: published.day.map(|day| day.saturating_sub(1)),
        ..Date::from_year(i32::from(published.year))
    }
}

fn write_all(children: &ElemChildren, line: &mut Line) {
    children.0.iter().for_each(|child| write(child, line));
}

fn write(child: &ElemChild, line: &mut Line) {
    match child {
        ElemChild::Text(words) => {
            if words.formatting.font_style == FontStyle::Italic {
                line.italic(&words.text);
            } else if words.formatting.font_weight == FontWeight::Bold {
                line.strong(&words.text);
            } else {
                line.text(&words.text);
            }
        }
        ElemChild::Elem(Elem { meta, .. }) if *meta == Some(ElemMeta::CitationNumber) => {}
        ElemChild::Elem(elem) => {
            if elem.display.is_some() {
                line.text(" ");
            }
            write_all(&elem.children, line);
        }
        ElemChild::Markup(words) => {
            line.text(words);
        }
        ElemChild::Link { text, url } => match clean::link(url) {
            Some(to) => {
                line.link_as(&to, &text.text);
            }
            None => {
                line.text(&text.text);
            }
        },
        ElemChild::Transparent { .. } => {}
    }
}

/// Adds where the work is found and when it was read, if the style has left that out.
fn complete(line: &mut Line, work: &Facts) {
    let told = plain(&line.pieces);
    match &work.address {
        SourceAddress::Doi(to) => {
            if !line.has_link() {
                line.stop().text(" ").link(to);
            }
        }
        SourceAddress::Page(to, read_on) => {
            if !line.has_link() {
                line.stop().text(" ").link(to);
            }
            if let Some(day) = read_on {
                let parts = [day.year().to_string(), day.day().to_string()];
                if !parts.iter().all(|part| told.contains(part)) {
                    line.text(format!(" (read {day})"));
                }
            }
        }
        SourceAddress::File(path) => {
            if !told.contains(path) {
                line.stop().text(format!(" File {path}"));
            }
        }
    }
}
