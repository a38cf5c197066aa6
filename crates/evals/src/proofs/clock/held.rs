//! A run in a process's hands while its clock jumps, until it waits, ends or the process dies.

use std::pin::pin;
use std::task::Poll;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::record::{Cut, Head, Status, StepKind};
use fathom_workflow::{Clock, Execution, Progress};
use jiff::{SignedDuration, Timestamp};
use rand::Rng;

use super::schedule::Schedule;
use super::trip::Trip;

/// Jumps made while a call does not return, before the clock is set to the run's deadline.
const JUMPS_WHILE_STUCK: usize = 4;

impl Schedule {
    /// The run's time does not pass while nobody holds it. A person who resumes a run that has none
    /// left gives it its time anew.
    pub(super) async fn begun(
        &mut self,
        before: &Head,
        now: Timestamp,
        by_person: bool,
        execution: Execution<Trip, ()>,
    ) -> Result<()> {
        let at_rest = now
            .duration_since(before.updated_at)
            .max(SignedDuration::ZERO);
        let mut wanted = before.deadline.map(|deadline| deadline + at_rest);
        if by_person && wanted.is_some_and(|deadline| deadline <= now) {
            let limit = SignedDuration::try_from(self.limit.unwrap_or_default())?;
            wanted = Some(now + limit);
            self.held = SignedDuration::ZERO;
        }
        let deadline = self.head().await?.deadline;
        ensure!(
            deadline == wanted,
            "after {at_rest} at rest its deadline is {deadline:?}, not {wanted:?}"
        );
        self.work(execution).await
    }

    /// Lets the run go on until it waits, ends or its process dies.
    pub(super) async fn work(&mut self, mut execution: Execution<Trip, ()>) -> Result<()> {
        loop {
            if self.rng.random_bool(0.2) {
                self.jump_while_held().await?;
            }
            if self.rng.random_bool(0.1) {
                drop(execution);
                return self.crash();
            }
            let (before, began) = (self.head().await?, self.clock.now());
            let Some(progress) = self.turn(&mut execution).await? else {
                drop(execution);
                return self.crash();
            };
            let cut = self.is_cut(&before, &progress).await?;
            let late = before.deadline.is_some_and(|deadline| began >= deadline);
            ensure!(
                cut || !late,
                "at {began}, past its deadline {:?}, it went on",
                before.deadline
            );
            if !matches!(progress, Progress::Ran { .. }) {
                return Ok(());
            }
        }
    }

    /// One turn of the run; `None` if its process is to die in it.
    async fn turn(&mut self, execution: &mut Execution<Trip, ()>) -> Result<Option<Progress>> {
        let mut turn = pin!(execution.advance());
        for jumps in 0.. {
            if let Poll::Ready(progress) = settled(&mut turn).await {
                return Ok(Some(progress?));
            }
            // A call does not return: only the run's deadline ends it.
            let deadline = self
                .head()
                .await?
                .deadline
                .context("a stuck run without a deadline")?;
            let now = self.clock.now();
            ensure!(
                now < deadline,
                "at {now} it still runs, past its deadline {deadline}"
            );
            if self.rng.random_bool(0.15) {
                return Ok(None);
            }
            if jumps < JUMPS_WHILE_STUCK {
                self.jump_while_held().await?;
            } else {
                self.held += deadline.duration_since(now);
                self.clock.set(deadline);
            }
        }
        bail!("it never ended")
    }

    /// Whether a turn was cut short for lack of time, which the run must then have used up.
    async fn is_cut(&mut self, before: &Head, progress: &Progress) -> Result<bool> {
        let out_of_time = match progress {
            Progress::Ran { step } => {
                let found = self.store.steps(self.run, *step, 1).await?;
                let record = found.first().context("a step that ran is not recorded")?;
                record.meta.kind == StepKind::Cut(Cut::Deadline)
            }
            Progress::Done(outcome) => outcome.status == Status::Failed,
            Progress::Waiting { .. } => false,
        };
        if !out_of_time {
            return Ok(false);
        }
        let (now, deadline) = (self.clock.now(), before.deadline);
        ensure!(
            deadline.is_some_and(|deadline| now >= deadline),
            "out of time at {now}, with the deadline {deadline:?}"
        );
        let limit = SignedDuration::try_from(self.limit.unwrap_or_default())?;
        ensure!(
            self.both_ways || self.held >= limit,
            "out of time after {}, with a limit of {limit}",
            self.held
        );
        self.figures.cut += 1;
        Ok(true)
    }
}

/// Polls until nothing more happens by itself. The memory store answers at once and the clock moves
/// only by hand, so a few polls are enough.
async fn settled<F: Future + Unpin>(work: &mut F) -> Poll<F::Output> {
    for _ in 0..4 {
        if let Poll::Ready(done) = futures::poll!(&mut *work) {
            return Poll::Ready(done);
        }
        tokio::task::yield_now().await;
    }
    Poll::Pending
}
