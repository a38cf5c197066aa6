//! The person whom a drawn run waits for, and who finds it ended.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::{EntryPart, Status};
use fathom_workflow::{Clock, Error};
use jiff::Timestamp;
use rand::Rng;

use super::course::{Course, CourseRound, cut_short};
use crate::proofs::scripted::{ScriptedEngine, found_out};

/// How often a person takes up again what has failed or was cancelled, or comes with a late answer.
const MOST_RESUMES: u32 = 3;
const MOST_REOPENS: u32 = 3;

impl Course {
    /// Somebody looks at a waiting run: decides, lets time pass, or goes away.
    pub(super) async fn waits(&mut self, engine: &ScriptedEngine) -> Result<CourseRound> {
        let (header, _) = self.store.head(self.run).await?;
        let head = header.head;
        if let (true, Some(until)) = (head.parked, head.wake_at) {
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
        let (key, deadline) = (&gate.key, gate.interrupt.deadline);
        let (header, _) = self.store.head(self.run).await?;
        let wakes = header.head.wake_at;
        ensure!(
            wakes == deadline,
            "gate \"{key}\" ends at {deadline:?}, but the run is to wake at {wakes:?}"
        );
        match deadline {
            Some(deadline) if self.chance.random_bool(0.5) => {
                self.let_time_pass(deadline);
                return Ok(CourseRound::Again);
            }
            None if self.nobody_there => return Ok(CourseRound::End),
            _ => {}
        }
        let decision = self.decision(gate.step, key);
        let polls = self.chance.random_range(1..6);
        let polls = self.chance.random_bool(0.2).then_some(polls);
        let late = deadline.is_some_and(|at| at <= self.clock.now());
        match cut_short(engine.decide(&gate, decision), polls, || {}).await {
            None | Some(Err(Error::StoreGone { .. })) => {}
            Some(Ok(())) => ensure!(!late, "gate \"{key}\" took a late answer"),
            Some(Err(Error::GateClosed { .. } | Error::NotWaiting { .. })) => {
                // Or the answer of a lost reply stands.
                let entries = self.store.entries(self.run, gate.step).await?;
                let answered = entries
                    .iter()
                    .any(|entry| entry.meta.key == *key && entry.meta.part == EntryPart::Answered);
                ensure!(late || answered, "gate \"{key}\" refused an answer in time");
            }
            Some(Err(error)) => return Err(error).context("a decision was refused"),
        }
        Ok(CourseRound::Again)
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

    /// An ended run is left alone, resumed, or sent back to a gate that nobody answered in time.
    pub(super) async fn at_the_end(
        &mut self,
        engine: &ScriptedEngine,
        status: Status,
    ) -> Result<CourseRound> {
        if self.reopens < MOST_REOPENS && self.chance.random_bool(0.3) {
            self.reopens += 1;
            let decision = Decision::new(Verdict::Approve, "a person who is late");
            match engine.reopen(self.run, decision).await {
                Ok(()) | Err(Error::StoreGone { .. } | Error::GateClosed { .. }) => {}
                Err(Error::Held { .. }) => self.let_lease_lapse(),
                Err(error) => return Err(error).context("a late decision was refused"),
            }
            return Ok(CourseRound::Again);
        }
        let done = status == Status::Completed || self.resumes >= MOST_RESUMES;
        if done || self.chance.random_bool(0.4) {
            return Ok(CourseRound::End);
        }
        self.resume(engine).await
    }

    /// Somebody takes the run up again, and lets it go on however the clock jumps.
    pub(super) async fn resume(&mut self, engine: &ScriptedEngine) -> Result<CourseRound> {
        self.resumes += 1;
        self.note_resume().await;
        let error = match engine.resume(self.run).await {
            Ok(mut execution) => match cut_short(execution.run(), None, || self.tick()).await {
                Some(Ok(end)) => return Box::pin(self.after(engine, end.status)).await,
                Some(Err(error)) => error,
                None => bail!("it was cut short"),
            },
            Err(Error::CrashLoop { .. }) => bail!("a person could not resume a crash loop"),
            Err(Error::Ended { .. }) => return Ok(CourseRound::End),
            Err(error) => error,
        };
        Box::pin(self.after_error(engine, error)).await
    }
}
