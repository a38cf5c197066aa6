//! The sentences that a report has around its text, in the language of its question.
//!
//! A language without a table (`phrases/*.json`) gets English. `{n}` and `{m}` stand for numbers. What sources say is never translated.

use std::sync::LazyLock;

use fathom_evidence::Language;
use serde::Deserialize;

use crate::answer::AnswerWords;
use crate::report::Answered;

/// A table for each language. The first stands in for a language that has none.
const TABLES: [(&str, &str); 7] = [
    ("en", include_str!("phrases/en.json")),
    ("de", include_str!("phrases/de.json")),
    ("es", include_str!("phrases/es.json")),
    ("fr", include_str!("phrases/fr.json")),
    ("it", include_str!("phrases/it.json")),
    ("nl", include_str!("phrases/nl.json")),
    ("pt", include_str!("phrases/pt.json")),
];

static PHRASES: LazyLock<Vec<Phrases>> = LazyLock::new(|| {
    let tables = TABLES.map(|(_, table)| serde_json::from_str(table));
    let tables: Result<_, serde_json::Error> = tables.into_iter().collect();
    tables.expect("the tables are part of the program, and a test reads them")
});

/// Everything that a form says by itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrases {
    /// Heading of the summary.
    pub summary: &'static str,
    /// Heading of what the sources disagree on.
    pub disagreements: &'static str,
    /// Heading of passages that do not answer the question.
    pub nearest_passages: &'static str,
    /// Heading of what nothing answers.
    pub unknown: &'static str,
    /// Heading of the conclusion.
    pub conclusion: &'static str,
    /// Heading of how the report came about.
    pub method: &'static str,
    /// Heading of the list of sources.
    pub sources: &'static str,
    /// Heading of the proofs.
    pub proofs: &'static str,
    /// Heading of the table of contents.
    pub contents: &'static str,
    /// Heading of a section without a title, before its number.
    pub section: &'static str,
    /// Before the question, where the title is another.
    pub asked: &'static str,
    /// A way past the contents, for who listens to the page.
    pub skip: &'static str,
    /// Before the title of a partial report.
    pub partial_title: &'static str,
    /// Says that a report is partial, before the reason.
    pub partial_note: &'static str,
    /// Over what a reader must know first.
    pub before_relying: &'static str,
    /// The question is answered.
    pub answered: &'static str,
    /// The question is answered in part.
    pub partly_answered: &'static str,
    /// The question is not answered.
    pub not_answered: &'static str,
    /// How many sources say what the answer says.
    pub agree: Plural,
    /// How many say otherwise; follows a comma.
    pub dispute: Plural,
    /// `{n}` sources are cited, `{m}` were read.
    pub cited: Plural,
    /// `{n}` of `{m}` quotes stand in their source word for word.
    pub quotes_verified: &'static str,
    /// `{n}` of `{m}` sentences are borne out by their source.
    pub statements_verified: &'static str,
    /// No language model took part.
    pub no_model: &'static str,
    /// A model reviewed the report and gave it `{n}` of 10.
    pub review: &'static str,
    /// Two sides, and nothing to weigh them by.
    pub neither_side: &'static str,
    /// Before a query in quotation marks.
    pub search_next: &'static str,
    /// The last line of a page.
    pub footer: &'static str,
    /// Reasons for which a question is not, or only partly, answered.
    pub reasons: Reasons,
    /// The words of the figures and of the notes on the method.
    pub(crate) figures: FigureWords,
    /// What a reader must know before relying on a report.
    pub caveats: CaveatWords,
    /// What an answer says by itself.
    pub(crate) answer: AnswerWords,
}

/// The words around figures and in the notes on the method. Lists follow the order of the enums that they name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureWords {
    pub(crate) status: &'static str,
    pub(crate) complete: &'static str,
    pub(crate) partial: &'static str,
    pub(crate) answered: &'static str,
    /// Yes, partly, no.
    pub(crate) answers: [&'static str; 3],
    pub(crate) findings: &'static str,
    /// Strong, moderate, weak.
    pub(crate) strengths: [&'static str; 3],
    pub(crate) disagreements: &'static str,
    pub(crate) open_questions: &'static str,
    pub(crate) claims: &'static str,
    pub(crate) removed: &'static str,
    pub(crate) verified: &'static str,
    /// Contradicted, not supported, could not be checked.
    pub(crate) faults: [&'static str; 3],
    pub(crate) judged: &'static str,
    pub(crate) by_code: &'static str,
    pub(crate) no_judge: &'static str,
    pub(crate) judged_by_model: &'static str,
    pub(crate) supported_of: &'static str,
    pub(crate) not_judged: &'static str,
    pub(crate) of: &'static str,
    pub(crate) sources_read: &'static str,
    pub(crate) found: &'static str,
    pub(crate) cited: &'static str,
    pub(crate) fetches_failed: &'static str,
    pub(crate) time: &'static str,
    pub(crate) tokens: &'static str,
    pub(crate) cost: &'static str,
    pub(crate) not_known: &'static str,
    pub(crate) no_price: &'static str,
    pub(crate) review: &'static str,
    /// High, medium, low.
    pub(crate) confidence: [&'static str; 3],
    pub(crate) method: &'static str,
    /// `{depth}`, `{style}`, `{asked}` and `{finished}` are filled in.
    pub(crate) run: &'static str,
    pub(crate) planner_chose: &'static str,
    /// `{names}` stands for reasoners.
    pub(crate) reasoned_by: &'static str,
    pub(crate) built_in: &'static str,
    /// `{queries}`, `{rounds}`, `{drafts}`, `{steps}` and `{words}` are filled in.
    pub(crate) counts: &'static str,
    pub(crate) sub_questions: &'static str,
    /// `{n}` results of searches.
    pub(crate) results: Plural,
    /// Over how a model planned.
    pub(crate) plan: &'static str,
    /// Over what each revision changed.
    pub(crate) revisions: &'static str,
    /// Over what second looks under relaxed rules changed.
    pub(crate) second_looks: &'static str,
    /// Sources `{numbers}` have evidence that only relaxed rules accepted.
    pub(crate) relaxed: &'static str,
    pub(crate) queries: &'static str,
    pub(crate) text_faults: &'static str,
    pub(crate) degraded: &'static str,
    pub(crate) errors: &'static str,
    /// What unfolds the method on a page.
    pub(crate) fold: &'static str,
}

/// What could not be done as well as intended, and what a partial report is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaveatWords {
    /// `{n}` of `{all}` files of the library could not be read.
    pub files_skipped: Plural,
    /// Before that, where they are the greater part.
    pub most_missing: &'static str,
    /// At least one search failed.
    pub search_failed: &'static str,
    /// A model did not judge every sentence that it was to judge.
    pub not_all_judged: &'static str,
    /// A model did not review the draft that it was to review.
    pub not_reviewed: &'static str,
    /// The model is too slow for all of the work.
    pub slow_model: &'static str,
    /// The encoder could not be used: `{why}`.
    pub encoder_failed: &'static str,
    /// `{parts}` were made by the reasoner `{by}` in the place of a model.
    pub made_by: Plural,
    /// Plan, analysis, text, summary and review, each with its article.
    pub parts: [&'static str; 5],
    /// Before the last of several parts.
    pub and: &'static str,
    /// `{n}` of `{m}` pages could not be read, and one source alone bears the answer.
    pub thin: &'static str,
    /// Searching was cut short (`{why}`, in English only), and `{missing}` was not found.
    pub ended_early: &'static str,
    /// Of the cited sources `{numbers}` were retracted.
    pub retracted: Plural,
    /// What a partial report shows, from the best draft down to sources that answer nothing.
    pub drafts: [&'static str; 7],
}

/// Why a question is not, or only partly, answered: one sentence each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// No source was found.
    pub nothing_found: &'static str,
    /// The run ended before its evidence was weighed.
    pub not_weighed: &'static str,
    /// Sources were read, and none answers.
    pub nothing_answers: &'static str,
    /// `{word}` of the question stands nowhere, and `{nearest}` is spelled most like it.
    pub spelled_otherwise: &'static str,
    /// Every finding has one source, or sources against it.
    pub weak_only: &'static str,
    /// What was to be the answer did not pass the check.
    pub no_short_answer: &'static str,
}

/// A sentence with a number in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plural {
    /// For one.
    pub one: &'static str,
    /// For any other number.
    pub many: &'static str,
}

impl Plural {
    /// The sentence for a number.
    pub fn count(&self, n: usize) -> String {
        let words = if n == 1 { self.one } else { self.many };
        words.replace("{n}", &n.to_string())
    }
}

/// A sentence with two numbers in it.
pub(crate) fn n_of_m(words: &str, n: usize, m: usize) -> String {
    words
        .replace("{n}", &n.to_string())
        .replace("{m}", &m.to_string())
}

impl Phrases {
    /// The phrases of a language.
    pub fn new(language: Language) -> &'static Self {
        let code = language.code();
        let own = TABLES.iter().position(|(known, _)| *known == code);
        &PHRASES[own.unwrap_or(0)]
    }

    /// How far the question is answered, in a word or two.
    pub fn verdict(&self, answered: Answered) -> &'static str {
        match answered {
            Answered::Yes => self.answered,
            Answered::Partly => self.partly_answered,
            Answered::No => self.not_answered,
        }
    }

    /// How many sources agree and how many dispute, in a sentence; nothing where none agrees.
    pub fn evidence(&self, agree: usize, dispute: usize) -> Option<String> {
        if agree == 0 {
            return None;
        }
        let agree = self.agree.count(agree);
        Some(match dispute {
            0 => format!("{agree}."),
            dispute => format!("{agree}, {}.", self.dispute.count(dispute)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_evidence_counts_in_each_language() {
        let line = |code: &str, agree, dispute| {
            let language = code.parse().unwrap();
            Phrases::new(language).evidence(agree, dispute)
        };
        assert_eq!(line("en", 0, 2), None);
        assert_eq!(line("en", 1, 0).unwrap(), "One source says so.");
        assert_eq!(line("en", 3, 1).unwrap(), "3 sources agree, 1 disputes it.");
        assert_eq!(
            line("de", 3, 1).unwrap(),
            "3 Quellen stimmen überein, 1 widerspricht."
        );
        assert_eq!(
            line("fr", 2, 2).unwrap(),
            "2 sources concordent, 2 disent le contraire."
        );
        assert_eq!(line("ja", 1, 0), line("en", 1, 0));
    }

    #[test]
    fn every_language_has_the_places_of_its_numbers() {
        for code in ["de", "en", "es", "fr", "it", "nl", "pt"] {
            let phrases = Phrases::new(code.parse().unwrap());
            for words in [phrases.quotes_verified, phrases.statements_verified] {
                assert!(words.contains("{n}") && words.contains("{m}"), "{words}");
            }
            assert!(phrases.review.contains("{n}"), "{code}");
            assert!(phrases.agree.many.contains("{n}"), "{code}");
            assert!(phrases.cited.one.contains("{m}"), "{code}");
            assert!(phrases.cited.many.contains("{m}"), "{code}");
        }
    }
}
