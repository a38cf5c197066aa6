//! T2: a crash at every single write of a run, before it, after it, and between the two.
//!
//! The run has effects, a person's decision, a bounded loop, a rescue and a delivery that must not
//! happen twice. For each of its writes in turn, that write fails; the run is then taken up again and
//! must end as if nothing had happened.

use anyhow::{Context, Result, ensure};
use fathom_workflow::Error;
use futures::{StreamExt, TryStreamExt, stream};

use super::interrupted::{Interrupt, InterruptedRun, Interruption};
use super::lab::{FinalState, Lab};
use super::run_log::RunLog;
use super::scripted::{DELIVER, ScriptedRun};
use super::{Setting, Size};
use crate::stores::Backend;

/// Runs under way at the same time.
const AT_ONCE: usize = 8;

pub(super) async fn prove(setting: Setting) -> Result<String> {
    let (mut crashes, mut told) = (0, Vec::new());
    for backend in Backend::ALL {
        let lab = Lab::new(backend).await?;
        let (end, writes) = InterruptedRun::undisturbed(&lab, ScriptedRun::eventful()).await?;
        let modes = modes(backend, setting.size);
        for &(how, dies) in &modes {
            let one = |nth| {
                let (lab, end) = (&lab, &end);
                async move {
                    let at = Interrupt { nth, how, dies };
                    let ended = crash_and_recover(lab, at, end).await;
                    ended.with_context(|| format!("{}: {at:?}", backend.name()))
                }
            };
            let cases = stream::iter(1..=writes).map(one);
            let reached: Vec<bool> = cases.buffer_unordered(AT_ONCE).try_collect().await?;
            let struck = reached.iter().filter(|reached| **reached).count();
            ensure!(
                struck > 0,
                "{}: no crash of {how:?} was reached",
                backend.name()
            );
            crashes += struck;
        }
        let (store, modes) = (backend.name(), modes.len());
        told.push(format!("{store} {writes} writes × {modes} modes"));
    }
    let told = told.join(", ");
    Ok(format!("{crashes} crashes ({told}), 0 failures"))
}

/// What is tried at every write, each with a process that dies of it or one that lives on. The quick
/// size tries on the memory store alone what never reaches a store, or what an engine does that lives
/// on.
fn modes(backend: Backend, size: Size) -> Vec<(Interruption, bool)> {
    use Interruption::{Before, Committed, Uncommitted};
    let mut modes = vec![(Committed, true)];
    if backend == Backend::Sqlite {
        modes.push((Uncommitted, true));
    }
    if backend == Backend::Memory || size == Size::Full {
        modes.extend([(Before, true), (Before, false), (Committed, false)]);
    }
    if backend == Backend::Sqlite && size == Size::Full {
        modes.push((Uncommitted, false));
    }
    modes
}

/// Tells whether the run had that many writes: answers that come together share one.
async fn crash_and_recover(lab: &Lab, at: Interrupt, undisturbed: &FinalState) -> Result<bool> {
    let at_each = [at, Interrupt::NONE];
    let run = InterruptedRun::new(lab, ScriptedRun::eventful(), at_each, &lab.watched())?;
    let first = run.take_over(0, lab).await;
    let reached = run.faults[0].has_struck();
    match first {
        Err(error) if !reached || !error.retry() => {
            return Err(error).context("the first process failed in another way");
        }
        _ => {}
    }
    if let Err(error) = RunLog::sound(&*lab.stores[1], run.id).await {
        match error.downcast_ref() {
            Some(Error::NoSuchRun { .. }) if !run.was_admitted() => {}
            _ => return Err(error).context("after the crash"),
        }
    }
    let next = usize::from(at.dies);
    let recovered = run.take_over(next, lab).await;
    // What was seen counts more than what the store may refuse because of it.
    run.world.verdict()?;
    recovered.context("after the crash it failed")?;
    let end = lab.final_state(run.id).await?;
    ensure!(
        end == *undisturbed,
        "the run ended as {end:?} instead of {undisturbed:?}"
    );
    // A person who looks finds out whether it happened, so it happens exactly once.
    let calls = run.world.calls(run.id).into_iter();
    let delivered = calls.filter(|((_, key), _)| key == DELIVER);
    let delivered: u32 = delivered.map(|(_, times)| times).sum();
    ensure!(delivered == 1, "the delivery happened {delivered} times");
    Ok(reached)
}
