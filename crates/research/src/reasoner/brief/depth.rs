//! How far a question asks to go, by its words: one fact, an answer with its parts, or all there is.
//!
//! English alone; what cannot be told is of standard depth.

use fathom_evidence::question::{self, QuestionKind as Asks};

use crate::question::Depth;
use crate::words;

/// A question for one fact has at most so many words.
const FACT_WORDS_MOST: usize = 12;

/// One for a number is put in fewer: more words name what it depends on.
const NUMBER_WORDS_MOST: usize = 8;

/// From so many clauses that each ask something, a question wants them all.
const CLAUSES_WIDE: usize = 3;

/// Words that begin what is asked.
const ASKING: [&str; 14] = [
    "how", "what", "why", "which", "who", "when", "where", "whether", "does", "do", "is", "are",
    "can", "should",
];

/// How far to go for a question that leaves it open.
pub fn depth(asked: &str) -> Depth {
    let lower = asked.to_lowercase();
    let clauses = clauses(&lower);
    if clauses >= CLAUSES_WIDE || words::all("wide").any(|word| words::holds(&lower, word)) {
        return Depth::Comprehensive;
    }
    let words = lower.split_whitespace().count();
    let most = match question::read(asked).kind {
        Asks::Time | Asks::Definition | Asks::Who => FACT_WORDS_MOST,
        Asks::Quantity => NUMBER_WORDS_MOST,
        Asks::Comparison
        | Asks::Evaluation
        | Asks::Why
        | Asks::Effect
        | Asks::How
        | Asks::HowTo
        | Asks::List
        | Asks::YesNo
        | Asks::Other => 0,
    };
    if clauses <= 1 && words <= most {
        Depth::Quick
    } else {
        Depth::Standard
    }
}

/// Parts that begin by asking, as in "how do trees cool, what do they cost, and who pays".
fn clauses(lower: &str) -> usize {
    let parts = lower.split([',', ';', '?', '.']);
    let parts = parts.flat_map(|part| part.split(" and "));
    let asks = |part: &str| {
        let mut words = part.split_whitespace();
        let first = words.find(|word| *word != "and");
        first.is_some_and(|word| ASKING.contains(&word))
    };
    parts.filter(|part| asks(part)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fact_is_quick_and_all_there_is_comprehensive() {
        let expected = [
            (Depth::Quick, "When was the telescope invented?"),
            (Depth::Quick, "What is photosynthesis?"),
            (Depth::Quick, "How many moons does Mars have?"),
            (Depth::Standard, "What is the effect of coffee on sleep?"),
            (Depth::Standard, "How do trees compare with awnings?"),
            (
                Depth::Standard,
                "Why do young trees die in their first years?",
            ),
            (
                Depth::Standard,
                "How much do street trees lower the air temperature in summer?",
            ),
            (Depth::Standard, "Wie kühlen Bäume eine Stadt im Sommer?"),
            (
                Depth::Comprehensive,
                "Give an overview of the evidence on street trees and heat",
            ),
            (
                Depth::Comprehensive,
                "Review what is known about coffee and sleep",
            ),
            (
                Depth::Comprehensive,
                "How do street trees cool a town, what do they cost, and who should pay for them?",
            ),
        ];
        for (depth, text) in expected {
            assert_eq!(super::depth(text), depth, "{text}");
        }
    }
}
