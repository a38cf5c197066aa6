//! How good the passages are that a search found: plain functions of the question's words and the passages.
//!
//! Words count the more, the fewer passages of the library have them, so that "the name of the checksum" is judged by
//! "checksum". All measures are between 0 and 1 but the count. A measure below its threshold makes the search poor, and
//! says so by name.

use fathom_evidence::question::AnswerKind;
use fathom_evidence::{Language, sentences};
use fathom_render::answer::{Answered, Assessment, Measure, Shortfall};

use super::input::AskSettings;
use crate::library::LocalPassage;
use crate::skills::locate::excerpt::QuestionWords;

/// Passages that relevance is the mean of.
const FIRST_PASSAGES: usize = 3;

/// What a sentence counts that does not look like the kind of answer asked for, such as one without a number to "how many".
const OTHER_KIND: f64 = 0.8;

/// What confidence counts where also the second search fell short, and where the question is answered in part.
const POOR_AGAIN: f64 = 0.5;
const IN_PART: f64 = 0.75;

/// The question that passages are held against.
pub(crate) struct AssessedQuestion<'a> {
    /// Its words, with what each counts.
    pub(crate) words: &'a QuestionWords,
    pub(crate) kind: AnswerKind,
    pub(crate) language: Language,
}

/// Measures the first passages and compares each measure with its threshold.
pub(crate) fn assess(
    question: &AssessedQuestion<'_>,
    ranked: &[LocalPassage],
    settings: &AskSettings,
) -> Assessment {
    let first = ranked.get(..settings.max_results).unwrap_or(ranked);
    let mut assessment = Assessment {
        quality: quality(question, first),
        // A sum over nothing is minus nothing, which nobody wants to read.
        coverage: coverage(question.words, first) + 0.0,
        relevance: relevance(question.words, first) + 0.0,
        results: first.len(),
        below: Vec::new(),
    };
    assessment.below = shortfalls(&assessment, settings);
    assessment
}

/// How well the best single sentence fits: the weighed share of the question's words that stand in it or in the headings
/// above it; less where it does not look like the kind of answer asked for.
fn quality(question: &AssessedQuestion<'_>, passages: &[LocalPassage]) -> f64 {
    let of_passage = |passage: &LocalPassage| {
        let headings = headings(passage);
        let of_sentence = |text: &str| {
            let shown = question.kind.shows_in(text, question.language);
            let fits = shown || !question.kind.has_signs();
            let covered = question.words.covered([text, &headings]);
            if fits { covered } else { OTHER_KIND * covered }
        };
        let spans = sentences(&passage.text, question.language);
        let texts = spans.iter().filter_map(|span| span.of(&passage.text));
        texts.map(of_sentence).fold(0.0, f64::max)
    };
    passages.iter().map(of_passage).fold(0.0, f64::max)
}

/// The weighed share of the question's words that the passages have together.
fn coverage(words: &QuestionWords, passages: &[LocalPassage]) -> f64 {
    let texts = passages
        .iter()
        .map(|one| format!("{}\n{}", headings(one), one.text));
    words.covered([&texts.collect::<Vec<_>>().join("\n")])
}

/// How well the first passages fit: the mean of what each has of the question's words, its headings included.
fn relevance(words: &QuestionWords, passages: &[LocalPassage]) -> f64 {
    let first = passages.get(..FIRST_PASSAGES).unwrap_or(passages);
    let sum: f64 = first.iter().map(|one| passage_relevance(words, one)).sum();
    sum / first.len().max(1) as f64
}

/// What one passage has of the question's words, its headings included.
pub(crate) fn passage_relevance(words: &QuestionWords, passage: &LocalPassage) -> f64 {
    words.covered([&passage.text, &headings(passage)])
}

fn headings(passage: &LocalPassage) -> String {
    format!("{} {}", passage.title, passage.sections.join(" "))
}

/// The measures that are below what is wanted, in a fixed order.
pub(crate) fn shortfalls(assessment: &Assessment, settings: &AskSettings) -> Vec<Shortfall> {
    let Assessment {
        quality,
        coverage,
        relevance,
        results,
        ..
    } = *assessment;
    let wanted = settings.results_wanted();
    let measures = [
        (Measure::Quality, quality, settings.quality_threshold),
        (Measure::Coverage, coverage, settings.coverage_threshold),
        (Measure::Relevance, relevance, settings.relevance_threshold),
        (Measure::Results, results as f64, wanted as f64),
    ];
    let below = measures
        .into_iter()
        .filter(|(_, value, wanted)| value < wanted);
    below
        .map(|(measure, value, wanted)| Shortfall {
            measure,
            value,
            wanted,
        })
        .collect()
}

/// How far a reader may rely on the answer: the mean of the last measures, less where a second search still fell short or
/// the question is answered only in part, and nothing where it is not answered.
pub(crate) fn confidence(assessments: &[Assessment], answered: Answered) -> f64 {
    let Some(last) = assessments.last() else {
        return 0.0;
    };
    let mean = (last.quality + last.coverage + last.relevance) / 3.0;
    let searched = if assessments.len() > 1 && last.is_poor() {
        mean * POOR_AGAIN
    } else {
        mean
    };
    match answered {
        Answered::Yes => searched,
        Answered::Partly => searched * IN_PART,
        Answered::No => 0.0,
    }
}
