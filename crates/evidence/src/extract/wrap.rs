//! Lines that were broken to fit a page, put together again; and what a short line is.
//!
//! Used for formats that know only lines: plain text and PDF.

use std::cell::OnceCell;

use crate::document::ParagraphRole;
use crate::fixed_hash::FixedSet;

/// Longer lines are sentences, not headings.
const HEADING_MAX_CHARS: usize = 90;

/// How far back a word is looked for that a line's end broke, in bytes: no word is longer.
const WORD_MAX_BYTES: usize = 100;

/// A title has so many words at most.
const TITLE_MAX_WORDS: usize = 12;

/// Words that follow a hyphen which stands for a word left out: "pre- and post-test".
const AFTER_LEFT_OUT: [&str; 11] = [
    "and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e",
];

/// What captions open with, before their number.
const CAPTION_KINDS: [&str; 9] = [
    "Figure",
    "Fig",
    "FIGURE",
    "FIG",
    "Table",
    "TABLE",
    "Scheme",
    "Box",
    "Algorithm",
];

/// Sections of reports and papers that stand without a number, by their lower-case names.
const KNOWN_NAMES: &str = include_str!("section_names.txt");

/// The words of a document, to tell a word that was broken from one with a hyphen of its own.
#[derive(Debug, Default)]
pub(super) struct WrapWords<'t> {
    text: &'t str,
    /// The words of the text. Most texts break none, and then nobody asks for them.
    known: OnceCell<FixedSet<&'t str>>,
    /// People who type text end a line at a hyphen and break no words; printed text breaks them.
    typed: bool,
}

impl<'t> WrapWords<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    pub(super) fn typed(text: &'t str) -> Self {
        Self {
            typed: true,
            ..Self::new(text)
        }
    }

    /// Whether `exam-` and `ple` are one word. The document itself knows best: it may have the word
    /// elsewhere with the hyphen, or without.
    fn is_one(&self, head: &str, tail: &str) -> bool {
        let known = self.known.get_or_init(|| {
            let words = self.text.split(|c: char| !is_inside(c));
            words.filter(|word| !word.is_empty()).collect()
        });
        if known.contains(format!("{head}{tail}").as_str()) {
            return true;
        }
        let hyphenated = known.contains(format!("{head}-{tail}").as_str());
        !hyphenated && !head.contains('-') && !self.typed
    }
}

/// Whether a character may stand inside a word.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || c == '-'
}

/// One text of lines that belong together.
pub(super) fn join<'l>(lines: impl IntoIterator<Item = &'l str>, words: &WrapWords<'_>) -> String {
    let mut text = String::new();
    for line in lines {
        go_on(&mut text, line, words);
    }
    text
}

/// Adds a line to a text that it belongs to.
pub(super) fn go_on(text: &mut String, line: &str, words: &WrapWords<'_>) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    match broken_word(text, line) {
        Some((head, tail)) if words.is_one(head, tail) => {
            text.pop();
        }
        Some(_) => {}
        None if text.is_empty() => {}
        None => text.push(' '),
    }
    text.push_str(line);
}

/// The two halves, when a text ends inside a word that goes on in the next line.
fn broken_word<'a>(text: &'a str, next: &'a str) -> Option<(&'a str, &'a str)> {
    let before = text.strip_suffix(['-', '\u{2010}'])?;
    let near = before.floor_char_boundary(before.len().saturating_sub(WORD_MAX_BYTES));
    let head = before[near..].rsplit(|c: char| !is_inside(c)).next()?;
    let tail = next.split(|c: char| !c.is_alphanumeric()).next()?;
    if AFTER_LEFT_OUT.contains(&tail) {
        return None;
    }
    let letters = head.ends_with(char::is_alphabetic) && tail.starts_with(char::is_lowercase);
    letters.then_some((head, tail))
}

/// The level of a heading, when a line that stands alone reads like one: `2.1 Participants`,
/// `Methods`, `IV. RESULTS`.
pub(super) fn heading_level(line: &str) -> Option<u8> {
    let line = line.trim();
    if line.chars().count() > HEADING_MAX_CHARS || line.ends_with([',', ';']) {
        return None;
    }
    if let Some((depth, title)) = numbered(line) {
        return reads_like_title(title).then_some(depth);
    }
    is_known_name(line).then_some(1)
}

/// A name that sections of papers bear, such as `Abstract` or `MATERIALS AND METHODS:`.
pub(super) fn is_known_name(line: &str) -> bool {
    let line = line.trim().trim_end_matches([':', '.']).to_lowercase();
    KNOWN_NAMES.lines().any(|name| name == line)
}

/// A short line in capitals. Letters of a script without capitals, such as Chinese or Arabic, are none.
pub(super) fn is_capitals(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic());
    letters.clone().all(char::is_uppercase)
        && letters.count() >= 4
        && line.chars().count() <= HEADING_MAX_CHARS
        && !line.ends_with(['.', ',', ';', '!'])
}

/// The depth and the words of `2.1 Participants`, `3. Results`, `IV. Discussion` or `A.2 Proofs`.
fn numbered(line: &str) -> Option<(u8, &str)> {
    let (number, title) = line.split_once(char::is_whitespace)?;
    let parts: Vec<&str> = number.trim_end_matches(['.', ')']).split('.').collect();
    let (first, others) = parts.split_first()?;
    let is_number =
        |part: &&str| (1..=2).contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit());
    let is_roman =
        !first.is_empty() && first.len() <= 5 && first.chars().all(|c| "IVX".contains(c));
    let is_letter = first.len() == 1 && first.chars().all(|c| c.is_ascii_uppercase());
    // A letter or a Roman number alone is often a word: it needs its point.
    let marked = number.ends_with('.') || !others.is_empty();
    let opens = is_number(first) || (is_roman || is_letter) && marked;
    let depth = u8::try_from(parts.len()).ok().filter(|depth| *depth <= 5)?;
    (opens && others.iter().all(is_number)).then_some((depth, title.trim()))
}

fn reads_like_title(title: &str) -> bool {
    let starts = title.chars().next().is_some_and(|c| c.is_uppercase());
    let words = title.split_whitespace().count();
    starts
        && words <= TITLE_MAX_WORDS
        && !title.ends_with(['.', ':', '!'])
        && title.chars().any(char::is_lowercase)
        || is_capitals(title)
        || is_known_name(title)
}

/// What a line is that begins with a mark of a list, and its words after the mark.
pub(super) fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix([
        '•', '◦', '▪', '‣', '●', '○', '■', '–', '-', '*', '·', '\u{f0b7}',
    ]);
    if let Some(rest) = rest.filter(|rest| rest.starts_with(char::is_whitespace)) {
        return Some(rest.trim_start()).filter(|rest| !rest.is_empty());
    }
    let (mark, rest) = line.split_once(char::is_whitespace)?;
    let inner = mark
        .trim_start_matches('(')
        .strip_suffix(')')
        .or(mark.strip_suffix('.'))?;
    let short = (1..=2).contains(&inner.len());
    let counts = inner.chars().all(|c| c.is_ascii_digit()) || inner.len() == 1 && inner.is_ascii();
    // The mark is part of what such an item says: others refer to it.
    (short && counts && mark.ends_with(')') || short && inner.chars().all(|c| c.is_ascii_digit()))
        .then_some(line)
        .filter(|_| !rest.trim().is_empty())
}

/// Captions open with the kind and number of what they explain.
pub(super) fn is_caption(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default().trim_end_matches('.');
    let number = words.next().unwrap_or_default();
    CAPTION_KINDS.contains(&kind)
        && number.starts_with(|c: char| c.is_ascii_digit() || "IVXS".contains(c))
        && number.ends_with([':', '.', '|'])
}

/// What a paragraph is, by its own words.
pub(super) fn role(text: &str) -> ParagraphRole {
    if is_caption(text) {
        ParagraphRole::Caption
    } else {
        ParagraphRole::Body
    }
}

#[cfg(test)]
mod tests {
    use super::{WrapWords, heading_level, is_caption, join, list_item};

    #[test]
    fn a_word_broken_at_a_line_end_is_put_together() {
        let none = WrapWords::default();
        assert_eq!(
            join(["An exam-", "ple of it", "here"], &none),
            "An example of it here"
        );
        assert_eq!(join(["from 1990-", "2000"], &none), "from 1990- 2000");
    }

    #[test]
    fn a_hyphen_of_its_own_stays_when_the_document_has_it_elsewhere() {
        let words = WrapWords::new("a well-known fact");
        assert_eq!(
            join(["the well-", "known one"], &words),
            "the well-known one"
        );
        assert_eq!(
            join(["state-of-the-", "art"], &WrapWords::default()),
            "state-of-the-art"
        );
    }

    #[test]
    fn numbered_and_known_lines_are_headings() {
        assert_eq!(heading_level("2.1 Participants"), Some(2));
        assert_eq!(heading_level("3 Results"), Some(1));
        assert_eq!(heading_level("IV. DISCUSSION"), Some(1));
        assert_eq!(heading_level("Materials and Methods"), Some(1));
        assert_eq!(heading_level("3 patients were lost to follow-up."), None);
        assert_eq!(heading_level("I think so"), None);
        assert_eq!(heading_level("We did it"), None);
    }

    #[test]
    fn marks_of_lists_and_captions_are_known() {
        assert_eq!(list_item("• first"), Some("first"));
        assert_eq!(list_item("(a) second"), Some("(a) second"));
        assert_eq!(list_item("1. third"), Some("1. third"));
        assert_eq!(list_item("-5 degrees"), None);
        assert!(is_caption("Table 2. Outcomes"));
        assert!(is_caption("Figure 1: Flow"));
        assert!(!is_caption("Table 2 shows the outcomes."));
    }
}
