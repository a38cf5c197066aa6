//! Patterns over sentences, kept in text files beside the code.
//!
//! A file has groups, `[name]`, of lines `label :: words :: pattern` or `label :: words :: pattern :: unless`. Patterns are
//! regular expressions over a sentence in plain form: lower case, one space between words, plain hyphens and apostrophes.

use regex::bytes::{Regex, RegexBuilder};

/// One line of such a file.
pub(super) struct PatternLine {
    /// The name of its group.
    pub(super) group: String,
    /// What comes first: an answer, or the value of a fact.
    pub(super) label: String,
    /// What comes next, in words for people.
    pub(super) words: String,
    pub(super) pattern: Regex,
    /// A sentence that has this does not count.
    unless: Option<Regex>,
}

impl PatternLine {
    pub(super) fn is_in(&self, plain: &str) -> bool {
        // Figures in brackets stand between words that belong together.
        let bare = plain.contains('(').then(|| without_brackets(plain));
        let has = |pattern: &Regex| {
            pattern.is_match(plain.as_bytes())
                || bare
                    .as_ref()
                    .is_some_and(|bare| pattern.is_match(bare.as_bytes()))
        };
        has(&self.pattern) && !self.unless.as_ref().is_some_and(has)
    }
}

/// Reads a file that is part of the program. A line that cannot be read is left out; a test holds that there is none.
pub(super) fn read(text: &str) -> Vec<PatternLine> {
    let (mut lines, mut group) = (Vec::new(), "");
    for line in meant(text) {
        if let Some(name) = line.strip_prefix('[') {
            group = name.trim_end_matches(']');
        } else {
            lines.extend(parse(group, line));
        }
    }
    lines
}

/// The lines that say something.
pub(super) fn meant(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn parse(group: &str, line: &str) -> Option<PatternLine> {
    let mut parts = line.split(" :: ").map(str::trim);
    let (label, words, pattern) = (parts.next()?, parts.next()?, parts.next()?);
    let unless = match parts.next() {
        Some(unless) => Some(compiled(unless)?),
        None => None,
    };
    Some(PatternLine {
        group: group.to_owned(),
        label: label.to_owned(),
        words: words.to_owned(),
        pattern: compiled(pattern)?,
        unless,
    })
}

/// Over bytes and without Unicode classes: the plain form needs none, and the automata stay small.
pub(super) fn compiled(pattern: &str) -> Option<Regex> {
    let mut builder = RegexBuilder::new(pattern);
    builder.unicode(false).case_insensitive(true).build().ok()
}

/// A struct of compiled patterns and the static that holds one, by a function that compiles a pattern.
macro_rules! pattern_table {
    ($(#[$about:meta])* $table:ident, $name:ident = $compiled:ident; $($field:ident: $pattern:ident,)*) => {
        $(#[$about])*
        pub(super) struct $table {
            $(pub(super) $field: regex::bytes::Regex,)*
        }

        pub(super) static $name: std::sync::LazyLock<Option<$table>> =
            std::sync::LazyLock::new(|| Some($table { $($field: $compiled($pattern)?,)* }));
    };
}
pub(super) use pattern_table;

/// A sentence without what stands in brackets.
pub(super) fn without_brackets(plain: &str) -> String {
    let (mut out, mut depth) = (String::with_capacity(plain.len()), 0_u32);
    for letter in plain.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out.replace("  ", " ").replace(" ,", ",")
}

/// A sentence as the patterns expect it.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
            '\u{2018}' | '\u{2019}' => out.push('\''),
            '\u{ad}' => {}
            letter if letter.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            letter => out.extend(letter.to_lowercase()),
        }
    }
    out.trim().to_owned()
}
