//! Caps: passed by one call at most, and there is a report all the same.

use fathom_testworld::{Judgement, Reply, Script};

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
fn a_cap_on_money_is_passed_by_one_call_at_most() {
    for cap in [1_u64, 2_000, 5_000] {
        let (world, result) = capped(&[("FATHOM_REPORT_CAPS_COST_MICROS", &cap.to_string())]);
        let spent = Log::of(&world, result["run"].as_str().unwrap()).spent("cost_picos");
        println!("cap {cap}: {spent:?}");
        assert_eq!(
            spent.len(),
            world.count("model", |_| true),
            "all are priced"
        );
        let before_the_last: u64 = spent.iter().rev().skip(1).sum();
        assert!(before_the_last < cap * 1_000_000, "{spent:?}");
        let told = result["report"]["caveats"].to_string();
        assert!(told.contains("extractive"), "{told}");
        let shown = result["report"]["figures"]["cost_micros"].as_u64();
        assert_eq!(shown, Some(spent.iter().sum::<u64>() / 1_000_000));
    }
}

#[test]
fn a_cap_on_time_ends_in_a_report_wherever_it_strikes() {
    let judgements = [
        Judgement::Plan,
        Judgement::Analysis,
        Judgement::Section,
        Judgement::Frame,
        Judgement::Review,
    ];
    std::thread::scope(|scope| {
        for judgement in judgements {
            scope.spawn(move || {
                let script = Script::sensible(pages()).always(judgement, Reply::Hangs);
                let ran = World::open(script).report(&["--max-time", "3"]);
                let (report, reason) = ran.partial();
                println!("{judgement:?}: {reason}");
                assert!(reason.contains("time"), "{judgement:?}: {reason}");
                let title = report["title"].as_str().unwrap();
                assert!(!title.is_empty(), "{judgement:?}");
            });
        }
    });
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
