//! Whole runs: an answer, no answer, a timeout, an error, a second search, a restart.

use std::sync::atomic::Ordering;
use std::time::Duration;

use fathom_render::answer::{AnswerStatus, Answered, Measure};
use fathom_workflow::Progress;
use serde_json::json;

use super::scripted::{AskWorld, SearchScript, answer, input};
use crate::workflows::ask::expand::QUERIES_MOST;

/// Enough passages on one subject for a search to be good.
const TREES: [&str; 6] = [
    "Street trees cool the air by 1.9 °C by day.",
    "Street trees cool the air by 0.3 °C at night.",
    "Street trees cool the air most in dry towns.",
    "Street trees cool the air by shade.",
    "Street trees cool the air and the walls.",
    "Street trees cool the air in summer.",
];

#[tokio::test]
async fn a_good_search_is_answered_at_once_from_its_passages_with_their_places() {
    let world = AskWorld::new(SearchScript::Answers, &TREES);
    let answer = world.ask("How much do street trees cool the air?").await;
    assert!(answer.is_answer(), "{answer:?}");
    assert_eq!(answer.answered, Answered::Yes);
    assert_eq!(answer.assessments.len(), 1);
    assert!(answer.assessments[0].below.is_empty(), "{answer:?}");
    assert_eq!(world.library.searches.load(Ordering::SeqCst), 1);
    let first = &answer.sentences[0];
    assert!(first.quoted && first.text.contains("°C"), "{first:?}");
    let cited = answer
        .sources
        .iter()
        .find(|one| one.number == first.sources[0]);
    let cited = cited.unwrap();
    assert!(cited.passage.contains(&first.text));
    assert_eq!(cited.line, Some(3));
    let stages: Vec<&str> = answer.stages.iter().map(|one| one.stage.as_str()).collect();
    assert_eq!(
        stages,
        ["analyse", "retrieve", "rerank", "assess", "generate"]
    );
    assert!(answer.confidence > 0.5);
    assert!(answer.sources.len() <= 5);
}

#[tokio::test]
async fn one_that_is_always_poor_is_searched_twice_and_never_three_times() {
    let world = AskWorld::new(SearchScript::Answers, &["Trees stand in streets."]);
    let answer = world.ask("How much do street trees cool the air?").await;
    assert!(answer.is_answer());
    assert_eq!(answer.assessments.len(), 2);
    assert!(answer.assessments.iter().all(|one| one.is_poor()));
    let named: Vec<Measure> = answer.assessments[0]
        .below
        .iter()
        .map(|one| one.measure)
        .collect();
    assert!(named.contains(&Measure::Results), "{named:?}");
    let retrieved = answer.stages.iter().filter(|one| one.stage == "retrieve");
    assert_eq!(retrieved.count(), 2);
    let searches = world.library.searches.load(Ordering::SeqCst);
    assert!((2..=1 + QUERIES_MOST).contains(&searches), "{searches}");
    let warnings = fathom_render::answer::warnings(&answer);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let queries = world.library.queries.lock().unwrap().clone();
    let distinct: std::collections::BTreeSet<&String> = queries.iter().collect();
    assert_eq!(distinct.len(), queries.len(), "{queries:?}");
}

#[tokio::test]
async fn what_the_documents_do_not_mention_is_an_answer_and_says_so() {
    let world = AskWorld::new(SearchScript::Answers, &TREES);
    let answer = world.ask("How do I restart the Kubernetes cluster?").await;
    assert!(answer.is_answer());
    assert_eq!(answer.answered, Answered::No);
    assert!(answer.reason.contains("Kubernetes"), "{}", answer.reason);
    assert!(answer.confidence <= 0.0);
    let empty = AskWorld::new(SearchScript::Answers, &[]);
    let nothing = empty.ask("What is a coprocess?").await;
    assert!(nothing.is_answer() && nothing.sentences.is_empty());
    assert_eq!(nothing.answered, Answered::No);
}

#[tokio::test]
async fn a_search_that_hangs_ends_at_the_deadline_with_the_stages_done() {
    let world = AskWorld::new(SearchScript::Hangs, &TREES);
    let answer = world.ask("How much do street trees cool the air?").await;
    let stage = "retrieve".to_owned();
    assert_eq!(answer.status, AnswerStatus::Timeout { stage });
    let stages: Vec<&str> = answer.stages.iter().map(|one| one.stage.as_str()).collect();
    assert_eq!(stages, ["analyse", "give_up"]);
    assert!(answer.sentences.is_empty());
}

#[tokio::test]
async fn a_second_search_that_hangs_keeps_what_the_first_found() {
    let world = AskWorld::new(SearchScript::HangsLater, &TREES[..2]);
    let answer = world.ask("How much do street trees cool the air?").await;
    assert!(matches!(answer.status, AnswerStatus::Timeout { .. }));
    assert_eq!(answer.sources.len(), 2);
    assert_eq!(answer.assessments.len(), 1);
}

#[tokio::test]
async fn a_library_that_cannot_be_read_is_an_error_with_its_reason() {
    let world = AskWorld::new(SearchScript::Fails, &TREES);
    let answer = world.ask("How much do street trees cool the air?").await;
    match &answer.status {
        AnswerStatus::Error { stage, why } => {
            assert_eq!(stage, "retrieve");
            assert!(why.contains("the disk is gone"), "{why}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_run_that_is_killed_goes_on_where_it_was_and_searches_nothing_again() {
    let world = AskWorld::new(SearchScript::Answers, &TREES);
    let run = world
        .start(input("How much do street trees cool the air?"))
        .await;
    // Two stages: the documents are searched by then.
    for _ in 0..2 {
        let progress = world.host.advance(run).await.unwrap();
        assert!(matches!(progress, Progress::Ran { .. }));
    }
    let searched = world.library.searches.load(Ordering::SeqCst);
    assert_eq!(searched, 1);
    // The lease of the process that is gone lapses.
    world.library.clock.advance(Duration::from_secs(40));
    let other = world.restarted();
    other.resume(run).await.unwrap();
    other.run(run).await.unwrap();
    let answer = answer(&other, run).await;
    assert_eq!(answer.answered, Answered::Yes);
    assert_eq!(world.library.searches.load(Ordering::SeqCst), searched);
    let replay = other.replay(run).await.unwrap();
    assert_eq!(replay.steps, 5);
}

#[tokio::test]
async fn a_follow_up_is_answered_with_the_question_that_it_leans_on() {
    let world = AskWorld::new(SearchScript::Answers, &TREES);
    let first = "How much do street trees cool the air by day?";
    let mut asked = input("And at night?");
    asked["earlier"] = json!([{ "question": first, "answer": "By 1.9 °C." }]);
    let run = world.start(asked).await;
    world.host.run(run).await.unwrap();
    let answer = answer(&world.host, run).await;
    let full = answer.understood_as.as_deref().unwrap();
    assert_eq!(
        full,
        "How much do street trees cool the air by day, and at night?"
    );
    assert!(answer.text().contains("0.3 °C"), "{}", answer.text());
    assert_eq!(answer.question, "And at night?");
}

#[tokio::test]
async fn an_input_without_documents_or_without_a_question_is_refused() {
    let world = AskWorld::new(SearchScript::Answers, &TREES);
    for bad in [
        json!({ "question": "How do trees cool the air?" }),
        json!({ "question": " ", "settings": { "library": ["x"] } }),
        json!({ "question": "How?", "settings": { "library": ["x"] }, "colour": "red" }),
    ] {
        let new = fathom_workflow::NewRun::untitled();
        let refused = world.host.start(super::super::NAME, new, bad).await;
        assert!(
            matches!(refused, Err(fathom_workflow::Error::InvalidInput(_))),
            "{refused:?}"
        );
    }
}
