//! What speaks for and against showing a sentence, whatever the question.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::SummarySentence;
use crate::lists;

const WORDS: &str = include_str!("words.txt");

static NEEDS_ANOTHER: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| lists::entries(WORDS, "needs another"));
static BOILERPLATE: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| lists::entries(WORDS, "boilerplate"));
static SECTIONS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| lists::entries(WORDS, "telling sections"));
static TELLING: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lists::set(WORDS, "telling words"));

/// Words of a sentence that says something and can be taken in at once.
const FEW_WORDS: usize = 6;
const MANY_WORDS: usize = 60;

/// Section, numbers, telling words and place, 0 to 1.
pub(super) fn telling(sentence: &SummarySentence<'_>) -> f64 {
    let titles = sentence.sections.iter().map(|title| title.to_lowercase());
    let section = titles
        .into_iter()
        .any(|title| SECTIONS.iter().any(|telling| title.contains(telling)));
    let numbers = sentence.text.chars().any(|c| c.is_ascii_digit());
    let lower = sentence.text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let says = words.into_iter().any(|word| TELLING.contains(word));
    let edge = sentence.place < 0.1 || sentence.place > 0.85;
    let signs = [(section, 0.3), (numbers, 0.2), (says, 0.35), (edge, 0.15)];
    signs
        .iter()
        .filter(|(there, _)| *there)
        .map(|(_, weight)| weight)
        .sum()
}

/// What speaks against it, 0 to 1: a question, boilerplate, a heading, a sentence that hangs on the
/// one before.
pub(super) fn against(text: &str) -> f64 {
    let lower = text.to_lowercase();
    let words = text.split_whitespace().count();
    if BOILERPLATE.iter().any(|said| holds(&lower, said)) {
        return 1.0;
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let bare = letters * 2 < text.chars().count();
    let mut against: f64 = 0.0;
    against += if text.ends_with('?') { 0.6 } else { 0.0 };
    against += if bare { 0.4 } else { 0.0 };
    against += if hangs(&lower) { 0.15 } else { 0.0 };
    against += if words < FEW_WORDS { 0.4 } else { 0.0 };
    against += if words > MANY_WORDS { 0.2 } else { 0.0 };
    against.min(1.0)
}

/// Whether it begins with a word that points back.
fn hangs(lower: &str) -> bool {
    let start = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    NEEDS_ANOTHER.iter().any(|opening| {
        let rest = start.strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
    })
}

/// Whether the text holds the words, not only as a part of longer ones.
fn holds(lower: &str, said: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric();
    lower.match_indices(said).any(|(at, _)| {
        let before = lower[..at].ends_with(inner);
        let after = lower[at + said.len()..].starts_with(inner);
        !before && !after
    })
}
