//! Results of searches are kept for the next run, and can be passed over.

use fathom_testworld::Script;

use super::log::timeless;
use super::world::{QUESTION, Ran, World, pages};

const QUERIES: usize = 3;

/// The providers that a finished run says it heard.
fn heard(world: &World, ran: &Ran) -> Vec<String> {
    let id = ran.result()["run"].as_str().unwrap().to_owned();
    let shown = world.run(&["runs", "show", &id, "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let queries = shown["state"]["queries"].as_array().unwrap().iter();
    let provider = |asked: &serde_json::Value| asked["outcome"]["found"]["provider"].clone();
    queries
        .map(|asked| provider(asked).as_str().unwrap().to_owned())
        .collect()
}

fn exported(world: &World, ran: &Ran) -> String {
    timeless(world, ran.result()["run"].as_str().unwrap())
}

#[test]
fn a_second_run_searches_for_nothing_that_the_first_has_found_and_gives_the_same_report() {
    let world = World::open(Script::sensible(pages()));
    let first = world.report(&[]);
    first.complete();
    assert_eq!(world.searches().len(), QUERIES);
    let second = world.report(&[]);
    second.complete();
    assert_eq!(world.searches().len(), QUERIES, "nothing was sent again");
    assert_eq!(heard(&world, &first), ["searxng"; QUERIES]);
    assert_eq!(heard(&world, &second), ["searxng (cached)"; QUERIES]);
    assert_eq!(exported(&world, &first), exported(&world, &second));
}

#[test]
fn whoever_asks_for_fresh_results_gets_them_and_they_are_kept() {
    let world = World::open(Script::sensible(pages()));
    for _ in 0..2 {
        world.report(&["--fresh"]).complete();
    }
    assert_eq!(world.searches().len(), 2 * QUERIES);
    world.report(&[]).complete();
    assert_eq!(world.searches().len(), 2 * QUERIES);
}

#[test]
fn results_kept_for_no_time_are_not_kept() {
    let world = World::open(Script::sensible(pages()));
    for _ in 0..2 {
        let words = ["report", QUESTION, "--json", "-q"];
        let ran = world.run_with(&[("FATHOM_SEARCH_CACHE_TTL_S", "0")], &words);
        ran.complete();
    }
    assert_eq!(world.searches().len(), 2 * QUERIES);
    assert!(!world.path("home/cache").exists());
}

#[test]
fn a_search_that_failed_is_made_again_by_the_next_run() {
    let world = World::open(Script::sensible(pages()).without_search());
    world.report(&[]).partial();
    let first = world.searches().len();
    assert!(first >= QUERIES);
    world.report(&[]).partial();
    assert!(world.searches().len() >= first + QUERIES);
}
