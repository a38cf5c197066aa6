//! Every run ends: by its graph, its limits, a rescue, a failure with a reason, or a cancel.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use fathom_workflow::event::EventKind;
use fathom_workflow::record::{CutReason, Status};
use fathom_workflow::*;
use futures::TryStreamExt;
use kit::*;

const MINUTE: Duration = Duration::from_secs(60);

const FAIL: Script = |_, _| Box::pin(async { Err(NodeError::new("the well is dry")) });

const STUCK: Script = |_, ctx| {
    Box::pin(async move {
        let _: String = ctx.effect("before", |_| ctx.deps().ask("before")).await?;
        std::future::pending().await
    })
};

const SAY_WHY: Script = |_, ctx| {
    Box::pin(async move {
        let rescue = ctx.rescued().ok_or_else(|| NodeError::new("not rescued"))?;
        Ok(format!("saved from {}: {}", rescue.from, rescue.cut))
    })
};

#[tokio::test]
async fn a_bounded_loop_ends_where_its_bound_diverts_it() {
    let stage = Stage::new();
    let graph = Graph::new("loop")
        .node("a", play)
        .node("b", play)
        .start("a")
        .edge("a", "b")
        .route("b", ["a", END], |_| "a")
        .at_most(3, "b", "a", END);
    let engine = stage.engine(graph, &[]);
    let mut execution = start(&engine).await;
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(execution.state().lines.concat(), "abababab");
    assert_eq!(execution.tally().loops[edge_name("b", "a").as_str()], 3);
    assert_eq!(execution.tally().steps, engine.graph().most_steps());
}

#[tokio::test]
async fn a_failed_node_fails_the_run_with_its_reason_and_nothing_is_lost() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", FAIL)]);
    let mut execution = start(&engine).await;
    let outcome = execution.run().await.unwrap();
    assert_eq!(
        (outcome.status, outcome.reason),
        (Status::Failed, Some("the well is dry".into()))
    );
    let run = execution.id();

    let mended = stage.engine(line(), &[]);
    assert!(matches!(
        mended.open(run).await.err(),
        Some(Error::Ended { .. })
    ));
    let mut resumed = mended.resume(run).await.unwrap();
    assert_eq!(resumed.run().await.unwrap().status, Status::Completed);
    assert_eq!(resumed.state().lines, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_node_that_panics_fails_and_does_not_take_the_process_with_it() {
    let stage = Stage::new();
    let panic: Script = |_, _| Box::pin(async { panic!("a wire is loose") });
    let engine = stage.engine(line_with_rescue(), &[("b", panic), ("save", SAY_WHY)]);
    let mut execution = start(&engine).await;
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(
        execution.state().lines[1],
        "saved from b: node \"b\" panicked: a wire is loose"
    );
}

#[tokio::test]
async fn a_failed_node_sends_the_run_to_its_rescue_once() {
    let stage = Stage::new();
    let engine = stage.engine(line_with_rescue(), &[("b", FAIL), ("save", SAY_WHY)]);
    let mut execution = start(&engine).await;
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(
        execution.state().lines,
        ["a", "saved from b: the well is dry"]
    );

    let doomed = stage.engine(line_with_rescue(), &[("b", FAIL), ("save", FAIL)]);
    assert_eq!(
        start(&doomed).await.run().await.unwrap().status,
        Status::Failed
    );
}

#[tokio::test]
async fn a_run_whose_time_is_used_up_goes_to_its_rescue() {
    let stage = Stage::new();
    let engine = stage.engine(line_with_rescue(), &[("b", STUCK), ("save", SAY_WHY)]);
    let new = NewRun {
        time_limit: Some(MINUTE),
        ..NewRun::titled("t")
    };
    let mut execution = engine.start(new, Diary::default()).await.unwrap();
    let clock = stage.clock.clone();
    let (outcome, ()) = tokio::join!(execution.run(), async {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        clock.advance(MINUTE);
    });
    assert_eq!(outcome.unwrap().status, Status::Completed);
    assert_eq!(
        execution.state().lines[1],
        "saved from b: the run's time was used up"
    );
}

#[tokio::test]
async fn without_a_rescue_the_deadline_fails_the_run() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let new = NewRun {
        time_limit: Some(MINUTE),
        ..NewRun::titled("t")
    };
    let mut execution = engine.start(new, Diary::default()).await.unwrap();
    execution.advance().await.unwrap();
    stage.clock.advance(MINUTE);
    let outcome = execution.run().await.unwrap();
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(outcome.reason, Some(CutReason::Deadline.to_string()));
}

#[tokio::test]
async fn a_step_limit_below_the_graphs_own_holds() {
    let stage = Stage::new();
    let settings = RuntimeSettings {
        max_steps: Some(2),
        ..RuntimeSettings::default()
    };
    let engine = stage.engine_with(line_with_rescue(), &[("save", SAY_WHY)], settings);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    assert_eq!(
        execution.state().lines,
        [
            "a",
            "b",
            "saved from c: the run reached its limit of 2 steps"
        ]
    );
}

#[tokio::test]
async fn an_update_that_does_not_fit_fails_the_run_and_leaves_the_state_whole() {
    let stage = Stage::new();
    let misfit: Script = |_, _| Box::pin(async { Ok(String::new()) });
    let engine = stage.engine(line(), &[("b", misfit)]);
    let mut execution = start(&engine).await;
    let outcome = execution.run().await.unwrap();
    assert_eq!(
        outcome.reason.as_deref(),
        Some("the update of node \"b\" does not fit the state: a line must not be empty")
    );
    assert_eq!(execution.state().lines, ["a"]);
}

#[tokio::test]
async fn a_route_to_an_undeclared_target_fails_the_run_and_names_it() {
    let stage = Stage::new();
    let graph = Graph::new("astray")
        .node("a", play)
        .start("a")
        .route("a", [END], |_| "nowhere");
    let outcome = start(&stage.engine(graph, &[])).await.run().await.unwrap();
    assert!(outcome.reason.unwrap().contains("chose \"nowhere\""));
}

#[tokio::test]
async fn cancel_stops_a_run_at_work_and_leaves_it_resumable() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", STUCK)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    let (outcome, cancelled) = tokio::join!(execution.run(), async {
        tokio::task::yield_now().await;
        engine.cancel(run).await
    });
    cancelled.unwrap();
    assert_eq!(outcome.unwrap().status, Status::Cancelled);
    assert!(matches!(engine.cancel(run).await, Err(Error::Ended { .. })));

    let mended = stage.engine(line(), &[]);
    let mut resumed = mended.resume(run).await.unwrap();
    assert_eq!(resumed.run().await.unwrap().status, Status::Completed);
}

#[tokio::test]
async fn cancel_from_another_process_is_heard_at_the_next_step() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let mut execution = start(&engine).await;
    execution.advance().await.unwrap();
    let elsewhere = stage.engine(line(), &[]);
    elsewhere.cancel(execution.id()).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Cancelled);
}

#[tokio::test]
async fn a_waiting_run_can_be_cancelled_and_waits_again_when_resumed() {
    let stage = Stage::new();
    let wait: Script = |_, ctx| {
        Box::pin(async move {
            let ask = interrupt::Ask {
                reason: "well?".into(),
                show: ().into(),
                within: None,
            };
            ctx.ask("gate", ask).await?;
            Ok("b".into())
        })
    };
    let engine = stage.engine(line(), &[("b", wait)]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    let run = execution.id();
    engine.cancel(run).await.unwrap();
    assert_eq!(
        engine.header(run).await.unwrap().head.status,
        Status::Cancelled
    );
    let outcome = engine.resume(run).await.unwrap().run().await.unwrap();
    assert_eq!(
        (outcome.status, outcome.reason),
        (Status::Waiting, Some("well?".into()))
    );
}

#[tokio::test]
async fn a_step_that_crashes_the_process_again_and_again_is_left_to_a_person() {
    let stage = Stage::new();
    let settings = RuntimeSettings {
        max_starts: 3,
        ..RuntimeSettings::default()
    };
    let make = || stage.engine_with(line(), &[("a", STUCK)], settings.clone());
    let execution = start(&make()).await;
    let run = execution.id();
    crash(execution).await;
    for _ in 0..2 {
        stage.clock.advance(MINUTE);
        crash(make().open(run).await.unwrap()).await;
    }
    stage.clock.advance(MINUTE);
    let error = make().open(run).await.err().unwrap();
    assert!(
        matches!(error, Error::CrashLoop { attempts: 3, .. }),
        "{error}"
    );
    let head = make().header(run).await.unwrap().head;
    assert_eq!(
        (head.status, head.reason),
        (Status::Failed, Some(error.to_string()))
    );
    assert!(unattended(&make(), 10).await.unwrap().is_empty());
    assert!(make().resume(run).await.is_ok());
}

#[tokio::test]
async fn two_processes_cannot_hold_one_run_and_the_late_one_is_refused() {
    let stage = Stage::new();
    let (one, two) = (stage.engine(line(), &[]), stage.engine(line(), &[]));
    let mut slow = start(&one).await;
    let run = slow.id();
    assert!(matches!(
        two.open(run).await.err(),
        Some(Error::Held { .. })
    ));
    assert!(matches!(
        one.open(run).await.err(),
        Some(Error::Held { .. })
    ));

    stage.clock.advance(MINUTE);
    let mut quick = two.open(run).await.unwrap();
    assert!(matches!(
        slow.advance().await,
        Err(Error::Superseded { .. })
    ));
    assert_eq!(quick.run().await.unwrap().status, Status::Completed);
}

#[tokio::test]
async fn runs_without_an_owner_are_found_after_a_minute() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", STUCK)]);
    let execution = start(&engine).await;
    let run = execution.id();
    crash(execution).await;
    let other = stage.engine(line(), &[]);
    stage.clock.advance(MINUTE - Duration::from_secs(1));
    assert!(unattended(&other, 10).await.unwrap().is_empty());
    stage.clock.advance(Duration::from_secs(2));
    assert_eq!(unattended(&other, 10).await.unwrap(), [run]);
    assert_eq!(
        other.open(run).await.unwrap().run().await.unwrap().status,
        Status::Completed
    );
}

#[tokio::test]
async fn the_status_names_the_phase_that_nodes_declare() {
    let stage = Stage::new();
    let graph = line().phase("a", |_| "planning").phase("b", |state| {
        if state.lines.len() == 1 {
            "writing"
        } else {
            "revising"
        }
    });
    let engine = stage.engine(graph, &[]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    let status = async || engine.header(run).await.unwrap().head.status.to_string();
    assert_eq!(status().await, "pending");
    execution.advance().await.unwrap();
    assert_eq!(status().await, "writing");
    execution.advance().await.unwrap();
    assert_eq!(status().await, "running");
    execution.advance().await.unwrap();
    assert_eq!(status().await, "completed");
}

#[tokio::test]
async fn a_saved_run_at_a_node_the_graph_lost_says_so() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", FAIL)]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    let run = execution.id();
    let renamed = Graph::new("line").node("a", play).start("a").edge("a", END);
    let engine = stage.engine(renamed, &[]);
    let error = engine.resume(run).await.unwrap().run().await.unwrap_err();
    assert!(matches!(error, Error::UnknownNode { .. }), "{error}");
}

#[tokio::test]
async fn subscribers_get_every_event_once_and_in_order_from_any_number() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    let live = tokio::spawn(engine.runtime().events(run, 0).try_collect::<Vec<_>>());
    tokio::task::yield_now().await;
    execution.run().await.unwrap();
    let seen = live.await.unwrap().unwrap();
    let numbers: Vec<u64> = seen.iter().map(|event| event.number).collect();
    assert_eq!(numbers, (1..=seen.len() as u64).collect::<Vec<_>>());
    assert!(matches!(
        seen.first().unwrap().kind,
        EventKind::RunStarted { .. }
    ));
    assert!(matches!(
        seen.last().unwrap().kind,
        EventKind::RunFinished { .. }
    ));
    for after in 0..seen.len() {
        let again: Vec<_> = engine
            .runtime()
            .events(run, after as u64)
            .try_collect()
            .await
            .unwrap();
        assert_eq!(again, seen[after..]);
    }
    let unknown: Result<Vec<_>, _> = engine.runtime().events(RunId::new(), 0).try_collect().await;
    assert!(matches!(unknown, Err(Error::NoSuchRun { .. })));
}

#[tokio::test]
async fn progress_inside_a_long_step_reaches_subscribers_before_the_step_ends() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("a", STUCK)]);
    let mut execution = start(&engine).await;
    let events = engine.runtime().events(execution.id(), 0);
    let watching = async {
        let started = events.try_filter(|event| {
            std::future::ready(matches!(event.kind, EventKind::EffectFinished { .. }))
        });
        tokio::pin!(started);
        started.try_next().await.unwrap().unwrap()
    };
    tokio::select! {
        _ = execution.run() => panic!("it is stuck"),
        event = watching => assert!(event.number > 1),
    }
}

#[tokio::test]
async fn finished_runs_expire_and_others_stay() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let mut done = start(&engine).await;
    done.run().await.unwrap();
    let open = start(&engine).await;
    stage.clock.advance(MINUTE * 60 * 25);
    assert_eq!(
        engine
            .runtime()
            .expire(MINUTE * 60 * 24)
            .await
            .unwrap()
            .runs,
        1
    );
    assert!(matches!(
        engine.header(done.id()).await,
        Err(Error::NoSuchRun { .. })
    ));
    assert!(engine.header(open.id()).await.is_ok());
    assert!(
        !Arc::clone(engine.store()).is_durable(),
        "the memory store says what it is"
    );
}

#[tokio::test]
async fn a_run_asked_to_stop_while_it_parks_does_not_wait() {
    let stage = Stage::new();
    let park: Script = |_, ctx| {
        Box::pin(async move {
            // Another process asks just before the node does.
            ctx.deps().cancel_from_elsewhere(ctx.run()).await;
            let ask = interrupt::Ask {
                reason: "well?".into(),
                show: ().into(),
                within: Some(MINUTE),
            };
            ctx.ask("gate", ask).await?;
            Ok("b".into())
        })
    };
    let engine = stage.engine(line(), &[("b", park)]);
    let mut execution = start(&engine).await;
    let store = stage.store.clone();
    deps(&execution).set_store(store);
    assert_eq!(execution.run().await.unwrap().status, Status::Cancelled);
    let head = engine.header(execution.id()).await.unwrap().head;
    assert_eq!(head.status, Status::Cancelled);
    assert_eq!(head.wake_at, None);
}

#[tokio::test]
async fn work_that_was_broken_off_cannot_be_taken_up_in_memory() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", STUCK)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    tokio::select! {
        biased;
        _ = execution.run() => panic!("it is stuck"),
        () = async { for _ in 0..50 { tokio::task::yield_now().await } } => {}
    }
    let error = execution.advance().await.unwrap_err();
    assert!(matches!(error, Error::Poisoned { .. }), "{error}");
    drop(execution);
    stage.clock.advance(MINUTE);
    let mended = stage.engine(line(), &[]);
    assert_eq!(
        mended.open(run).await.unwrap().run().await.unwrap().status,
        Status::Completed
    );
}

#[tokio::test]
async fn a_run_that_ran_out_of_time_gets_its_time_again_when_resumed() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let new = NewRun {
        time_limit: Some(MINUTE),
        ..NewRun::titled("t")
    };
    let mut execution = engine.start(new, Diary::default()).await.unwrap();
    stage.clock.advance(MINUTE);
    assert_eq!(execution.run().await.unwrap().status, Status::Failed);
    let mut resumed = engine.resume(execution.id()).await.unwrap();
    assert_eq!(resumed.run().await.unwrap().status, Status::Completed);
}

#[tokio::test]
async fn a_run_that_was_stopped_with_time_left_has_that_time_when_resumed() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let new = NewRun {
        time_limit: Some(MINUTE),
        ..NewRun::titled("t")
    };
    let execution = engine.start(new, Diary::default()).await.unwrap();
    let run = execution.id();
    drop(execution);
    stage.clock.advance(MINUTE);
    engine.cancel(run).await.unwrap();
    stage.clock.advance(60 * MINUTE);
    let before = stage.clock.now();
    let _resumed = engine.resume(run).await.unwrap();
    let deadline = engine.header(run).await.unwrap().head.deadline.unwrap();
    assert_eq!(
        deadline.duration_since(before),
        jiff::SignedDuration::from_secs(60)
    );
}

#[tokio::test]
async fn the_last_state_tells_whether_a_run_is_complete_partial_or_was_refused() {
    let stage = Stage::new();
    let ended = async |ending: RunEnding| {
        let graph = line().ending(move |_| ending.clone());
        let engine = stage.engine(graph, &[]);
        let mut execution = start(&engine).await;
        execution.run().await.unwrap();
        let head = engine.header(execution.id()).await.unwrap().head;
        let again = engine.resume(execution.id()).await.err().unwrap();
        assert!(matches!(again, Error::Ended { .. }), "{again}");
        engine
            .fork(execution.id(), 1, NewRun::titled("again"), |_| {})
            .await
            .unwrap();
        (head.status, head.reason)
    };
    assert_eq!(ended(RunEnding::Complete).await, (Status::Completed, None));
    let why = || "two pages were missing".to_owned();
    assert_eq!(
        ended(RunEnding::Partial(why())).await,
        (Status::Completed, Some(why()))
    );
    assert_eq!(
        ended(RunEnding::Refused(why())).await,
        (Status::Cancelled, Some(why()))
    );
}
