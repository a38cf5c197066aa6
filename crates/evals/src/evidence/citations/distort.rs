//! Faults that leave nearly every word of a sentence as it was: two things exchanged, a hedge gone, a
//! link told as a cause, something added.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::faults::{changeable, outside};

/// Groups of which one is told in the place of the other.
const POPULATIONS: [(&str, &str); 12] = [
    ("men", "women"),
    ("boys", "girls"),
    ("male", "female"),
    ("males", "females"),
    ("children", "adults"),
    ("infants", "adolescents"),
    ("mice", "humans"),
    ("mouse", "human"),
    ("rats", "monkeys"),
    ("patients", "volunteers"),
    ("participants", "relatives"),
    ("students", "teachers"),
];

/// What holds for some, and how it is told of all.
const QUANTIFIERS: [(&str, &str); 12] = [
    ("some", "all"),
    ("Some", "All"),
    ("many", "all"),
    ("Many", "All"),
    ("most", "all"),
    ("Most", "All"),
    ("several", "all"),
    ("Several", "All"),
    ("often", "always"),
    ("usually", "always"),
    ("sometimes", "always"),
    ("generally", "always"),
];

/// What leaves something open, and what is said instead.
const HEDGES: [(&str, &str); 22] = [
    (" may be ", " is "),
    (" might be ", " is "),
    (" could be ", " is "),
    (" may have ", " has "),
    (" may ", " "),
    (" might ", " "),
    (" could ", " does "),
    (" can ", " does "),
    (" suggest that ", " prove that "),
    (" suggests that ", " proves that "),
    (" suggesting that ", " proving that "),
    (" indicate that ", " prove that "),
    (" appears to be ", " is "),
    (" appear to be ", " are "),
    (" seems to be ", " is "),
    (" possibly ", " "),
    (" probably ", " "),
    (" potentially ", " "),
    (" potential ", " "),
    (" likely ", " "),
    (" partly ", " "),
    (" tended to ", " did "),
];

/// A link, and the cause that is made of it.
const LINKS: [(&str, &str); 12] = [
    (" was associated with ", " caused "),
    (" were associated with ", " caused "),
    (" is associated with ", " causes "),
    (" are associated with ", " cause "),
    (" associated with ", " caused by "),
    (" correlated with ", " caused by "),
    (" correlates with ", " causes "),
    (" linked to ", " caused by "),
    (" related to ", " caused by "),
    (" an association between ", " an effect on "),
    (" association between ", " effect on "),
    (" correlation between ", " effect on "),
];

const ADDITIONS: [&str; 8] = [
    ", and the effect lasted for more than a year",
    ", especially in people over the age of seventy",
    ", which a second group has confirmed since",
    " because of changes in diet",
    " in all countries that were looked at",
    ", mostly at night",
    ", at a lower cost than before",
    ", which the authors call proof of a cause",
];

const COMPARISONS: [&str; 4] = ["than", "versus", "vs", "compared"];
const PREPOSITIONS: [&str; 7] = ["in", "with", "for", "among", "by", "of", "to"];
const ARTICLES: [&str; 5] = ["the", "The", "a", "an", "those"];

/// With two of its numbers exchanged.
pub(super) fn exchange_numbers(text: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let bare = |at: usize| words[at].trim_matches(outside);
    let places: Vec<usize> = (0..words.len())
        .filter(|at| changeable(words[*at]))
        .collect();
    let first = *places.choose(rng)?;
    let others = places.iter().filter(|at| bare(**at) != bare(first));
    let second = *others.copied().collect::<Vec<_>>().choose(rng)?;
    Some(exchanged(&words, first, second))
}

/// With the two sides of a comparison exchanged.
pub(super) fn exchange_arms(text: &str, _: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let than = words.iter().position(|word| COMPARISONS.contains(word))?;
    let small = |word: &str| ARTICLES.contains(&word) || PREPOSITIONS.contains(&word);
    let right = (than + 1..words.len()).find(|at| !small(words[*at]))?;
    let near = than.saturating_sub(6)..than;
    let behind = near.rev().find(|at| PREPOSITIONS.contains(&words[*at]));
    let from = behind.map_or(0, |at| at + 1);
    let left = (from..than).find(|at| !small(words[*at]))?;
    let named = |at: usize| {
        let bare = words[at].trim_matches(outside);
        bare.len() > 2 && bare.chars().all(char::is_alphabetic)
    };
    let other = words[left].to_lowercase().trim_matches(outside)
        != words[right].to_lowercase().trim_matches(outside);
    (named(left) && named(right) && other).then(|| exchanged(&words, left, right))
}

/// Two words in each other's places; the signs around them stay where they are.
fn exchanged(words: &[&str], first: usize, second: usize) -> String {
    let put = |into: &str, from: &str| {
        into.replacen(into.trim_matches(outside), from.trim_matches(outside), 1)
    };
    let one = put(words[first], words[second]);
    let two = put(words[second], words[first]);
    let mut all = words.to_vec();
    all[first] = &one;
    all[second] = &two;
    all.join(" ")
}

/// With another group of people or animals.
pub(super) fn swap_population(text: &str, _: &mut StdRng) -> Option<String> {
    let both = POPULATIONS.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
    replaced_word(text, both)
}

/// With all for some.
pub(super) fn some_to_all(text: &str, _: &mut StdRng) -> Option<String> {
    replaced_word(text, QUANTIFIERS.into_iter())
}

fn replaced_word(
    text: &str,
    mut pairs: impl Iterator<Item = (&'static str, &'static str)>,
) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let (at, new) = pairs.find_map(|(old, new)| {
        let at = words
            .iter()
            .position(|word| word.trim_matches(outside) == old)?;
        Some((at, words[at].replacen(old, new, 1)))
    })?;
    let mut all = words;
    all[at] = &new;
    Some(all.join(" "))
}

/// Without what left it open.
pub(super) fn remove_hedge(text: &str, _: &mut StdRng) -> Option<String> {
    replaced_phrase(text, &HEDGES)
}

/// With a cause where a link was told.
pub(super) fn make_causal(text: &str, _: &mut StdRng) -> Option<String> {
    replaced_phrase(text, &LINKS)
}

fn replaced_phrase(text: &str, pairs: &[(&str, &str)]) -> Option<String> {
    let (old, new) = pairs.iter().find(|(old, _)| text.contains(old))?;
    Some(text.replacen(old, new, 1))
}

/// With another name of the same source in the place of one of its names.
pub(super) fn replace_name(text: &str, source: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let places: Vec<usize> = (1..words.len()).filter(|at| is_name(words[*at])).collect();
    let at = *places.choose(rng)?;
    let bare = words[at].trim_matches(outside);
    let inside: Vec<&str> = source.split_whitespace().collect();
    let names = inside
        .windows(2)
        .filter(|pair| !pair[0].ends_with(['.', ':', '?']) && is_name(pair[1]));
    let others: Vec<&str> = names
        .map(|pair| pair[1].trim_matches(outside))
        .filter(|name| !text.contains(name) && !name.contains(bare) && !bare.contains(name))
        .collect();
    let new = words[at].replacen(bare, others.choose(rng)?, 1);
    let mut all = words;
    all[at] = &new;
    Some(all.join(" "))
}

fn is_name(word: &str) -> bool {
    let bare = word.trim_matches(outside);
    bare.len() > 2
        && bare.starts_with(char::is_uppercase)
        && bare.chars().all(|c| c.is_alphanumeric() || c == '-')
}

/// With a clause that nobody wrote, or that another source wrote.
pub(super) fn add_clause(text: &str, elsewhere: &str, rng: &mut StdRng) -> Option<String> {
    let body = text.strip_suffix('.')?;
    if rng.random_bool(0.5) {
        return Some(format!("{body}{}.", ADDITIONS.choose(rng)?));
    }
    let words: Vec<&str> = elsewhere.trim_end_matches('.').split(' ').collect();
    let tail = words.get(words.len().checked_sub(6)?..)?.join(" ");
    Some(format!("{body} and {tail}."))
}
