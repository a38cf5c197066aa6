//! What a run could not do as well as intended: typed while a run works, told in sentences at its end.

use fathom_evidence::Language;
use fathom_render::phrases::{CaveatWords, Phrases};
use serde::{Deserialize, Serialize};

use crate::library::LibraryStock;

/// Something that a run could not do as well as intended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Degradation {
    /// A part was made by another reasoner than the first choice.
    MadeBy {
        /// What was made.
        part: JudgedPart,
        /// The name of the reasoner that made it.
        reasoner: String,
    },
    /// Files of the asker's library could not be read.
    FilesSkipped(LibraryStock),
    /// At least one search failed.
    SearchFailed,
    /// A model was to judge every sentence, and could not judge some.
    NotAllJudged,
    /// A model was to review the draft, and could not.
    NotReviewed,
    /// The model is too slow for all of the work.
    SlowModel,
    /// Passages were to be ranked by their meaning too.
    EncoderFailed {
        /// What went wrong, in a sentence without a full stop.
        why: String,
    },
    /// As runs recorded it before these were typed.
    #[serde(untagged)]
    Told(String),
}

/// A part of a run that a reasoner judges or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgedPart {
    /// The research plan.
    Plan,
    /// The findings, themes and gaps.
    Analysis,
    /// The sections of the report.
    Text,
    /// Title, summary and conclusion.
    Summary,
    /// The review of a draft.
    Review,
}

/// The degradations in sentences: one for all parts that one reasoner made, in the place of the first of them.
pub(crate) fn sentences(all: &[Degradation], language: Language) -> Vec<String> {
    let words = &Phrases::new(language).caveats;
    let mut told: Vec<String> = Vec::new();
    // Then it did not even write the short answer.
    let is_text = |one: &Degradation| {
        matches!(
            one,
            Degradation::MadeBy {
                part: JudgedPart::Text,
                ..
            }
        )
    };
    let wrote_nothing = all.iter().any(is_text);
    for one in all {
        let sentence = match one {
            Degradation::SlowModel if wrote_nothing => continue,
            Degradation::MadeBy { reasoner, .. } => made_by(all, reasoner, words),
            Degradation::FilesSkipped(stock) => skipped_sentence(*stock, words),
            Degradation::SearchFailed => words.search_failed.to_owned(),
            Degradation::NotAllJudged => words.not_all_judged.to_owned(),
            Degradation::NotReviewed => words.not_reviewed.to_owned(),
            Degradation::SlowModel => words.slow_model.to_owned(),
            Degradation::EncoderFailed { why } => words.encoder_failed.replace("{why}", why),
            Degradation::Told(sentence) => sentence.clone(),
        };
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    told
}

/// How many files of the library could not be read.
pub(crate) fn files_skipped(all: &[Degradation]) -> usize {
    let skipped = all.iter().map(|one| match one {
        Degradation::FilesSkipped(stock) => stock.skipped,
        _ => 0,
    });
    skipped.max().unwrap_or(0)
}

/// That files are missing, and plainly so where most are.
fn skipped_sentence(stock: LibraryStock, words: &CaveatWords) -> String {
    let LibraryStock { documents, skipped } = stock;
    let told = words.files_skipped.count(skipped);
    let told = told.replace("{all}", &(documents + skipped).to_string());
    if skipped > documents {
        format!("{}{told}", words.most_missing)
    } else {
        told
    }
}

/// That one reasoner made all its parts in the place of the language model.
fn made_by(all: &[Degradation], by: &str, words: &CaveatWords) -> String {
    let [plan, analysis, text, summary, review] = words.parts;
    let mut parts: Vec<&str> = Vec::new();
    for one in all {
        let Degradation::MadeBy { part, reasoner } = one else {
            continue;
        };
        let name = match part {
            JudgedPart::Plan => plan,
            JudgedPart::Analysis => analysis,
            JudgedPart::Text => text,
            JudgedPart::Summary => summary,
            JudgedPart::Review => review,
        };
        if reasoner == by && !parts.contains(&name) {
            parts.push(name);
        }
    }
    let named = match parts.split_last() {
        Some((last, first)) if !first.is_empty() => {
            format!("{} {} {last}", first.join(", "), words.and)
        }
        _ => parts.concat(),
    };
    let sentence = words.made_by.count(parts.len()).replace("{by}", by);
    let sentence = sentence.replace("{parts}", &named);
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(part: JudgedPart) -> Degradation {
        let reasoner = "extractive".to_owned();
        Degradation::MadeBy { part, reasoner }
    }

    #[test]
    fn parts_that_one_reasoner_made_are_told_in_one_sentence() {
        let all = [
            made(JudgedPart::Plan),
            Degradation::SearchFailed,
            made(JudgedPart::Text),
            made(JudgedPart::Plan),
            made(JudgedPart::Review),
        ];
        assert_eq!(
            sentences(&all, Language::ENGLISH),
            [
                "The plan, the text and the review were made by the extractive reasoner, because the language model could not be used.",
                "Search capabilities were limited: some searches failed, and the answer rests on partial information.",
            ]
        );
        assert_eq!(
            sentences(&all[..3], Language::ENGLISH)[0],
            "The plan and the text were made by the extractive reasoner, because the language model could not be used."
        );
        assert_eq!(
            sentences(&all[..1], Language::ENGLISH)[0],
            "The plan was made by the extractive reasoner, because the language model could not be used."
        );
    }

    #[test]
    fn a_library_that_is_mostly_unread_is_told_plainly() {
        let told = |documents, skipped| {
            let stock = LibraryStock { documents, skipped };
            sentences(&[Degradation::FilesSkipped(stock)], Language::ENGLISH).concat()
        };
        assert_eq!(
            told(9, 1),
            "1 of 10 files could not be read and was left out."
        );
        assert_eq!(
            told(1, 9),
            "Most of your library is missing here: 9 of 10 files could not be read and were left out."
        );
    }

    #[test]
    fn degradations_are_told_in_the_language_of_the_question() {
        let (documents, skipped) = (1, 9);
        let all = [
            Degradation::FilesSkipped(LibraryStock { documents, skipped }),
            made(JudgedPart::Plan),
            made(JudgedPart::Text),
        ];
        assert_eq!(
            sentences(&all, "de".parse().unwrap()),
            [
                "Der größte Teil Ihrer Bibliothek fehlt: 9 von 10 Dateien konnten nicht gelesen werden und fehlen hier.",
                "Der Plan und der Text stammen von der Auswertung „extractive“, weil das Sprachmodell nicht benutzt werden konnte.",
            ]
        );
    }

    #[test]
    fn a_sentence_of_an_older_run_is_read_and_told_as_it_is() {
        let stored =
            r#"["One search failed.",{"made_by":{"part":"plan","reasoner":"x"}},"search_failed"]"#;
        let all: Vec<Degradation> = serde_json::from_str(stored).unwrap();
        assert_eq!(all[0], Degradation::Told("One search failed.".to_owned()));
        assert_eq!(all[2], Degradation::SearchFailed);
        assert_eq!(sentences(&all, Language::ENGLISH)[0], "One search failed.");
    }
}
