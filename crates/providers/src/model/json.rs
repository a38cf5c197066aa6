//! A Rust value out of what a model wrote: thoughts, fences and talk around the JSON are left out, small faults of
//! writing mended, nothing made up.
//!
//! The mending itself is `json/mend.rs`; taking thoughts out is `json/thoughts.rs`.

mod mend;
mod thoughts;

pub use thoughts::without;

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;

use self::mend::MendedJson;

/// Places in a text at which a JSON value may begin that are tried.
const STARTS_MAX: usize = 32;

/// A longer answer is not searched.
const TEXT_MAX_BYTES: usize = 1024 * 1024;

/// What is shown of an explanation.
const WORDS_MAX_CHARS: usize = 300;

/// Why a text gave no such value, in words for the model and for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableJson {
    /// Where in the value, as in `queries[2].priority`; empty if it is not about one place.
    pub path: String,
    /// What is wrong, in at most 300 characters.
    pub words: String,
}

impl fmt::Display for UnusableJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.words)
        } else {
            write!(f, "at {}: {}", self.path, self.words)
        }
    }
}

impl std::error::Error for UnusableJson {}

/// The value that a model's text holds, and whether the text had to be mended for it.
pub(super) fn read_noting<T: DeserializeOwned>(text: &str) -> Result<(T, bool), UnusableJson> {
    if text.len() > TEXT_MAX_BYTES {
        return Err(unfit("the answer is too long to be read"));
    }
    let mut why = match parse(text.trim()) {
        Ok(value) => return Ok((value, false)),
        Err(why) => why,
    };
    let said = thoughts::without(text);
    let mut longest = 0;
    for mended in candidates(&said) {
        for json in mended.readings() {
            match parse(&json) {
                Ok(value) => return Ok((value, mended.changed)),
                Err(other) if mended.length > longest => {
                    (why, longest) = (other, mended.length);
                }
                Err(_) => {}
            }
        }
    }
    if longest == 0 && !said.contains(['{', '[']) {
        why = unfit("there is no JSON in the answer");
    }
    Err(why)
}

/// Whether the text is one JSON value and nothing else, thoughts aside; and which.
pub(super) fn plain(text: &str) -> Option<Value> {
    serde_json::from_str(thoughts::without(text).trim()).ok()
}

/// The values that begin somewhere in the text, untouched ones first.
fn candidates(text: &str) -> Vec<MendedJson> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..STARTS_MAX {
        let Some(start) = text.get(from..).and_then(|rest| rest.find(['{', '['])) else {
            break;
        };
        let start = from + start;
        let mended = text.get(start..).and_then(mend::value);
        from = start + mended.as_ref().map_or(1, |mended| mended.length.max(1));
        found.extend(mended);
    }
    found.sort_by_key(|mended| mended.changed);
    found
}

fn parse<T: DeserializeOwned>(json: &str) -> Result<T, UnusableJson> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        UnusableJson {
            path: if path == "." {
                String::new()
            } else {
                shorten(&path)
            },
            words: words(error.inner()),
        }
    })?;
    reader.end().map_err(|error| unfit(&words(&error)))?;
    Ok(value)
}

/// What is wrong; where is better told by a path than by a column.
fn words(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let words = error.to_string();
    shorten(words.strip_suffix(&place).unwrap_or(&words))
}

fn unfit(words: &str) -> UnusableJson {
    UnusableJson {
        path: String::new(),
        words: shorten(words),
    }
}

fn shorten(words: &str) -> String {
    words.chars().take(WORDS_MAX_CHARS).collect()
}

#[cfg(test)]
mod tests;
