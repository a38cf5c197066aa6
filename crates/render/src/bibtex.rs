//! The references of a report as BibTeX, for a reader's own list.
//!
//! Takes a finished report; gives one entry for each source, with a key of its own. Fields hold what is known and nothing
//! else. Everything is escaped so that braces always balance and TeX reads the words as they are.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;

use super::author::{Author, Authors};
use super::references::{SourceAddress, WorkFacts};
use super::{Report, clean};
use crate::CitedSource;

/// The list of references, one entry a source.
pub fn bibtex(report: &Report) -> String {
    let mut keys = BTreeSet::new();
    let entries = report.sources.iter().map(|source| {
        let facts = WorkFacts::new(source);
        let key = unique(&key(&facts, source), &mut keys);
        entry(&key, source, &facts)
    });
    entries.collect::<Vec<_>>().join("\n")
}

fn entry(key: &str, source: &CitedSource, facts: &WorkFacts) -> String {
    let body = match facts.authors.named.as_slice() {
        [Author::Body(name)] if matches!(facts.address, SourceAddress::File(_)) => Some(name),
        _ => None,
    };
    let kind = match (facts.is_article, body) {
        (true, _) => "article",
        (false, Some(_)) => "techreport",
        (false, None) => "misc",
    };
    let mut fields: Vec<(&str, String)> = Vec::new();
    let authors = authors(&facts.authors);
    if !authors.is_empty() {
        fields.push(("author", authors));
    }
    // The second pair of braces keeps the capitals of the title.
    fields.push(("title", format!("{{{}}}", escaped(&facts.title))));
    if let Some(venue) = &facts.venue {
        let name = if facts.is_article {
            "journal"
        } else {
            "organization"
        };
        fields.push((name, escaped(venue)));
    }
    fields.extend(body.map(|name| ("institution", escaped(name))));
    if let Some(published) = facts.published {
        fields.push(("year", published.year.to_string()));
        fields.extend(published.month.map(|month| ("month", month.to_string())));
    }
    place(&mut fields, facts);
    let note = note(source);
    if !note.is_empty() {
        fields.push(("note", note));
    }
    let lines = fields
        .iter()
        .map(|(name, value)| format!("  {name} = {{{value}}},\n"));
    format!("@{kind}{{{key},\n{}}}\n", lines.collect::<String>())
}

fn place(fields: &mut Vec<(&str, String)>, facts: &WorkFacts) {
    match &facts.address {
        SourceAddress::Doi(to) => {
            let bare = to.trim_start_matches("https://doi.org/");
            fields.push(("doi", bare.to_owned()));
            fields.push(("url", to.clone()));
        }
        SourceAddress::Page(to, read_on) => {
            fields.push(("url", to.clone()));
            fields.extend(read_on.map(|day| ("urldate", day.to_string())));
        }
        SourceAddress::File(path) => {
            let said = format!("File in a library: {path}");
            fields.push(("howpublished", escaped(&said)));
        }
    }
}

fn note(source: &CitedSource) -> String {
    let mut notes = Vec::new();
    if source.retracted {
        notes.push("Retracted");
    }
    if source.snapshot.is_none() {
        notes.push("Not read; only its search result was seen");
    }
    notes.join(". ")
}

fn authors(authors: &Authors) -> String {
    let named = authors.named.iter().map(|author| match author {
        Author::Body(name) => format!("{{{}}}", escaped(name)),
        Author::Person {
            family,
            given,
            suffix,
        } => {
            let mut parts = vec![name_part(family)];
            parts.extend(suffix.as_deref().map(name_part));
            if !given.is_empty() {
                parts.push(name_part(&given.join(" ")));
            }
            parts.join(", ")
        }
    });
    let mut named: Vec<String> = named.collect();
    if authors.more && !named.is_empty() {
        named.push("others".to_owned());
    }
    named.join(" and ")
}

/// A comma or an "and" inside a name would begin another part, so such a name is held together.
fn name_part(part: &str) -> String {
    let parted = part.contains(',') || part.split(' ').any(|word| word.eq_ignore_ascii_case("and"));
    if parted {
        format!("{{{}}}", escaped(part))
    } else {
        escaped(part)
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in clean::line(text).chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '$' | '&' | '#' | '%' | '_' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Family name, year and first long word of the title, in plain letters: `vanderberg2023cooling`.
fn key(facts: &WorkFacts, source: &CitedSource) -> String {
    let first = facts.authors.named.first().map(|author| match author {
        Author::Person { family, .. } => family.as_str(),
        Author::Body(name) => name.split(' ').next().unwrap_or(name),
    });
    let year = facts.published.map(|published| published.year.to_string());
    let words = facts.title.split(|c: char| !c.is_alphanumeric()).map(plain);
    let word = words
        .filter(|word| word.len() > 3)
        .find(|word| word.bytes().all(|b| b.is_ascii_alphabetic()));
    let name = plain(first.unwrap_or_default());
    let key = format!(
        "{name}{}{}",
        year.unwrap_or_default(),
        word.unwrap_or_default()
    );
    if key.bytes().any(|b| b.is_ascii_alphabetic()) {
        key
    } else {
        format!("source{}", source.number.0)
    }
}

/// Latin letters and digits without accents, in lower case.
fn plain(text: &str) -> String {
    let letters = text.nfkd().filter(char::is_ascii_alphanumeric);
    let lower = letters.map(|c| c.to_ascii_lowercase());
    lower.take(KEY_WORD_MAX_CHARS).collect()
}

const KEY_WORD_MAX_CHARS: usize = 24;

fn unique(key: &str, taken: &mut BTreeSet<String>) -> String {
    let letters = ('b'..='z').map(|letter| format!("{key}{letter}"));
    let numbers = (2..).map(|number| format!("{key}-{number}"));
    let mut tries = std::iter::once(key.to_owned())
        .chain(letters)
        .chain(numbers);
    let free = tries.find(|key| !taken.contains(key)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests;
