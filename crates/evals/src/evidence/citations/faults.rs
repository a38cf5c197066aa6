//! Ways to tell a sentence again truly, and ways to spoil it.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// Words that can go without a loss of truth.
const FILLERS: [&str; 12] = [
    "also",
    "however,",
    "Furthermore,",
    "Moreover,",
    "Here,",
    "Here",
    "very",
    "recently",
    "indeed,",
    "respectively",
    "Thus,",
    "Therefore,",
];

/// Behind these a "not" makes the opposite.
const HELPERS: [&str; 16] = [
    "is", "are", "was", "were", "can", "could", "may", "might", "will", "would", "should", "has",
    "had", "does", "did", "must",
];

/// Pairs that mean the opposite of each other.
const PAIRS: [(&str, &str); 14] = [
    ("increased", "decreased"),
    ("increases", "decreases"),
    ("increase", "decrease"),
    ("higher", "lower"),
    ("more", "less"),
    ("improved", "worsened"),
    ("effective", "ineffective"),
    ("reduced", "increased"),
    ("reduces", "increases"),
    ("inhibits", "activates"),
    ("promotes", "inhibits"),
    ("positive", "negative"),
    ("before", "after"),
    ("best", "worst"),
];

/// Shorter and in another order, but true: brackets and fillers left out, the clause behind a comma
/// put first.
pub(super) fn compress(sentence: &str) -> Option<String> {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for c in sentence.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let kept: Vec<&str> = plain
        .split_whitespace()
        .filter(|word| !FILLERS.contains(word))
        .collect();
    let body = kept.join(" ").replace(" .", ".").replace(" ,", ",");
    let told = match body.trim_end_matches('.').split(", ").collect::<Vec<_>>()[..] {
        [first, second] => format!("{second}, {first}."),
        _ => body.clone(),
    };
    (told != sentence && told.split_whitespace().count() > 5).then_some(told)
}

/// Some words of a sentence as a quote, in other typography.
pub(super) fn quote(sentence: &str, rng: &mut StdRng) -> Option<String> {
    let taken = stretch(sentence, rng)?;
    let set = taken
        .replace('-', "\u{2010}")
        .replace('\'', "\u{2019}")
        .replacen(' ', "\u{00A0}", 1);
    Some(format!("The source says that \u{201C}{set}\u{201D}."))
}

/// A quote with a changed or an added word, or one that stands in another source.
pub(super) fn absent_quote(sentence: &str, elsewhere: &str, rng: &mut StdRng) -> Option<String> {
    let (taken, other) = (stretch(sentence, rng)?, stretch(elsewhere, rng)?);
    let mut words: Vec<&str> = taken.split(' ').collect();
    let at = rng.random_range(1..words.len() - 1);
    let stranger = other
        .split(' ')
        .find(|word| word.len() > 4 && !sentence.contains(word))?;
    match rng.random_range(0..3) {
        0 => words[at] = stranger,
        1 => words.insert(at, stranger),
        _ => words = other.split(' ').collect(),
    }
    Some(format!(
        "The source says that \u{201C}{}\u{201D}.",
        words.join(" ")
    ))
}

fn stretch(sentence: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = sentence.trim_end_matches('.').split_whitespace().collect();
    let length = rng.random_range(6..=words.len().min(15));
    let start = rng.random_range(0..=words.len() - length);
    Some(words[start..start + length].join(" "))
}

/// With another number in the place of one of its numbers.
pub(super) fn change_number(text: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let has_number = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        !bare.is_empty()
            && bare
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '%'))
    };
    let places: Vec<usize> = words
        .iter()
        .enumerate()
        .filter(|(_, w)| has_number(w))
        .map(|(i, _)| i)
        .collect();
    let at = *places.choose(rng)?;
    let old = words[at];
    let digits: String = old
        .chars()
        .filter(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let value: f64 = digits.trim_matches('.').parse().ok()?;
    let decimals = digits
        .trim_matches('.')
        .split_once('.')
        .map_or(0, |(_, after)| after.len());
    let changed = match rng.random_range(0..3) {
        0 => value * 2.0 + 1.0,
        1 => value + f64::from(rng.random_range(1..9_u8)),
        _ => value * 10.0 + 3.0,
    };
    let start = old.find(|c: char| c.is_ascii_digit())?;
    let end = old.rfind(|c: char| c.is_ascii_digit())? + 1;
    let new = format!("{}{changed:.decimals$}{}", &old[..start], &old[end..]);
    let mut all = words.clone();
    all[at] = &new;
    Some(all.join(" "))
}

/// With a denial put in or taken out, or a word turned into its opposite.
pub(super) fn negate(text: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let turned = turn(&words);
    if let Some(at) = words.iter().position(|word| *word == "not") {
        let mut kept = words.clone();
        kept.remove(at);
        return Some(kept.join(" "));
    }
    if words
        .iter()
        .any(|word| matches!(*word, "no" | "neither" | "nor" | "without" | "never"))
    {
        return None;
    }
    let helper = words
        .iter()
        .position(|word| HELPERS.contains(word))
        .map(|at| {
            let mut all = words.clone();
            all.insert(at + 1, "not");
            all.join(" ")
        });
    if rng.random_bool(0.5) {
        turned.or(helper)
    } else {
        helper.or(turned)
    }
}

fn turn(words: &[&str]) -> Option<String> {
    let opposite = |word: &str| {
        let pair = PAIRS.iter().find(|(a, b)| *a == word || *b == word)?;
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
