//! Outside calls: recorded before anything builds on them, and never made again.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use std::time::Duration;

use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::*;
use kit::*;
use serde_json::json;

const LAPSE: Duration = Duration::from_secs(31);

#[tokio::test]
async fn a_resumed_run_repeats_no_recorded_call() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            let first: String = ctx.effect("first", |_| ctx.deps().ask("first")).await?;
            let second: String = ctx.effect("second", |_| ctx.deps().ask("second")).await?;
            Ok(format!("{first}, {second}"))
        })
    };
    let before = stage.engine(line(), &[("b", script)]);
    let execution = start(&before).await;
    let run = execution.id();
    deps(&execution).stick("second");
    crash(execution).await;

    stage.clock.advance(LAPSE);
    let after = stage.engine(line(), &[("b", script)]);
    let mut resumed = after.open(run).await.unwrap();
    assert_eq!(resumed.run().await.unwrap().status, Status::Completed);
    assert_eq!(
        resumed.state().lines,
        ["a", "answer to first, answer to second", "c"]
    );
    assert_eq!(
        deps(&resumed).calls(),
        ["second"],
        "only the call in flight was made again"
    );
}

#[tokio::test]
async fn answers_of_parallel_calls_are_each_recorded_when_they_come() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            let answers = fan_out(0..6, 3, |n| async move {
                ctx.effect(format!("call {n}"), |_| async move {
                    ctx.deps().ask(NAMES[n]).await
                })
                .await
            })
            .await;
            let answers: Vec<String> = answers.into_iter().collect::<Result<_, _>>()?;
            Ok(answers.join("; "))
        })
    };
    let before = stage.engine(line(), &[("a", script)]);
    let execution = start(&before).await;
    let run = execution.id();
    deps(&execution).stick("four");
    crash(execution).await;

    stage.clock.advance(LAPSE);
    let after = stage.engine(line(), &[("a", script)]);
    let mut resumed = after.open(run).await.unwrap();
    resumed.run().await.unwrap();
    assert_eq!(deps(&resumed).calls(), ["four"]);
    let wanted: Vec<String> = NAMES
        .iter()
        .map(|name| format!("answer to {name}"))
        .collect();
    assert_eq!(resumed.state().lines[0], wanted.join("; "));
}

const NAMES: [&str; 6] = ["zero", "one", "two", "three", "four", "five"];

#[tokio::test]
async fn a_key_used_twice_in_a_step_fails_the_run_and_says_which() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            let _: String = ctx.effect("same", |_| ctx.deps().ask("one")).await?;
            // Even a node that swallows the halt cannot pass it.
            let again: Result<String, StepHalted> =
                ctx.effect("same", |_| ctx.deps().ask("two")).await;
            Ok(format!("{}", again.is_ok()))
        })
    };
    let engine = stage.engine(line(), &[("a", script)]);
    let outcome = start(&engine).await.run().await.unwrap();
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(
        outcome.reason.as_deref(),
        Some("node \"a\" used the effect key \"same\" twice in one step; keys must differ")
    );
}

#[tokio::test]
async fn a_call_that_must_not_repeat_waits_for_a_person_after_a_crash() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            ctx.once("pay", |_| async move { ctx.deps().ask("pay").await })
                .await
        })
    };
    for (verdict, edits, line_a, calls) in [
        (Verdict::Approve, None, Some("answer to pay"), vec!["pay"]),
        (
            Verdict::Modify,
            Some(json!("it was paid")),
            Some("it was paid"),
            vec![],
        ),
        (Verdict::Reject, None, None, vec![]),
    ] {
        let before = stage.engine(line(), &[("a", script)]);
        let execution = start(&before).await;
        let run = execution.id();
        deps(&execution).stick("pay");
        crash(execution).await;

        stage.clock.advance(LAPSE);
        let after = stage.engine(line(), &[("a", script)]);
        assert_eq!(
            after.open(run).await.unwrap().run().await.unwrap().status,
            Status::Waiting
        );
        let gate = after.gate(run).await.unwrap();
        assert_eq!(gate.key, "pay/outcome");
        let decision = Decision {
            edits,
            ..Decision::new(verdict, "kim")
        };
        after.decide(&gate, decision).await.unwrap();
        let mut resumed = after.open(run).await.unwrap();
        let outcome = resumed.run().await.unwrap();
        assert_eq!(deps(&resumed).calls(), calls, "{verdict:?}");
        assert_eq!(resumed.state().lines.first().map(String::as_str), line_a);
        assert_eq!(outcome.status == Status::Completed, line_a.is_some());
    }
}

#[tokio::test]
async fn what_calls_spend_is_counted_once_however_often_the_step_is_run() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            let _: String = ctx
                .effect("costly", |call| {
                    call.spend("tokens", 70);
                    ctx.deps().ask("costly")
                })
                .await?;
            ctx.spend("tokens", 5);
            let _: String = ctx.effect("last", |_| ctx.deps().ask("last")).await?;
            Ok("done".into())
        })
    };
    let before = stage.engine(line(), &[("a", script)]);
    let execution = start(&before).await;
    let run = execution.id();
    deps(&execution).stick("last");
    crash(execution).await;

    stage.clock.advance(LAPSE);
    let after = stage.engine(line(), &[("a", script)]);
    let mut resumed = after.open(run).await.unwrap();
    resumed.run().await.unwrap();
    assert_eq!(resumed.tally().meters["tokens"], 75);
    assert_eq!(
        after.view(run, None).await.unwrap().tally.meters["tokens"],
        75
    );
}

#[tokio::test]
async fn what_a_recorded_call_spent_is_counted_when_the_step_is_cut_before_it_asks_again() {
    const SPEND_AND_STICK: Script = |_, ctx| {
        Box::pin(async move {
            let cheap = ctx.effect("cheap", |call| async move {
                call.spend("tokens", 7);
                ctx.deps().ask("cheap").await
            });
            let cheap: String = cheap.await?;
            let _: String = ctx.effect("slow", |_| ctx.deps().ask("slow")).await?;
            Ok(cheap)
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line_with_rescue(), &[("a", SPEND_AND_STICK)]);
    let new = NewRun {
        time_limit: Some(Duration::from_secs(60)),
        ..NewRun::titled("a test")
    };
    let execution = engine.start(new, Diary::default()).await.unwrap();
    let run = execution.id();
    deps(&execution).stick("slow");
    crash(execution).await;

    stage.clock.advance(Duration::from_secs(100));
    let mut execution = engine.open(run).await.unwrap();
    stage.clock.advance(Duration::from_secs(100));
    execution.run().await.unwrap();
    assert!(execution.tally().rescue.is_some());
    assert_eq!(execution.tally().meters["tokens"], 7);
}

#[tokio::test]
async fn a_call_sees_what_calls_of_its_own_step_spent_before_a_crash() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            let paid = |call: EffectCall| async move {
                call.spend("tokens", 7);
            };
            ctx.effect("first", paid).await?;
            let seen = |_| async move {
                ctx.deps().ask("second").await;
                ctx.spent_so_far("tokens")
            };
            let seen: u64 = ctx.effect("second", seen).await?;
            Ok(format!("{} then {seen}", ctx.spent("tokens")))
        })
    };
    let before = stage.engine(line(), &[("b", script)]);
    let execution = start(&before).await;
    let run = execution.id();
    deps(&execution).stick("second");
    crash(execution).await;

    stage.clock.advance(LAPSE);
    let after = stage.engine(line(), &[("b", script)]);
    let mut resumed = after.open(run).await.unwrap();
    resumed.run().await.unwrap();
    assert_eq!(resumed.state().lines[1], "0 then 7");
}

#[tokio::test]
async fn time_and_chance_are_the_same_when_a_step_is_run_again() {
    let stage = Stage::new();
    let script: Script = |_, ctx| {
        Box::pin(async move {
            let drawn = format!("{} {}", ctx.now(), ctx.random("dice"));
            let _: String = ctx.effect("call", |_| ctx.deps().ask("call")).await?;
            Ok(drawn)
        })
    };
    let engine = stage.engine(line(), &[("b", script)]);
    let execution = start(&engine).await;
    let run = execution.id();
    deps(&execution).stick("call");
    crash(execution).await;

    stage.clock.advance(LAPSE);
    let after = stage.engine(line(), &[("b", script)]);
    let mut resumed = after.open(run).await.unwrap();
    resumed.run().await.unwrap();
    assert!(resumed.state().lines[1].starts_with(&noon().to_string()));
    assert_eq!(after.replay(run).await.unwrap().state, *resumed.state());
}

#[tokio::test]
async fn kept_bytes_are_there_for_later_steps() {
    let stage = Stage::new();
    let keep: Script = |_, ctx| {
        Box::pin(async move {
            let hash = ctx.keep(*b"a page of text");
            assert_eq!(
                ctx.kept(hash).await?.as_deref(),
                Some(&b"a page of text"[..])
            );
            Ok(hash.to_string())
        })
    };
    let read: Script = |state, ctx| {
        Box::pin(async move {
            let hash: BlobHash = state.lines[0].parse()?;
            let bytes = ctx
                .kept(hash)
                .await?
                .ok_or_else(|| NodeError::new("it is gone"))?;
            Ok(String::from_utf8(bytes)?)
        })
    };
    let engine = stage.engine(line(), &[("a", keep), ("b", read)]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    assert_eq!(execution.state().lines[1], "a page of text");
}
