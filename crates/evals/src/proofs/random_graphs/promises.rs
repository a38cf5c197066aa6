//! What must be true of a drawn run, whatever befell it.

use anyhow::{Result, bail, ensure};
use fathom_workflow::event::EventKind;
use fathom_workflow::record::{
    CutReason, EntryKind, EntryMeta, LogHead, RunTally, Status, StepKind, StepRecord,
};
use fathom_workflow::{END, EdgeKind, edge_name};
use jiff::{SignedDuration, Timestamp};

use super::course::Course;
use crate::proofs::run_log::RunLog;
use crate::proofs::scripted::{CALLS, ONCE, ScriptedEngine, ScriptedRun};

/// Checks them all; gives where the run stands, and how often it was parked.
pub(super) async fn check(course: &Course) -> Result<(LogHead, u64)> {
    let engine = course.plain_engine()?;
    let log = RunLog::sound(&*course.store, course.run).await?;
    says_why(&log.run.head)?;
    let tally = within_bounds(&engine, &log)?;
    spending_is_counted(&log, &tally)?;
    cuts_have_causes(course, &log)?;
    once_is_once(course)?;
    let early = log.woken_early()?;
    ensure!(
        early.is_subset(&course.resumed),
        "parked runs woke early in steps {early:?}, a person resumed {:?}",
        course.resumed
    );
    state_is_the_fold(&engine, course, &log, &tally).await?;
    let parks = log.pairs(EntryKind::Timer).len() as u64;
    Ok((log.run.head, parks))
}

/// The run has ended or waits for a person, and says why unless it is complete.
fn says_why(head: &LogHead) -> Result<()> {
    let legal = match head.status {
        Status::Completed => head.reason.is_none(),
        Status::Failed | Status::Cancelled => head.reason.is_some(),
        Status::Waiting => head.reason.is_some() && head.wake_at.is_none(),
        Status::Pending | Status::Running(_) => false,
    };
    let (status, reason) = (&head.status, &head.reason);
    ensure!(
        legal,
        "the run was left {status}, for the reason {reason:?}"
    );
    Ok(())
}

/// Each stretch of the log keeps the bounds: the whole of it, or what follows a reopened gate. Gives
/// what the run has used.
fn within_bounds(engine: &ScriptedEngine, log: &RunLog) -> Result<RunTally> {
    let graph = engine.graph();
    let outline = graph.outline();
    let mut counted = RunTally::default();
    for StepRecord { meta, .. } in &log.steps {
        counted.count(meta);
        let next = meta.next.as_deref().unwrap_or(END);
        let mut edges = outline.edges.iter();
        let edge = edges.find(|edge| edge.from == meta.node && edge.to == next);
        if let Some(EdgeKind::Bounded { times }) = edge.map(|edge| edge.kind)
            && meta.kind == StepKind::Update
        {
            let name = edge_name(&meta.node, next);
            let uses = counted.loops.get(name.as_str()).copied().unwrap_or(0);
            let told = meta.looped.as_ref().map(|looped| looped.used);
            ensure!(
                uses <= times && told == Some(uses),
                "use {uses} of {name} is told as {told:?}, of {times} at most"
            );
        }
    }
    let (steps, most) = (counted.steps, graph.most_steps());
    ensure!(steps <= most, "it took {steps} steps of {most} at most");
    Ok(counted)
}

/// What recorded calls have spent is counted: by their step's record, and once by the run.
fn spending_is_counted(log: &RunLog, tally: &RunTally) -> Result<()> {
    let spent = |wanted: &dyn Fn(&EntryMeta) -> bool| -> u64 {
        let wanted = log.metas().filter(|meta| wanted(meta));
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
    let is_again = |entry: &EntryMeta| {
        log.events.iter().any(|event| match event.kind {
            EventKind::Reopened { step, gate_step } => {
                gate_step == entry.step && log.copied.contains(&(step + 1, entry.key.clone()))
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
    for (effect, times) in course.world.calls(course.run) {
        let approved = course.approved.get(&effect).copied().unwrap_or(0);
        ensure!(
            !effect.1.starts_with(ONCE) || times <= 1 + approved,
            "{effect:?} must happen once, a person approved {approved} more, and it happened \
             {times} times"
        );
    }
    Ok(())
}

/// The state at each step is what its records add up to, and a replay comes to it without a call.
async fn state_is_the_fold(
    engine: &ScriptedEngine,
    course: &Course,
    log: &RunLog,
    tally: &RunTally,
) -> Result<()> {
    for (state, StepRecord { meta, .. }) in log.fold::<ScriptedRun>()?.iter().zip(&log.steps) {
        let view = engine.view(course.run, Some(meta.step)).await?;
        ensure!(
            view.state == *state && view.next == meta.next && view.damage.is_none(),
            "the state at step {} is not the fold of the log",
            meta.step
        );
    }
    let view = engine.view(course.run, None).await?;
    ensure!(
        view.tally == *tally,
        "{tally:?} is told as {:?}",
        view.tally
    );
    let before = course.world.calls(course.run);
    let replayed = engine.replay(course.run).await?;
    let silent = before == course.world.calls(course.run);
    ensure!(silent, "a replay made calls");
    ensure!(
        replayed.state == view.state && replayed.steps == view.step,
        "a replay came to another end"
    );
    Ok(())
}
