//! A query that finds too little is refined: the model chooses, code does it within bounds.

use fathom_testworld::{Call, Judgement, Prompt, Reply, Script};
use serde_json::Value;

use super::world::{QUESTION, World, pages};

/// A plan whose first query finds one page alone.
pub fn poor_plan(prompt: &Prompt) -> Reply {
    let mut plan = prompt.plan();
    plan["queries"][0]["text"] = "Halvern".into();
    Reply::Json(plan)
}

/// Reads the one result, searches with its words, then with broader ones.
pub fn refining(prompt: &Prompt) -> Reply {
    let turn = prompt.user.lines().next().unwrap_or_default();
    match turn {
        "Turn: 1" => Reply::action("read_page", None, Some(1)),
        "Turn: 2" => Reply::action("web_search", Some("closed canopy"), None),
        _ => Reply::action("web_search", Some("street trees cooling"), None),
    }
}

fn world(action: impl Fn(&Prompt) -> Reply + Send + Sync + 'static) -> World {
    let script = Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
        Judgement::Plan => Some(poor_plan(prompt)),
        Judgement::Action => Some(action(prompt)),
        _ => None,
    });
    World::open(script)
}

fn turns(world: &World) -> Vec<String> {
    let calls = world.stage.calls().into_iter();
    let calls = calls.filter(|call: &Call| call.key.starts_with("Action "));
    calls.map(|call| call.key).collect()
}

fn queries(report: &Value) -> Vec<&str> {
    let queries = report["method"]["queries"].as_array().unwrap();
    queries
        .iter()
        .map(|query| query.as_str().unwrap())
        .collect()
}

const PLANNED: [&str; 3] = ["Halvern", "street trees water", "street trees cost"];

#[test]
fn a_model_reads_a_result_and_searches_with_its_words_until_enough_is_found() {
    let world = world(refining);
    let report = world.report(&[]).complete();
    let turns = turns(&world);
    assert_eq!(turns.len(), 3, "{turns:?}");
    assert!(!turns[0].contains("words of its text"), "{}", turns[0]);
    assert!(turns[1].contains("words of its text: "), "{}", turns[1]);
    assert!(turns[1].contains("canopy, "), "{}", turns[1]);
    for page in pages() {
        for sentence in page.text.split(". ") {
            let told = turns.iter().any(|turn| turn.contains(sentence));
            assert!(!told, "a page's sentence reaches the choice: {sentence}");
        }
        assert!(
            !turns.iter().any(|turn| turn.contains(&page.title)),
            "{}",
            page.title
        );
    }
    assert!(turns[2].contains("2. web_search “closed canopy” gave"));
    let expected = [&PLANNED[..], &["closed canopy", "street trees cooling"]].concat();
    assert_eq!(queries(&report), expected);
    assert_eq!(world.count("search", |_| true), 5);
    assert_eq!(world.count("page", |_| true), 3, "no page is read twice");
    assert_eq!(report["figures"]["sources_read"], 3);
}

#[test]
fn what_a_model_may_not_do_is_not_done_and_ends_the_turns() {
    let forbidden = [
        Reply::action("read_page", None, Some(7)),
        Reply::action("read_page", Some("http://127.0.0.1:1/secret"), None),
        Reply::action("local_search", Some("canopy"), None),
        Reply::action("web_search", Some("halvern"), None),
        Reply::action("web_search", None, None),
    ];
    for reply in forbidden {
        let told = format!("{reply:?}");
        let world = world(move |_| reply.clone());
        let report = world.report(&[]).complete();
        assert_eq!(turns(&world).len(), 2, "{told}");
        assert_eq!(queries(&report), PLANNED, "{told}");
        assert_eq!(world.count("search", |_| true), 3, "{told}");
        assert_eq!(world.count("page", |_| true), 3, "{told}");
    }
}

#[test]
fn a_model_that_stops_is_asked_no_more() {
    let world = world(|_| Reply::action("stop", None, None));
    world.report(&[]).complete();
    assert_eq!(turns(&world).len(), 1);
    assert_eq!(world.count("search", |_| true), 3);
}

#[test]
fn turns_are_bounded_by_the_setting() {
    let world = world(refining);
    let few = [("FATHOM_REPORT_MAX_SEARCH_ITERATIONS", "2")];
    let ran = world.run_with(&few, &["report", QUESTION, "--json", "-q"]);
    let report = ran.complete();
    assert_eq!(turns(&world).len(), 2);
    assert_eq!(queries(&report).len(), 4);
}

#[test]
fn pages_read_to_look_on_count_against_the_cap() {
    for (cap, read) in [("1", 1), ("2", 2), ("6", 3)] {
        let world = world(refining);
        let caps = [("FATHOM_REPORT_CAPS_FETCHES", cap)];
        let ran = world.run_with(&caps, &["report", QUESTION, "--json", "-q"]);
        assert!([0, 3].contains(&ran.code), "{}", ran.err);
        assert_eq!(world.count("page", |_| true), read, "cap {cap}");
    }
}

#[test]
fn without_a_model_that_answers_the_rules_put_the_query_in_other_words() {
    let world = world(|_| Reply::Status(400, serde_json::json!({ "error": { "message": "no" } })));
    let report = world.report(&[]).complete();
    let queries = queries(&report);
    assert!((3..=5).contains(&queries.len()), "{queries:?}");
    let errors = report["method"]["errors"].as_array().unwrap();
    let first = &errors[0];
    assert_eq!(first["category"], "validation", "{first}");
    assert_eq!(first["severity"], "degraded", "{first}");
    assert_eq!(first["attempts"], 1, "{first}");
}
