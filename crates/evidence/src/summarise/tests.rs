use super::{SummarySentence, scores};
use crate::Language;

#[test]
fn a_sentence_that_points_back_is_worth_less() {
    let texts = [
        "It reduced pain in many of the patients.",
        "Aspirin reduced pain in many of the patients.",
    ];
    let sentence = |text| SummarySentence {
        source: 0,
        passage: 0,
        span: Default::default(),
        text,
        place: 0.5,
        sections: &[],
    };
    let found = scores("pain in patients", &texts.map(sentence), Language::ENGLISH);
    assert!(found[1].total > found[0].total);
}

#[test]
fn ten_thousand_sentences_are_scored_for_a_question_of_thousands_of_words() {
    let texts: Vec<String> = (0..10_000)
        .map(|n| format!("House {n} saved {} units with its pump.", n % 97))
        .collect();
    let sentence = |text| SummarySentence {
        source: 0,
        passage: 0,
        span: Default::default(),
        text,
        place: 0.5,
        sections: &[],
    };
    let all: Vec<SummarySentence<'_>> = texts.iter().map(|text| sentence(text.as_str())).collect();
    let question: String = (0..3_000).map(|n| format!("house{n} pump ")).collect();
    assert_eq!(scores(&question, &all, Language::ENGLISH).len(), all.len());
}
