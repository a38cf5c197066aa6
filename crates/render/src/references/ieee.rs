//! IEEE: initials first, the title in quotation marks, the venue set apart.

use super::{At, Facts, Line, date};
use crate::author::{Author, initials};

/// Of more authors only the first is named.
const AUTHORS_MOST: usize = 6;

pub(super) fn line(facts: &Facts) -> Line {
    let mut line = Line::default();
    let authors = authors(facts);
    if !authors.is_empty() {
        line.text(format!("{authors}, "));
    }
    let ends = facts.title.ends_with(['?', '!', '.']);
    let comma = if ends { "" } else { "," };
    line.text(format!("“{}{comma}” ", facts.title));
    if let Some(venue) = &facts.venue {
        line.italic(venue).text(", ");
    }
    match facts.published {
        Some(published) => line.text(published.ieee()),
        None => line.text("n.d."),
    };
    line.stop();
    match &facts.at {
        At::Doi(to) => line.text(" [Online]. Available: ").link(to),
        At::Page(to, read_on) => {
            if let Some(day) = read_on {
                line.text(format!(" Accessed: {}.", date::ieee(*day)));
            }
            line.text(" [Online]. Available: ").link(to)
        }
        At::File(path) => line.text(format!(" File in a library: {path}")),
    };
    line
}

fn authors(facts: &Facts) -> String {
    let names: Vec<String> = facts.authors.named.iter().map(name).collect();
    let more = facts.authors.more;
    match names.as_slice() {
        [] => String::new(),
        [first, ..] if names.len() > AUTHORS_MOST => format!("{first} et al."),
        _ if more => format!("{} et al.", names.join(", ")),
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [head @ .., last] => format!("{}, and {last}", head.join(", ")),
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
            let mut words = Vec::new();
            if !given.is_empty() {
                words.push(initials(given));
            }
            words.push(family.clone());
            words.extend(suffix.clone());
            words.join(" ")
        }
    }
}
