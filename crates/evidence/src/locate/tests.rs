use std::sync::Arc;

use super::*;
use crate::Language;

fn pool(texts: &[&str]) -> PassageIndex {
    let entry = |(nth, text): (usize, &&str)| PassageEntry {
        language: None,
        key: PassageKey {
            source: "report".into(),
            passage: serde_json::from_str(&format!("\"p{nth}\"")).unwrap(),
        },
        passage: nth,
        title: Arc::from(""),
        sections: vec!["Results".into()],
        text: (*text).to_owned(),
    };
    let entries = texts.iter().enumerate().map(entry).collect();
    PassageIndex::new(entries, Language::ENGLISH, &LocateSettings::default())
}

#[test]
fn a_candidate_keeps_which_locators_found_it_and_why() {
    let pool = pool(&["Weather was fine.", "Aspirin significantly reduced fever."]);
    let located = pool.locate("Does aspirin reduce fever?", &LocateSettings::default());
    let first = &located.candidates[0];
    assert_eq!(first.key.passage.as_str(), "p1");
    let by = |name: &str| {
        first
            .support
            .iter()
            .find(|one| one.locator == name)
            .unwrap()
    };
    assert!(by("bm25").why.terms.contains(&"aspirin".to_owned()));
    assert_eq!(by("rules").why.section.as_deref(), Some("Results"));
    assert!(
        by("rules")
            .why
            .phrases
            .contains(&"significantly".to_owned())
    );
}

#[test]
fn an_empty_pool_or_question_gives_no_candidates() {
    assert!(
        pool(&[])
            .locate("fever", &LocateSettings::default())
            .candidates
            .is_empty()
    );
    assert!(
        pool(&["Fever."])
            .locate("", &LocateSettings::default())
            .candidates
            .is_empty()
    );
}

#[test]
fn rules_with_a_fault_name_the_line() {
    let error = LocatorRules::parse("[a]\nsections: results high").unwrap_err();
    assert_eq!(error.line, 2);
    assert!(
        LocatorRules::for_research()
            .rule("Why is it so?".into())
            .is_some()
    );
}

#[test]
fn a_phrase_that_few_passages_say_speaks_louder() {
    let rules = LocatorRules::parse("[care]\nphrases: patients | sealed envelope").unwrap();
    let pool = pool(&[
        "Patients came.",
        "Patients slept.",
        "Patients left.",
        "Sealed envelopes were used.",
    ]);
    let question = LocateQuestion {
        text: "unicorn",
        kind: Some("care"),
    };
    let located = pool
        .with_rules(rules)
        .locate(question, &LocateSettings::default());
    let first = &located.candidates[0];
    assert_eq!(first.key.passage.as_str(), "p3");
    assert_eq!(first.support[0].why.phrases, ["sealed envelope"]);
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let texts = ["Fever fell.", "Fever fell.", "Fever rose.", "Aspirin."];
    let ask = || pool(&texts).locate("Does aspirin lower fever?", &LocateSettings::default());
    assert_eq!(ask(), ask());
}

#[test]
fn no_more_candidates_are_given_than_wanted_or_there_are() {
    let pool = pool(&["Fever fell.", "Fever rose."]);
    let given = |top_k: usize, cover_decay: f32| {
        let settings = LocateSettings {
            top_k,
            cover_decay: Some(cover_decay),
            ..LocateSettings::default()
        };
        pool.locate("fever", &settings).candidates.len()
    };
    assert_eq!([given(0, 0.8), given(1, 0.8), given(99, 0.8)], [0, 1, 2]);
    assert_eq!([given(0, 1.0), given(1, 1.0), given(99, 1.0)], [0, 1, 2]);
}

/// Cannot locate anything.
struct Down;

impl Locator for Down {
    fn name(&self) -> &str {
        "down"
    }

    fn locate(
        &self,
        _: LocateQuestion<'_>,
        _: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        Err(encode::EncoderError {
            model: "down".into(),
            why: "it is away".into(),
        })
    }
}

/// Names passages that are not in the pool.
struct Wild;

impl Locator for Wild {
    fn name(&self) -> &str {
        "wild"
    }

    fn locate(
        &self,
        _: LocateQuestion<'_>,
        _: usize,
    ) -> Result<Vec<RankedPassage>, encode::EncoderError> {
        let found = |place| RankedPassage {
            place,
            score: f32::NAN,
            why: LocateReason::default(),
        };
        Ok(vec![found(7), found(usize::MAX)])
    }
}

#[test]
fn a_locator_that_fails_is_named_and_the_others_answer() {
    let pool = pool(&["Fever fell."]);
    let located = pool.locate_with("fever", &LocateSettings::default(), &[(&Down, 1.0)]);
    assert_eq!(located.candidates.len(), 1);
    assert_eq!(located.lost, ["down could not encode a text: it is away"]);
}

#[test]
fn a_passage_that_is_not_there_is_no_candidate() {
    let pool = pool(&["Fever fell."]);
    let settings = LocateSettings {
        top_k: 1,
        ..LocateSettings::default()
    };
    let located = pool.locate_with("fever", &settings, &[(&Wild, 9.0)]);
    let places: Vec<usize> = located.candidates.iter().map(|one| one.place).collect();
    assert_eq!(places, [0]);
}
