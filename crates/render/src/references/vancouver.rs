//! Vancouver, as the National Library of Medicine describes it: bare initials, few stops, the date year first.

use super::{At, Facts, Line, date};
use crate::author::{Author, bare_initials};

/// Of more authors the first so many are named.
const AUTHORS_MOST: usize = 6;

pub(super) fn line(facts: &Facts) -> Line {
    let mut line = Line::default();
    let authors = authors(facts);
    if !authors.is_empty() {
        line.text(authors).stop().text(" ");
    }
    line.text(&facts.title);
    if matches!(facts.at, At::Page(..)) && !facts.is_article {
        line.text(" [Internet]");
    }
    line.stop();
    if let Some(venue) = &facts.venue {
        let end = if facts.is_article { "." } else { ";" };
        line.text(format!(" {}{end}", venue.trim_end_matches('.')));
    }
    match facts.published {
        Some(published) => line.text(format!(" {}", published.medical())),
        None => line.text(" [date unknown]"),
    };
    if let At::Page(_, Some(day)) = facts.at {
        line.text(format!(" [cited {}]", date::medical(day)));
    }
    line.text(".");
    match &facts.at {
        At::Doi(to) | At::Page(to, _) => line.text(" Available from: ").link(to),
        At::File(path) => line.text(format!(" Located in: library; {path}")),
    };
    line
}

fn authors(facts: &Facts) -> String {
    let named = &facts.authors.named;
    let shown: Vec<String> = named.iter().take(AUTHORS_MOST).map(name).collect();
    let more = facts.authors.more || named.len() > AUTHORS_MOST;
    match shown.len() {
        0 => String::new(),
        _ if more => format!("{}, et al", shown.join(", ")),
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
            let mut words = vec![family.clone()];
            if !given.is_empty() {
                words.push(bare_initials(given));
            }
            let suffix = suffix.as_deref().map(|word| word.trim_end_matches('.'));
            words.extend(suffix.map(str::to_owned));
            words.join(" ")
        }
    }
}
