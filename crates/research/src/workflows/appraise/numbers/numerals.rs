//! Numbers that are written as words: "fifty-four patients" becomes "54 patients".

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::patterns::compiled;

const UNITS: [&str; 19] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// A number below a hundred: tens with or without a unit, or a unit.
fn below_hundred() -> String {
    let (units, tens) = (UNITS.join("|"), TENS.join("|"));
    format!("(?:(?:{tens})(?:[- ](?:{units}))?|(?:{units}))")
}

static WRITTEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let small = below_hundred();
    compiled(&format!(
        r"\b(?:{small} hundred(?:(?: and)? {small})?|{small})\b"
    ))
});

/// The text with whole numbers up to 9,999 in digits.
pub(super) fn in_digits(plain: &str) -> String {
    let Some(written) = WRITTEN.as_ref() else {
        return plain.to_owned();
    };
    let (mut out, mut from) = (String::with_capacity(plain.len()), 0);
    for found in written.find_iter(plain.as_bytes()) {
        out.push_str(&plain[from..found.start()]);
        let words = &plain[found.start()..found.end()];
        // "Eight-nine" and "two-arm" are no numbers of people.
        let joined = |at: Option<&u8>| at == Some(&b'-');
        let bytes = plain.as_bytes();
        let part_of_word = joined(bytes.get(found.end()))
            || found
                .start()
                .checked_sub(1)
                .is_some_and(|at| joined(bytes.get(at)));
        if part_of_word {
            out.push_str(words);
        } else {
            out.push_str(&value(words).to_string());
        }
        from = found.end();
    }
    out.push_str(&plain[from..]);
    out
}

fn value(words: &str) -> u64 {
    let mut sum = 0;
    for word in words.split([' ', '-']) {
        let unit = (1..).zip(UNITS).find(|(_, unit)| *unit == word);
        let ten = (2..).zip(TENS).find(|(_, ten)| *ten == word);
        match (unit, ten, word) {
            (Some((unit, _)), _, _) => sum += unit,
            (_, Some((ten, _)), _) => sum += ten * 10,
            (_, _, "hundred") => sum *= 100,
            _ => {}
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_numbers_become_digits_and_other_words_stay() {
        for (words, digits) in [
            (
                "sixty-three patients were recruited.",
                "63 patients were recruited.",
            ),
            ("one hundred thirty-eight volunteers", "138 volunteers"),
            ("two hundred and eight women", "208 women"),
            ("nine and seven participants", "9 and 7 participants"),
            (
                "eight-nine children in a two-arm trial",
                "eight-nine children in a two-arm trial",
            ),
            ("someone weighed ninety", "someone weighed 90"),
        ] {
            assert_eq!(in_digits(words), digits);
        }
    }
}
