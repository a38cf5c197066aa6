use super::{AnswerKind, KINDS, names_review, pools_studies};
use crate::{Language, lists};

/// Questions of all seven languages, a line each: language, kind, question.
const QUESTIONS: &str = include_str!("questions.txt");

fn questions() -> impl Iterator<Item = (Language, AnswerKind, &'static str)> {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let kind = KINDS.iter().find(|(name, _)| *name == parts[1]);
        (parts[0].parse().unwrap(), kind.unwrap().1, parts[2])
    })
}

#[test]
fn the_kind_of_answer_is_told_in_seven_languages() {
    let read = |(language, kind, question)| {
        let found = AnswerKind::read(question, language);
        (found != kind).then(|| format!("{question}: {found:?}"))
    };
    let wrong: Vec<String> = questions().filter_map(read).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_short_question_tells_its_language() {
    let read = |(language, _, question)| {
        let found = Language::detect(question);
        (found != Some(language)).then(|| format!("{question}: {found:?}"))
    };
    let wrong: Vec<String> = questions().filter_map(read).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_kind_of_every_language_has_phrases() {
    for code in super::LANGUAGES {
        for (name, _) in KINDS {
            let found = lists::entries(super::TABLE, &format!("{code} {name}"));
            assert!(!found.is_empty(), "{code} {name}");
        }
    }
}

#[test]
fn a_question_in_another_language_asks_for_nothing_known() {
    let finnish = "fi".parse().unwrap();
    assert_eq!(
        AnswerKind::read("Mikä on pajupuu?", finnish),
        AnswerKind::Other
    );
}

#[test]
fn what_was_said_before_the_question_does_not_decide() {
    let cases = [
        (
            "When i loop over a list, can i remove an item?",
            AnswerKind::YesNo,
        ),
        (
            "I set it in a loop. It is empty afterwards. why?",
            AnswerKind::Why,
        ),
        (
            "old kernel: does the driver load at boot?",
            AnswerKind::YesNo,
        ),
        ("so, in which file do I set the limit?", AnswerKind::Which),
        (
            "is it me? i changed nothing, the disk is full.",
            AnswerKind::YesNo,
        ),
    ];
    for (question, kind) in cases {
        let found = AnswerKind::read(question, Language::ENGLISH);
        assert_eq!(found, kind, "{question}");
    }
    let spanish = "Tengo cron, ¿para qué sirve anacron?";
    let found = AnswerKind::read(spanish, "es".parse().unwrap());
    assert_eq!(found, AnswerKind::Why);
}

#[test]
fn a_sentence_shows_the_kind_of_answer_it_brings() {
    let cases = [
        (
            "en",
            AnswerKind::HowMuch,
            "It returns a status of 127.",
            true,
        ),
        ("en", AnswerKind::HowMuch, "It has two legs.", true),
        ("en", AnswerKind::HowMuch, "The order is N1, E, N2.", false),
        ("en", AnswerKind::HowMuch, "It returns a status.", false),
        (
            "en",
            AnswerKind::Why,
            "It is empty because it runs in a subshell.",
            true,
        ),
        (
            "en",
            AnswerKind::WhatIs,
            "A coprocess is a shell command.",
            true,
        ),
        ("en", AnswerKind::WhatIs, "The form of a coprocess:", false),
        ("en", AnswerKind::YesNo, "Aliases are not expanded.", true),
        (
            "de",
            AnswerKind::WhatIs,
            "Ein Metapaket ist ein leeres Paket.",
            true,
        ),
        (
            "fr",
            AnswerKind::YesNo,
            "Le fichier n'est jamais effacé.",
            true,
        ),
        ("en", AnswerKind::Other, "Because it is 5.", false),
        ("th", AnswerKind::YesNo, "Not so.", false),
    ];
    for (code, kind, sentence, shown) in cases {
        let language: Language = code.parse().unwrap();
        assert_eq!(kind.shows_in(sentence, language), shown, "{sentence}");
    }
}

#[test]
fn what_several_studies_found_together_is_told_from_what_one_found() {
    let pooled = "Across 14 studies, pooled cooling came to 1.8 °C.";
    assert!(pools_studies(pooled, Language::ENGLISH));
    assert!(!pools_studies("The trial found 1.8 °C.", Language::ENGLISH));
    assert!(names_review(
        "Cooling by trees: a review",
        Language::ENGLISH
    ));
    assert!(!names_review("Cooling by trees", Language::ENGLISH));
}
