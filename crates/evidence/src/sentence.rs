//! Where the sentences of a text stand.
//!
//! Takes a text and its language; gives spans. A splitter for many languages proposes where
//! sentences begin; rules of our own then take back and add beginnings where papers and reports
//! differ from the prose it was made for. Together the spans hold every character that is not white.

mod correct_starts;

use crate::{Language, Span, lists};

const LEANING: &str = include_str!("sentence/leaning.txt");
const AIMS: &str = include_str!("sentence/aims.txt");

/// What is given to the splitter at once, in bytes: its work may grow faster than the text.
const CHUNK_BYTES: usize = 8 * 1024;

/// The sentences of a text in order, without the white space between them. Abbreviations,
/// initials and decimal points do not end one.
pub fn sentences(text: &str, language: Language) -> Vec<Span> {
    let mut begins = Vec::new();
    for chunk in chunks(text) {
        begins.extend(proposed(text, chunk, language));
    }
    let begins = correct_starts::added(text, &begins);
    let begins = correct_starts::taken_back(text, &begins);
    let ends = begins.iter().copied().skip(1).chain([text.len()]);
    let between = begins.iter().zip(ends);
    between
        .map(|(&start, end)| Span::new(start, end).trimmed(text))
        .filter(|span| !span.is_empty())
        .collect()
}

/// Whether a sentence is understood only with the one before it: "This is necessary because …".
pub fn leans_on_the_one_before(sentence: &str, language: Language) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric());
    let first = words.find(|word| !word.is_empty()).map(str::to_lowercase);
    let leaning = lists::entries(LEANING, language.code());
    first.is_some_and(|first| leaning.contains(&first.as_str()))
}

/// Whether a sentence tells what a study wants to find out: "We compared …", "The aim of this trial …".
pub fn states_an_aim(sentence: &str, language: Language) -> bool {
    let sentence = sentence.to_lowercase();
    let mut phrases = lists::entries(AIMS, language.code()).into_iter();
    phrases.any(|phrase| sentence.contains(phrase))
}

/// Where the splitter lets sentences of one chunk begin. The chunk's own start is among them.
fn proposed(text: &str, chunk: Span, language: Language) -> Vec<usize> {
    let Some(inside) = chunk.of(text) else {
        return Vec::new();
    };
    let mut begins = vec![chunk.start];
    for found in sentencex::get_sentence_boundaries(language.code(), inside) {
        let at = chunk.start + found.start_byte;
        if begins.last().is_some_and(|last| *last < at) && text.is_char_boundary(at) {
            begins.push(at);
        }
    }
    begins
}

/// Cuts a text at blank lines, and what is too long in between at the best place there is.
fn chunks(text: &str) -> Vec<Span> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let window = &rest[..rest.floor_char_boundary(CHUNK_BYTES)];
        let blank = window.find("\n\n").map(|at| at + 2);
        let end = match blank {
            Some(end) => end,
            None if window.len() == rest.len() => rest.len(),
            None => long_cut(window),
        };
        chunks.push(Span::new(start, start + end));
        start += end;
    }
    chunks
}

/// Where to cut a text that is longer than a chunk: after a stop, else after white space, else
/// between any two characters. What is cut inside a sentence is joined again afterwards.
fn long_cut(window: &str) -> usize {
    // After a whole word, for the stop after an initial or an abbreviation ends no sentence.
    let whole = |at: usize| {
        let before = window[..at].chars().rev().take(4);
        before.filter(|c| c.is_lowercase()).count() == 4
    };
    let mut stops = window.rmatch_indices(". ").map(|(at, _)| at);
    let after_stop = stops.find(|at| whole(*at)).map(|at| at + 2);
    let after_stop = after_stop.or_else(|| window.rfind('。').map(|at| at + '。'.len_utf8()));
    let after_space = || {
        let (at, space) = window.char_indices().rfind(|(_, c)| c.is_whitespace())?;
        Some(at + space.len_utf8())
    };
    after_stop
        .or_else(after_space)
        .unwrap_or(window.len())
        .max(1)
}

#[cfg(test)]
mod tests;
