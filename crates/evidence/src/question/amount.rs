//! Questions for an amount in some unit, and texts that tell one.
//!
//! "How many minutes does it take?" is not answered where no length of time is told. Any unit of the quantity will do: who is
//! asked for minutes may tell hours.

use super::answer_kind::{number_words, plain_words};
use crate::{Language, lists, terms};

const AMOUNTS: &str = include_str!("amounts.txt");

/// Quantities of the table.
const MONEY: &str = "money";
const QUANTITIES: [&str; 7] = ["time", "share", "storage", "power", "length", "mass", MONEY];

/// Words before "cost" with which it need not be money, as in "the cost of a copy" and "which costs more".
const NO_MONEY_BEHIND: [&str; 7] = ["the", "a", "at", "of", "no", "low", "which"];

/// "An hour" is an amount.
const ARTICLES: [&str; 5] = ["a", "an", "eine", "einen", "half"];

/// Between a number and its unit there may be a word, as in "20 working days".
const WORDS_BETWEEN: usize = 1;

/// What a question wants to be told in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAmount {
    /// The unit, as the question writes it; nothing where it asks for money.
    pub unit: Option<String>,
    quantity: &'static str,
}

impl AskedAmount {
    /// Reads a question; nothing where it asks for no amount, or names no unit.
    pub fn read(question: &str, language: Language) -> Option<Self> {
        let asked = plain_words(question);
        let money = || {
            asks_for_money(&asked, language).then_some(Self {
                unit: None,
                quantity: MONEY,
            })
        };
        in_unit(&asked, question).or_else(money)
    }

    /// Whether a text tells an amount of the quantity: a number beside a name or sign of a unit.
    pub fn is_told_in(&self, text: &str) -> bool {
        let lists = ["units", "signs"].map(|list| entries(list, self.quantity));
        let units: Vec<String> = lists.concat();
        let numbers = number_words();
        let is_number = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_digit())
                || numbers.contains(word)
                || ARTICLES.contains(word)
        };
        let text = terms::plain_letters(text);
        let between = |c: char| !c.is_alphanumeric() && !"$€£¥%.,".contains(c);
        let words = text.split(between).flat_map(split_number);
        let words: Vec<&str> = words
            .map(|word| word.trim_matches(['.', ',']))
            .filter(|word| !word.is_empty())
            .collect();
        let is_unit = |word: &str| units.iter().any(|unit| unit == word);
        let near = |at: usize| {
            let from = at.saturating_sub(1 + WORDS_BETWEEN);
            let around = words.get(from..words.len().min(at + 2));
            around.into_iter().flatten().any(&is_number)
        };
        let mut places = words.iter().enumerate();
        places.any(|(at, word)| is_unit(word) && near(at))
    }
}

/// What is asked for in a unit that stands behind "how many".
fn in_unit(asked: &str, question: &str) -> Option<AskedAmount> {
    let openings = lists::entries(AMOUNTS, "how many").into_iter();
    let mut behind = openings.filter_map(|opening| asked.split_once(&format!(" {opening} ")));
    let (_, behind) = behind.next()?;
    let unit = behind.split_whitespace().next()?;
    let is_of = |quantity: &&str| entries("units", quantity).iter().any(|one| one == unit);
    let quantity = QUANTITIES.into_iter().find(is_of)?;
    let mut written = question.split(|c: char| !c.is_alphanumeric());
    let written = written.find(|word| terms::plain_letters(word) == unit);
    Some(AskedAmount {
        unit: written.filter(|_| quantity != MONEY).map(str::to_owned),
        quantity,
    })
}

/// One of the table's lists, in the letters in which texts are looked at.
fn entries(list: &str, quantity: &str) -> Vec<String> {
    let entries = lists::entries(AMOUNTS, &format!("{list} {quantity}"));
    entries.into_iter().map(terms::plain_letters).collect()
}

/// Whether a question in plain words asks for a price, a wage or what something costs.
fn asks_for_money(asked: &str, language: Language) -> bool {
    let words: Vec<&str> = asked.split_whitespace().collect();
    let listed = lists::entries(AMOUNTS, &format!("{} money", language.code()));
    let names = |at: usize, word: &str| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        listed.contains(&word) && !before.is_some_and(|before| NO_MONEY_BEHIND.contains(before))
    };
    words.iter().enumerate().any(|(at, word)| names(at, word))
}

/// "20ms" and "$300" as a number and its unit.
fn split_number(word: &str) -> [&str; 2] {
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let begins_with_number = word.starts_with(is_number);
    let end = word.find(|c: char| is_number(c) != begins_with_number);
    let (one, other) = word.split_at(end.unwrap_or(word.len()));
    [one, other]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str, language: &str) -> Option<AskedAmount> {
        AskedAmount::read(question, language.parse().unwrap())
    }

    #[test]
    fn prices_and_wages_are_asked_for_in_seven_languages() {
        for (question, language) in [
            ("What did one dose of the drug cost?", "en"),
            ("Wie hoch ist das Jahresbudget in Euro?", "de"),
            ("combien gagne par mois le responsable ?", "fr"),
            ("¿Cuánto cuesta una dosis?", "es"),
            ("¿Cuánto dinero pagaba la empresa?", "es"),
        ] {
            let amount = asked(question, language);
            assert_eq!(amount.expect(question).unit, None);
        }
        for question in [
            "What is the cost of a clone?",
            "How many columns are allowed?",
            "Rows or columns, which costs more?",
        ] {
            assert_eq!(asked(question, "en"), None, "{question}");
        }
    }

    #[test]
    fn a_number_beside_a_currency_is_money() {
        let money = asked("What did it cost?", "en").unwrap();
        for text in [
            "It was $ 300.",
            "About 20 € a day",
            "It costs 300 euros.",
            "It was $1,200.",
        ] {
            assert!(money.is_told_in(text), "{text}");
        }
        assert!(!money.is_told_in("The 3 groups had lower costs."));
    }

    #[test]
    fn a_unit_that_is_asked_for_is_told_in_any_unit_of_its_quantity() {
        let time = asked("how many minutes does a copy take?", "en").unwrap();
        assert_eq!(time.unit.as_deref(), Some("minutes"));
        for text in ["It took 20ms.", "two full days", "within 1.5 hours,"] {
            assert!(time.is_told_in(text), "{text}");
        }
        for text in [
            "It has 3 parts.",
            "minutes of the 20 meetings",
            "in seconds",
        ] {
            assert!(!time.is_told_in(text), "{text}");
        }
        let share = asked("Wie viel Prozent langsamer ist es?", "de").unwrap();
        assert!(share.is_told_in("Es ist 12 % langsamer."));
        assert!(share.is_told_in("etwa 12% mehr"));
        assert!(share.is_told_in("12 per cent more"));
        assert!(asked("combien de jours faut-il attendre ?", "fr").is_some());
        for question in [
            "how many trees were planted?",
            "how many US states ratified it?",
            "how many second-line drugs are there?",
        ] {
            assert_eq!(asked(question, "en"), None, "{question}");
        }
        let time = asked("how many milliseconds does a call cost?", "en").unwrap();
        assert_eq!(time.unit.as_deref(), Some("milliseconds"));
    }
}
