//! What must be true of a drawn run, whatever befell it.

use anyhow::{Result, bail, ensure};
use fathom_workflow::event::EventKind;
use fathom_workflow::record::{
    CutReason, EntryMeta, LogHead, RunTally, Status, StepKind, StepRecord,
};
use fathom_workflow::{END, EdgeKind, edge_name};
use jiff::{SignedDuration, Timestamp};

use super::course::{Course, TaleEngine};
use super::script::Tale;
use crate::proofs::acts::{CALLS, ONCE};
use crate::proofs::run_log::RunLog;

/// Checks them all; gives where the run stands, and how often it was parked.
pub(super) async fn check(course: &mut Course) -> Result<(LogHead, u64)> {
    let engine = course.plain_engine()?;
    course.world.verdict()?;
    let log = RunLog::sound(&*course.store, course.run).await?;
    an_end(&log)?;
    within_bounds(&engine, course, &log).await?;
    let tally = engine.view(course.run, None).await?.tally;
    spending_is_counted(&log, &tally)?;
    cuts_have_causes(course, &log)?;
    once_is_once(course)?;
    let early = log.woken_early()?;
    ensure!(
        early.is_subset(&course.resumed),
        "parked runs woke early in steps {early:?}, a person resumed {:?}",
        course.resumed
    );
    state_is_the_fold(&engine, course, &log).await?;
    replay_repeats_nothing(&engine, course).await?;
    let parks = log.parks().len() as u64;
    Ok((log.run.head, parks))
}

fn an_end(log: &RunLog) -> Result<()> {
    let head = &log.run.head;
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
async fn within_bounds(engine: &TaleEngine, course: &Course, log: &RunLog) -> Result<()> {
    let graph = engine.graph();
    let outline = graph.outline();
    let mut counted = RunTally::default();
    for StepRecord { meta, .. } in &log.steps {
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

/// What recorded calls have spent is counted: by their step's record, and once by the run.
fn spending_is_counted(log: &RunLog, tally: &RunTally) -> Result<()> {
    let spent = |wanted: &dyn Fn(&EntryMeta) -> bool| -> u64 {
        let metas = log.entries.iter().map(|entry| &entry.meta);
        let wanted = metas.filter(|meta| wanted(meta));
        wanted.filter_map(|meta| meta.meters.get(CALLS)).sum()
    };
    for StepRecord { meta, .. } in &log.steps {
        let spent = spent(&|entry| entry.step == meta.step);
        let counted = meta.meters.get(CALLS).copied().unwrap_or(0);
        ensure!(
            spent == counted || matches!(meta.kind, StepKind::Base { .. }),
            "the calls of step {} spent {spent}, its record says {counted}",
            meta.step
        );
    }
    // What a reopened gate's step brought over is counted where it is done again.
    let copied = log.copied();
    let is_again = |entry: &EntryMeta| {
        log.events.iter().any(|event| match event.kind {
            EventKind::Reopened { step, gate_step } => {
                gate_step == entry.step && copied.contains(&(step + 1, entry.key.clone()))
            }
            _ => false,
        })
    };
    let under_way = log.run.head.step + 1;
    let spent = spent(&|entry| entry.step != under_way && !is_again(entry));
    let counted = tally.meters.get(CALLS).copied().unwrap_or(0);
    ensure!(
        spent == counted,
        "the calls of the run spent {spent}, its tally says {counted}"
    );
    Ok(())
}

/// A run is out of time only when its limit has passed since it was begun or taken up: waiting only
/// moves its deadline on.
fn cuts_have_causes(course: &Course, log: &RunLog) -> Result<()> {
    let limit = course.script.time_limit.map(SignedDuration::try_from);
    let limit = limit.transpose()?;
    let mut since = Timestamp::MAX;
    for event in &log.events {
        match &event.kind {
            EventKind::RunStarted { .. }
            | EventKind::RunResumed { .. }
            | EventKind::Reopened { .. } => since = since.min(event.at),
            EventKind::StepCut { step, cut, .. } => match cut {
                CutReason::Deadline => ensure!(
                    limit.is_some_and(|limit| event.at.duration_since(since) >= limit),
                    "step {step} ran out of time at {}, begun at {since}",
                    event.at
                ),
                CutReason::StepLimit(limit) => {
                    bail!("step {step} reached the limit of {limit} steps")
                }
                CutReason::Failed(_) => {}
            },
            _ => {}
        }
    }
    Ok(())
}

fn once_is_once(course: &Course) -> Result<()> {
    for ((step, key), times) in course.world.calls(course.run) {
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
async fn state_is_the_fold(engine: &TaleEngine, course: &Course, log: &RunLog) -> Result<()> {
    for (state, StepRecord { meta, .. }) in log.fold::<Tale>()?.iter().zip(&log.steps) {
        let view = engine.view(course.run, Some(meta.step)).await?;
        ensure!(
            view.state == *state && view.next == meta.next && view.damage.is_none(),
            "the state at step {} is not the fold of the log",
            meta.step
        );
    }
    Ok(())
}

async fn replay_repeats_nothing(engine: &TaleEngine, course: &Course) -> Result<()> {
    let before = course.world.calls(course.run);
    let replayed = engine.replay(course.run).await?;
    ensure!(
        before == course.world.calls(course.run),
        "a replay made calls"
    );
    let view = engine.view(course.run, None).await?;
    ensure!(
        replayed.state == view.state && replayed.steps == view.step,
        "a replay came to another end"
    );
    Ok(())
}
