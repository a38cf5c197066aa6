//! Numbers as people write them: "fifty-four patients" becomes "54 patients", and "12 092 patients" "12092 patients".

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
    let hundreds =
        format!("(?:(?:{small}|a)[- ]hundred(?:(?: and)? {small})?|hundred(?: and)? {small})");
    let thousands =
        format!("(?:{hundreds}|{small}|a) thousand(?:,?(?: and)? {hundreds}|(?: and)? {small})?");
    compiled(&format!(r"\b(?:{thousands}|{hundreds}|{small})\b"))
});

/// Thousands that a space cuts off, of two or three groups of digits.
static CUT: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"\b[1-9][0-9]{0,2}(?: [0-9]{3}){1,2}\b"));

/// Words before a number that names something, so that the next number is another one.
const LABELS: [&str; 21] = [
    "table", "figure", "fig", "group", "groups", "arm", "arms", "phase", "stage", "grade", "type",
    "day", "week", "month", "year", "visit", "study", "and", "or", "to", "between",
];

/// The text with numbers whole that a space cut into thousands.
fn without_cuts(plain: &str) -> String {
    let (mut out, mut from) = (String::with_capacity(plain.len()), 0);
    for found in CUT.iter().flat_map(|cut| cut.find_iter(plain.as_bytes())) {
        let (before, after) = (&plain[..found.start()], &plain[found.end()..]);
        let word = before.split_whitespace().next_back().unwrap_or_default();
        let part_of_more = before.ends_with(['.', ',', '/', '-', ':'])
            || after.starts_with(['%', '/', '-', ':'])
            || after.starts_with(['.', ','])
                && after[1..].starts_with(|c: char| c.is_ascii_digit());
        out.push_str(&plain[from..found.start()]);
        let digits = &plain[found.start()..found.end()];
        if part_of_more || LABELS.contains(&word.trim_end_matches('.')) {
            out.push_str(digits);
        } else {
            out.push_str(&digits.replace(' ', ""));
        }
        from = found.end();
    }
    out.push_str(&plain[from..]);
    out
}

/// The text with whole numbers below a million in digits.
pub(super) fn in_digits(plain: &str) -> String {
    let plain = without_cuts(plain);
    let plain = plain.as_str();
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
        let before = plain[..found.start()].split_whitespace().next_back();
        let nobody = words == "one" && matches!(before, Some("no" | "not"));
        if part_of_word || nobody {
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
    let (mut thousands, mut sum) = (0, 0);
    for word in words.split([' ', '-', ',']) {
        let unit = (1..).zip(UNITS).find(|(_, unit)| *unit == word);
        let ten = (2..).zip(TENS).find(|(_, ten)| *ten == word);
        match (unit, ten, word) {
            (Some((unit, _)), _, _) => sum += unit,
            (_, Some((ten, _)), _) => sum += ten * 10,
            (_, _, "a") => sum = 1,
            (_, _, "hundred") => sum = sum.max(1) * 100,
            (_, _, "thousand") => (thousands, sum) = (sum * 1_000, 0),
            _ => {}
        }
    }
    thousands + sum
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
            ("one thousand two hundred patients", "1200 patients"),
            ("two thousand, one hundred and five men", "2105 men"),
            ("twelve thousand and six women", "12006 women"),
            ("a hundred and twenty children", "120 children"),
            ("one-hundred and two children", "102 children"),
            ("hundred and twenty children", "120 children"),
            ("several hundred children", "several hundred children"),
            ("no one was lost, not one.", "no one was lost, not one."),
            ("a thousand people, a few", "1000 people, a few"),
            ("nine and seven participants", "9 and 7 participants"),
            (
                "eight-nine children in a two-arm trial",
                "eight-nine children in a two-arm trial",
            ),
            ("someone weighed ninety", "someone weighed 90"),
            ("a total of 12 092 patients", "a total of 12092 patients"),
            ("1 250 000 people", "1250000 people"),
            (
                "in group 2 120 patients fell",
                "in group 2 120 patients fell",
            ),
            ("0.5 120 and 3 200.5 mg", "0.5 120 and 3 200.5 mg"),
        ] {
            assert_eq!(in_digits(words), digits);
        }
    }
}
