//! One host, many workflows: reached by name and run id, with JSON in and out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod kit;

use std::time::Duration;

use fathom_workflow::interrupt::{Ask, Decision, Verdict};
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::Status;
use fathom_workflow::*;
use kit::faulty::{CountedOps, StoreFault};
use kit::hosted::{DiaryWorkflow, LINE, begin};
use kit::*;
use serde_json::json;

/// A second workflow, with one node.
fn dot() -> GraphBuilder<Diary, World> {
    Graph::new("dot").node("a", play).start("a").edge("a", END)
}

const DOT: DiaryWorkflow = DiaryWorkflow {
    graph: dot,
    version: 1,
};

const ASK: Script = |_, ctx| {
    Box::pin(async move {
        let ask = Ask {
            reason: "well?".into(),
            show: serde_json::Value::Null,
            within: None,
        };
        ctx.ask("review", ask).await?;
        Ok("reviewed".to_owned())
    })
};

const CALL: Script =
    |_, ctx| Box::pin(async move { Ok(ctx.effect("call", |_| ctx.deps().ask("call")).await?) });

#[tokio::test]
async fn a_run_is_reached_by_its_id_alone_whatever_its_workflow() {
    let stage = Stage::new();
    let host = stage.host(&[LINE, DOT], &[]);
    let names: Vec<_> = host.workflows().map(|workflow| workflow.name()).collect();
    assert_eq!(names, ["dot", "line"]);
    let (line, dot) = (begin(&host, "line").await, begin(&host, "dot").await);
    assert_eq!(host.outcome(line).await.unwrap(), None);
    for run in [line, dot] {
        assert_eq!(host.run(run).await.unwrap().status, Status::Completed);
    }
    let lines = json!(["dear diary", "a", "b", "c"]);
    assert_eq!(host.outcome(line).await.unwrap(), Some(lines));
    let view = host.view(dot, Some(0)).await.unwrap();
    assert_eq!(view.state, json!({"lines": ["dear diary"]}));
    assert_eq!(view.run.about.title, "dear diary");
    assert_eq!(view.run.about.time_limit, Some(Duration::from_secs(3600)));
    assert_eq!(host.replay(line).await.unwrap().steps, 3);
    assert_eq!(host.workflow_of(dot).await.unwrap().outline().nodes, ["a"]);
    // Whoever asks again is told the same, and no step is taken.
    let done = Progress::Done(RunOutcome {
        status: Status::Completed,
        reason: None,
    });
    assert_eq!(host.advance(line).await.unwrap(), done);
}

#[tokio::test]
async fn an_input_that_does_not_fit_is_refused_by_its_field_and_starts_nothing() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    for (input, told) in [
        (json!({"first": ""}), "first: write something"),
        (json!({"first": 7}), "first: it must be a text, not 7"),
        (json!({}), "first: it is missing"),
        (
            json!({"first": "a", "frist": "b"}),
            "frist: there is no such field",
        ),
    ] {
        let error = host.start("line", NewRun::untitled(), input).await;
        let error = error.unwrap_err();
        assert!(matches!(error, Error::InvalidInput(_)), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
    let unknown = host.start("lime", NewRun::untitled(), json!({})).await;
    let told = unknown.unwrap_err().to_string();
    assert_eq!(told, "there is no workflow \"lime\"; available: line");
    assert!(
        host.list(&RunFilter::default())
            .await
            .unwrap()
            .runs
            .is_empty()
    );
}

#[tokio::test]
async fn a_run_advanced_step_by_step_costs_one_append_a_step_and_no_load() {
    let stage = Stage::new();
    let (stage, store) = CountedOps::over(stage, StoreFault::Nothing);
    let host = stage.host(&[LINE], &[]);
    let run = begin(&host, "line").await;
    for step in 1..=2 {
        assert_eq!(host.advance(run).await.unwrap(), Progress::Ran { step });
    }
    assert!(matches!(
        host.advance(run).await.unwrap(),
        Progress::Done(_)
    ));
    assert_eq!(store.loads_and_appends(), (0, 3));
}

#[tokio::test]
async fn a_run_that_had_to_make_room_is_given_up_and_opened_anew() {
    let stage = Stage::new();
    let settings = HostSettings {
        max_open_runs: 1,
        ..HostSettings::default()
    };
    let (host, _) = stage.host_with(&[LINE], &[], settings);
    let first = begin(&host, "line").await;
    host.advance(first).await.unwrap();
    let second = begin(&host, "line").await;
    let other = stage.host(&[LINE], &[]);
    assert_eq!(
        other.advance(first).await.unwrap(),
        Progress::Ran { step: 2 }
    );
    let held = other.advance(second).await.unwrap_err();
    assert!(matches!(held, Error::Held { .. }), "{held}");
    other.release_open_runs().await;
    assert!(matches!(
        host.advance(first).await.unwrap(),
        Progress::Done(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn resuming_an_open_run_does_not_make_its_lapsed_lease_look_fresh() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let run = begin(&host, "line").await;
    tokio::time::advance(Duration::from_secs(20)).await;
    host.resume(run).await.unwrap();
    tokio::time::advance(Duration::from_secs(20)).await;
    stage.clock.advance(Duration::from_secs(40));
    let other = stage.host(&[LINE], &[]);
    assert_eq!(other.advance(run).await.unwrap(), Progress::Ran { step: 1 });
    other.release_open_runs().await;
    assert_eq!(host.advance(run).await.unwrap(), Progress::Ran { step: 2 });
}

#[tokio::test]
async fn one_caller_at_a_time_works_on_a_run() {
    let stage = Stage::new();
    let (host, world) = stage.host_with(&[LINE], &[("a", CALL)], HostSettings::default());
    world.stick("call");
    let run = begin(&host, "line").await;
    let mut first = Box::pin(host.advance(run));
    for _ in 0..20 {
        assert!(futures::poll!(&mut first).is_pending());
        tokio::task::yield_now().await;
    }
    let second = host.advance(run).await.unwrap_err();
    assert!(matches!(second, Error::Held { .. }), "{second}");
    // The first caller goes away under way. Its lease must lapse before anybody goes on.
    drop(first);
    world.unstick();
    stage.clock.advance(Duration::from_secs(31));
    assert_eq!(host.advance(run).await.unwrap(), Progress::Ran { step: 1 });
}

#[tokio::test]
async fn a_gate_is_shown_edited_and_decided_through_the_host() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[("b", ASK)]);
    let run = begin(&host, "line").await;
    assert_eq!(host.run(run).await.unwrap().status, Status::Waiting);
    assert_eq!(
        host.advance(run).await.unwrap(),
        Progress::Waiting { until: None }
    );
    let editable = host.editable(run).await.unwrap().unwrap();
    assert_eq!(editable, json!({"lines": ["dear diary", "a"]}));
    host.check_edits(run, &json!({"lines": []})).await.unwrap();
    let refused = host.check_edits(run, &json!({"line": []})).await;
    let refused = refused.unwrap_err().to_string();
    assert_eq!(refused, "line: there is no such field");
    let gate = host.gate(run).await.unwrap();
    let decision = Decision::new(Verdict::Approve, "kim");
    host.decide(&gate, decision).await.unwrap();
    assert_eq!(host.run(run).await.unwrap().status, Status::Completed);
}

#[tokio::test]
async fn a_run_between_two_steps_can_be_cancelled_resumed_and_deleted() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let run = begin(&host, "line").await;
    host.advance(run).await.unwrap();
    host.cancel(run).await.unwrap();
    let head = host.header(run).await.unwrap().head;
    assert_eq!(head.status, Status::Cancelled);
    assert_eq!(head.reason.as_deref(), Some("cancelled on request"));
    host.resume(run).await.unwrap();
    assert_eq!(host.advance(run).await.unwrap(), Progress::Ran { step: 2 });
    host.delete(run).await.unwrap();
    let gone = host.advance(run).await.unwrap_err();
    assert!(matches!(gone, Error::NoSuchRun { .. }), "{gone}");
}

#[tokio::test]
async fn a_fork_takes_edits_of_its_state_and_refuses_those_that_do_not_fit() {
    let stage = Stage::new();
    let host = stage.host(&[LINE], &[]);
    let run = begin(&host, "line").await;
    host.run(run).await.unwrap();
    let edits = json!({"lines": ["another life"]});
    let forked = host.fork(run, 1, NewRun::untitled(), Some(edits)).await;
    let forked = forked.unwrap();
    host.run(forked).await.unwrap();
    let view = host.view(forked, None).await.unwrap();
    assert_eq!(view.state["lines"], json!(["another life", "b", "c"]));
    assert_eq!(view.run.about.title, "dear diary");
    let edits = json!({"lines": 7});
    let refused = host.fork(run, 1, NewRun::untitled(), Some(edits)).await;
    assert!(refused.unwrap_err().to_string().starts_with("lines: "));
}

#[tokio::test]
async fn a_run_of_an_unknown_workflow_is_listed_and_shown_but_not_resumed() {
    let stage = Stage::new();
    let run = begin(&stage.host(&[DOT], &[]), "dot").await;
    let host = stage.host(&[LINE], &[]);
    let listed = host.list(&RunFilter::default()).await.unwrap().runs;
    assert_eq!(listed[0].id(), run);
    let steps = host.steps(run, 0, 9).await.unwrap();
    assert_eq!(steps[0].content, Some(json!({"lines": ["dear diary"]})));
    for refused in [
        host.resume(run).await.unwrap_err(),
        host.advance(run).await.unwrap_err(),
        host.run(run).await.unwrap_err(),
    ] {
        assert_eq!(
            refused.to_string(),
            format!(
                "run {run} belongs to the workflow \"dot\", which this program does not know; it knows line"
            )
        );
    }
}

#[tokio::test]
async fn a_run_of_a_newer_version_is_listed_and_refused_with_both_versions() {
    let stage = Stage::new();
    let newer = DiaryWorkflow { version: 3, ..LINE };
    let run = begin(&stage.host(&[newer], &[]), "line").await;
    let host = stage.host(&[LINE], &[]);
    assert_eq!(host.header(run).await.unwrap().about.version, 3);
    assert_eq!(host.steps(run, 0, 9).await.unwrap().len(), 1);
    let edits = host.fork(run, 0, NewRun::untitled(), None).await;
    for refused in [
        host.resume(run).await.unwrap_err(),
        host.view(run, None).await.map(drop).unwrap_err(),
        edits.unwrap_err(),
    ] {
        let told = refused.to_string();
        assert!(
            told.contains("version 3 of the workflow \"line\", but this program knows up to 1"),
            "{told}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_nobody_works_on_any_more_is_stopped_when_its_lease_has_lapsed() {
    for dead in [true, false] {
        let stage = Stage::new();
        let holder = stage.host(&[LINE], &[]);
        let run = begin(&holder, "line").await;
        holder.advance(run).await.unwrap();
        // Else it keeps the run open between two steps, and nobody takes the next.
        let _idle = (!dead).then_some(holder);
        let other = stage.host(&[LINE], &[]);
        assert!(!other.cancel(run).await.unwrap(), "somebody may hold it");
        let stopping = tokio::spawn({
            let other = other.clone();
            async move { other.stop(run).await }
        });
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(!stopping.is_finished());
        stage.clock.advance(Duration::from_secs(31));
        stopping.await.unwrap().unwrap();
        let status = other.header(run).await.unwrap().head.status;
        assert_eq!(status, Status::Cancelled);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_a_run_to_stop_is_told_when_its_holder_does_not_hear() {
    let stage = Stage::new();
    let holder = stage.host(&[LINE], &[]);
    let run = begin(&holder, "line").await;
    // The clock that leases go by stands still, so the lease does not lapse.
    let refused = stage.host(&[LINE], &[]).stop(run).await.unwrap_err();
    assert!(matches!(refused, Error::NotStopped { .. }), "{refused}");
}

#[test]
fn a_workflow_tells_the_schema_of_its_input_and_the_kind_of_its_outcome() {
    let host = Stage::new().host(&[LINE], &[]);
    let workflow = host.workflow("line").unwrap();
    assert_eq!(workflow.outcome_kind(), JSON_OUTCOME);
    let schema = workflow.input_schema();
    assert_eq!(schema["properties"]["first"]["type"], "string");
    assert_eq!(schema["required"], json!(["first"]));
}
