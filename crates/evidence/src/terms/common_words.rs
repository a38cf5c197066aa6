//! Common English words, by which names and technical terms are told from everyday language.

use std::sync::LazyLock;

use super::Terms;
use crate::Language;
use crate::fixed_hash::FixedSet;

const LIST: &str = include_str!("common_words.txt");

static STEMS: LazyLock<FixedSet<String>> = LazyLock::new(|| {
    let terms = Terms::new(Language::ENGLISH);
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(str::split_whitespace);
    words.map(|word| terms.term(word)).collect()
});

/// Whether a word, in any form, is one that people use without thinking of a certain field. Words of fewer than four letters are
/// not listed.
pub fn is_common_english(word: &str) -> bool {
    STEMS.contains(&Terms::new(Language::ENGLISH).term(word))
}

/// Whether a word is common, or has one letter wrong, too many or too few to be.
pub fn resembles_common_english(word: &str) -> bool {
    let stem = Terms::new(Language::ENGLISH).term(word);
    let letters = stem.chars().count();
    let is_near = |known: &String| {
        known.chars().count().abs_diff(letters) <= 1 && strsim::osa_distance(known, &stem) <= 1
    };
    STEMS.contains(&stem) || STEMS.iter().any(is_near)
}

#[cfg(test)]
mod tests {
    use super::{is_common_english, resembles_common_english};

    #[test]
    fn everyday_words_are_told_from_names() {
        for word in ["Gardening", "bananas", "wife", "doesnt", "colour"] {
            assert!(is_common_english(word), "{word}");
        }
        for word in ["kubernetes", "ivermectin", "Spotify"] {
            assert!(!resembles_common_english(word), "{word}");
        }
        for word in ["temprature", "recieve"] {
            assert!(
                !is_common_english(word) && resembles_common_english(word),
                "{word}"
            );
        }
    }
}
