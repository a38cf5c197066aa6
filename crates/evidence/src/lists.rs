//! Word lists kept in readable text files.
//!
//! A file has sections that open with `[name]`; below stand words or phrases, one a line or
//! several a line with commas between. Lines that begin with `#` are for people.

use std::collections::BTreeSet;

/// The entries of one section in the order in which they stand; none when it is not there.
pub(crate) fn entries(file: &'static str, section: &str) -> Vec<&'static str> {
    lines(file, section)
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .collect()
}

/// The same, to look words up in.
pub(crate) fn set(file: &'static str, section: &str) -> BTreeSet<&'static str> {
    entries(file, section).into_iter().collect()
}

/// The lines of one section, whole.
pub(crate) fn lines(file: &'static str, section: &str) -> impl Iterator<Item = &'static str> {
    let inside = move |line: &&str| {
        line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) != Some(section)
    };
    file.lines()
        .map(str::trim)
        .skip_while(inside)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}
