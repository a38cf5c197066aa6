use std::sync::Arc;

use super::*;
use crate::Language;

fn pool(texts: &[&str]) -> Pool {
    let entry = |(nth, text): (usize, &&str)| Entry {
        key: Key {
            source: "report".into(),
            passage: serde_json::from_str(&format!("\"p{nth}\"")).unwrap(),
        },
        title: Arc::from(""),
        sections: vec!["Results".into()],
        text: (*text).to_owned(),
    };
    let entries = texts.iter().enumerate().map(entry).collect();
    Pool::new(entries, Language::ENGLISH, &Settings::default())
}

#[test]
fn a_candidate_keeps_which_locators_found_it_and_why() {
    let pool = pool(&["Weather was fine.", "Aspirin significantly reduced fever."]);
    let located = pool.locate("Does aspirin reduce fever?", &Settings::default());
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
            .locate("fever", &Settings::default())
            .candidates
            .is_empty()
    );
    assert!(
        pool(&["Fever."])
            .locate("", &Settings::default())
            .candidates
            .is_empty()
    );
}

#[test]
fn rules_with_a_fault_name_the_line() {
    let error = Rules::parse("[a]\nsections: results high").unwrap_err();
    assert_eq!(error.line, 2);
    assert!(Rules::for_research().rule("Why is it so?".into()).is_some());
}
