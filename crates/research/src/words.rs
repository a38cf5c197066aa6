//! The word lists by which plans, evidence and prose are told apart without a model.
//!
//! Gives lists of `words.txt` by section and name. What is made of them is left to those who ask.

use std::collections::BTreeMap;
use std::sync::LazyLock;

const LISTS: &str = include_str!("words.txt");

type WordSection = Vec<(Option<&'static str>, Vec<&'static str>)>;

static SECTIONS: LazyLock<BTreeMap<&'static str, WordSection>> = LazyLock::new(parse);

/// The lines of a section that have names, in order.
pub(crate) fn named(
    section: &str,
) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let lines = SECTIONS.get(section).map_or(&[][..], Vec::as_slice);
    lines
        .iter()
        .filter_map(|(name, words)| Some(((*name)?, words.as_slice())))
}

/// The lists of a section's lines, in order.
pub(crate) fn lists(section: &str) -> impl Iterator<Item = &'static [&'static str]> {
    let lines = SECTIONS.get(section).map_or(&[][..], Vec::as_slice);
    lines.iter().map(|(_, words)| words.as_slice())
}

/// All words of a section.
pub(crate) fn all(section: &str) -> impl Iterator<Item = &'static str> {
    lists(section).flatten().copied()
}

/// The list of one name.
pub(crate) fn list(section: &str, name: &str) -> &'static [&'static str] {
    let mut lines = named(section);
    lines
        .find(|(known, _)| *known == name)
        .map_or(&[], |(_, words)| words)
}

/// Whether a text in small letters holds words, not only as a part of longer ones.
pub(crate) fn holds(lower: &str, said: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric();
    lower.match_indices(said).any(|(at, _)| {
        let before = lower
            .get(..at)
            .is_some_and(|before| before.ends_with(inner));
        let after = lower.get(at + said.len()..);
        !before && !after.is_some_and(|after| after.starts_with(inner))
    })
}

fn parse() -> BTreeMap<&'static str, WordSection> {
    let mut sections: BTreeMap<&'static str, WordSection> = BTreeMap::new();
    let mut open = "";
    for line in LISTS.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            open = name;
            continue;
        }
        let (name, words) = match line.split_once(": ") {
            Some((name, words)) => (Some(name), words),
            None => (None, line),
        };
        let words = words.split(", ").map(str::trim).collect();
        sections.entry(open).or_default().push((name, words));
    }
    sections
}
