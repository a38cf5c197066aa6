//! The language of a text of a few words.
//!
//! Runs of letters tell little about ten words, but such words are mostly small ones, and those are different in every
//! language. So they are counted, one that several languages share for less.

use std::sync::LazyLock;

use crate::fixed_hash::FixedMap;
use crate::terms::{stop_words, words};
use crate::{Language, lists};

use whatlang::{Detector, Lang};

const FREQUENT: &str = include_str!("frequent.txt");

/// Languages with a list of stop words.
const LANGUAGES: [(&str, Lang); 7] = [
    ("en", Lang::Eng),
    ("de", Lang::Deu),
    ("fr", Lang::Fra),
    ("es", Lang::Spa),
    ("it", Lang::Ita),
    ("pt", Lang::Por),
    ("nl", Lang::Nld),
];

/// Where the best language has less than this more than others, runs of letters decide between them.
const MARGIN: f32 = 0.4;

/// What a letter counts that stands in the words of few languages.
const LETTER: f32 = 0.5;

/// Letters and signs, and the languages in which they stand.
const LETTERS: [(&str, &[&str]); 9] = [
    ("ß", &["de"]),
    ("äö", &["de"]),
    ("ü", &["de", "es"]),
    ("ñ¿¡", &["es"]),
    ("ãõ", &["pt"]),
    ("ç", &["fr", "pt"]),
    ("ûîœë", &["fr"]),
    ("ùòì", &["it"]),
    ("êâ", &["fr", "pt"]),
];

/// Letters that tell a language though no known word stands with them.
const UNSHARED: &str = "ßñ¿¡ãõ";

/// Words that open questions in English. Some are words of other languages too, but none opens a question there.
const ENGLISH_OPENINGS: [&str; 18] = [
    "do", "does", "did", "can", "could", "are", "has", "have", "will", "would", "should", "how",
    "what", "why", "when", "which", "who", "where",
];

/// What "is" at the beginning counts for English.
const IS_OPENS: f32 = 0.5;

type Scores = [f32; LANGUAGES.len()];

/// What each word speaks for.
static WORDS: LazyLock<FixedMap<&'static str, Scores>> = LazyLock::new(|| {
    let mut found: FixedMap<&'static str, Scores> = FixedMap::default();
    for (nth, (code, _)) in LANGUAGES.iter().enumerate() {
        let further = lists::lines(FREQUENT, code).flat_map(str::split_whitespace);
        for word in stop_words(code).chain(further) {
            found.entry(word).or_default()[nth] = 1.0;
        }
    }
    for scores in found.values_mut() {
        let languages: f32 = scores.iter().sum();
        scores.iter_mut().for_each(|score| *score /= languages);
    }
    found
});

/// Whether a word, in small letters, is one that questions in a language are full of.
pub(super) fn is_frequent(word: &str, language: Language) -> bool {
    let place = LANGUAGES
        .iter()
        .position(|(code, _)| *code == language.code());
    let scores = WORDS.get(word).zip(place);
    scores.is_some_and(|(scores, place)| scores.get(place).is_some_and(|score| *score > 0.0))
}

/// Fewer words of running text tell nothing.
const SAMPLE_WORDS: usize = 60;

/// In running text at least this share of all words are small words of its language.
const SMALL_WORDS_SHARE: f32 = 0.25;

/// The language of running text, where its small words are plainly those of one of the seven. Looking at runs of letters gives
/// the same and takes twenty times as long.
pub(super) fn spoken_in(text: &str) -> Option<Language> {
    let (mut scores, mut count) = (Scores::default(), 0_usize);
    for word in words(text).filter_map(|span| span.of(text)) {
        count += 1;
        if let Some(found) = WORDS.get(word) {
            let both = scores.iter_mut().zip(found);
            both.for_each(|(all, one)| *all += one);
        }
    }
    let (nth, best) = (0..).zip(scores).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others = (0..).zip(scores).filter(|(other, _)| *other != nth);
    let second = others.map(|(_, score)| score).fold(0.0, f32::max);
    let plain = best >= SMALL_WORDS_SHARE * count as f32 && 2.0 * second <= best;
    let (code, _) = LANGUAGES
        .get(nth)
        .filter(|_| plain && count >= SAMPLE_WORDS)?;
    code.parse().ok()
}

/// The language of a short text, where its small words and letters speak for one of the seven more than for the others.
pub(super) fn language(text: &str) -> Option<Language> {
    let text = text.to_lowercase().replace('’', "'");
    let mut scores = Scores::default();
    let apart = |c: char| !(c.is_alphanumeric() || c == '\'');
    let whole = text.split(apart);
    let parts = words(&text).filter_map(|span| span.of(&text));
    // "l'option" is two words, "what's" is one.
    let joined = whole.filter(|word| word.contains('\''));
    for found in parts.chain(joined).filter_map(|word| WORDS.get(word)) {
        scores
            .iter_mut()
            .zip(found)
            .for_each(|(all, one)| *all += one);
    }
    let opening = words(&text).next().and_then(|span| span.of(&text));
    if opening.is_some_and(|word| ENGLISH_OPENINGS.contains(&word)) {
        scores[0] += 1.0;
    } else if opening == Some("is") {
        // A Dutch question may open so too, but has other Dutch words then.
        scores[0] += IS_OPENS;
    }
    // Many languages that are not listed have letters of one that is: "gatuträd" is no German.
    let spoken = scores.iter().any(|score| *score > 0.0);
    if !spoken && !text.contains(|c| UNSHARED.contains(c)) {
        return None;
    }
    for (letters, languages) in LETTERS {
        let count = text.chars().filter(|c| letters.contains(*c)).count();
        for (nth, (code, _)) in LANGUAGES.iter().enumerate() {
            if languages.contains(code) {
                scores[nth] += LETTER * count.min(3) as f32 / languages.len() as f32;
            }
        }
    }
    decided(&text, &scores)
}

fn decided(text: &str, scores: &Scores) -> Option<Language> {
    let best = scores.iter().copied().fold(0.0, f32::max);
    if best == 0.0 {
        return None;
    }
    let likely = LANGUAGES.iter().zip(scores);
    let likely = likely.filter(|(_, score)| **score > best - MARGIN);
    let likely: Vec<(&str, Lang)> = likely.map(|(language, _)| *language).collect();
    let shared = best < 1.0 && text.is_ascii();
    let code = match likely.as_slice() {
        [(only, _)] => only,
        // Only words that several languages share, as in "pizza in rome": nothing speaks against English.
        several if shared && several.iter().any(|(code, _)| *code == "en") => "en",
        several => {
            let allowed = several.iter().map(|(_, lang)| *lang).collect();
            let told = Detector::with_allowlist(allowed).detect_lang(text)?;
            several.iter().find(|(_, lang)| *lang == told)?.0
        }
    };
    code.parse().ok()
}
