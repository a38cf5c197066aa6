//! Caps: passed by one call at most, and there is a report all the same.

use fathom_stage::Script;

use super::log::Log;
use super::world::{QUESTION, World, pages};

fn capped(caps: &[(&str, &str)]) -> (World, serde_json::Value) {
    let world = World::open(Script::sensible(pages()));
    let ran = world.run_with(caps, &["report", QUESTION, "--json", "-q"]);
    assert!([0, 3].contains(&ran.code), "{}", ran.err);
    let result = ran.result();
    let text = result["report"]["sections"].to_string() + &result["report"]["summary"].to_string();
    assert!(text.contains("street trees"), "{text}");
    (world, result)
}

#[test]
fn a_cap_on_tokens_is_passed_by_one_call_at_most() {
    for cap in [1_u64, 500, 900, 1_100] {
        let (world, result) = capped(&[("FATHOM_REPORT_CAPS_TOKENS", &cap.to_string())]);
        let spent = Log::of(&world, result["run"].as_str().unwrap()).spent("tokens");
        let spent: Vec<u64> = spent.into_iter().filter(|tokens| *tokens > 0).collect();
        let before_the_last: u64 = spent.iter().rev().skip(1).sum();
        println!("cap {cap}: {spent:?}");
        assert!(before_the_last < cap, "{spent:?}");
        assert_eq!(spent.len(), world.count("model", |_| true));
        let told = result["report"]["caveats"].to_string();
        assert!(told.contains("extractive"), "{told}");
    }
}

#[test]
fn a_cap_on_queries_holds_when_every_query_is_poor_and_put_in_other_words() {
    for cap in ["1", "2", "4"] {
        let (world, _) = capped(&[
            ("FATHOM_REPORT_CAPS_QUERIES", cap),
            ("FATHOM_REPORT_MIN_USEFUL_RESULTS", "9"),
        ]);
        let searches = world.searches();
        assert!(searches.len() <= cap.parse().unwrap(), "{searches:?}");
    }
}

#[test]
fn a_cap_on_page_reads_holds() {
    let (world, result) = capped(&[("FATHOM_REPORT_CAPS_FETCHES", "2")]);
    assert_eq!(world.count("page", |_| true), 2);
    assert_eq!(result["report"]["figures"]["sources_read"], 2);
}
