//! The words of a question that name what it is about, as far as code can tell.
//!
//! Names have a large letter or a figure; in German so has every noun. In English, a word that is not common counts as a name too.
//! Elsewhere a word that follows an article, a preposition or a possessive is most likely a noun. Words like "way" or "reason" name
//! nothing.

use fathom_evidence::terms::{Terms, resembles_common_english};
use fathom_evidence::{Language, question};

/// Words after which a noun is likely, by language: "i" stands before nouns in Italian and before verbs in English. Every German
/// noun has a large letter, unless somebody types without any.
fn before_nouns(language: Language, has_large: bool) -> &'static [&'static str] {
    match language.code() {
        "fr" => &[
            "un", "une", "le", "la", "les", "l", "d", "de", "du", "des", "avec", "sur", "dans",
            "en", "mon", "ma", "mes",
        ],
        "es" => &[
            "un", "una", "el", "la", "los", "las", "de", "del", "con", "sobre", "en", "su", "mi",
            "mis",
        ],
        "it" => &[
            "un", "una", "uno", "il", "lo", "la", "gli", "i", "le", "l", "d", "di", "da", "del",
            "dei", "della", "con", "su", "nel", "mio", "mia",
        ],
        "pt" => &[
            "um", "uma", "o", "a", "os", "as", "de", "da", "do", "com", "sobre", "em", "meu",
            "minha",
        ],
        "nl" => &["een", "de", "het", "van", "met", "op", "in", "mijn", "over"],
        "de" if has_large => &[],
        "de" => &[
            "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer",
            "mein", "meine", "meinen", "welches", "welche", "welchen",
        ],
        _ => &[
            "a", "an", "the", "my", "your", "our", "their", "his", "her", "its", "of", "on", "in",
            "with", "for", "from", "by", "about", "under",
        ],
    }
}

/// Nouns that no document need mention to answer a question that has them.
const NAMES_NOTHING: &str = "way ways thing things reason reasons gist point idea kind sort folks guys stuff bit lot moment question answer \
    difference situation situations number amount maximum minimum percentage default someone anyone everyone \
    nobody somebody anybody everybody something anything everything nothing end start beginning middle top bottom \
    side front back rest whole half part parts place places case cases time times day days night today tomorrow \
    yesterday week weeks month months year years hour hours minute minutes morning evening people person man woman \
    others example examples help use purpose fact wife \
    husband mum mom dad mother father son daughter friend friends boss";

/// English words that open a question and stand before its subject: "does ivermectin reduce …", "how many accidents …". Short
/// nouns after them are everyday ones, for which documents have others.
const BEFORE_SUBJECTS: &[&str] = &["does", "do", "did", "many"];
const LONG_NOUN: usize = 9;

/// Words of fewer letters are often abbreviated or slang.
const TERM_LETTERS: usize = 5;

/// Endings of English words that describe the noun behind them rather than name a thing.
const DESCRIBES: &[&str] = &[
    "al", "ary", "ic", "ous", "ive", "able", "ible", "ful", "less", "ent", "ant", "ed", "ing",
    "est",
];

/// The words that name the subject, as they are written in the question, in order.
pub(crate) fn subject_words(asked: &str, language: Language) -> Vec<String> {
    let terms = Terms::new(language);
    let mut before = String::new();
    let mut found: Vec<String> = Vec::new();
    let mut begins = true;
    let before_nouns = before_nouns(language, asked.contains(char::is_uppercase));
    let words = asked
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#')))
        .map(|word| (word.trim_matches(['.', '-']), word.ends_with('.')));
    let mut words = words.filter(|(word, _)| !word.is_empty()).peekable();
    while let Some((word, ends)) = words.next() {
        let lower = word.to_lowercase();
        // What documents have another word for is not missing in them.
        let telling = !terms.is_stop(&lower)
            && !names_nothing(&lower)
            && question::document_words(word, language).is_empty();
        let noun_follows = words.peek().is_some_and(|(next, _)| !terms.is_stop(next));
        let describes = noun_follows
            && match language.code() {
                "en" => DESCRIBES.iter().any(|ending| word.ends_with(ending)),
                code => code == "de",
            };
        let follows = before_nouns.contains(&before.as_str()) && !describes;
        let names =
            names(word, &before, begins, describes, language) || follows || is_term(word, language);
        let says_enough = word.chars().count() > 2 || has_figure_and_letter(word);
        if names && telling && says_enough && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
        begins = ends;
        before = lower;
    }
    found
}

/// Such as "Q7": short, and still a name.
fn has_figure_and_letter(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_uppercase)
}

/// Whether no document need mention a word, in small letters, to answer a question that has it.
pub(crate) fn names_nothing(word: &str) -> bool {
    NAMES_NOTHING.split(' ').any(|known| known == word)
}

/// Whether a word is a term of some field or a name in small letters: people who ask about anything else do not use it.
pub(crate) fn is_term(word: &str, language: Language) -> bool {
    language == Language::ENGLISH
        && word.chars().count() >= TERM_LETTERS
        && word.chars().all(char::is_alphabetic)
        && !resembles_common_english(word)
}

fn names(word: &str, before: &str, begins: bool, describes: bool, language: Language) -> bool {
    let mut letters = word.chars();
    let large = letters.next().is_some_and(char::is_uppercase);
    let has_letter = word.contains(char::is_alphabetic);
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let inner = letters.any(char::is_uppercase) || has_letter && has_digit;
    let long = word.chars().count() >= LONG_NOUN;
    let asked_of = language == Language::ENGLISH && BEFORE_SUBJECTS.contains(&before) && long;
    inner || (large && !begins) || (asked_of && !describes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_named_by_large_letters_figures_or_the_word_before_it() {
        let cases: [(&str, &str, &[&str]); 14] = [
            ("wie stelle ich die mikrowelle ein?", "de", &["mikrowelle"]),
            ("is it ok for someone in the end?", "en", &[]),
            ("terraform says it is locked", "en", &["terraform"]),
            ("can it add, like 1.5*3?", "en", &[]),
            ("does ivermectin reduce deaths?", "en", &["ivermectin"]),
            ("do babies sleep long?", "en", &[]),
            (
                "what was the primary outcome in the cohort?",
                "en",
                &["cohort"],
            ),
            (
                "How do I roll back a Helm release on a Kubernetes cluster?",
                "en",
                &["Helm", "Kubernetes"],
            ),
            (
                "how much weight do people lose on semaglutide?",
                "en",
                &["semaglutide"],
            ),
            (
                "Wie viele Festplatten dürfen bei RAID 6 kaputtgehen?",
                "de",
                &["Festplatten", "RAID"],
            ),
            ("Does vitamin Q7 prevent migraine?", "en", &["Q7"]),
            ("what is the reason for that?", "en", &[]),
            ("if i loop over it, can i sort as i go?", "en", &[]),
            (
                "perché i gatti dormono di giorno?",
                "it",
                &["gatti", "giorno"],
            ),
        ];
        for (question, language, expected) in cases {
            assert_eq!(subject_words(question, language.parse().unwrap()), expected);
        }
    }
}
