//! Depth `auto`: the planner says how far to go, and every bound follows.

use fathom_testworld::{Judgement, Page, Reply, Script};
use serde_json::{Value, json};

use super::world::{QUESTION, Ran, World};

/// More pages than a quick run reads, and a planner that asks for more queries than it may put.
fn world(depth: Value) -> World {
    let page = |number: usize| Page {
        title: format!("Street trees of town {number}"),
        text: format!(
            "Street trees in town {number} need {number} litres of water. The cooling has a cost there."
        ),
    };
    let script = Script::sensible((1..=8).map(page).collect()).answering(move |prompt, _| {
        if prompt.judgement != Judgement::Plan {
            return None;
        }
        let mut plan = prompt.plan();
        let queries = plan["queries"].as_array_mut()?;
        for number in 1..=3 {
            let mut more = queries[0].clone();
            more["text"] = json!(format!("street trees town {number}"));
            queries.push(more);
        }
        plan["depth"] = depth.clone();
        Some(Reply::Json(plan))
    });
    World::open(script)
}

/// The depth that the report names, and the queries and sources of the run.
fn worked(ran: &Ran) -> (String, usize, u64) {
    let report = &ran.result()["report"];
    let method = &report["method"];
    (
        method["depth"].as_str().unwrap().to_owned(),
        method["queries"].as_array().unwrap().len(),
        report["figures"]["sources_found"].as_u64().unwrap(),
    )
}

#[test]
fn a_planner_that_chooses_quick_bounds_queries_and_sources() {
    let world = world(json!("quick"));
    let ran = world.report(&["--depth", "auto"]);
    assert_eq!(worked(&ran), ("quick".to_owned(), 3, 5));
    assert_eq!(world.searches().len(), 3);
    let result = ran.result();
    let id = result["run"].as_str().unwrap();
    let shown = world.run(&["runs", "export", id, "--format", "md"]).out;
    assert!(
        shown.contains("Depth quick, chosen by the planner"),
        "{shown}"
    );
}

#[test]
fn a_depth_that_was_asked_for_wins_over_the_planner() {
    let world = world(json!("quick"));
    let ran = world.report(&["--depth", "comprehensive"]);
    assert_eq!(worked(&ran), ("comprehensive".to_owned(), 6, 8));
    let result = ran.result();
    let id = result["run"].as_str().unwrap();
    let shown = world.run(&["runs", "export", id, "--format", "md"]).out;
    assert!(!shown.contains("chosen by the planner"), "{shown}");
}

#[test]
fn a_planner_that_does_not_say_leaves_the_depth_at_standard() {
    let world = world(Value::Null);
    let auto = [("FATHOM_REPORT_DEPTH", "auto")];
    let wide = "Give an overview of what is known about street trees";
    for question in [QUESTION, wide] {
        let ran = world.run_with(&auto, &["report", question, "--json", "-q"]);
        assert_eq!(worked(&ran).0, "standard", "{question}");
    }
}
