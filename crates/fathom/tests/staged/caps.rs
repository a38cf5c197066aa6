//! Caps: passed by one call at most, and there is a report all the same.

use std::sync::{Arc, Mutex};

use fathom_testworld::{Judgement, Prompt, Reply, Script};

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
        Judgement::Rephrase,
        Judgement::Plan,
        Judgement::Relevance,
        Judgement::Analysis,
        Judgement::Section,
        Judgement::Sentences,
        Judgement::Review,
    ];
    std::thread::scope(|scope| {
        for judgement in judgements {
            scope.spawn(move || {
                let script = Script::sensible(pages()).always(judgement, Reply::Hangs);
                let ran = World::open(script).report(&["--max-time", "10"]);
                let report = ran.result()["report"].clone();
                println!("{judgement:?}: {} {}", report["status"], report["reason"]);
                let text = report["answer"]["text"].as_str().unwrap();
                assert!(text.contains("treet trees"), "{judgement:?}: {report}");
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

#[test]
fn a_cap_on_money_is_refused_where_the_price_is_not_known() {
    let world = World::open(Script::sensible(pages()));
    let asked = &["report", QUESTION, "--json", "-q"];
    let cap = ("FATHOM_REPORT_CAPS_COST_MICROS", "5000");
    let model = ("FATHOM_MODEL", "house-model");
    let ran = world.run_with(&[cap, model], asked);
    assert_ne!(ran.code, 0);
    assert!(
        ran.err.contains("the price of house-model is not known"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("FATHOM_MODEL_PRICES=\"house-model 1.25 10\""),
        "{}",
        ran.err
    );
    assert_eq!(world.count("model", |_| true), 0, "nothing is spent");
    let price = ("FATHOM_MODEL_PRICES", "house-model 2.5 10");
    let ran = world.run_with(&[cap, model, price], asked);
    let spent = Log::of(&world, ran.result()["run"].as_str().unwrap()).spent("cost_picos");
    assert!(spent.iter().any(|picos| *picos > 0), "{spent:?}");
    // Without a cap nobody needs a price.
    world.run_with(&[model], asked).complete();
}

#[test]
fn each_role_has_a_model_a_temperature_and_a_limit_of_its_own() {
    let asked = Arc::<Mutex<Vec<Prompt>>>::default();
    let seen = Arc::clone(&asked);
    let script = Script::sensible(pages()).answering(move |prompt, _| {
        seen.lock().unwrap().push(prompt.clone());
        None
    });
    let world = World::open(script);
    let settings = [
        ("FATHOM_MODEL", "house-model"),
        ("FATHOM_ROLES_WRITER_MODEL", "fine-pen"),
        ("FATHOM_ROLES_WRITER_TEMPERATURE", "0.7"),
        ("FATHOM_ROLES_REVIEWER_MAX_TOKENS", "777"),
    ];
    let ran = world.run_with(&settings, &["report", QUESTION, "--json", "-q"]);
    ran.complete();
    let asked = asked.lock().unwrap();
    let of = |judgement: Judgement| -> serde_json::Value {
        let prompt = asked.iter().find(|prompt| prompt.judgement == judgement);
        serde_json::from_str(&prompt.unwrap().body).unwrap()
    };
    assert_eq!(of(Judgement::Frame)["model"], "fine-pen");
    assert_eq!(of(Judgement::Frame)["temperature"], 0.7);
    assert_eq!(of(Judgement::Plan)["model"], "house-model");
    assert_eq!(of(Judgement::Plan)["temperature"], 0.3);
    assert_eq!(of(Judgement::Review)["max_tokens"], 777);
}
