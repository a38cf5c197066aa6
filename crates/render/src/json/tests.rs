use super::*;
use crate::tests::sample;

#[test]
fn the_shape_of_version_one_stays() {
    insta::assert_snapshot!(json(&sample::full()));
}

#[test]
fn a_claim_leads_to_the_words_it_rests_on() {
    let report = value(&sample::full());
    let proof = &report["claims"][3]["proofs"][0];
    assert_eq!(proof["source"], 3);
    assert_eq!(proof["snapshot"].as_str().unwrap().len(), 64);
    let quote = proof["quote"].as_str().unwrap();
    let span = proof["end"].as_u64().unwrap() - proof["start"].as_u64().unwrap();
    assert_eq!(span, quote.len() as u64);
    assert_eq!(report["claims"][4]["verdict"], "not_checked");
}

#[test]
fn what_is_not_known_is_null_and_a_partial_report_says_why() {
    let full = value(&sample::full());
    assert!(full["figures"]["cost_micros"].is_null() && full["reason"].is_null());
    assert!(full["sources"][4]["snapshot"].is_null());
    let partial = value(&sample::partial());
    assert_eq!(partial["status"], "partial");
    assert!(partial["reason"].as_str().unwrap().contains("time"));
}

#[test]
fn numbers_that_json_cannot_hold_do_no_harm() {
    let mut report = sample::full();
    report.sources[0].relevance = f64::NAN;
    report.method.rounds[0].signals.coverage = f64::INFINITY;
    assert!(value(&report)["sources"][0]["relevance"].is_null());
}
