//! Values of flags that are more than a word or a number.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use fathom_render::{CitationStyle, StyleError};
use fathom_research::AskedDepth;

/// A span of years, open at one end or none.
pub(super) fn years(text: &str) -> Result<(Option<i16>, Option<i16>), String> {
    let wrong = || format!("\"{text}\" is no span of years; write 2015-2024, 2015- or -2024");
    let year = |text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| wrong()),
    };
    let (from, to) = text.split_once('-').ok_or_else(wrong)?;
    Ok((year(from)?, year(to)?))
}

/// How far an answer may go.
pub(super) fn tier(word: &str) -> Result<AskedDepth, String> {
    let wrong = |_| format!("\"{word}\" is no tier; choose one of simple, standard, deep, auto");
    word.parse().map_err(wrong)
}

/// A citation style by its name, or from a CSL file. The run keeps the text, so the file may go afterwards.
pub(super) fn citation_style(word: &str) -> Result<CitationStyle, String> {
    let is_file = |ending: &std::ffi::OsStr| ending.eq_ignore_ascii_case("csl");
    if !Path::new(word).extension().is_some_and(is_file) {
        return word.parse().map_err(|error: StyleError| error.to_string());
    }
    let mut text = String::new();
    let most = CitationStyle::MAX_BYTES as u64 + 1;
    let read = File::open(word).and_then(|file| file.take(most).read_to_string(&mut text));
    read.map_err(|error| format!("{word} cannot be read: {error}"))?;
    if !text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<')
    {
        return Err(format!("{word} is not a CSL style, which is an XML file"));
    }
    let style = text.parse();
    style.map_err(|error: StyleError| format!("{word}: {error}"))
}
