//! Ways to spoil a sentence that was told truly.

use std::sync::LazyLock;

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};

use super::retell::stretch;

/// Behind these a "not" makes the opposite.
const HELPERS: [&str; 16] = [
    "is", "are", "was", "were", "can", "could", "may", "might", "will", "would", "should", "has",
    "had", "does", "did", "must",
];

const NUMERALS: [&str; 9] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Pairs that mean the opposite of each other.
static OPPOSITES: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| pairs(include_str!("opposites.txt")));

/// Verbs in the past, and what stands behind "did not" or "failed to".
static VERBS: LazyLock<Vec<(&'static str, &'static str)>> =
    LazyLock::new(|| pairs(include_str!("verbs.txt")));

fn pairs(list: &'static str) -> Vec<(&'static str, &'static str)> {
    let said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    list.lines()
        .filter(said)
        .filter_map(|line| line.split_once(' '))
        .collect()
}

/// A quote with a changed or an added word, or one that stands in another source.
pub(super) fn absent_quote(sentence: &str, elsewhere: &str, rng: &mut StdRng) -> Option<String> {
    let (taken, other) = (stretch(sentence, rng)?, stretch(elsewhere, rng)?);
    let mut words: Vec<&str> = taken.split(' ').collect();
    let at = rng.random_range(1..words.len() - 1);
    let strange = |word: &&str| word.len() > 4 && !sentence.contains(word);
    let stranger = other.split(' ').find(strange)?;
    match rng.random_range(0..3) {
        0 => words[at] = stranger,
        1 => words.insert(at, stranger),
        _ => words = other.split(' ').collect(),
    }
    let quote = words.join(" ");
    Some(format!("The source says that \u{201C}{quote}\u{201D}."))
}

/// With another number in the place of one of its numbers.
pub(in crate::evidence) fn change_number(text: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let numbered = |(at, word): (usize, &&str)| changeable(word).then_some(at);
    let places: Vec<usize> = words.iter().enumerate().filter_map(numbered).collect();
    let at = *places.choose(rng)?;
    let new = if NUMERALS.contains(&words[at]) {
        let others: Vec<&&str> = NUMERALS.iter().filter(|word| **word != words[at]).collect();
        (**others.choose(rng)?).to_owned()
    } else {
        another(words[at], rng)?
    };
    // The number it was changed to must not be one that the sentence tells anyway.
    let told = words
        .iter()
        .any(|word| word.trim_matches(outside) == new.trim_matches(outside));
    let mut all = words;
    all[at] = &new;
    (!told).then(|| all.join(" "))
}

pub(super) fn changeable(word: &str) -> bool {
    let bare = word.trim_matches(outside);
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    NUMERALS.contains(&word) || (!bare.is_empty() && bare.chars().all(digits))
}

pub(super) fn outside(c: char) -> bool {
    !c.is_alphanumeric()
}

/// Another number, told as exactly as the old one.
fn another(old: &str, rng: &mut StdRng) -> Option<String> {
    let start = old.find(|c: char| c.is_ascii_digit())?;
    let end = old.rfind(|c: char| c.is_ascii_digit())? + 1;
    let digits = old[start..end].replace(',', "");
    let value: f64 = digits.parse().ok()?;
    let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len());
    let step = 10_f64.powi(-i32::try_from(decimals).ok()?);
    let changed = match rng.random_range(0..4) {
        0 => value * 2.0 + step,
        1 => value + step * f64::from(rng.random_range(1..9_u8)),
        2 => value * 10.0 + 3.0 * step,
        _ => value / 2.0 + step,
    };
    let changed = format!("{changed:.decimals$}");
    (changed != digits).then(|| format!("{}{changed}{}", &old[..start], &old[end..]))
}

/// One way to turn a sentence, given by its words, around.
type FaultMaker = fn(&[&str]) -> Option<String>;

/// With a denial put in or taken out, or a word turned into its opposite.
pub(in crate::evidence) fn negate(text: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let mut ways: [FaultMaker; 4] = [taken_out, put_in, did_not, turned];
    ways.shuffle(rng);
    ways.iter().find_map(|way| way(&words))
}

fn taken_out(words: &[&str]) -> Option<String> {
    let at = words
        .iter()
        .position(|word| matches!(*word, "not" | "no" | "No" | "never"))?;
    let mut kept = words.to_vec();
    kept.remove(at);
    Some(kept.join(" "))
}

fn put_in(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| HELPERS.contains(word))?;
    let denied = words
        .iter()
        .any(|word| matches!(*word, "not" | "no" | "nor" | "neither" | "never"));
    let mut all = words.to_vec();
    all.insert(at + 1, "not");
    (!denied).then(|| all.join(" "))
}

fn did_not(words: &[&str]) -> Option<String> {
    let verb = |word: &&str| VERBS.iter().find(|(past, _)| past == word);
    let (at, (past, plain)) = words
        .iter()
        .enumerate()
        .find_map(|(i, w)| Some((i, verb(w)?)))?;
    let before = at.checked_sub(1).map(|at| words[at])?;
    // "Was reduced" is no past tense.
    let helped =
        HELPERS.contains(&before) || matches!(before, "be" | "been" | "have" | "and" | "by");
    let new = if past.len() % 2 == 0 {
        format!("did not {plain}")
    } else {
        format!("failed to {plain}")
    };
    let mut all = words.to_vec();
    all[at] = &new;
    (!helped).then(|| all.join(" "))
}

fn turned(words: &[&str]) -> Option<String> {
    let opposite = |word: &str| {
        let pair = OPPOSITES.iter().find(|(a, b)| *a == word || *b == word)?;
        Some(if pair.0 == word { pair.1 } else { pair.0 })
    };
    let (at, new) = words
        .iter()
        .enumerate()
        .find_map(|(i, w)| Some((i, opposite(w)?)))?;
    let mut all = words.to_vec();
    all[at] = new;
    Some(all.join(" "))
}
