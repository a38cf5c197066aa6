//! The person a drawn run waits for.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::{Clock, Error};
use rand::Rng;

use super::{Course, Playhouse, Round, cut_short};
use crate::ledger;

impl Course {
    /// Somebody looks at a waiting run: decides, lets time pass, or goes away.
    pub(super) async fn person(&mut self, engine: &Playhouse) -> Result<Round> {
        let gate = match engine.gate(self.run).await {
            Ok(gate) => gate,
            Err(Error::StoreGone { .. } | Error::NotWaiting { .. }) => return Ok(Round::Again),
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
            let left = deadline.duration_since(self.clock.now());
            let left = Duration::try_from(left).unwrap_or_default();
            // To the very moment, short of it, or well past it.
            let part = [0.5, 1.0, 1.0, 3.0][self.chance.random_range(0..4)];
            self.clock.advance(left.mul_f64(part));
            return Ok(Round::Again);
        }
        if gate.interrupt.deadline.is_none() && self.nobody_there {
            return Ok(Round::End);
        }
        let decision = self.decision(gate.step, &gate.key);
        let polls = self
            .chance
            .random_bool(0.2)
            .then(|| self.chance.random_range(1..6));
        let deciding = engine.decide(&gate, decision);
        match cut_short(deciding, polls, || {}).await {
            None | Some(Ok(()) | Err(Error::StoreGone { .. })) => Ok(Round::Again),
            // The clock was past the deadline, or the answer of a lost reply stands.
            Some(Err(Error::GateClosed { .. } | Error::NotWaiting { .. })) => Ok(Round::Again),
            Some(Err(error)) => Err(error).context("a decision was refused"),
        }
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
        if self.world.times(step, effect) == 0 {
            decision.verdict = Verdict::Approve;
        } else if self.chance.random_bool(0.8) {
            decision.verdict = Verdict::Modify;
            decision.edits = Some(ledger::answer(step, effect).into());
        } else if decision.verdict == Verdict::Approve {
            // This person did not look.
            *self.approved.entry((step, effect.to_owned())).or_default() += 1;
        }
        decision
    }
}
