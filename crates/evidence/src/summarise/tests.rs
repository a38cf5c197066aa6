use super::{SummarySentence, centrality, lead, scores, select, sentences_of};
use crate::document::{DocumentBuilder, DocumentMetadata, ParagraphRole};
use crate::passage::{PassageSettings, passages};
use crate::{Document, Language};

fn document() -> Document {
    let mut builder = DocumentBuilder::new(DocumentMetadata::default());
    builder.heading(1, "Abstract");
    builder.piece(
        ParagraphRole::Body,
        "Heat pumps move heat from outside air into a house and cut its use of gas.",
    );
    builder.heading(1, "Results");
    builder.piece(
        ParagraphRole::Body,
        "In 40 houses heat pumps reduced energy use by 35 percent in a cold winter.",
    );
    builder.piece(ParagraphRole::Body, "It reduced energy use of heat pumps in a cold winter too. Do heat pumps reduce energy use in winter?");
    builder.piece(
        ParagraphRole::Body,
        "In 40 houses heat pumps reduced energy use by 35 percent in one cold winter.",
    );
    builder.piece(
        ParagraphRole::Body,
        "The owners of the houses were asked about noise, and most heard none of it at night.",
    );
    builder.heading(1, "References");
    builder.piece(
        ParagraphRole::Body,
        "Smith J. Heat pumps reduce energy use in winter. Energy 2004;12:45–67.",
    );
    builder.build()
}

fn chosen(question: &str, max_words: usize) -> Vec<String> {
    let document = document();
    let passages = passages(&document, &PassageSettings::default());
    let all = sentences_of(0, &document, &passages);
    let chosen = select(question, &all, max_words, Language::ENGLISH);
    chosen
        .into_iter()
        .map(|at| document.at(all[at].span).unwrap().to_owned())
        .collect()
}

#[test]
fn the_sentence_that_answers_comes_first_and_its_copy_is_left_out() {
    let found = chosen("Do heat pumps reduce energy use in winter?", 60);
    assert!(found[0].starts_with("In 40 houses"), "{found:?}");
    assert_eq!(
        found
            .iter()
            .filter(|text| text.starts_with("In 40"))
            .count(),
        1
    );
    assert!(
        found
            .iter()
            .all(|text| !text.contains("Smith") && !text.ends_with('?'))
    );
}

#[test]
fn the_words_asked_for_are_kept_to() {
    let found = chosen("heat pumps noise energy houses", 30);
    let words: usize = found
        .iter()
        .map(|text| text.split_whitespace().count())
        .sum();
    assert!(!found.is_empty() && words <= 30);
    assert!(chosen("volcanoes on Mars", 100).is_empty());
}

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
    let chosen = select(
        "which house saved with its pump",
        &all,
        1_000,
        Language::ENGLISH,
    );
    assert!(!chosen.is_empty());
}

#[test]
fn a_lead_says_what_the_document_is_about() {
    let document = document();
    let spans = lead(&document, &passages(&document, &PassageSettings::default()));
    assert!((1..=2).contains(&spans.len()));
    assert!(
        document
            .at(spans[0])
            .unwrap()
            .starts_with("Heat pumps move heat")
    );
}

#[test]
fn what_others_say_too_is_central() {
    let texts = [
        "heat pumps save energy",
        "heat pumps save much energy at home",
        "cats sleep",
        "pumps save energy",
    ];
    let found = centrality(&texts, Language::ENGLISH);
    assert!(found[2] < found[0] && found[2] < found[1]);
    assert!(centrality(&[], Language::ENGLISH).is_empty());
}
