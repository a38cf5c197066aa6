//! Two processes at one run, the second just where the first looks away.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask};
use fathom_workflow::record::Status;
use fathom_workflow::*;
use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use kit::*;

/// A clock that lets somebody else act the first time it is looked at: an engine looks at it between
/// reading a run and writing to it.
struct Distraction {
    clock: Arc<ManualClock>,
    act: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Clock for Distraction {
    fn now(&self) -> Timestamp {
        let act = self.act.lock().unwrap().take();
        if let Some(act) = act {
            act();
        }
        self.clock.now()
    }

    fn reach(&self, at: Timestamp) -> BoxFuture<'_, ()> {
        self.clock.reach(at)
    }
}

/// An engine during whose first look at the clock another one runs `run` to its end.
fn distracted(
    stage: &Stage,
    scripts: &[(&'static str, Script)],
    run: RunId,
) -> Engine<Diary, World> {
    let other = stage.engine(line(), scripts);
    let act = move || {
        // Nothing in it waits, so one poll is enough.
        let working = async { other.open(run).await?.run().await };
        let ended = working.now_or_never().unwrap().unwrap();
        assert_eq!(ended.status, Status::Completed);
    };
    let clock = Arc::new(Distraction {
        clock: stage.clock.clone(),
        act: Mutex::new(Some(Box::new(act))),
    });
    stage.engine_by(clock, line(), scripts)
}

#[tokio::test]
async fn a_run_that_ends_while_another_process_opens_it_stays_ended() {
    let stage = Stage::new();
    let first = stage.engine(line(), &[]);
    let run = start(&first).await.id();
    stage.clock.advance(Duration::from_secs(60));

    let late = distracted(&stage, &[], run);
    let refused = late.open(run).await.err().unwrap();
    assert!(matches!(refused, Error::Ended { .. }), "{refused}");
    let status = late.header(run).await.unwrap().head.status;
    assert_eq!(status, Status::Completed);
}

#[tokio::test]
async fn a_gate_that_times_out_under_two_processes_is_passed_once() {
    const TIMER: Script = |_, ctx| {
        Box::pin(async move {
            let ask = Ask {
                reason: "a timer".into(),
                show: serde_json::Value::Null,
                within: Some(Duration::from_secs(60)),
            };
            match ctx.ask("timer", ask).await? {
                Answer::TimedOut { .. } => Ok("rang".into()),
                Answer::Decided { .. } => Ok("was answered".into()),
            }
        })
    };
    let stage = Stage::new();
    let first = stage.engine(line(), &[("b", TIMER)]);
    let mut execution = start(&first).await;
    let run = execution.id();
    assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
    drop(execution);
    stage.clock.advance(Duration::from_secs(60));

    let late = distracted(&stage, &[("b", TIMER)], run);
    let refused = late.open(run).await.err().unwrap();
    assert!(matches!(refused, Error::Ended { .. }), "{refused}");
    let lines = late.view(run, None).await.unwrap().state.lines;
    assert_eq!(lines, ["a", "rang", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_nobody_works_on_is_let_go_although_its_process_works_on_others() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let (lost, other) = (start(&engine).await, start(&engine).await);
    let run = lost.id();
    // As after a write that failed, when not even the hold could be given back.
    drop(lost);
    for _ in 0..10 {
        stage.clock.advance(Duration::from_secs(10));
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    let elsewhere = stage.engine(line(), &[]);
    assert_eq!(unattended(&elsewhere, 10).await.unwrap(), [run]);
    assert_eq!(
        elsewhere
            .open(run)
            .await
            .unwrap()
            .run()
            .await
            .unwrap()
            .status,
        Status::Completed
    );
    assert!(matches!(
        elsewhere.open(other.id()).await.err(),
        Some(Error::Held { .. })
    ));
}
