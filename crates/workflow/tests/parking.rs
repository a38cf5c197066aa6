//! A node that parks its run until a moment, although nobody is asked.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod kit;

use std::time::Duration;

use fathom_workflow::event::EventKind;
use fathom_workflow::interrupt::{Decision, ParkOutcome, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::*;
use futures::TryStreamExt;
use kit::*;

const MINUTE: Duration = Duration::from_secs(60);

/// Asks a provider that wants five minutes, waits for them, and asks again.
const WAIT: Script = |_, ctx| {
    Box::pin(async move {
        let refused: String = ctx.effect("first", |_| ctx.deps().ask("first")).await?;
        let at = ctx.now() + 5 * MINUTE;
        let woken = ctx
            .park_until("rest", at, "the provider wants rest")
            .await?;
        let now = ctx.now().duration_since(noon()).as_secs() / 60;
        let waited = ctx.waited().as_secs() / 60;
        ctx.effect("second", |_| ctx.deps().ask("second")).await?;
        Ok(format!("{refused}, {woken:?} at {now}, waited {waited}"))
    })
};

fn engine(stage: &Stage) -> Engine<Diary, World> {
    stage.engine(line(), &[("a", WAIT)])
}

fn limited(limit: Duration) -> NewRun {
    NewRun {
        time_limit: Some(limit),
        ..NewRun::titled("a test")
    }
}

async fn parked(engine: &Engine<Diary, World>, limit: Duration) -> RunId {
    let started = engine.start(limited(limit), Diary::default()).await;
    let mut execution = started.unwrap();
    let run = execution.id();
    assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
    let head = engine.header(run).await.unwrap().head;
    assert_eq!(head.wake_at, Some(noon() + 5 * MINUTE));
    assert!(head.parked);
    assert_eq!(head.reason.as_deref(), Some("the provider wants rest"));
    run
}

/// The first line of an ended run, which a replay must tell again.
async fn first_line(engine: &Engine<Diary, World>, run: RunId) -> String {
    let view = engine.view(run, None).await.unwrap();
    assert_eq!(view.run.head.status, Status::Completed);
    assert_eq!(engine.replay(run).await.unwrap().state, view.state);
    view.state.lines[0].clone()
}

#[tokio::test]
async fn a_parked_run_goes_on_at_its_time_in_another_process_and_repeats_no_call() {
    let stage = Stage::new();
    let run = parked(&engine(&stage), 20 * MINUTE).await;
    let other = engine(&stage);
    assert_eq!(unattended(&other, 9).await.unwrap(), [], "not due yet");
    let early = other.open(run).await.err().unwrap();
    assert!(matches!(early, Error::Waiting { .. }), "{early}");

    stage.clock.advance(5 * MINUTE);
    assert_eq!(unattended(&other, 9).await.unwrap(), [run]);
    let mut execution = other.open(run).await.unwrap();
    execution.run().await.unwrap();
    assert_eq!(deps(&execution).calls(), ["second"]);
    assert_eq!(
        first_line(&other, run).await,
        "answer to first, Woken at 5, waited 0"
    );
}

#[tokio::test]
async fn the_time_parked_is_the_runs_own_and_only_what_comes_after_is_put_off() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&engine, 20 * MINUTE).await;
    stage.clock.advance(12 * MINUTE);
    engine.open(run).await.unwrap().run().await.unwrap();
    let head = engine.header(run).await.unwrap().head;
    assert_eq!(
        head.deadline,
        Some(noon() + 27 * MINUTE),
        "seven minutes late"
    );
    assert!(!head.parked && head.wake_at.is_none());
    assert_eq!(
        first_line(&engine, run).await,
        "answer to first, Woken at 12, waited 7"
    );
}

#[tokio::test]
async fn a_person_may_resume_a_parked_run_early_but_has_nothing_to_decide() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&engine, 20 * MINUTE).await;
    let error = engine.gate(run).await.unwrap_err().to_string();
    assert!(error.contains("parked until"), "{error}");
    stage.clock.advance(MINUTE);
    engine.resume(run).await.unwrap().run().await.unwrap();
    let head = engine.header(run).await.unwrap().head;
    assert_eq!(head.deadline, Some(noon() + 20 * MINUTE));
    assert_eq!(
        first_line(&engine, run).await,
        "answer to first, Woken at 1, waited 0"
    );
    let events: Vec<_> = engine.runtime().events(run, 0).try_collect().await.unwrap();
    let told = |wanted: fn(&EventKind) -> bool| events.iter().filter(|e| wanted(&e.kind)).count();
    assert_eq!(told(|kind| matches!(kind, EventKind::Parked { .. })), 1);
    assert_eq!(told(|kind| matches!(kind, EventKind::Woken { .. })), 1);
}

#[tokio::test]
async fn a_parked_run_that_was_cancelled_goes_on_when_it_is_resumed() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&engine, 20 * MINUTE).await;
    stage.clock.advance(MINUTE);
    engine.cancel(run).await.unwrap();
    let head = engine.header(run).await.unwrap().head;
    assert!(!head.parked && head.wake_at.is_none(), "it has ended");
    stage.clock.advance(MINUTE);
    let mut execution = engine.resume(run).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(deps(&execution).calls(), ["first", "second"]);
    let head = engine.header(run).await.unwrap().head;
    assert_eq!(
        head.deadline,
        Some(noon() + 21 * MINUTE),
        "cancelled for one"
    );
    assert_eq!(head.wake_at, None);
    first_line(&engine, run).await;
}

#[tokio::test]
async fn a_moment_beyond_the_deadline_is_refused_and_a_replay_refuses_it_too() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let started = engine.start(limited(5 * MINUTE), Diary::default()).await;
    let mut execution = started.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(
        first_line(&engine, execution.id()).await,
        "answer to first, PastDeadline at 0, waited 0"
    );
}

#[tokio::test]
async fn a_step_parks_only_so_often() {
    const AGAIN: Script = |_, ctx| {
        Box::pin(async move {
            for turn in 0.. {
                let at = ctx.now() + MINUTE;
                let key = format!("rest {turn}");
                if ctx.park_until(key, at, "rest").await? == ParkOutcome::TooManyParks {
                    return Ok(format!("parked {turn} times"));
                }
            }
            unreachable!("it parks for ever")
        })
    };
    let stage = Stage::new();
    let settings = RuntimeSettings {
        max_parks: 3,
        ..RuntimeSettings::default()
    };
    let engine = stage.engine_with(line(), &[("a", AGAIN)], settings);
    let mut execution = start(&engine).await;
    let run = execution.id();
    for _ in 0..3 {
        assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
        stage.clock.advance(MINUTE);
        execution = engine.open(run).await.unwrap();
    }
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(first_line(&engine, run).await, "parked 3 times");
}

#[tokio::test]
async fn a_late_decision_does_not_bring_back_a_park_that_came_after_its_gate() {
    const ASK_THEN_REST: Script = |_, ctx| {
        Box::pin(async move {
            let ask = interrupt::Ask {
                reason: "well?".into(),
                show: serde_json::Value::Null,
                within: Some(MINUTE),
            };
            let answer = ctx.ask("review", ask).await?;
            let rest = format!(
                "rest after {}",
                matches!(answer, interrupt::Answer::TimedOut { .. })
            );
            ctx.park_until(rest, ctx.now() + MINUTE, "rest").await?;
            Ok(format!("{answer:?}"))
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("a", ASK_THEN_REST)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    for _ in 0..2 {
        assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
        stage.clock.advance(MINUTE);
        execution = engine.open(run).await.unwrap();
    }
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    let decision = Decision::new(Verdict::Approve, "kim");
    engine.reopen(run, decision).await.unwrap();
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Waiting
    );
    stage.clock.advance(MINUTE);
    engine.open(run).await.unwrap().run().await.unwrap();
    assert!(first_line(&engine, run).await.contains("Approve"));
}
