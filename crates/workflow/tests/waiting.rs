//! What a node is told of time: when an answer came, and how long nobody worked on the run. Every
//! run here ends in a replay, and nodes write down what they are told, so a replay that told them
//! anything else would fail.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod kit;

use std::time::Duration;

use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use fathom_workflow::record::{
    Append, Entry, EntryKind, EntryMeta, EntryPart, LogHead, Meters, Status,
};
use fathom_workflow::*;
use kit::*;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const LIMIT: Duration = Duration::from_secs(60 * 3600);

/// Minutes since noon, and minutes waited.
fn told(ctx: &Context<World>) -> String {
    let now = ctx.now().duration_since(noon()).as_secs();
    format!("{}/{}", now / 60, ctx.waited().as_secs() / 60)
}

const TELL: Script = |_, ctx| Box::pin(async move { Ok(told(ctx)) });

/// Asks, then makes a call.
const ASK: Script = |_, ctx| {
    Box::pin(async move {
        let before = told(ctx);
        ctx.ask("review", ask()).await?;
        let after = told(ctx);
        ctx.effect("call", |_| ctx.deps().ask("call")).await?;
        Ok(format!("{before} {after} {}", told(ctx)))
    })
};

fn ask() -> Ask {
    Ask {
        reason: "well?".into(),
        show: serde_json::Value::Null,
        within: Some(HOUR),
    }
}

fn engine(stage: &Stage) -> Engine<Diary, World> {
    stage.engine(line(), &[("a", TELL), ("b", ASK), ("c", TELL)])
}

fn limited() -> NewRun {
    NewRun {
        time_limit: Some(LIMIT),
        ..NewRun::titled("a test")
    }
}

/// A run that has worked for a minute and waits since.
async fn parked(stage: &Stage, engine: &Engine<Diary, World>) -> RunId {
    let mut execution = engine.start(limited(), Diary::default()).await.unwrap();
    stage.clock.advance(MINUTE);
    assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
    execution.id()
}

async fn approve(engine: &Engine<Diary, World>, run: RunId) {
    let gate = engine.gate(run).await.unwrap();
    let decision = Decision::new(Verdict::Approve, "kim");
    engine.decide(&gate, decision).await.unwrap();
}

/// What the nodes of an ended run were told, which a replay tells them again. What the run is said
/// to have waited is what its deadline was put off by.
async fn lines(engine: &Engine<Diary, World>, run: RunId) -> Vec<String> {
    let view = engine.view(run, None).await.unwrap();
    assert_eq!(view.run.head.status, Status::Completed);
    assert_eq!(engine.replay(run).await.unwrap().state, view.state);
    let deadline = view.run.head.deadline.unwrap();
    let put_off = deadline.duration_since(view.run.about.created_at) - LIMIT.try_into().unwrap();
    let waited = view.tally.meters.get(WAITED_MS).copied().unwrap_or(0);
    if view.run.about.forked_from.is_none() {
        assert_eq!(u128::from(waited), put_off.unsigned_abs().as_millis());
    }
    view.state.lines
}

#[tokio::test]
async fn an_answer_moves_the_time_on_and_the_wait_for_it_is_told_apart() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(30 * MINUTE);
    approve(&engine, run).await;
    stage.clock.advance(5 * MINUTE);
    engine.open(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "1/0 31/30 31/30", "36/35"]
    );
}

#[tokio::test]
async fn a_time_out_counts_until_it_is_noticed() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(80 * MINUTE);
    engine.open(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "1/0 81/80 81/80", "81/80"]
    );
}

#[tokio::test]
async fn a_step_that_is_run_again_after_a_crash_is_told_the_same() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(30 * MINUTE);
    approve(&engine, run).await;
    let execution = engine.open(run).await.unwrap();
    deps(&execution).stick("call");
    crash(execution).await;

    stage.clock.advance(10 * MINUTE);
    let mut execution = self::engine(&stage).open(run).await.unwrap();
    execution.run().await.unwrap();
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "1/0 31/30 31/30", "41/40"]
    );
}

#[tokio::test]
async fn the_wait_of_a_run_that_was_cancelled_at_its_gate_is_told_whole() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(20 * MINUTE);
    engine.cancel(run).await.unwrap();
    stage.clock.advance(5 * MINUTE);
    let mut execution = engine.resume(run).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
    stage.clock.advance(3 * MINUTE);
    approve(&engine, run).await;
    engine.open(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "1/0 29/28 29/28", "29/28"]
    );
}

#[tokio::test]
async fn a_run_that_is_out_of_time_and_resumed_is_told_that_it_waited() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let mut execution = engine.start(limited(), Diary::default()).await.unwrap();
    stage.clock.advance(LIMIT);
    assert_eq!(execution.run().await.unwrap().status, Status::Failed);
    let run = execution.id();
    stage.clock.advance(7 * MINUTE);
    engine.resume(run).await.unwrap().run().await.unwrap();
    approve(&engine, run).await;
    engine.open(run).await.unwrap().run().await.unwrap();
    let state = engine.view(run, None).await.unwrap().state;
    assert_eq!(state.lines, ["0/0", "3607/7 3607/7 3607/7", "3607/7"]);
    assert_eq!(engine.replay(run).await.unwrap().state, state);
}

#[tokio::test]
async fn every_answer_in_a_step_moves_the_time_on() {
    const TWICE: Script = |_, ctx| {
        Box::pin(async move {
            let mut words = vec![told(ctx)];
            for key in ["first", "second"] {
                ctx.ask(key, ask()).await?;
                words.push(told(ctx));
            }
            Ok(words.join(" "))
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("a", TELL), ("b", TWICE), ("c", TELL)]);
    let run = parked(&stage, &engine).await;
    for minutes in [10, 20] {
        stage.clock.advance(minutes * MINUTE);
        approve(&engine, run).await;
        stage.clock.advance(MINUTE);
        engine.open(run).await.unwrap().run().await.unwrap();
    }
    // The second answer brings the minute in which nobody took the run up after the first.
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "1/0 11/10 32/31", "33/32"]
    );
}

#[tokio::test]
async fn a_run_that_goes_back_to_a_missed_gate_has_worked_only_while_it_was_held() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(HOUR);
    let mut execution = engine.open(run).await.unwrap();
    execution.advance().await.unwrap();
    stage.clock.advance(4 * MINUTE);
    execution.run().await.unwrap();
    stage.clock.advance(2 * HOUR);
    let decision = Decision::new(Verdict::Approve, "kim");
    engine.reopen(run, decision).await.unwrap();
    stage.clock.advance(MINUTE);
    engine.open(run).await.unwrap().run().await.unwrap();
    // By then it had worked for a minute and for four.
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "185/180 185/180 185/180", "186/181"]
    );
}

#[tokio::test]
async fn a_gate_reopened_before_the_run_went_on_keeps_its_waiting() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    let gate = engine.gate(run).await.unwrap();
    stage.clock.advance(HOUR);
    let decision = Decision::new(Verdict::Approve, "kim");
    engine.decide(&gate, decision.clone()).await.unwrap_err();
    stage.clock.advance(MINUTE);
    engine.reopen(run, decision).await.unwrap();
    engine.open(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        lines(&engine, run).await,
        ["0/0", "62/61 62/61 62/61", "62/61"]
    );
}

#[tokio::test]
async fn a_fork_goes_on_from_the_time_its_origin_had_worked() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(30 * MINUTE);
    approve(&engine, run).await;
    engine.open(run).await.unwrap().run().await.unwrap();
    stage.clock.advance(24 * HOUR);
    let fork = engine.fork(run, 2, limited(), |_| {}).await.unwrap();
    let forked = fork.id();
    drop(fork);
    stage.clock.advance(2 * MINUTE);
    engine.open(forked).await.unwrap().run().await.unwrap();
    assert_eq!(lines(&engine, forked).await[2], "1471/1470");

    let mut early = engine.fork(run, 1, limited(), |_| {}).await.unwrap();
    early.run().await.unwrap();
    let early = early.id();
    stage.clock.advance(3 * MINUTE);
    approve(&engine, early).await;
    engine.open(early).await.unwrap().run().await.unwrap();
    assert_eq!(
        lines(&engine, early).await[1..],
        ["1473/1472 1476/1475 1476/1475", "1476/1475"]
    );
}

#[tokio::test]
async fn what_was_waited_before_a_missed_gate_is_counted_once_when_the_run_goes_back_to_it() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("a", ASK), ("b", ASK), ("c", TELL)]);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(10 * MINUTE);
    approve(&engine, run).await;
    engine.open(run).await.unwrap().run().await.unwrap();
    stage.clock.advance(HOUR);
    engine.open(run).await.unwrap().run().await.unwrap();
    let decision = Decision::new(Verdict::Approve, "kim");
    engine.reopen(run, decision).await.unwrap();
    engine.open(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        lines(&engine, run).await,
        ["0/0 11/10 11/10", "71/70 71/70 71/70", "71/70"]
    );
}

/// Answers the open gate as engines did before waiting was counted.
async fn approve_uncounted(stage: &Stage, engine: &Engine<Diary, World>, run: RunId) {
    let gate = engine.gate(run).await.unwrap();
    let (header, token) = stage.store.head(run).await.unwrap();
    let at = stage.clock.now();
    let (step, key) = (gate.step, gate.key);
    let decision = Decision::new(Verdict::Approve, "kim");
    let answer = Answer::Decided { decision, at };
    let entry = Entry {
        meta: EntryMeta {
            step,
            key: key.clone(),
            kind: EntryKind::Gate,
            part: EntryPart::Answered,
            meters: Meters::new(),
            at,
        },
        payload: Payload::encoded(&answer).unwrap(),
    };
    let head = LogHead {
        rev: token.rev + 1,
        status: Status::Pending,
        updated_at: at,
        wake_at: None,
        parked: false,
        reason: None,
        events: header.head.events + 1,
        entries: header.head.entries + 1,
        ..header.head
    };
    let event = Event {
        number: head.events,
        at,
        kind: EventKind::Answered { step, key, answer },
    };
    let append = Append {
        run,
        token,
        nonce: 1,
        head,
        record: None,
        snapshot: None,
        entries: vec![entry],
        events: vec![event],
        blobs: Vec::new(),
        release: true,
    };
    stage.store.append(append, MINUTE).await.unwrap();
}

#[tokio::test]
async fn an_answer_from_before_waiting_was_counted_leaves_the_time_as_it_was() {
    let stage = Stage::new();
    let engine = engine(&stage);
    let run = parked(&stage, &engine).await;
    stage.clock.advance(30 * MINUTE);
    approve_uncounted(&stage, &engine, run).await;
    engine.open(run).await.unwrap().run().await.unwrap();
    let state = engine.view(run, None).await.unwrap().state;
    assert_eq!(state.lines, ["0/0", "1/0 1/0 1/0", "31/0"]);
    assert_eq!(engine.replay(run).await.unwrap().state, state);
}

#[tokio::test]
async fn a_run_that_lay_there_until_it_was_refused_for_its_crashes_has_not_worked_meanwhile() {
    let stage = Stage::new();
    let settings = RuntimeSettings {
        max_starts: 1,
        ..RuntimeSettings::default()
    };
    let scripts: [(&str, Script); 3] = [("a", TELL), ("b", STUCK), ("c", TELL)];
    let make = || stage.engine_with(line(), &scripts, settings.clone());
    let execution = make().start(limited(), Diary::default()).await.unwrap();
    let run = execution.id();
    deps(&execution).stick("call");
    crash(execution).await;

    stage.clock.advance(3 * HOUR);
    let error = make().open(run).await.err().unwrap();
    assert!(matches!(error, Error::CrashLoop { .. }), "{error}");
    stage.clock.advance(HOUR);
    let engine = make();
    engine.resume(run).await.unwrap().run().await.unwrap();
    let told = lines(&engine, run).await;
    assert_eq!(told.last().unwrap(), "240/240");
}

/// Makes a call that may never come back.
const STUCK: Script = |_, ctx| {
    Box::pin(async move {
        ctx.effect("call", |_| ctx.deps().ask("call")).await?;
        Ok(told(ctx))
    })
};
