//! A run's past: looked at, forked, replayed, exported.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use fathom_workflow::record::Status;
use fathom_workflow::*;
use futures::TryStreamExt;
use kit::*;
use serde_json::Value;

const CALL: Script =
    |_, ctx| Box::pin(async move { Ok(ctx.effect("call", |_| ctx.deps().ask("call")).await?) });

async fn finished(stage: &Stage) -> (Engine<Diary, World>, RunId) {
    let engine = stage.engine(line(), &[("b", CALL)]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    let run = execution.id();
    (engine, run)
}

#[tokio::test]
async fn a_run_can_be_looked_at_at_any_step() {
    let (engine, run) = finished(&Stage::new()).await;
    let view = engine.view(run, Some(2)).await.unwrap();
    assert_eq!(view.state.lines, ["a", "answer to call"]);
    assert_eq!((view.step, view.next.as_deref()), (2, Some("c")));
    assert_eq!(
        engine.view(run, Some(0)).await.unwrap().next.as_deref(),
        Some("a")
    );
    let error = engine.view(run, Some(4)).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        format!("run {run} has no step 4: its steps are 0 to 3")
    );
}

#[tokio::test]
async fn a_fork_goes_on_from_a_step_with_an_edited_state_and_leaves_the_run_alone() {
    let (engine, run) = finished(&Stage::new()).await;
    let edit = |diary: &mut Diary| diary.lines.push("edited".into());
    let mut fork = engine
        .fork(run, 1, NewRun::titled("another way"), edit)
        .await
        .unwrap();
    assert_eq!(fork.run().await.unwrap().status, Status::Completed);
    assert_eq!(fork.state().lines, ["a", "edited", "answer to call", "c"]);
    let origin = engine
        .header(fork.id())
        .await
        .unwrap()
        .about
        .forked_from
        .unwrap();
    assert_eq!((origin.run, origin.step), (run, 1));
    assert_eq!(engine.view(run, None).await.unwrap().state.lines.len(), 3);
    let ended = engine
        .fork(run, 3, NewRun::titled("x"), |_| {})
        .await
        .err()
        .unwrap();
    assert!(matches!(ended, Error::NothingAfter { .. }), "{ended}");
}

#[tokio::test]
async fn a_fork_keeps_the_counts_of_the_run_it_left() {
    let stage = Stage::new();
    let graph = Graph::new("loop")
        .node("a", play)
        .start("a")
        .route("a", ["a", END], |_| "a")
        .at_most(3, "a", "a", END);
    let engine = stage.engine(graph, &[]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    let mut fork = engine
        .fork(execution.id(), 2, NewRun::titled("fork"), |_| {})
        .await
        .unwrap();
    fork.run().await.unwrap();
    assert_eq!(fork.tally().steps, 4, "two before the fork, two after");
}

#[tokio::test]
async fn a_replay_makes_no_call_and_gives_the_same_state() {
    let (engine, run) = finished(&Stage::new()).await;
    let replayed = engine.replay(run).await.unwrap();
    assert_eq!((replayed.steps, replayed.answers), (3, 1));
    assert_eq!(replayed.state, engine.view(run, None).await.unwrap().state);
    let header = engine.header(run).await.unwrap();
    assert_eq!(
        header.head.events,
        engine.header(run).await.unwrap().head.events
    );
}

#[tokio::test]
async fn a_replay_with_other_code_fails_loudly() {
    let stage = Stage::new();
    let (_, run) = finished(&stage).await;
    let other_key: Script =
        |_, ctx| Box::pin(async move { Ok(ctx.effect("another", |_| ctx.deps().ask("x")).await?) });
    let no_call: Script = |_, _| Box::pin(async { Ok("answer to call".into()) });
    let other_update: Script = |_, ctx| {
        Box::pin(async move {
            let answer: String = ctx.effect("call", |_| ctx.deps().ask("call")).await?;
            Ok(answer.to_uppercase())
        })
    };
    for (script, how) in [
        (
            other_key,
            "it asks for \"another\", which the journal does not hold",
        ),
        (no_call, "it did not ask for the recorded \"call\""),
        (other_update, "its update is not the recorded one"),
    ] {
        let engine = stage.engine(line(), &[("b", script)]);
        let error = engine.replay(run).await.err().unwrap().to_string();
        assert!(
            error.contains("diverged at step 2") && error.contains(how),
            "{error}"
        );
    }
    let shorter = stage.engine(
        Graph::new("line")
            .node("a", play)
            .node("b", play)
            .start("a")
            .edge("a", "b")
            .edge("b", END),
        &[("b", CALL)],
    );
    let error = shorter.replay(run).await.err().unwrap().to_string();
    assert!(error.contains("it no longer leads to \"c\""), "{error}");
}

#[tokio::test]
async fn an_export_holds_header_steps_journal_and_events() {
    let (engine, run) = finished(&Stage::new()).await;
    let text: Vec<String> = engine.runtime().export(run).try_collect().await.unwrap();
    let lines: Vec<Value> = text
        .concat()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |kind: &str| lines.iter().filter(|line| line.get(kind).is_some()).count();
    assert_eq!((count("run"), count("step"), count("journal")), (1, 4, 1));
    let events = engine.header(run).await.unwrap().head.events;
    assert_eq!(count("event") as u64, events);
}

#[tokio::test]
async fn a_run_of_another_workflow_is_refused() {
    let stage = Stage::new();
    let (_, run) = finished(&stage).await;
    let other = stage.engine(
        Graph::new("other")
            .node("a", play)
            .start("a")
            .edge("a", END),
        &[],
    );
    let error = other.open(run).await.err().unwrap().to_string();
    assert_eq!(
        error,
        format!("run {run} belongs to the workflow \"line\", not \"other\"")
    );
    let missing = RunId::new();
    let error = other.open(missing).await.err().unwrap().to_string();
    assert!(
        error.starts_with(&format!("there is no run {missing}")),
        "{error}"
    );
}
