//! APA, 7th edition: authors turned around, the year behind them, DOIs as addresses.

use super::{At, Facts, Line, date};
use crate::author::{Author, initials};

/// Up to so many authors are all named; of more, the first so many less one and the last.
const AUTHORS_MOST: usize = 20;

pub(super) fn line(facts: &Facts) -> Line {
    let mut line = Line::default();
    let authors = authors(facts);
    if authors.is_empty() {
        title(&mut line, facts);
        line.stop().text(format!(" ({}).", year(facts)));
    } else {
        line.text(&authors).stop();
        line.text(format!(" ({}). ", year(facts)));
        title(&mut line, facts);
        line.stop();
    }
    match &facts.venue {
        Some(venue) if facts.is_article => {
            line.text(" ").italic(venue).stop();
        }
        Some(venue) => {
            line.text(format!(" {venue}")).stop();
        }
        None => {}
    }
    place(&mut line, facts);
    line
}

/// The title of an article stands upright, for its journal is set apart; any other title is set apart itself.
fn title(line: &mut Line, facts: &Facts) {
    if facts.is_article {
        line.text(&facts.title);
    } else {
        line.italic(&facts.title);
    }
    if matches!(facts.at, At::File(_)) {
        line.text(" [Document in a library]");
    }
}

fn place(line: &mut Line, facts: &Facts) {
    match &facts.at {
        At::Doi(to) => line.text(" ").link(to),
        At::Page(to, Some(day)) => {
            let day = date::long(*day);
            line.text(format!(" Retrieved {day}, from ")).link(to)
        }
        At::Page(to, None) => line.text(" ").link(to),
        At::File(path) => line.text(format!(" {path}")),
    };
}

fn year(facts: &Facts) -> String {
    match facts.published {
        Some(published) if facts.is_article => published.year.to_string(),
        Some(published) => published.year_first(),
        None => "n.d.".to_owned(),
    }
}

fn authors(facts: &Facts) -> String {
    let names: Vec<String> = facts.authors.named.iter().map(name).collect();
    if facts.authors.more && !names.is_empty() {
        return format!("{}, et al.", names.join(", "));
    }
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first}, & {second}"),
        [head @ .., last] if names.len() <= AUTHORS_MOST => {
            format!("{}, & {last}", head.join(", "))
        }
        [.., last] => {
            let head = names.iter().take(AUTHORS_MOST - 1);
            let head: Vec<&str> = head.map(String::as_str).collect();
            format!("{}, . . . {last}", head.join(", "))
        }
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
            let mut name = family.clone();
            if !given.is_empty() {
                name = format!("{name}, {}", initials(given));
            }
            match suffix {
                Some(suffix) => format!("{name}, {suffix}"),
                None => name,
            }
        }
    }
}
