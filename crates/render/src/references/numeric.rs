//! Our own plain form: authors, title, venue, year, where to find it.

use super::{ReferenceLine, SourceAddress, WorkFacts};
use crate::author::Author;

const AUTHORS_MOST: usize = 3;

pub(super) fn line(facts: &WorkFacts) -> ReferenceLine {
    let mut line = ReferenceLine::default();
    let authors = authors(facts);
    if !authors.is_empty() {
        line.text(authors).stop().text(" ");
    }
    line.italic(&facts.title).stop();
    if let Some(venue) = &facts.venue {
        line.text(format!(" {venue},"));
    }
    match facts.published {
        Some(published) => line.text(format!(" {}.", published.year)),
        None => line.text(" n.d."),
    };
    match &facts.address {
        SourceAddress::Doi(to) => line.text(" ").link(to),
        SourceAddress::Page(to, read_on) => {
            line.text(" ").link(to);
            if let Some(day) = read_on {
                line.text(format!(" (read {day})"));
            }
            &mut line
        }
        SourceAddress::File(path) => line.text(format!(" File {path}")),
    };
    line
}

fn authors(facts: &WorkFacts) -> String {
    let named = &facts.authors.named;
    let shown: Vec<String> = named.iter().take(AUTHORS_MOST).map(name).collect();
    let more = facts.authors.more || named.len() > AUTHORS_MOST;
    match shown.len() {
        0 => String::new(),
        _ if more => format!("{} et al.", shown.join(", ")),
        _ => shown.join(", "),
    }
}

fn name(author: &Author) -> String {
    match author {
        Author::Body(name) => name.clone(),
        Author::Person {
            family,
            given,
            suffix,
        } => {
            let mut words = given.clone();
            words.push(family.clone());
            words.extend(suffix.clone());
            words.join(" ")
        }
    }
}
