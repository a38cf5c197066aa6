//! How many tokens a text has, roughly, where nobody counted.
//!
//! A token of today's models is about four letters of English, fewer of other languages, and about one sign of
//! Chinese or Japanese.

/// Tokens per character, in hundredths.
const LETTER: u64 = 23;
const DIGIT: u64 = 45;
const MARK: u64 = 60;
const SPACE: u64 = 4;
const OTHER_ALPHABET: u64 = 42;
const IDEOGRAPH: u64 = 85;

/// An estimate; texts of a sentence or more are mostly within a quarter of the true count.
pub fn estimate(text: &str) -> u64 {
    let hundredths: u64 = text.chars().map(weight).sum();
    hundredths.div_ceil(100)
}

fn weight(char: char) -> u64 {
    match char {
        'a'..='z' | 'A'..='Z' => LETTER,
        '0'..='9' => DIGIT,
        ' ' | '\n' | '\t' | '\r' => SPACE,
        '\u{21}'..='\u{7e}' => MARK,
        '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => IDEOGRAPH,
        '\u{1f000}'.. => 2 * IDEOGRAPH,
        _ => OTHER_ALPHABET,
    }
}
