//! Abbreviations that documents introduce, such as "patient-held record (PHR)": a question may say the one and a passage the other.

use std::collections::BTreeSet;

/// Letters of an abbreviation.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=8;

/// What texts call a thing that a question names by its abbreviation or in full, each name once: `PHR` for a question on
/// patient-held records, and the other way round.
pub fn other_names<'t>(question: &str, texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    let said: BTreeSet<String> = words(question).collect();
    let as_written: BTreeSet<&str> = parts(question).collect();
    let mut found = Vec::new();
    for text in texts {
        for (short, long) in introduced(text) {
            let long_said = words(&long).all(|word| said.contains(&word));
            let short_said = as_written.contains(short);
            let other = match (long_said, short_said) {
                (true, false) => short.to_owned(),
                (false, true) => long,
                (true, true) | (false, false) => continue,
            };
            if !found.contains(&other) {
                found.push(other);
            }
        }
    }
    found
}

/// The abbreviations that a text introduces in brackets, each with the words before the bracket that it stands for.
fn introduced(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.match_indices('(').filter_map(|(open, _)| {
        let (short, _) = text.get(open + 1..)?.split_once(')')?;
        let letters: Vec<char> = short.chars().collect();
        let is_short = LETTERS.contains(&letters.len())
            && letters.iter().all(char::is_ascii_alphanumeric)
            && letters.iter().filter(|c| c.is_ascii_uppercase()).count() >= 2;
        let before: Vec<String> = words(text.get(..open)?).collect();
        let long = before.get(before.len().checked_sub(letters.len())?..)?;
        let mut initials = long.iter().zip(&letters);
        let fits = |(word, letter): (&String, &char)| word.starts_with(letter.to_ascii_lowercase());
        (is_short && initials.all(fits)).then(|| (short, long.join(" ")))
    })
}

/// The words of a text in small letters; those joined by hyphens one by one. An ending "s" is left out.
fn words(text: &str) -> impl Iterator<Item = String> {
    parts(text).map(|word| {
        let word = word.to_lowercase();
        word.strip_suffix('s').map(str::to_owned).unwrap_or(word)
    })
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Every mother got a patient-held record (PHR) in the first week (see below). \
                        Forced expiratory volume (FEV1) fell, and so did others (ABC).";

    #[test]
    fn a_question_is_told_the_abbreviation_or_the_words_that_it_stands_for() {
        let names = |question: &str| other_names(question, [TEXT, TEXT]);
        assert_eq!(names("Do patient-held records help mothers?"), ["PHR"]);
        assert_eq!(names("Does a PHR help mothers?"), ["patient held record"]);
    }

    #[test]
    fn what_is_not_introduced_or_said_both_ways_adds_nothing() {
        let names = |question: &str| other_names(question, [TEXT]);
        assert!(names("Does a record help?").is_empty());
        assert!(names("Is the patient-held record, or PHR, of use?").is_empty());
        assert!(names("What became of ABC?").is_empty());
        assert!(names("").is_empty());
    }
}
