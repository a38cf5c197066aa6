//! The numbered record of what happened, which a reader can follow from anywhere.

use std::sync::Arc;

use serde_json::json;

use super::fixtures::{Writer, event, moment};
use fathom_workflow::event::{Event, EventKind, Level};
use fathom_workflow::interrupt::{Answer, Decision, Interrupt, Verdict};
use fathom_workflow::record::{CutReason, Meters, Status};
use fathom_workflow::{Owner, RunId, Store};

/// The most events that one append of these checks brings.
const LARGEST_BATCH: u64 = 4;

/// Follows a run from `after` on, as a client that reconnects after each answer.
async fn follow(store: &Arc<dyn Store>, run: RunId, after: u64, limit: usize) -> Vec<Event> {
    let mut seen: Vec<Event> = Vec::new();
    loop {
        let after = seen.last().map_or(after, |event| event.number);
        let more = store.events(run, after, limit).await.unwrap();
        if more.is_empty() {
            return seen;
        }
        assert!(
            more.len() < limit.saturating_add(LARGEST_BATCH as usize),
            "about {limit} events, not {}",
            more.len()
        );
        seen.extend(more);
    }
}

pub async fn events_continue_from_any_number_without_gap_or_repeat(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let mut bystander = Writer::begin(&store).await;
    let mut written = vec![event(1, "begun")];
    for size in (0..=LARGEST_BATCH).cycle().take(15) {
        let append = writer.with_events(size);
        written.extend(append.events.clone());
        writer.write(append).await;
        bystander.write(bystander.with_events(1)).await;
    }
    let last = writer.head.events;
    assert_eq!(written.len() as u64, last);
    for after in 0..=last {
        let wanted = &written[after as usize..];
        for limit in [3, usize::MAX] {
            let seen = follow(&store, writer.run, after, limit).await;
            assert_eq!(seen, wanted, "after {after}, by {limit}");
        }
    }
    assert_eq!(follow(&store, writer.run, 0, 1).await, written, "by ones");
    for after in [last, last + 1, u64::MAX] {
        let seen = store.events(writer.run, after, 10).await.unwrap();
        assert_eq!(seen, [], "nothing has happened after {after}");
    }
    writer.write(writer.with_events(2)).await;
    let news = follow(&store, writer.run, last, 10).await;
    let numbers: Vec<u64> = news.iter().map(|event| event.number).collect();
    assert_eq!(numbers, [last + 1, last + 2], "what came since");
}

pub async fn every_kind_of_event_survives(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let mut append = writer.blank();
    for kind in steps().into_iter().chain(effects()).chain(gates()) {
        append.head.events += 1;
        append.events.push(Event {
            number: append.head.events,
            at: moment(1) + std::time::Duration::from_nanos(1),
            kind,
        });
    }
    writer.write(append.clone()).await;
    let read = store.events(writer.run, 1, usize::MAX).await.unwrap();
    assert_eq!(read, append.events);
}

fn steps() -> Vec<EventKind> {
    let (step, node) = (3, "look");
    vec![
        EventKind::RunStarted {
            workflow: "report".into(),
        },
        EventKind::RunForked {
            from: RunId::new(),
            step,
        },
        EventKind::RunResumed {
            owner: Owner::unique(),
            step,
            attempt: 2,
        },
        EventKind::StepStarted {
            step,
            node: node.into(),
            phase: "searching".into(),
        },
        EventKind::StepFinished {
            step,
            node: node.into(),
            next: None,
        },
        EventKind::StepCut {
            step,
            node: node.into(),
            cut: CutReason::Deadline,
        },
        EventKind::RunFinished {
            status: Status::Failed,
            reason: Some("no luck".to_owned()),
        },
    ]
}

fn effects() -> Vec<EventKind> {
    let (step, key) = (3, "search 1".to_owned());
    vec![
        EventKind::EffectStarted {
            step,
            key: key.clone(),
        },
        EventKind::EffectRetried {
            step,
            key: key.clone(),
            attempt: 2,
            wait_ms: 1500,
            reason: "busy".to_owned(),
        },
        EventKind::EffectProgressed {
            step,
            key: key.clone(),
            text: "one of three".to_owned(),
        },
        EventKind::EffectFinished {
            step,
            key,
            ms: 40,
            meters: Meters::from([("searches".into(), 1)]),
        },
        EventKind::Log {
            level: Level::Warn,
            message: "slow".to_owned(),
        },
        EventKind::Spent {
            meter: "tokens".into(),
            amount: u64::MAX,
        },
    ]
}

fn gates() -> Vec<EventKind> {
    let (step, key) = (3, "plan".to_owned());
    let decision = Decision {
        edits: Some(json!({"plan": ["a", null]})),
        feedback: Some("shorter".to_owned()),
        ..Decision::new(Verdict::Modify, "a person")
    };
    let at = moment(2);
    let answers = [Answer::Decided { decision, at }, Answer::TimedOut { at }];
    let mut kinds = vec![
        EventKind::Interrupted {
            step,
            key: key.clone(),
            interrupt: Interrupt {
                reason: "look at this".to_owned(),
                show: json!({"plan": []}),
                deadline: Some(at),
            },
        },
        EventKind::Reopened { step, gate_step: 1 },
        EventKind::Parked {
            step,
            key: key.clone(),
            until: at,
            reason: "the provider wants rest".to_owned(),
        },
        EventKind::Woken {
            step,
            key: key.clone(),
        },
    ];
    kinds.extend(answers.map(|answer| EventKind::Answered {
        step,
        key: key.clone(),
        answer,
    }));
    kinds
}
