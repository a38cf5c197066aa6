//! What must be true of a drawn run, whatever befell it.

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::event::EventKind;
use fathom_workflow::interrupt::{Answer, Interrupt};
use fathom_workflow::record::{
    Cut, EntryKind, EntryMeta, Head, Part, Status, StepKind, StepRecord, Tally,
};
use fathom_workflow::{END, EdgeKind, State, edge_name};

use super::course::{Course, Playhouse};
use super::script::Tale;
use super::stage::{CALLS, ONCE};
use crate::proofs::audit::{self, Story};

/// Checks them all; gives where the run stands.
pub(super) async fn check(course: &mut Course) -> Result<Head> {
    let engine = course.plain_engine()?;
    course.world.verdict()?;
    let story = audit::story(&*course.store, course.run).await?;
    an_end(&story)?;
    within_bounds(&engine, course, &story).await?;
    gates_keep_their_time(&story)?;
    let tally = engine.view(course.run, None).await?.tally;
    spending_is_counted(&story, &tally)?;
    cuts_have_causes(course, &story)?;
    once_is_once(course)?;
    state_is_the_fold(&engine, course, &story.steps).await?;
    replay_repeats_nothing(&engine, course).await?;
    Ok(story.run.head)
}

fn an_end(story: &Story) -> Result<()> {
    let head = &story.run.head;
    match head.status {
        Status::Completed => ensure!(head.reason.is_none(), "a completed run has a reason"),
        Status::Failed | Status::Cancelled => {
            ensure!(head.reason.is_some(), "a run ended and does not say why");
        }
        Status::Waiting => ensure!(
            head.reason.is_some() && head.wake_at.is_none(),
            "a run waits without saying why, or past its time"
        ),
        Status::Pending | Status::Running(_) => bail!("the run was left while {}", head.status),
    }
    Ok(())
}

/// Each stretch of the log keeps the bounds: the whole of it, or what follows a reopened gate.
async fn within_bounds(engine: &Playhouse, course: &Course, story: &Story) -> Result<()> {
    let graph = engine.graph();
    let outline = graph.outline();
    let mut counted = Tally::default();
    for StepRecord { meta, .. } in &story.steps {
        counted.count(meta);
        let next = meta.next.as_deref().unwrap_or(END);
        let mut edges = outline.edges.iter();
        let edge = edges.find(|edge| edge.from == meta.node && edge.to == next);
        let Some(EdgeKind::Bounded { times }) = edge.map(|edge| edge.kind) else {
            continue;
        };
        let name = edge_name(&meta.node, next);
        let uses = counted.loops.get(name.as_str()).copied().unwrap_or(0);
        let told = meta.looped.as_ref().map(|looped| looped.used);
        let left = meta.kind == StepKind::Update;
        ensure!(
            !left || (uses <= times && told == Some(uses)),
            "use {uses} of {name} is told as {told:?}, of {times} at most"
        );
    }
    let (steps, most) = (counted.steps, graph.most_steps());
    ensure!(
        steps <= most,
        "the run took {steps} steps of {most} at most"
    );
    let tally = engine.view(course.run, None).await?.tally;
    ensure!(tally == counted, "{counted:?} was told as {tally:?}");
    Ok(())
}

/// A decision counts before the deadline, the deadline counts from its moment on.
fn gates_keep_their_time(story: &Story) -> Result<()> {
    let gates = story
        .entries
        .iter()
        .filter(|entry| entry.meta.kind == EntryKind::Gate);
    // A late decision that reopened its gate counts too.
    let late = story.copied();
    for answered in gates
        .clone()
        .filter(|entry| entry.meta.part == Part::Answered)
    {
        let (step, key) = (answered.meta.step, &answered.meta.key);
        if late.contains(&(step, key.clone())) {
            continue;
        }
        let opened = gates
            .clone()
            .find(|entry| {
                (entry.meta.step, &entry.meta.key, entry.meta.part) == (step, key, Part::Opened)
            })
            .with_context(|| format!("gate \"{key}\" was answered and never opened"))?;
        let deadline = opened.payload.decode_owned::<Interrupt>()?.deadline;
        let right = match (answered.payload.decode_owned()?, deadline) {
            (Answer::Decided { at, .. }, Some(deadline)) => at < deadline,
            (Answer::Decided { .. }, None) => true,
            (Answer::TimedOut { at }, Some(deadline)) => at >= deadline,
            (Answer::TimedOut { .. }, None) => false,
        };
        ensure!(
            right,
            "gate \"{key}\" of step {step} was passed at the wrong time"
        );
    }
    Ok(())
}

/// What recorded calls have spent is counted: by their step's record, and once by the run.
fn spending_is_counted(story: &Story, tally: &Tally) -> Result<()> {
    let spent = |wanted: &dyn Fn(&EntryMeta) -> bool| -> u64 {
        let metas = story.entries.iter().map(|entry| &entry.meta);
        let wanted = metas.filter(|meta| wanted(meta));
        wanted.filter_map(|meta| meta.meters.get(CALLS)).sum()
    };
    for StepRecord { meta, .. } in &story.steps {
        let spent = spent(&|entry| entry.step == meta.step);
        let counted = meta.meters.get(CALLS).copied().unwrap_or(0);
        ensure!(
            spent == counted || matches!(meta.kind, StepKind::Base { .. }),
            "the calls of step {} spent {spent}, its record says {counted}",
            meta.step
        );
    }
    // What a reopened gate's step brought over is counted where it is done again.
    let copied = story.copied();
    let is_again = |entry: &EntryMeta| {
        story.events.iter().any(|event| match event.kind {
            EventKind::Reopened { step, gate_step } => {
                gate_step == entry.step && copied.contains(&(step + 1, entry.key.clone()))
            }
            _ => false,
        })
    };
    let under_way = story.run.head.step + 1;
    let spent = spent(&|entry| entry.step != under_way && !is_again(entry));
    let counted = tally.meters.get(CALLS).copied().unwrap_or(0);
    ensure!(
        spent == counted,
        "the calls of the run spent {spent}, its tally says {counted}"
    );
    Ok(())
}

fn cuts_have_causes(course: &Course, story: &Story) -> Result<()> {
    for StepRecord { meta, .. } in &story.steps {
        match &meta.kind {
            StepKind::Cut(Cut::Deadline) => ensure!(
                course.script.time_limit.is_some(),
                "step {} ran out of time, and there was no limit",
                meta.step
            ),
            StepKind::Cut(Cut::StepLimit(limit)) => {
                bail!("step {} reached the limit of {limit} steps", meta.step)
            }
            StepKind::Cut(Cut::Failed(_)) | StepKind::Update | StepKind::Base { .. } => {}
        }
    }
    Ok(())
}

fn once_is_once(course: &Course) -> Result<()> {
    for ((step, key), times) in course.world.calls() {
        if !key.starts_with(ONCE) {
            continue;
        }
        let approved = course
            .approved
            .get(&(step, key.clone()))
            .copied()
            .unwrap_or(0);
        ensure!(
            times <= 1 + approved,
            "effect \"{key}\" of step {step} must happen once, a person approved {approved} more, and it happened {times} times"
        );
    }
    Ok(())
}

/// The state at each step is what its records add up to.
async fn state_is_the_fold(
    engine: &Playhouse,
    course: &Course,
    steps: &[StepRecord],
) -> Result<()> {
    let mut state = Tale::default();
    for record in steps {
        match (&record.meta.kind, &record.payload) {
            (StepKind::Base { .. }, Some(payload)) => state = payload.decode_owned()?,
            (StepKind::Update, Some(payload)) => {
                let update = payload.decode_owned()?;
                let taken = state.apply(&update);
                ensure!(taken.is_ok(), "a recorded update does not fit");
            }
            (StepKind::Cut(_), None) => {}
            (kind, _) => bail!("step {} is {kind:?} with the wrong body", record.meta.step),
        }
        let view = engine.view(course.run, Some(record.meta.step)).await?;
        ensure!(
            view.state == state && view.next == record.meta.next && view.damage.is_none(),
            "the state at step {} is not the fold of the log",
            record.meta.step
        );
    }
    Ok(())
}

async fn replay_repeats_nothing(engine: &Playhouse, course: &Course) -> Result<()> {
    let before = course.world.calls();
    let replayed = engine.replay(course.run).await?;
    ensure!(before == course.world.calls(), "a replay made calls");
    let view = engine.view(course.run, None).await?;
    ensure!(
        replayed.state == view.state && replayed.steps == view.step,
        "a replay came to another end"
    );
    Ok(())
}
