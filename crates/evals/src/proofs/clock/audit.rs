//! Reads the log of an ended trip, and holds every gate in it against its deadline.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::event::EventKind;
use fathom_workflow::interrupt::{Answer, Interrupt};
use fathom_workflow::record::{EntryKind, Part, StepKind};
use fathom_workflow::{RunId, Store};
use jiff::{SignedDuration, Timestamp};

use super::Figures;
use super::trip::{Passed, Stage};

/// More than a trip can have.
const MOST: usize = 100_000;

/// A gate as the events tell of it.
struct Seen {
    opened_at: Timestamp,
    interrupt: Interrupt,
    answer: Option<Answer>,
}

pub(super) async fn check(
    store: &Arc<dyn Store>,
    run: RunId,
    stages: &[Stage],
    figures: &mut Figures,
) -> Result<()> {
    let gates = gates(store, run).await?;
    let mut passed = 0;
    for record in store.steps(run, 1, MOST).await? {
        let step = record.meta.step;
        if record.meta.kind != StepKind::Update {
            continue;
        }
        let payload = record.payload.context("an update without a body")?;
        match payload.decode_owned::<Passed>()? {
            Passed::Work => {}
            Passed::Rescue => continue,
            Passed::Gate(answer) => {
                let gate = gates
                    .get(&step)
                    .with_context(|| format!("step {step} had no gate"))?;
                check_gate(gate, &stages[passed], &answer, figures)
                    .with_context(|| format!("the gate of step {step}"))?;
                ensure!(
                    stored_answers(store, run, step).await? == [answer],
                    "the journal of step {step} holds another answer"
                );
            }
        }
        passed += 1;
    }
    Ok(())
}

fn check_gate(gate: &Seen, stage: &Stage, answer: &Answer, figures: &mut Figures) -> Result<()> {
    let deadline = match stage.within() {
        Some(within) => Some(gate.opened_at + SignedDuration::try_from(within)?),
        None => None,
    };
    let Interrupt {
        deadline: stored, ..
    } = gate.interrupt;
    ensure!(
        stored == deadline,
        "its deadline is {stored:?}, not {deadline:?}"
    );
    ensure!(
        gate.answer.as_ref() == Some(answer),
        "{:?} became {answer:?}",
        gate.answer
    );
    match answer {
        Answer::TimedOut { at } => {
            ensure!(
                deadline.is_some_and(|deadline| *at >= deadline),
                "it fired early: at {at}, before {deadline:?}"
            );
            figures.timed_out += 1;
        }
        Answer::Decided { at, .. } => {
            ensure!(
                deadline.is_none_or(|deadline| *at < deadline),
                "it took an answer at {at}, after its deadline {deadline:?}"
            );
            figures.decided += 1;
        }
    }
    Ok(())
}

/// The gates by step, each opened once and answered once at most.
async fn gates(store: &Arc<dyn Store>, run: RunId) -> Result<BTreeMap<u64, Seen>> {
    let mut gates = BTreeMap::new();
    for event in store.events(run, 0, MOST).await? {
        match event.kind {
            EventKind::Interrupted {
                step, interrupt, ..
            } => {
                let seen = Seen {
                    opened_at: event.at,
                    interrupt,
                    answer: None,
                };
                ensure!(
                    gates.insert(step, seen).is_none(),
                    "the gate of step {step} was opened twice"
                );
            }
            EventKind::Answered { step, answer, .. } => match gates.get_mut(&step) {
                Some(gate) if gate.answer.is_none() => gate.answer = Some(answer),
                Some(_) => bail!("the gate of step {step} was passed twice"),
                None => bail!("step {step} has an answer and no gate"),
            },
            _ => {}
        }
    }
    Ok(gates)
}

async fn stored_answers(store: &Arc<dyn Store>, run: RunId, step: u64) -> Result<Vec<Answer>> {
    let mut answers = Vec::new();
    for entry in store.entries(run, step).await? {
        if entry.meta.kind == EntryKind::Gate && entry.meta.part == Part::Answered {
            answers.push(entry.payload.decode_owned()?);
        }
    }
    Ok(answers)
}
