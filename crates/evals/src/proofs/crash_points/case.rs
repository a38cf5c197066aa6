//! One run that crashes at one of its writes, and how it goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Tally;
use fathom_workflow::{Engine, Error, NewRun, Outcome, RunId, WAITED_MS};

use super::nth_write::NthWrite;
use super::{Bench, Process};
use crate::ledger;
use crate::proofs::audit;
use crate::proofs::observed::Observed;
use crate::proofs::research::{Deps, Research};

/// How often a life opens its run again: once to begin, and once after each decision.
const MOST_TURNS: usize = 12;

/// What two runs must have in common.
#[derive(Debug, PartialEq)]
pub(super) struct End {
    state: Research,
    tally: Tally,
}

pub(super) type Lab = Engine<Research, Deps>;

/// One run and its crash.
pub(super) struct Case {
    pub(super) run: RunId,
    pub(super) first: Lab,
    /// The engine of another process, whose store has no faults.
    pub(super) second: Lab,
    pub(super) admitted: AtomicBool,
    pub(super) fate: Arc<NthWrite>,
    pub(super) world: Arc<Observed>,
}

impl Case {
    /// Tells whether the run had that many writes.
    pub(super) async fn crash_and_recover(&self, bench: &Bench) -> Result<bool> {
        let first = self.life(&self.first).await;
        let reached = self.fate.has_struck();
        match first {
            Err(error) if !reached || !error.retry() => {
                return Err(error).context("the first life failed in another way");
            }
            Ok(_) if !reached => {}
            _ => self.recover(bench).await?,
        }
        self.world.verdict()?;
        let end = self.end().await?;
        ensure!(
            Some(&end) == bench.reference.as_ref(),
            "the run ended as {end:?} instead of {:?}",
            bench.reference
        );
        // A person who looks finds out whether it happened, so it happens exactly once.
        let delivered = self
            .world
            .calls()
            .into_iter()
            .filter(|((_, key), _)| key == DELIVER);
        let delivered: u32 = delivered.map(|(_, times)| times).sum();
        ensure!(delivered == 1, "the delivery happened {delivered} times");
        Ok(reached)
    }

    async fn recover(&self, bench: &Bench) -> Result<()> {
        match audit::story(&**self.second.store(), self.run).await {
            Ok(_) => {}
            Err(error) => match error.downcast_ref() {
                Some(Error::NoSuchRun { .. }) if !self.admitted.load(Ordering::SeqCst) => {}
                _ => return Err(error).context("after the crash"),
            },
        }
        let engine = match self.fate.process {
            Process::Dies => &self.second,
            Process::LivesOn => &self.first,
        };
        for _ in 0..MOST_TURNS {
            match self.life(engine).await {
                Ok(_) => return Ok(()),
                Err(Error::Held { .. }) => bench.let_lease_lapse().await,
                Err(error) => return Err(error).context("the second life failed"),
            }
        }
        bail!("the run was held for ever")
    }

    /// Works on the run, deciding where it asks, until it ends.
    pub(super) async fn life(&self, engine: &Lab) -> Result<Outcome, Error> {
        for _ in 0..MOST_TURNS {
            let mut execution = match engine.open(self.run).await {
                Ok(execution) => execution,
                Err(Error::NoSuchRun { .. }) => {
                    let new = NewRun {
                        id: self.run,
                        ..NewRun::titled("a proof")
                    };
                    let execution = engine.start(new, Research::default()).await?;
                    self.admitted.store(true, Ordering::SeqCst);
                    execution
                }
                Err(Error::Waiting { .. }) => {
                    self.decide(engine).await?;
                    continue;
                }
                // The last write was committed, only its reply was lost.
                Err(Error::Ended { .. }) => {
                    let head = engine.header(self.run).await?.head;
                    let (status, reason) = (head.status, head.reason);
                    return Ok(Outcome { status, reason });
                }
                Err(error) => return Err(error),
            };
            let outcome = execution.run().await?;
            if outcome.status.is_finished() {
                return Ok(outcome);
            }
        }
        Err(Error::Store {
            why: "the run did not end".into(),
        })
    }

    /// A person decides: approves a plan, and finds out whether a delivery happened.
    async fn decide(&self, engine: &Lab) -> Result<(), Error> {
        let gate = engine.gate(self.run).await?;
        let mut decision = Decision::new(Verdict::Approve, "a person");
        if gate.key.starts_with(DELIVER) && self.world.times(gate.step, DELIVER) > 0 {
            let answer: Result<String, String> = Ok(ledger::answer(gate.step, DELIVER));
            decision.verdict = Verdict::Modify;
            decision.edits = serde_json::to_value(answer).ok();
        }
        engine.decide(&gate, decision).await
    }

    pub(super) async fn end(&self) -> Result<End> {
        let story = audit::story(&**self.second.store(), self.run).await?;
        let mut view = self.second.view(self.run, None).await?;
        ensure!(story.run.head.next.is_none(), "the run has not ended");
        // How long nobody worked on the run after the crash is what the crash may show in.
        view.tally.meters.remove(WAITED_MS);
        Ok(End {
            state: view.state,
            tally: view.tally,
        })
    }
}

const DELIVER: &str = "deliver";
