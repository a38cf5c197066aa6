//! Text as the numbered word pieces that BERT models read, the way their own uncased tokenizer makes them.
//!
//! Takes the model's vocabulary, one piece a line; gives the numbers of a text's pieces between the marks of its beginning and
//! end. A word that cannot be put together from pieces counts as unknown; no text is refused.

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::fixed_hash::FixedMap;

/// Longer words are unknown, as in the original.
const WORD_MAX_CHARS: usize = 100;

/// Characters that are looked at for each piece that is wanted. A text is cut when it has enough pieces; this bounds what a
/// text of spaces, or of marks that are dropped, can cost.
const CHARS_A_PIECE_MAX: usize = 200;

/// A vocabulary of word pieces.
pub(super) struct WordPieces {
    numbers: FixedMap<String, i32>,
    begin: i32,
    end: i32,
    unknown: i32,
}

impl WordPieces {
    /// Nothing where the vocabulary lacks one of the marks that every text needs.
    pub(super) fn parse(vocabulary: &str) -> Option<Self> {
        let lines = vocabulary.lines().map(str::trim_end);
        let numbers: FixedMap<String, i32> = (0..)
            .zip(lines)
            .map(|(number, piece)| (piece.to_owned(), number))
            .collect();
        let mark = |piece: &str| numbers.get(piece).copied();
        Some(Self {
            begin: mark("[CLS]")?,
            end: mark("[SEP]")?,
            unknown: mark("[UNK]")?,
            numbers,
        })
    }

    /// The number of a piece.
    #[cfg(test)]
    pub(super) fn number(&self, piece: &str) -> Option<i32> {
        self.numbers.get(piece).copied()
    }

    /// The numbers of the text's pieces, at most `most` with both marks; the rest of the text is left out.
    pub(super) fn numbers(&self, text: &str, most: usize) -> Vec<i32> {
        let mut numbers = vec![self.begin];
        let room = most.saturating_sub(1).max(1);
        let mut word = String::new();
        for c in plain(text).take(most.saturating_mul(CHARS_A_PIECE_MAX)) {
            if numbers.len() >= room {
                break;
            }
            let alone = stands_alone(c);
            if alone || c == ' ' {
                self.add_word(&word, &mut numbers);
                word.clear();
            }
            if alone {
                self.add_word(c.encode_utf8(&mut [0; 4]), &mut numbers);
            } else if c != ' ' {
                word.push(c);
            }
        }
        self.add_word(&word, &mut numbers);
        numbers.truncate(room);
        numbers.push(self.end);
        numbers
    }

    /// The longest piece that the word begins with, then the longest that goes on from there, to its end.
    fn add_word(&self, word: &str, numbers: &mut Vec<i32>) {
        let before = numbers.len();
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let ends: Vec<usize> = ends.take(WORD_MAX_CHARS + 1).collect();
            let found = ends.iter().rev().find_map(|&end| {
                piece.clear();
                piece.push_str(if rest.len() < word.len() { "##" } else { "" });
                piece.push_str(rest.get(..end)?);
                Some((*self.numbers.get(piece.as_str())?, end))
            });
            match found {
                Some((number, end)) if ends.len() <= WORD_MAX_CHARS => {
                    numbers.push(number);
                    rest = rest.get(end..).unwrap_or_default();
                }
                _ => {
                    numbers.truncate(before);
                    numbers.push(self.unknown);
                    return;
                }
            }
        }
    }
}

/// The text in small letters without accents, every kind of space as one, and nothing that has no shape.
fn plain(text: &str) -> impl Iterator<Item = char> {
    let shown = text.chars().filter_map(|c| match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{fffd}' => None,
        c if c.is_whitespace() => Some(' '),
        c => (c.general_category_group() != GeneralCategoryGroup::Other).then_some(c),
    });
    let bare = shown
        .nfd()
        .filter(|c| c.general_category() != GeneralCategory::NonspacingMark);
    bare.flat_map(char::to_lowercase)
}

/// Punctuation and Chinese characters are words of their own.
fn stands_alone(c: char) -> bool {
    c.is_ascii_punctuation()
        || c.general_category_group() == GeneralCategoryGroup::Punctuation
        || matches!(u32::from(c),
            0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
            | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_CEAF | 0x2_F800..=0x2_FA1F)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIECES: &str =
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\ntree\n##s\n.\n中\ncafe\n5\n##°\n";

    fn numbers(text: &str, most: usize) -> Vec<i32> {
        WordPieces::parse(PIECES).unwrap().numbers(text, most)
    }

    #[test]
    fn words_are_put_together_from_their_longest_pieces() {
        assert_eq!(numbers("Unaffable trees.", 256), [2, 4, 5, 6, 7, 8, 9, 3]);
        assert_eq!(
            numbers("CAFÉ\u{200b} 中5°中", 256),
            [2, 11, 10, 12, 13, 10, 3]
        );
    }

    #[test]
    fn a_word_that_cannot_be_put_together_is_one_unknown() {
        assert_eq!(numbers("treex", 256), [2, 1, 3]);
        assert_eq!(numbers(&"s".repeat(101), 256), [2, 1, 3]);
        let long = format!("tree{}", "s".repeat(96));
        assert_eq!(numbers(&long, 256).len(), 99);
        assert_eq!(numbers(&format!("{long}s"), 256), [2, 1, 3]);
    }

    #[test]
    fn a_long_text_is_cut_and_still_ends() {
        assert_eq!(numbers(&"tree ".repeat(1_000), 5), [2, 7, 7, 7, 3]);
        assert_eq!(numbers("", 256), [2, 3]);
        assert_eq!(numbers("tree", 0), [2, 3]);
    }

    #[test]
    fn a_vocabulary_without_the_marks_is_refused() {
        assert!(WordPieces::parse("tree\nwood\n").is_none());
    }

    proptest! {
        #[test]
        fn any_text_has_its_marks_and_keeps_to_its_limit(text in "\\PC*|[\\x00-\\u{10ffff}]*", most in 2_usize..40) {
            let numbers = numbers(&text, most);
            prop_assert!(numbers.len() <= most);
            prop_assert_eq!((numbers.first(), numbers.last()), (Some(&2), Some(&3)));
        }
    }
}
