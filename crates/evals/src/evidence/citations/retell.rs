//! Ways to tell a sentence again truly.

use std::sync::LazyLock;

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};

/// Words that can go without a loss of truth.
const FILLERS: [&str; 18] = [
    "also",
    "however,",
    "However,",
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
    "additionally,",
    "Additionally,",
    "clearly",
    "importantly,",
    "previously",
];

/// Words that begin a second sentence and lose their capital when it is joined to a first.
const OPENERS: [&str; 28] = [
    "The", "This", "These", "Those", "That", "It", "They", "We", "In", "On", "At", "For", "To",
    "However,", "A", "An", "There", "All", "Our", "Both", "After", "When", "While", "By", "With",
    "Among", "No", "Each",
];

/// Sentences begin and go on like this when somebody tells what they did.
const ACTIVE: [&str; 14] = [
    "examined",
    "investigated",
    "measured",
    "assessed",
    "evaluated",
    "analysed",
    "analyzed",
    "studied",
    "compared",
    "identified",
    "tested",
    "determined",
    "developed",
    "described",
];

const INTRODUCTIONS: [&str; 4] = [
    "The source says that \u{201C}",
    "According to the authors, \u{201C}",
    "It is stated that \u{201C}",
    "\u{201C}",
];

static SYNONYMS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let said = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let group = |line: &'static str| line.split('|').map(str::trim).collect();
    include_str!("synonyms.txt")
        .lines()
        .filter(said)
        .map(group)
        .collect()
});

/// Shorter: what stands in brackets left out, and fillers, and now and then the clause that leads
/// in.
pub(super) fn compress(sentence: &str, rng: &mut StdRng) -> Option<String> {
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
    let mut told = kept
        .join(" ")
        .replace(" .", ".")
        .replace(" ,", ",")
        .replace(" ;", ";");
    if let Some((lead, rest)) = told.split_once(", ")
        && (2..=8).contains(&lead.split(' ').count())
        && rest.split(' ').count() > 7
        && OPENERS
            .iter()
            .any(|word| lead.split(' ').next() == Some(word))
        && rng.random_bool(0.5)
    {
        told = rest.to_owned();
    }
    (told != sentence && told.split(' ').count() > 5).then(|| capital(&told))
}

/// The clause behind the only comma put first.
pub(super) fn reorder(sentence: &str) -> Option<String> {
    let parts: Vec<&str> = sentence.trim_end_matches('.').split(", ").collect();
    let [first, second] = parts[..] else {
        return None;
    };
    let least = first.split(' ').count().min(second.split(' ').count());
    (least > 2).then(|| format!("{}, {}.", capital(second), small(first)))
}

/// Two sentences as one.
pub(super) fn join(first: &str, second: &str, rng: &mut StdRng) -> Option<String> {
    let between = [", and ", "; ", ", while "].choose(rng)?;
    Some(format!(
        "{}{between}{}",
        first.trim_end_matches('.'),
        small(second)
    ))
}

/// Some words changed for others that mean the same, and what the authors did told as what was done.
pub(super) fn reword(sentence: &str, rng: &mut StdRng) -> Option<String> {
    let mut told = passive(sentence).unwrap_or_else(|| sentence.to_owned());
    let mut changed = usize::from(told != sentence);
    let mut groups: Vec<&Vec<&str>> = SYNONYMS.iter().collect();
    groups.shuffle(rng);
    for group in groups {
        let words = || told.split(' ').map(bare);
        let at = group.iter().position(|word| {
            if word.contains(' ') {
                told.contains(&format!(" {word} "))
            } else {
                words().any(|said| said == *word)
            }
        });
        let Some(old) = at.and_then(|at| group.get(at)) else {
            continue;
        };
        let others: Vec<&&str> = group.iter().filter(|word| *word != old).collect();
        let new = others.choose(rng)?;
        told = swap(&told, old, new);
        changed += 1;
        if changed == 4 {
            break;
        }
    }
    (changed >= 2).then_some(told)
}

/// "We measured the rate of death." becomes "The rate of death was measured."
fn passive(sentence: &str) -> Option<String> {
    let rest = sentence.strip_prefix("We ")?.trim_end_matches('.');
    let (verb, object) = rest.split_once(' ')?;
    let simple =
        ACTIVE.contains(&verb) && !object.contains([',', ';']) && !object.contains(" and ");
    let few = object.split(' ').count() <= 14;
    (simple && few).then(|| format!("{} was {verb}.", capital(object)))
}

fn swap(text: &str, old: &str, new: &str) -> String {
    let padded = format!(" {text}");
    let at = padded
        .match_indices(&format!(" {old}"))
        .find(|(at, found)| {
            let after = padded[at + found.len()..].chars().next();
            after.is_none_or(|c| !c.is_alphanumeric() && c != '-')
        });
    let Some((at, found)) = at else {
        return text.to_owned();
    };
    let (before, after) = (&padded[..at], &padded[at + found.len()..]);
    format!("{before} {new}{after}").trim_start().to_owned()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A number written in another way: rounded, in another unit, as a word, without separators.
pub(super) fn renumber(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    (0..words.len()).find_map(|at| {
        let (old, next) = (words[at], words.get(at + 1).copied().unwrap_or_default());
        let (new, unit) = rewritten(old, next)?;
        let mut all = words.clone();
        all[at] = &new;
        if let Some(unit) = unit {
            all[at + 1] = unit;
        }
        Some(all.join(" "))
    })
}

/// Another way to write a number, and its unit where that changes.
fn rewritten(word: &str, next: &str) -> Option<(String, Option<&'static str>)> {
    if word == "50%" {
        return Some(("half".to_owned(), None));
    }
    if let Some(percent) = word
        .strip_suffix('%')
        .filter(|digits| !digits.contains('.'))
    {
        percent.parse::<u32>().ok()?;
        return Some((format!("{percent} percent"), None));
    }
    if let Some(percent) = word.strip_suffix('%') {
        return Some((format!("{:.0}%", percent.parse::<f64>().ok()?), None));
    }
    let value: f64 = word.replace(',', "").parse().ok()?;
    match next {
        "g" => Some((format!("{}", value * 1_000.0), Some("mg"))),
        "mg" => Some((format!("{}", value / 1_000.0), Some("g"))),
        "kg" => Some((format!("{}", value * 1_000.0), Some("g"))),
        _ if word.contains(',') => Some((word.replace(',', ""), None)),
        _ => None,
    }
}

/// Some words of a sentence as a quote, in other typography.
pub(super) fn quote(sentence: &str, rng: &mut StdRng) -> Option<String> {
    let set = stretch(sentence, rng)?
        .replace('-', "\u{2010}")
        .replace('\'', "\u{2019}")
        .replacen(' ', "\u{00A0}", 1);
    let opening = INTRODUCTIONS.choose(rng)?;
    Some(format!("{opening}{set}\u{201D}."))
}

/// Some words of a sentence that follow each other.
pub(super) fn stretch(sentence: &str, rng: &mut StdRng) -> Option<String> {
    let words: Vec<&str> = sentence.trim_end_matches('.').split_whitespace().collect();
    let length = rng.random_range(6..=words.len().min(15));
    let start = rng.random_range(0..=words.len() - length);
    Some(words[start..start + length].join(" "))
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest.as_str().chars()).collect()
}

fn small(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    if !OPENERS.contains(&word) {
        return text.to_owned();
    }
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_lowercase);
    first.chain(rest.as_str().chars()).collect()
}
