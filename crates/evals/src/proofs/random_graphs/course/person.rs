//! The person a drawn run waits for.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::{Entry, EntryPart};
use fathom_workflow::{Clock, Error};
use jiff::Timestamp;
use rand::Rng;

use super::{Course, CourseRound, TaleEngine, cut_short};
use crate::proofs::acts::found_out;
use crate::proofs::world::World;

impl Course {
    /// Somebody looks at a waiting run: decides, lets time pass, or goes away.
    pub(super) async fn person(&mut self, engine: &TaleEngine) -> Result<CourseRound> {
        let (header, _) = self.store.head(self.run).await?;
        if let (true, Some(until)) = (header.head.parked, header.head.wake_at) {
            self.let_time_pass(until);
            return Ok(CourseRound::Again);
        }
        let gate = match engine.gate(self.run).await {
            Ok(gate) => gate,
            Err(Error::StoreGone { .. } | Error::NotWaiting { .. }) => {
                return Ok(CourseRound::Again);
            }
            Err(error) => return Err(error).context("a waiting run shows no gate"),
        };
        let (header, _) = self.store.head(self.run).await?;
        ensure!(
            header.head.wake_at == gate.interrupt.deadline,
            "gate \"{}\" ends at {:?}, but the run is to wake at {:?}",
            gate.key,
            gate.interrupt.deadline,
            header.head.wake_at
        );
        if let Some(deadline) = gate.interrupt.deadline
            && self.chance.random_bool(0.5)
        {
            self.let_time_pass(deadline);
            return Ok(CourseRound::Again);
        }
        if gate.interrupt.deadline.is_none() && self.nobody_there {
            return Ok(CourseRound::End);
        }
        let decision = self.decision(gate.step, &gate.key);
        let polls = self
            .chance
            .random_bool(0.2)
            .then(|| self.chance.random_range(1..6));
        let late = gate
            .interrupt
            .deadline
            .is_some_and(|at| at <= self.clock.now());
        let deciding = engine.decide(&gate, decision);
        match cut_short(deciding, polls, || {}).await {
            Some(Ok(())) => {
                ensure!(!late, "gate \"{}\" took a late answer", gate.key);
                Ok(CourseRound::Again)
            }
            None | Some(Err(Error::StoreGone { .. })) => Ok(CourseRound::Again),
            Some(Err(Error::GateClosed { .. } | Error::NotWaiting { .. })) => {
                // Or the answer of a lost reply stands.
                let answered = |entry: &Entry| {
                    entry.meta.key == gate.key && entry.meta.part == EntryPart::Answered
                };
                let entries = self.store.entries(self.run, gate.step).await?;
                ensure!(
                    late || entries.iter().any(answered),
                    "gate \"{}\" refused an answer in time",
                    gate.key
                );
                Ok(CourseRound::Again)
            }
            Some(Err(error)) => Err(error).context("a decision was refused"),
        }
    }

    /// To the very moment, short of it, or well past it.
    fn let_time_pass(&mut self, until: Timestamp) {
        let left = until.duration_since(self.clock.now());
        let left = Duration::try_from(left).unwrap_or_default();
        let part = [0.5, 1.0, 1.0, 3.0][self.chance.random_range(0..4)];
        self.clock.advance(left.mul_f64(part));
    }

    fn decision(&mut self, step: u64, key: &str) -> Decision {
        let verdict = match self.chance.random_range(0..4) {
            0 => Verdict::Reject,
            1 => Verdict::Skip,
            _ => Verdict::Approve,
        };
        let mut decision = Decision::new(verdict, "a person");
        let Some(effect) = key.strip_suffix("/outcome") else {
            return decision;
        };
        let effect = effect.trim_end_matches("/again");
        if self.world.times(self.run, step, effect) == 0 {
            decision.verdict = Verdict::Approve;
        } else if self.chance.random_bool(0.8) {
            decision.verdict = Verdict::Modify;
            decision.edits = found_out(step, effect);
        } else if decision.verdict == Verdict::Approve {
            // This person did not look.
            *self.approved.entry((step, effect.to_owned())).or_default() += 1;
        }
        decision
    }
}
