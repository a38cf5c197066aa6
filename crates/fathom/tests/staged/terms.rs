//! The terms that a model knows for a question find what its own words do not.

use fathom_testworld::{Judgement, Reply, Script};
use serde_json::json;

use super::world::{World, pages};

const ASKED: &str = "What lives in the old quarry?";
const ANSWER: &str = "Bombina variegata spawns in shallow puddles.";

/// The text of the report over a library where only one file answers, in other words than the question's.
fn reported(terms: &'static [&str]) -> String {
    let script = Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
        Judgement::Rephrase => Some(Reply::Json(
            json!({ "terms": terms, "phrasings": [], "likely": "" }),
        )),
        _ => None,
    });
    let world = World::open(script);
    let library = world.path("library");
    std::fs::create_dir_all(&library).unwrap();
    std::fs::write(library.join("newts.md"), format!("# Newts\n\n{ANSWER}\n")).unwrap();
    for nth in 0..5 {
        let other = format!("# Quarry {nth}\n\nThe old quarry {nth} lives on granite.\n");
        std::fs::write(library.join(format!("{nth}.md")), other).unwrap();
    }
    let words = ["report", ASKED, "--library", "library", "--json", "-q"];
    world.run(&words).result()["report"].to_string()
}

#[test]
fn what_a_model_calls_the_thing_is_searched_for_beside_the_question() {
    assert!(!reported(&[]).contains(ANSWER));
    assert!(reported(&["Bombina variegata"]).contains(ANSWER));
}
