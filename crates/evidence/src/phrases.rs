//! Key phrases: the runs of words by which texts are told apart.
//!
//! Takes texts; gives phrases with how much they weigh and in how many texts they stand. A phrase is
//! a run between stop words and punctuation. It weighs more the more often and in the longer runs its
//! words stand, and less the more common it is among the texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::lists;

static STOP_WORDS: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| lists::set(include_str!("phrases/words.txt"), "stop words"));

/// A longer run is no phrase but a list or a sentence without small words.
const MAX_WORDS: usize = 4;

/// A run of words that tells what texts are about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyPhrase {
    /// As it was first written.
    pub text: String,
    /// How telling it is; comparable among the phrases of one call only.
    pub weight: f64,
    /// How often it stands in all texts together.
    pub count: usize,
    /// In how many texts it stands.
    pub texts: usize,
}

/// The key phrases of texts, the weightiest first, at most `limit`.
pub fn phrases(texts: &[&str], limit: usize) -> Vec<KeyPhrase> {
    let found: Vec<Vec<String>> = texts.iter().map(|text| with_inner(text)).collect();
    let scores = word_scores(found.iter().flatten());
    let mut all: BTreeMap<String, KeyPhrase> = BTreeMap::new();
    for phrases in &found {
        let mut here = BTreeSet::new();
        for text in phrases {
            let key = text.to_lowercase();
            let new = here.insert(key.clone());
            let entry = all.entry(key).or_insert_with(|| KeyPhrase {
                text: text.clone(),
                weight: 0.0,
                count: 0,
                texts: 0,
            });
            entry.count += 1;
            entry.texts += usize::from(new);
        }
    }
    let mut ranked: Vec<KeyPhrase> = all
        .into_iter()
        .map(|(key, phrase)| weighed(&key, phrase, &scores, texts.len()))
        .collect();
    ranked.sort_by(|a, b| {
        b.weight
            .total_cmp(&a.weight)
            .then_with(|| a.text.cmp(&b.text))
    });
    ranked.truncate(limit);
    ranked
}

fn weighed(
    key: &str,
    phrase: KeyPhrase,
    scores: &BTreeMap<String, f64>,
    texts: usize,
) -> KeyPhrase {
    let words: Vec<&str> = key.split(' ').collect();
    let inside: f64 = words.iter().filter_map(|word| scores.get(*word)).sum();
    let mean = inside / words.len() as f64;
    let length = (words.len() as f64).sqrt();
    let often = (1.0 + phrase.count as f64).ln();
    // With few texts what is common to them is their subject; with many it tells nothing.
    let share = phrase.texts as f64 / texts.max(1) as f64;
    let rare = if texts >= 5 && share > 0.6 { 0.5 } else { 1.0 };
    // A run that stands once is a chance meeting of words.
    let once = if phrase.count == 1 && words.len() > 2 {
        0.6
    } else {
        1.0
    };
    let weight = mean.ln_1p() * length * often * rare * once;
    KeyPhrase { weight, ..phrase }
}

/// How long the runs are that a word stands in, over all its places.
fn word_scores<'p>(phrases: impl Iterator<Item = &'p String>) -> BTreeMap<String, f64> {
    let mut seen: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for phrase in phrases {
        let key = phrase.to_lowercase();
        let words: Vec<&str> = key.split(' ').collect();
        for word in &words {
            let entry = seen.entry((*word).to_owned()).or_default();
            entry.0 += words.len() as f64;
            entry.1 += 1.0;
        }
    }
    let score =
        |(word, (degree, count)): (String, (f64, f64))| (word, degree / count * count.sqrt());
    seen.into_iter().map(score).collect()
}

/// The runs of a text, and the pairs of words inside the longer ones.
fn with_inner(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for phrase in candidates(text) {
        let words: Vec<&str> = phrase.split(' ').collect();
        if words.len() > 2 {
            all.extend(words.windows(2).map(|pair| pair.join(" ")));
        }
        all.push(phrase);
    }
    all
}

/// The runs of words of a text in order, as written, with repeats.
pub(crate) fn candidates(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for token in text.split_whitespace() {
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
        let opens = token.starts_with(|c: char| !c.is_alphanumeric());
        let closes = token.ends_with(|c: char| !c.is_alphanumeric());
        let plain = bare
            .trim_end_matches("'s")
            .trim_end_matches("’s")
            .to_lowercase();
        if opens || is_stop_word(&plain) || plain.is_empty() {
            close(&mut run, &mut found);
        }
        if !plain.is_empty() && !is_stop_word(&plain) {
            run.push(bare);
        }
        if closes {
            close(&mut run, &mut found);
        }
    }
    close(&mut run, &mut found);
    found
}

fn close(run: &mut Vec<&str>, found: &mut Vec<String>) {
    let says = run
        .iter()
        .any(|word| word.chars().any(char::is_alphabetic) && word.chars().count() > 2);
    if says && run.len() <= MAX_WORDS {
        found.push(run.join(" "));
    }
    run.clear();
}

/// Whether a word in small letters bears no meaning of its own.
pub(crate) fn is_stop_word(plain: &str) -> bool {
    STOP_WORDS.contains(plain)
}

#[cfg(test)]
mod tests {
    use super::phrases;

    const TEXT: &str = "Heat pumps move heat. In cold climates heat pumps need more power, but modern \
        heat pumps still save energy. The seasonal performance factor tells how well.";

    #[test]
    fn what_a_text_is_about_comes_first() {
        let found = phrases(&[TEXT], 3);
        assert!(
            found
                .iter()
                .any(|phrase| phrase.text.to_lowercase() == "heat pumps"),
            "{found:?}"
        );
        assert!(found.iter().all(|phrase| !phrase.text.contains("the")));
    }

    #[test]
    fn the_texts_that_hold_a_phrase_are_counted() {
        let found = phrases(&[TEXT, "Heat pumps are quiet. Heat pumps last."], 20);
        let pumps = found
            .iter()
            .find(|phrase| phrase.text == "Heat pumps")
            .unwrap();
        assert_eq!(pumps.texts, 2);
        assert!(pumps.count >= 3);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(phrases(&[], 5).is_empty());
        assert!(phrases(&["the of and ... 1 2 3"], 5).is_empty());
    }
}
