//! Questions for an amount of money, and texts that tell one.

use super::answer_kind::plain_words;
use crate::{Language, lists};

const MONEY: &str = include_str!("money.txt");

/// Words before "cost" that make it a noun: "the cost of a copy" need not be money.
const BEFORE_NOUN: [&str; 6] = ["the", "a", "at", "of", "no", "low"];

/// Whether a question asks for a price, a wage or what something costs.
pub fn asks_for_money(question: &str, language: Language) -> bool {
    let asked = plain_words(question);
    let words: Vec<&str> = asked.split_whitespace().collect();
    let listed = lists::entries(MONEY, language.code());
    let names = |at: usize, word: &str| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        listed.contains(&word) && !before.is_some_and(|before| BEFORE_NOUN.contains(before))
    };
    words.iter().enumerate().any(|(at, word)| names(at, word))
}

/// Whether a text tells an amount of money: a number beside a sign or name of a currency.
pub fn tells_money(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let currencies = lists::entries(MONEY, "currencies");
    let digits = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let named = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"$€£¥".contains(c));
        let word = word.to_lowercase();
        currencies.contains(&word.as_str())
    };
    let signed = |word: &str| digits(word) && word.contains(['$', '€', '£', '¥']);
    let pair = |pair: &[&str]| match pair {
        [one, other] => (digits(one) && named(other)) || (named(one) && digits(other)),
        _ => false,
    };
    words.iter().any(|word| signed(word)) || words.windows(2).any(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_and_wages_are_asked_for_in_seven_languages() {
        for (question, language) in [
            ("What did one dose of the drug cost?", "en"),
            ("Wie hoch ist das Jahresbudget in Euro?", "de"),
            ("combien gagne par mois le responsable ?", "fr"),
            ("¿Cuánto cuesta una dosis?", "es"),
        ] {
            let language = language.parse().unwrap();
            assert!(asks_for_money(question, language), "{question}");
        }
        let english = Language::ENGLISH;
        assert!(!asks_for_money("What is the cost of a clone?", english));
        assert!(!asks_for_money("How many columns are allowed?", english));
    }

    #[test]
    fn a_number_beside_a_currency_is_money() {
        for text in [
            "It was $ 300.",
            "About 20 € a day",
            "It costs 300 euros.",
            "It was $1,200.",
        ] {
            assert!(tells_money(text), "{text}");
        }
        assert!(!tells_money("The 3 groups had lower costs."));
    }
}
