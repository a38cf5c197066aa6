//! The terms that a model knows for a question find what its own words do not.

use fathom_testworld::{Judgement, Reply, Script};
use serde_json::json;

use super::world::{World, pages};

const ASKED: &str = "What lives in the old quarry?";

/// Whether a report finds the one file of its library that answers, in other words than the question's.
fn is_found(terms: &'static [&str]) -> bool {
    let script = Script::sensible(pages()).answering(move |prompt, _| match prompt.judgement {
        Judgement::Rephrase => Some(Reply::Json(
            json!({ "terms": terms, "phrasings": [], "likely": "" }),
        )),
        _ => None,
    });
    let world = World::open(script);
    let library = world.path("library");
    std::fs::create_dir_all(&library).unwrap();
    std::fs::write(
        library.join("newts.md"),
        "# Newts\n\nBombina variegata spawns in shallow puddles.\n",
    )
    .unwrap();
    for nth in 0..2 {
        let other = format!("# Quarry {nth}\n\nThe old quarry {nth} lives on granite.\n");
        std::fs::write(library.join(format!("{nth}.md")), other).unwrap();
    }
    let words = ["report", ASKED, "--library", "library", "--json", "-q"];
    let report = world.run(&words).result()["report"].clone();
    let mut sources = report["sources"].as_array().unwrap().iter();
    sources.any(|source| source["location"] == "newts.md")
}

#[test]
fn what_a_model_calls_the_thing_is_searched_for_beside_the_question() {
    assert!(!is_found(&[]));
    assert!(is_found(&["Bombina variegata"]));
}
