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
    PassageIndex::new(entries, Language::ENGLISH)
}

#[test]
fn a_candidate_keeps_which_locators_found_it_and_why() {
    let rules = "[effect]\nasks: does\nsections: results 0.5\nphrases: significantly reduced";
    let pool = pool(&["Weather was fine.", "Aspirin significantly reduced fever."])
        .with_rules(LocatorRules::parse(rules).unwrap());
    let located = pool.locate("Does aspirin reduce fever?", &LocateSettings::default());
    let first = &located[0];
    assert_eq!(first.key.passage.as_str(), "p1");
    let by = |name: &str| {
        let mut support = first.support.iter();
        support.find(|one| one.locator == name).unwrap()
    };
    assert!(by("context").why.terms.contains(&"aspirin".to_owned()));
    assert_eq!(by("rules").why.section.as_deref(), Some("Results"));
    assert_eq!(by("rules").why.phrases, ["significantly reduced"]);
}

#[test]
fn an_empty_pool_or_question_gives_no_candidates() {
    assert!(
        pool(&[])
            .locate("fever", &LocateSettings::default())
            .is_empty()
    );
    assert!(
        pool(&["Fever."])
            .locate("", &LocateSettings::default())
            .is_empty()
    );
}

#[test]
fn rules_with_a_fault_name_the_line() {
    let error = LocatorRules::parse("[a]\nsections: results high").unwrap_err();
    assert_eq!(error.line, 2);
}

#[test]
fn a_phrase_that_few_passages_say_speaks_louder_and_only_for_what_was_found() {
    let rules = LocatorRules::parse("[care]\nphrases: patients | sealed envelope").unwrap();
    let pool = pool(&[
        "Patients came to the ward.",
        "Patients slept in the ward.",
        "Patients left the ward.",
        "Sealed envelopes were used in the ward.",
        "Flowers.",
        "Patients again.",
    ]);
    let question = LocateQuestion {
        text: "ward",
        kind: Some("care"),
    };
    let settings = LocateSettings {
        per_query_top_n: 4,
        ..LocateSettings::default()
    };
    let located = pool.with_rules(rules).locate(question, &settings);
    assert_eq!(located.len(), 4);
    assert!(located.iter().all(|one| one.place != 5));
    let rare = located.iter().find(|one| one.place == 3).unwrap();
    let said = &rare.support[1];
    assert_eq!((said.locator.as_str(), said.rank), ("rules", 1));
    assert_eq!(said.why.phrases, ["sealed envelope"]);
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
    let given = |top_k: usize, cover: bool| {
        let settings = LocateSettings {
            top_k,
            cover,
            ..LocateSettings::default()
        };
        pool.locate("fever", &settings).len()
    };
    assert_eq!([given(0, true), given(1, true), given(99, true)], [0, 1, 2]);
    assert_eq!(
        [given(0, false), given(1, false), given(99, false)],
        [0, 1, 2]
    );
}
