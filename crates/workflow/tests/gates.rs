//! Gates: the first answer wins, deadlines are stored moments, late decisions can reopen.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod kit;

use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask, Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::*;
use kit::*;
use serde_json::json;

const HOUR: Duration = Duration::from_secs(3600);

const ASK: Script = |_, ctx| {
    Box::pin(async move {
        let draft: String = ctx.effect("draft", |_| ctx.deps().ask("draft")).await?;
        let ask = Ask {
            reason: "please look at the draft".into(),
            show: json!({ "draft": draft }),
            within: Some(HOUR),
        };
        match ctx.ask("review", ask).await? {
            Answer::Decided { decision, .. } => {
                Ok(format!("{:?} by {}", decision.verdict, decision.by))
            }
            Answer::TimedOut { .. } => Ok("nobody came".into()),
        }
    })
};

/// What a person does: looks at the question, then answers it.
async fn decide(
    engine: &Engine<Diary, World>,
    run: RunId,
    decision: Decision,
) -> Result<(), Error> {
    let gate = engine.gate(run).await?;
    engine.decide(&gate, decision).await
}

fn approve() -> Decision {
    Decision::new(Verdict::Approve, "kim")
}

async fn parked(stage: &Stage) -> (Engine<Diary, World>, RunId) {
    let engine = stage.engine(line(), &[("b", ASK)]);
    let mut execution = start(&engine).await;
    assert_eq!(execution.run().await.unwrap().status, Status::Waiting);
    let run = execution.id();
    (engine, run)
}

#[tokio::test]
async fn a_parked_run_shows_what_it_asks_and_goes_on_with_the_answer() {
    let stage = Stage::new();
    let (_, run) = parked(&stage).await;

    let other_process = stage.engine(line(), &[("b", ASK)]);
    let gate = other_process.gate(run).await.unwrap();
    assert_eq!(gate.interrupt.reason, "please look at the draft");
    assert_eq!(gate.interrupt.show, json!({ "draft": "answer to draft" }));
    let waiting = other_process.open(run).await.err().unwrap();
    assert!(matches!(waiting, Error::Waiting { .. }), "{waiting}");

    decide(&other_process, run, approve()).await.unwrap();
    let mut execution = other_process.open(run).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(execution.state().lines[1], "Approve by kim");
    assert!(
        deps(&execution).calls().is_empty(),
        "the draft was not asked for again"
    );
}

#[tokio::test]
async fn the_first_answer_wins() {
    let stage = Stage::new();
    let (engine, run) = parked(&stage).await;
    let gate = engine.gate(run).await.unwrap();
    let answers = fan_out(0..100, 100, |n| {
        engine.decide(&gate, Decision::new(Verdict::Approve, format!("p{n}")))
    })
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    for refused in answers.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, Error::NotWaiting { .. }), "{refused}");
    }
}

#[tokio::test]
async fn a_deadline_that_passed_while_nobody_was_there_fires_once() {
    let stage = Stage::new();
    let (_, run) = parked(&stage).await;
    stage.clock.advance(HOUR - Duration::from_nanos(1));
    let later = stage.engine(line(), &[("b", ASK)]);
    assert!(
        matches!(later.open(run).await.err(), Some(Error::Waiting { .. })),
        "not early"
    );
    assert!(unattended(&later, 10).await.unwrap().is_empty());

    stage.clock.advance(Duration::from_nanos(1));
    assert_eq!(unattended(&later, 10).await.unwrap(), [run]);
    let mut execution = later.open(run).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(execution.state().lines[1], "nobody came");
}

#[tokio::test]
async fn a_decision_after_the_deadline_is_refused_even_if_the_timer_has_not_fired() {
    let stage = Stage::new();
    let (engine, run) = parked(&stage).await;
    stage.clock.advance(HOUR);
    let refused = decide(&engine, run, approve()).await.unwrap_err();
    assert!(matches!(refused, Error::GateClosed { .. }), "{refused}");
    let mut execution = engine.open(run).await.unwrap();
    execution.run().await.unwrap();
    assert_eq!(execution.state().lines[1], "nobody came");
}

#[tokio::test]
async fn a_late_decision_can_reopen_the_run_without_repeating_its_calls() {
    let stage = Stage::new();
    let (engine, run) = parked(&stage).await;
    stage.clock.advance(HOUR);
    engine.open(run).await.unwrap().run().await.unwrap();

    engine.reopen(run, approve()).await.unwrap();
    let mut execution = engine.open(run).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(execution.state().lines, ["a", "Approve by kim", "c"]);
    assert_eq!(
        deps(&execution).calls(),
        ["draft"],
        "made once, in the first place"
    );
    assert_eq!(
        engine.view(run, Some(3)).await.unwrap().state.lines[1],
        "nobody came"
    );
    assert_eq!(engine.replay(run).await.unwrap().state, *execution.state());
}

/// A call whose question depends on the answer, under one key.
const ACT: Script = |_, ctx| {
    Box::pin(async move {
        let ask = Ask {
            reason: "shall it be done?".into(),
            show: json!(null),
            within: Some(HOUR),
        };
        let what = match ctx.ask("review", ask).await? {
            Answer::Decided { .. } => "done",
            Answer::TimedOut { .. } => "left",
        };
        let told = ctx.effect("act", |call| async move {
            call.spend("tokens", 5);
            ctx.deps().ask(what).await
        });
        Ok(told.await?)
    })
};

#[tokio::test]
async fn a_late_decision_does_not_get_the_answers_that_the_deadline_led_to() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", ACT)]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    let run = execution.id();
    stage.clock.advance(HOUR);
    engine.open(run).await.unwrap().run().await.unwrap();

    engine.reopen(run, approve()).await.unwrap();
    let mut execution = engine.open(run).await.unwrap();
    execution.run().await.unwrap();
    assert_eq!(execution.state().lines[1], "answer to done");
    assert_eq!(engine.replay(run).await.unwrap().state, *execution.state());
    let view = engine.view(run, None).await.unwrap();
    assert_eq!(view.tally.meters["tokens"], 10, "both were paid for");
}

#[tokio::test]
async fn only_a_gate_that_timed_out_can_be_reopened() {
    let stage = Stage::new();
    let (engine, run) = parked(&stage).await;
    decide(&engine, run, approve()).await.unwrap();
    engine.open(run).await.unwrap().run().await.unwrap();
    let refused = engine.reopen(run, approve()).await.unwrap_err();
    assert!(matches!(refused, Error::GateClosed { .. }), "{refused}");
}

#[tokio::test]
async fn the_first_late_decision_wins() {
    let stage = Stage::new();
    let (engine, run) = parked(&stage).await;
    stage.clock.advance(HOUR);
    engine.open(run).await.unwrap().run().await.unwrap();
    engine.reopen(run, approve()).await.unwrap();
    let second = Decision::new(Verdict::Reject, "lee");
    for _ in 0..2 {
        let refused = engine.reopen(run, second.clone()).await.unwrap_err();
        assert!(matches!(refused, Error::GateClosed { .. }), "{refused}");
        if let Ok(mut execution) = engine.open(run).await {
            execution.run().await.unwrap();
        }
    }
    let state = engine.view(run, None).await.unwrap().state;
    assert_eq!(state.lines[1], "Approve by kim");
}

#[tokio::test]
async fn a_late_decision_can_reopen_a_run_before_it_has_gone_on() {
    let stage = Stage::new();
    let (engine, run) = parked(&stage).await;
    stage.clock.advance(HOUR);
    let refused = decide(&engine, run, approve()).await.unwrap_err();
    assert!(matches!(refused, Error::GateClosed { .. }), "{refused}");
    engine.reopen(run, approve()).await.unwrap();
    let mut execution = engine.open(run).await.unwrap();
    assert_eq!(execution.run().await.unwrap().status, Status::Completed);
    assert_eq!(execution.state().lines, ["a", "Approve by kim", "c"]);
    assert_eq!(deps(&execution).calls(), ["draft"]);
    assert_eq!(engine.replay(run).await.unwrap().state, *execution.state());
}

#[tokio::test]
async fn reopening_one_gate_leaves_the_answers_of_others_in_its_step() {
    const TWICE: Script = |_, ctx| {
        Box::pin(async move {
            let ask = |within| Ask {
                reason: "well?".into(),
                show: serde_json::Value::Null,
                within,
            };
            let first = ctx.ask("first", ask(None)).await?;
            let second = ctx.ask("second", ask(Some(HOUR))).await?;
            let by = |answer| match answer {
                Answer::Decided { decision, .. } => decision.by,
                Answer::TimedOut { .. } => "nobody".into(),
            };
            Ok(format!("{}, {}", by(first), by(second)))
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", TWICE)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    execution.run().await.unwrap();
    let lee = Decision::new(Verdict::Reject, "lee");
    decide(&engine, run, lee).await.unwrap();
    engine.open(run).await.unwrap().run().await.unwrap();
    stage.clock.advance(HOUR);
    engine.open(run).await.unwrap().run().await.unwrap();

    engine.reopen(run, approve()).await.unwrap();
    engine.open(run).await.unwrap().run().await.unwrap();
    let state = engine.view(run, None).await.unwrap().state;
    assert_eq!(state.lines[1], "lee, kim");
}

#[tokio::test]
async fn the_time_until_a_late_decision_is_not_the_runs_own() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", ASK)]);
    let new = NewRun {
        time_limit: Some(Duration::from_secs(60)),
        ..NewRun::titled("t")
    };
    let mut execution = engine.start(new, Diary::default()).await.unwrap();
    execution.run().await.unwrap();
    let run = execution.id();
    stage.clock.advance(HOUR);
    engine.open(run).await.unwrap().run().await.unwrap();
    stage.clock.advance(24 * HOUR);
    engine.reopen(run, approve()).await.unwrap();
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Completed
    );
}

#[tokio::test]
async fn waiting_for_people_is_not_the_runs_own_time() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", ASK)]);
    let new = NewRun {
        time_limit: Some(Duration::from_secs(60)),
        ..NewRun::titled("t")
    };
    let mut execution = engine.start(new, Diary::default()).await.unwrap();
    execution.run().await.unwrap();
    let run = execution.id();
    stage.clock.advance(HOUR / 2);
    decide(&engine, run, approve()).await.unwrap();
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Completed
    );
}

#[tokio::test]
async fn time_at_a_gate_is_taken_off_once_even_if_the_run_was_cancelled_there() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", ASK)]);
    let new = NewRun {
        time_limit: Some(Duration::from_secs(60)),
        ..NewRun::titled("t")
    };
    let mut execution = engine.start(new, Diary::default()).await.unwrap();
    execution.run().await.unwrap();
    let run = execution.id();
    stage.clock.advance(Duration::from_secs(100));
    engine.cancel(run).await.unwrap();
    let parked_again = engine.resume(run).await.unwrap().run().await.unwrap();
    assert_eq!(parked_again.status, Status::Waiting);
    stage.clock.advance(Duration::from_secs(10));
    decide(&engine, run, approve()).await.unwrap();
    let deadline = engine.header(run).await.unwrap().head.deadline.unwrap();
    assert_eq!(
        deadline.duration_since(noon()),
        jiff::SignedDuration::from_secs(60 + 110)
    );
}

#[tokio::test]
async fn a_run_that_does_not_wait_takes_no_decision() {
    let stage = Stage::new();
    let engine = stage.engine(line(), &[]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    let refused = decide(&engine, run, approve()).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("run {run} is not waiting for a decision: it is pending")
    );
    execution.run().await.unwrap();
}

#[tokio::test]
async fn an_answer_never_falls_to_a_later_gate() {
    const TWO: Script = |_, ctx| {
        Box::pin(async move {
            for key in ["plan", "final"] {
                let ask = Ask {
                    reason: key.into(),
                    show: json!(null),
                    within: None,
                };
                ctx.ask(key, ask).await?;
            }
            Ok("b".into())
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", TWO)]);
    let mut execution = start(&engine).await;
    execution.run().await.unwrap();
    let run = execution.id();
    let plan = engine.gate(run).await.unwrap();
    engine.decide(&plan, approve()).await.unwrap();
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Waiting
    );

    let refused = engine.decide(&plan, approve()).await.unwrap_err();
    assert!(matches!(refused, Error::GateClosed { .. }), "{refused}");
    assert_eq!(engine.gate(run).await.unwrap().key, "final");
}

#[tokio::test]
async fn a_step_that_asks_many_questions_has_not_crashed() {
    const MANY: Script = |_, ctx| {
        Box::pin(async move {
            for number in 0..30 {
                let ask = Ask {
                    reason: "and this?".into(),
                    show: json!(number),
                    within: None,
                };
                ctx.ask(format!("question {number}"), ask).await?;
            }
            Ok("b".into())
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("b", MANY)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    let mut outcome = execution.run().await.unwrap();
    while outcome.status == Status::Waiting {
        decide(&engine, run, approve()).await.unwrap();
        outcome = engine.open(run).await.unwrap().run().await.unwrap();
    }
    assert_eq!(outcome.status, Status::Completed);
}

#[tokio::test]
async fn a_question_that_stood_open_keeps_its_deadline_when_an_earlier_gate_is_reopened() {
    const TWO: Script = |_, ctx| {
        Box::pin(async move {
            let mut words = String::new();
            for (key, hours) in [("first", 1), ("second", 3)] {
                let ask = Ask {
                    reason: format!("the {key} question"),
                    show: json!(null),
                    within: Some(hours * HOUR),
                };
                words += match ctx.ask(key, ask).await? {
                    Answer::Decided { .. } => "decided ",
                    Answer::TimedOut { .. } => "missed ",
                };
            }
            Ok(words)
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("a", TWO)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    execution.run().await.unwrap();
    stage.clock.advance(HOUR);
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Waiting
    );
    let second = engine.gate(run).await.unwrap();

    engine.reopen(run, approve()).await.unwrap();
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Waiting
    );
    let deadline = second.interrupt.deadline;
    assert_eq!(engine.gate(run).await.unwrap().interrupt.deadline, deadline);
    assert_eq!(engine.header(run).await.unwrap().head.wake_at, deadline);

    stage.clock.advance(3 * HOUR);
    assert_eq!(unattended(&engine, 10).await.unwrap(), [run]);
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Completed
    );
    let view = engine.view(run, None).await.unwrap();
    assert_eq!(view.state.lines[0], "decided missed ");
}

#[tokio::test]
async fn what_a_step_spent_that_never_ended_is_counted_when_a_gate_before_it_is_reopened() {
    const SPEND: Script = |diary, ctx| {
        Box::pin(async move {
            let call = ctx.effect("call", |call| {
                call.spend("tokens", 7);
                ctx.deps().ask("call")
            });
            let answer: String = call.await?;
            match diary.lines[0].as_str() {
                "nobody came" => Err(NodeError::new("nobody has looked at it")),
                _ => Ok(answer),
            }
        })
    };
    let stage = Stage::new();
    let engine = stage.engine(line(), &[("a", ASK), ("b", SPEND)]);
    let mut execution = start(&engine).await;
    let run = execution.id();
    execution.run().await.unwrap();
    stage.clock.advance(HOUR);
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Failed
    );

    engine.reopen(run, approve()).await.unwrap();
    assert_eq!(
        engine.open(run).await.unwrap().run().await.unwrap().status,
        Status::Completed
    );
    let tally = engine.view(run, None).await.unwrap().tally;
    assert_eq!(tally.meters["tokens"], 14);
}
