//! The writing connection, and how groups of jobs are run on it.
//!
//! A job that fails must leave nothing, and leave the others' work alone. Nearly all that fail have
//! changed nothing yet, so only after one that has are the jobs run again, each in a savepoint of its
//! own: savepoints copy every page that changes in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use super::job::WriteJob;
use crate::sqlite::failure::CommitFailure;

/// Asked before each commit; `true` turns the commit into a rollback.
pub(in crate::sqlite) type CommitVeto = Arc<dyn Fn() -> bool + Send + Sync>;

/// How a job left its transaction.
enum JobEffect {
    /// With what it is to commit.
    Changes,
    /// As it was: it failed, and had not changed anything.
    Nothing,
    /// With something that must not be committed: it failed half way.
    Remains,
}

enum CommitAttempt {
    /// How it went, and for how many of the jobs.
    Over(Result<(), CommitFailure>, usize),
    /// A job failed half way, so nothing was kept of any.
    Spoilt,
}

/// The connection that writes, and what goes with it. Whoever has it is the only one who writes.
pub(super) struct WriterConnection {
    connection: Connection,
    veto: Option<CommitVeto>,
    commits: Arc<AtomicU64>,
}

impl WriterConnection {
    pub(super) fn new(
        connection: Connection,
        veto: Option<CommitVeto>,
        commits: Arc<AtomicU64>,
    ) -> Self {
        Self {
            connection,
            veto,
            commits,
        }
    }

    /// Runs all `jobs` and answers them. Before any are answered, `ended` is told of how many.
    pub(super) fn serve(&mut self, jobs: &mut Vec<Box<dyn WriteJob>>, ended: impl Fn(usize)) {
        while !jobs.is_empty() {
            let (outcome, ran) = self.commit(jobs);
            ended(ran);
            for job in jobs.drain(..ran) {
                job.answer(outcome.clone());
            }
        }
    }

    /// Runs the jobs in one transaction. Says how it went, and of how many of them; the others have
    /// left nothing, and get another.
    fn commit(&mut self, jobs: &mut [Box<dyn WriteJob>]) -> (Result<(), CommitFailure>, usize) {
        match self.attempt(jobs, Self::run) {
            CommitAttempt::Over(outcome, ran) => (outcome, ran),
            CommitAttempt::Spoilt => match self.attempt(jobs, Self::run_apart) {
                CommitAttempt::Over(outcome, ran) => (outcome, ran),
                CommitAttempt::Spoilt => {
                    let failure = CommitFailure::Gone("a savepoint did not hold".into());
                    (Err(failure), jobs.len())
                }
            },
        }
    }

    fn attempt(
        &mut self,
        jobs: &mut [Box<dyn WriteJob>],
        run: fn(&Self, &mut dyn WriteJob) -> Result<JobEffect, CommitFailure>,
    ) -> CommitAttempt {
        self.clear();
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            return CommitAttempt::Over(Err(error.into()), jobs.len());
        }
        let alone = jobs.len() == 1;
        let mut kept = false;
        for (job, nth) in jobs.iter_mut().zip(1..) {
            match run(self, job.as_mut()) {
                Ok(JobEffect::Changes) => kept = true,
                Ok(JobEffect::Nothing) => {}
                // What a lone job has left goes with its transaction.
                Ok(JobEffect::Remains) if alone => {}
                Ok(JobEffect::Remains) => {
                    return match self.execute("ROLLBACK") {
                        Ok(()) => CommitAttempt::Spoilt,
                        Err(error) => CommitAttempt::Over(Err(error.into()), jobs.len()),
                    };
                }
                Err(failure) => return CommitAttempt::Over(Err(self.roll_back(failure)), nth),
            }
        }
        // Those that come next fill the queue while this one is synced.
        jobs.iter_mut().for_each(|job| job.lighten());
        CommitAttempt::Over(self.end(kept), jobs.len())
    }

    /// Ends the transaction of jobs that have run.
    fn end(&mut self, kept: bool) -> Result<(), CommitFailure> {
        if !kept {
            return Ok(self.execute("ROLLBACK")?);
        }
        if self.veto.as_ref().is_some_and(|veto| veto()) {
            return Err(self.roll_back(CommitFailure::Gone("the commit was vetoed".into())));
        }
        if let Err(error) = self.execute("COMMIT") {
            return Err(self.roll_back(error.into()));
        }
        self.commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Runs one job as it is. Fails if the whole transaction is lost: on a full disk or a failed
    /// read SQLite may give it up, savepoints and all.
    fn run(&self, job: &mut dyn WriteJob) -> Result<JobEffect, CommitFailure> {
        let before = self.connection.total_changes();
        match job.run(&self.connection) {
            Ok(()) => Ok(JobEffect::Changes),
            Err(failure) if self.connection.is_autocommit() => Err(failure),
            Err(_) if self.connection.total_changes() == before => Ok(JobEffect::Nothing),
            Err(_) => Ok(JobEffect::Remains),
        }
    }

    /// Runs one job so that its failure leaves nothing.
    fn run_apart(&self, job: &mut dyn WriteJob) -> Result<JobEffect, CommitFailure> {
        self.execute("SAVEPOINT job")?;
        let ran = self.run(job)?;
        if matches!(ran, JobEffect::Remains) {
            self.execute("ROLLBACK TO job")?;
        }
        self.execute("RELEASE job")?;
        Ok(match ran {
            JobEffect::Changes => JobEffect::Changes,
            JobEffect::Nothing | JobEffect::Remains => JobEffect::Nothing,
        })
    }

    /// Ends a transaction that has failed. Gives back why it failed.
    fn roll_back(&self, failure: CommitFailure) -> CommitFailure {
        self.clear();
        failure
    }

    /// Ends whatever transaction is open, so that the next can begin.
    fn clear(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "a failed transaction could not be rolled back");
        }
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}
