//! The background half of a host: what is due is taken up without anybody asking for it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::interrupt::Ask;
use fathom_workflow::record::Status;
use fathom_workflow::*;
use kit::faulty::{CountedOps, StoreFault};
use kit::hosted::{DiaryWorkflow, LINE, begin};
use kit::*;
use tokio_util::sync::CancellationToken;

const MINUTE: Duration = Duration::from_secs(60);

const ASK: Script = |_, ctx| {
    Box::pin(async move {
        let ask = Ask {
            reason: "well?".into(),
            show: serde_json::Value::Null,
            within: Some(10 * MINUTE),
        };
        Ok(format!("{:?}", ctx.ask("review", ask).await?))
    })
};

const REST: Script = |_, ctx| {
    Box::pin(async move {
        let at = ctx.now() + 10 * MINUTE;
        Ok(format!("{:?}", ctx.park_until("rest", at, "rest").await?))
    })
};

const CALL: Script =
    |_, ctx| Box::pin(async move { Ok(ctx.effect("call", |_| ctx.deps().ask("call")).await?) });

/// Lets the other tasks of a test do what they can.
async fn settle() {
    for _ in 0..500 {
        tokio::task::yield_now().await;
    }
}

/// The background work of a host, in a task of its own.
struct Working {
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Working {
    fn start(host: &Host, limit: usize) -> Self {
        Self::telling(host, limit, drop)
    }

    fn telling(host: &Host, limit: usize, tell: impl FnMut(WorkedRun) + Send + 'static) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (host, stop) = (host.clone(), stop.clone());
            async move { host.work(limit, stop, tell).await }
        });
        Self { stop, task }
    }

    async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }
}

async fn status(host: &Host, run: RunId) -> Status {
    host.header(run).await.unwrap().head.status
}

/// A graph without the node that the runs of [`LINE`] begin at.
fn without_a() -> GraphBuilder<Diary, World> {
    Graph::new("line").node("z", play).start("z").edge("z", END)
}

/// A second workflow, before "line" in the alphabet.
fn dot() -> GraphBuilder<Diary, World> {
    Graph::new("dot").node("d", play).start("d").edge("d", END)
}

const DOT: DiaryWorkflow = DiaryWorkflow {
    graph: dot,
    version: 1,
};

#[tokio::test]
async fn deadlines_and_wake_up_times_fire_while_the_host_works_and_never_early() {
    for script in [ASK, REST] {
        let stage = Stage::new();
        let host = stage.host(&[LINE], &[("b", script)]);
        let run = begin(&host, "line").await;
        host.run(run).await.unwrap();
        let working = Working::start(&host, 4);
        settle().await;
        stage.clock.advance(9 * MINUTE);
        settle().await;
        assert_eq!(status(&host, run).await, Status::Waiting);
        stage.clock.advance(MINUTE);
        settle().await;
        assert_eq!(status(&host, run).await, Status::Completed);
        working.stop().await;
    }
}

#[tokio::test]
async fn a_run_whose_owner_is_gone_is_taken_up_and_repeats_no_recorded_call() {
    let stage = Stage::new();
    let (gone, world) = stage.host_with(&[LINE], &[("b", CALL)], HostSettings::default());
    world.stick("call");
    let run = begin(&gone, "line").await;
    let mut under_way = Box::pin(gone.run(run));
    for _ in 0..50 {
        assert!(futures::poll!(&mut under_way).is_pending());
        tokio::task::yield_now().await;
    }
    drop(under_way);

    let host = stage.host(&[LINE], &[("b", CALL)]);
    stage.clock.advance(Duration::from_secs(59));
    assert!(host.work_once(4).await.worked.is_empty(), "not yet");
    stage.clock.advance(Duration::from_secs(2));
    let pass = host.work_once(4).await;
    assert_eq!(pass.worked.len(), 1);
    assert_eq!(pass.worked[0].0, run);
    assert_eq!(status(&host, run).await, Status::Completed);
}

#[tokio::test]
async fn runs_that_cannot_be_taken_up_do_not_stand_in_the_way_of_the_others() {
    let stage = Stage::new();
    let writer = stage.host(&[LINE], &[]);
    let newer = DiaryWorkflow { version: 2, ..LINE };
    let newer = stage.host(&[newer], &[]);
    let removed = DiaryWorkflow {
        graph: without_a,
        version: 1,
    };
    let removed = stage.host(&[removed], &[]);
    let mut bad = Vec::new();
    for host in [&newer, &removed, &newer] {
        bad.push(begin(host, "line").await);
        stage.clock.advance(Duration::from_secs(1));
    }
    let good = begin(&writer, "line").await;
    for host in [&newer, &removed, &writer] {
        host.release_open_runs().await;
    }
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 1);
    for _ in 0..10 {
        settle().await;
        stage.clock.advance(Duration::from_secs(2));
    }
    assert_eq!(status(&host, good).await, Status::Completed);
    for run in bad {
        assert_eq!(status(&host, run).await, Status::Pending);
    }
    working.stop().await;
}

/// [`LINE`] with another node in the place of its first.
fn from_b() -> GraphBuilder<Diary, World> {
    let graph = Graph::new("line").node("z", play).node("b", play);
    let graph = graph.node("c", play).start("z").edge("z", "b");
    graph.edge("b", "c").edge("c", END)
}

#[tokio::test]
async fn a_run_that_was_left_alone_is_tried_again_after_others_have_worked_on_it() {
    let stage = Stage::new();
    let writer = stage.host(&[LINE], &[]);
    let run = begin(&writer, "line").await;
    writer.release_open_runs().await;
    let half = DiaryWorkflow {
        graph: from_b,
        version: 1,
    };
    let host = stage.host(&[half], &[]);
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let working = Working::telling(&host, 4, move |worked| told.send(worked).unwrap());
    settle().await;
    let WorkedRun::Skipped(skipped) = heard.recv().await.unwrap() else {
        panic!("it has no node \"a\"")
    };
    assert!(skipped.lasting && skipped.run == run, "{skipped:?}");
    writer.advance(run).await.unwrap();
    stage.clock.advance(Duration::from_secs(1));
    settle().await;
    writer.release_open_runs().await;
    stage.clock.advance(Duration::from_secs(1));
    settle().await;
    assert_eq!(status(&host, run).await, Status::Completed);
    let worked = heard.recv().await.unwrap();
    assert!(matches!(worked, WorkedRun::Worked(id, _) if id == run));
    working.stop().await;
}

#[tokio::test]
async fn a_host_that_is_told_to_stop_gives_its_runs_up_at_once() {
    let stage = Stage::new();
    let starter = stage.host(&[LINE], &[]);
    let run = begin(&starter, "line").await;
    starter.release_open_runs().await;
    let (host, world) = stage.host_with(&[LINE], &[("b", CALL)], HostSettings::default());
    world.stick("call");
    let working = Working::start(&host, 4);
    settle().await;
    assert_eq!(world.calls(), ["call"]);
    working.stop().await;

    let other = stage.host(&[LINE], &[("b", CALL)]);
    let pass = other.work_once(4).await;
    assert_eq!(pass.worked.len(), 1, "without waiting for a lease");
    assert_eq!(status(&other, run).await, Status::Completed);
}

#[tokio::test]
async fn no_more_runs_are_under_way_than_the_limit_says() {
    let stage = Stage::new();
    let starter = stage.host(&[LINE], &[]);
    for _ in 0..5 {
        begin(&starter, "line").await;
    }
    starter.release_open_runs().await;
    let (host, world) = stage.host_with(&[LINE], &[("a", CALL)], HostSettings::default());
    world.stick("call");
    let working = Working::start(&host, 2);
    for _ in 0..3 {
        settle().await;
        stage.clock.advance(Duration::from_secs(2));
    }
    assert_eq!(world.calls().len(), 2);
    working.stop().await;
    let world: Arc<World> = world;
    world.unstick();
    assert_eq!(host.work_once(9).await.worked.len(), 5);
}

#[tokio::test]
async fn a_run_that_cannot_be_claimed_is_tried_once_a_look_and_not_in_a_hot_loop() {
    let stage = Stage::new();
    let starter = stage.host(&[LINE], &[]);
    begin(&starter, "line").await;
    starter.release_open_runs().await;
    let (stage, store) = CountedOps::over(stage, StoreFault::ClaimFails);
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 4);
    settle().await;
    assert_eq!(store.claims(), 1);
    stage.clock.advance(Duration::from_secs(1));
    settle().await;
    assert_eq!(store.claims(), 2);
    working.stop().await;
}

#[tokio::test]
async fn a_run_that_the_store_refused_is_tried_again_and_does_not_hold_the_others_up() {
    let stage = Stage::new();
    let starter = stage.host(&[LINE], &[]);
    let refused = begin(&starter, "line").await;
    stage.clock.advance(Duration::from_secs(1));
    let good = begin(&starter, "line").await;
    starter.release_open_runs().await;
    let (stage, store) = CountedOps::over(stage, StoreFault::ClaimRefused(refused));
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 1);
    settle().await;
    assert_eq!(store.claims(), 1);
    for _ in 0..3 {
        stage.clock.advance(Duration::from_secs(1));
        settle().await;
    }
    assert_eq!(status(&host, good).await, Status::Completed);
    assert!(store.claims() > 3, "the refused run is tried at every look");
    working.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_does_not_stop_the_looks() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 4);
    settle().await;
    stage.clock.set(noon() - 60 * MINUTE);
    let starter = stage.host(&[LINE], &[]);
    let run = begin(&starter, "line").await;
    starter.release_open_runs().await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    settle().await;
    assert_eq!(status(&host, run).await, Status::Completed);
    working.stop().await;
}

#[tokio::test]
async fn the_backlog_of_one_workflow_does_not_keep_the_others_waiting() {
    const CALL_DOT: Script =
        |_, ctx| Box::pin(async move { Ok(ctx.effect("dot", |_| ctx.deps().ask("dot")).await?) });
    let stage = Stage::new();
    let starter = stage.host(&[LINE, DOT], &[]);
    for workflow in ["dot", "dot", "dot", "line"] {
        begin(&starter, workflow).await;
    }
    starter.release_open_runs().await;
    let scripts = [("d", CALL_DOT), ("b", CALL)];
    let (host, world) = stage.host_with(&[LINE, DOT], &scripts, HostSettings::default());
    let working = Working::start(&host, 1);
    settle().await;
    assert_eq!(world.calls(), ["dot", "call", "dot", "dot"]);
    working.stop().await;
}

#[tokio::test]
async fn a_run_that_was_handed_over_is_begun_at_once_and_counts_as_backlog_until_then() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let run = begin(&host, "line").await;
    assert_eq!(host.backlog(9).await.unwrap(), 0, "its caller holds it");
    host.hand_over(run).await;
    assert_eq!(host.backlog(9).await.unwrap(), 1);
    assert_eq!(host.backlog(0).await.unwrap(), 0, "counted up to a bound");
    let working = Working::start(&host, 4);
    settle().await;
    assert_eq!(status(&host, run).await, Status::Completed);
    // The clock stands still: only the handing over makes the worker look again.
    let second = begin(&host, "line").await;
    settle().await;
    assert_eq!(status(&host, second).await, Status::Pending);
    host.hand_over(second).await;
    settle().await;
    assert_eq!(status(&host, second).await, Status::Completed);
    assert_eq!(host.backlog(9).await.unwrap(), 0);
    working.stop().await;
}

/// Whether a run was ever given up and taken up again.
async fn was_taken_up_again(host: &Host, run: RunId) -> bool {
    let events = host.store().events(run, 0, 100).await.unwrap();
    let is_resumed = |event: &Event| matches!(event.kind, EventKind::RunResumed { .. });
    events.iter().any(is_resumed)
}

#[tokio::test]
async fn a_run_that_is_handed_over_stays_in_the_same_hands_while_there_is_room() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 1);
    settle().await;
    let run = begin(&host, "line").await;
    host.hand_over(run).await;
    settle().await;
    assert_eq!(status(&host, run).await, Status::Completed);
    assert!(!was_taken_up_again(&host, run).await);
    working.stop().await;
}

#[tokio::test]
async fn a_run_that_is_handed_over_where_there_is_no_room_waits_in_the_store() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 0);
    settle().await;
    let run = begin(&host, "line").await;
    host.hand_over(run).await;
    settle().await;
    assert_eq!(status(&host, run).await, Status::Pending);
    assert_eq!(host.backlog(9).await.unwrap(), 1);
    working.stop().await;
}

#[tokio::test]
async fn a_run_that_was_handed_over_just_before_the_work_ends_is_given_up_at_once() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 4);
    settle().await;
    let run = begin(&host, "line").await;
    // The worker gets no turn in between: the run lies in its list when it is told to stop.
    host.hand_over(run).await;
    working.stop().await;
    assert_eq!(status(&host, run).await, Status::Pending);
    let other = stage.host(&[LINE], &[]);
    let pass = other.work_once(4).await;
    assert_eq!(pass.worked.len(), 1, "without waiting for a lease");
    assert_eq!(status(&other, run).await, Status::Completed);
}

#[tokio::test]
async fn nobody_keeps_a_run_that_is_handed_over_after_the_work_has_ended() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let working = Working::start(&host, 4);
    settle().await;
    working.stop().await;
    let run = begin(&host, "line").await;
    host.hand_over(run).await;
    let other = stage.host(&[LINE], &[]);
    assert_eq!(other.work_once(4).await.worked.len(), 1);
    assert_eq!(status(&other, run).await, Status::Completed);
}

#[tokio::test]
async fn runs_that_cannot_be_taken_up_are_no_backlog() {
    let stage = Stage::new();
    let first = stage.host(&[LINE], &[]);
    let run = begin(&first, "line").await;
    first.hand_over(run).await;
    let other = DiaryWorkflow {
        graph: without_a,
        version: 1,
    };
    let host = stage.host(&[other], &[]);
    let pass = host.work_once(4).await;
    assert!(pass.skipped[0].lasting);
    assert_eq!(host.backlog(9).await.unwrap(), 0);
}
