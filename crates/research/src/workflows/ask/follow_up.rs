//! Questions that lean on what was asked before: "and at night?", "why is that?".
//!
//! Without a model nothing is understood of them but their words. So the question that they lean on is put before them,
//! which gives the search its subject back; both are read together, and the reader is told so.

use fathom_evidence::Language;
use fathom_evidence::question;
use fathom_evidence::terms::{Terms, words};

use super::input::AskedTurn;

/// Words that continue what was said, at the beginning of a question.
fn connecting(language: Language) -> &'static [&'static str] {
    match language.code() {
        "de" => &["und", "aber", "oder", "auch", "wieso", "warum", "sonst"],
        "fr" => &["et", "mais", "ou", "pourquoi", "sinon"],
        "es" => &["y", "pero", "o", "entonces"],
        "it" => &["e", "ma", "o", "perché", "invece"],
        "pt" => &["e", "mas", "ou", "então"],
        "nl" => &["en", "maar", "of", "waarom", "ook"],
        _ => &["and", "but", "or", "also", "so", "then", "why", "otherwise"],
    }
}

/// Words that stand for something said before.
fn pointing(language: Language) -> &'static [&'static str] {
    match language.code() {
        "de" => &[
            "davon", "dabei", "damit", "dafür", "dagegen", "dazu", "darin", "daran", "dort", "ihn",
            "ihm", "ihnen", "dieser", "dieses", "dieselbe",
        ],
        "fr" => &[
            "cela", "ça", "ceci", "celui-ci", "ils", "elles", "leur", "y", "en",
        ],
        "es" => &["eso", "esto", "ellos", "ellas", "ese", "esa", "allí"],
        "it" => &["ciò", "questo", "quello", "essi", "loro", "lì", "ne"],
        "pt" => &["isso", "isto", "eles", "elas", "esse", "essa", "ali"],
        "nl" => &[
            "dat", "dit", "daarvan", "daarbij", "daarmee", "ze", "hun", "daar",
        ],
        _ => &[
            "it", "its", "they", "them", "their", "this", "that", "these", "those", "he", "she",
            "him", "his", "her", "there", "same",
        ],
    }
}

/// A question with a connecting or pointing word and no more telling words than these leans on what it points to.
const TELLING_FEW: usize = 3;

/// So few words with one that tells something are no question by themselves: "at night?".
const FRAGMENT_WORDS: usize = 2;

/// A question in full has at most so many characters, as every question.
const QUESTION_CHARS: usize = 2_000;

/// The question in full, where it leans on an earlier one; nothing where it stands by itself.
pub fn in_full(question: &str, earlier: &[AskedTurn]) -> Option<String> {
    let language = question::language(question);
    // A chain of follow-ups leans on the question that began it, and not on one another.
    let mut begins = earlier.iter().enumerate().rev();
    let (_, began) = begins.find(|(nth, turn)| {
        let asked = &turn.question;
        turn.in_full.is_none() && (*nth == 0 || !leans(asked, question::language(asked)))
    })?;
    if !leans(question, language) {
        return None;
    }
    let root = began.question.trim_end_matches(['?', '？', '.', '!', ' ']);
    let question = question.trim();
    let mut rest = question.chars();
    let joined = match rest.next() {
        Some(first) if continues(question, language) => {
            format!("{}{}", first.to_lowercase(), rest.as_str())
        }
        _ => question.to_owned(),
    };
    let whole = format!("{root}, {joined}");
    (whole.chars().count() <= QUESTION_CHARS).then_some(whole)
}

/// Whether a question says too little to stand by itself.
fn leans(question: &str, language: Language) -> bool {
    let said = said(question);
    let telling = Terms::new(language).telling(question).len();
    let points = said
        .iter()
        .any(|word| pointing(language).contains(&word.as_str()));
    let is_fragment = telling == 0 || (telling == 1 && said.len() <= FRAGMENT_WORDS);
    let is_short = telling <= TELLING_FEW && (points || continues(question, language));
    !said.is_empty() && (is_fragment || is_short)
}

/// Whether a question begins with a word that goes on from what was said.
fn continues(question: &str, language: Language) -> bool {
    let said = said(question);
    let first = said.first().map(String::as_str);
    first.is_some_and(|first| connecting(language).contains(&first))
}

/// The words of a question in small letters.
fn said(question: &str) -> Vec<String> {
    let said = words(question).filter_map(|span| span.of(question));
    said.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(question: &str, in_full: Option<&str>) -> AskedTurn {
        AskedTurn {
            question: question.to_owned(),
            in_full: in_full.map(str::to_owned),
            answer: String::new(),
        }
    }

    #[test]
    fn a_follow_up_gets_the_question_back_that_it_leans_on() {
        let first = [turn("How much do street trees cool the air by day?", None)];
        let full = |question: &str| in_full(question, &first);
        assert_eq!(
            full("And at night?").unwrap(),
            "How much do street trees cool the air by day, and at night?"
        );
        assert!(full("How do they do that?").is_some());
        assert!(full("in winter?").is_some());
        assert_eq!(full("Which roofs reflect the most sunlight?"), None);
        assert_eq!(in_full("And at night?", &[]), None);
    }

    #[test]
    fn a_chain_leans_on_the_question_that_began_it() {
        let began = "Wie stark kühlen Straßenbäume die Luft?";
        let turns = [
            turn(began, None),
            turn(
                "Und nachts?",
                Some("Wie stark kühlen Straßenbäume die Luft, und nachts?"),
            ),
        ];
        assert_eq!(
            in_full("Und im Winter?", &turns).unwrap(),
            "Wie stark kühlen Straßenbäume die Luft, und im Winter?"
        );
    }

    #[test]
    fn a_chain_whose_links_were_not_told_in_full_leans_on_its_beginning_too() {
        let turns = [
            turn("Which roofs reflect the most sunlight?", None),
            turn("How much do street trees cool the air by day?", None),
            turn("And at night?", None),
        ];
        assert_eq!(
            in_full("In winter?", &turns).unwrap(),
            "How much do street trees cool the air by day, In winter?"
        );
    }
}
