//! The writing connection, and how groups of jobs are run on it.
//!
//! A job that fails must leave nothing, and leave the others' work alone. Nearly all that fail have
//! changed nothing yet, so only after one that has are the jobs run again, each in a savepoint of its
//! own: savepoints copy every page that changes in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use super::job::Job;
use crate::sqlite::fault::Fault;

/// Asked before each commit; `true` turns the commit into a rollback.
pub(in crate::sqlite) type Veto = Arc<dyn Fn() -> bool + Send + Sync>;

/// How a job left its transaction.
enum Ran {
    /// With what it is to commit.
    Changes,
    /// As it was: it failed, and had not changed anything.
    Nothing,
    /// With something that must not be committed: it failed half way.
    Remains,
}

enum Attempt {
    /// How it went, and for how many of the jobs.
    Over(Result<(), Fault>, usize),
    /// A job failed half way, so nothing was kept of any.
    Spoilt,
}

/// The connection that writes, and what goes with it. Whoever has it is the only one who writes.
pub(super) struct Desk {
    connection: Connection,
    veto: Option<Veto>,
    commits: Arc<AtomicU64>,
}

impl Desk {
    pub(super) fn new(
        connection: Connection,
        veto: Option<Veto>,
        commits: Arc<AtomicU64>,
    ) -> Self {
        Self {
            connection,
            veto,
            commits,
        }
    }

    /// Runs all `jobs` and answers them. Before any are answered, `ended` is told of how many.
    pub(super) fn serve(&mut self, jobs: &mut Vec<Box<dyn Job>>, ended: impl Fn(usize)) {
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
    fn commit(&mut self, jobs: &mut [Box<dyn Job>]) -> (Result<(), Fault>, usize) {
        match self.attempt(jobs, Self::run) {
            Attempt::Over(outcome, ran) => (outcome, ran),
            Attempt::Spoilt => match self.attempt(jobs, Self::run_apart) {
                Attempt::Over(outcome, ran) => (outcome, ran),
                Attempt::Spoilt => {
                    let fault = Fault::Gone("a savepoint did not hold".into());
                    (Err(fault), jobs.len())
                }
            },
        }
    }

    fn attempt(
        &mut self,
        jobs: &mut [Box<dyn Job>],
        run: fn(&Self, &mut dyn Job) -> Result<Ran, Fault>,
    ) -> Attempt {
        self.clear();
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            return Attempt::Over(Err(error.into()), jobs.len());
        }
        let alone = jobs.len() == 1;
        let mut kept = false;
        for (job, nth) in jobs.iter_mut().zip(1..) {
            match run(self, job.as_mut()) {
                Ok(Ran::Changes) => kept = true,
                Ok(Ran::Nothing) => {}
                // What a lone job has left goes with its transaction.
                Ok(Ran::Remains) if alone => {}
                Ok(Ran::Remains) => {
                    return match self.execute("ROLLBACK") {
                        Ok(()) => Attempt::Spoilt,
                        Err(error) => Attempt::Over(Err(error.into()), jobs.len()),
                    };
                }
                Err(fault) => return Attempt::Over(Err(self.roll_back(fault)), nth),
            }
        }
        // Those that come next fill the queue while this one is synced.
        jobs.iter_mut().for_each(|job| job.lighten());
        Attempt::Over(self.end(kept), jobs.len())
    }

    /// Ends the transaction of jobs that have run.
    fn end(&mut self, kept: bool) -> Result<(), Fault> {
        if !kept {
            return Ok(self.execute("ROLLBACK")?);
        }
        if self.veto.as_ref().is_some_and(|veto| veto()) {
            return Err(self.roll_back(Fault::Gone("the commit was vetoed".into())));
        }
        if let Err(error) = self.execute("COMMIT") {
            return Err(self.roll_back(error.into()));
        }
        self.commits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Runs one job as it is. Fails if the whole transaction is lost: on a full disk or a failed
    /// read SQLite may give it up, savepoints and all.
    fn run(&self, job: &mut dyn Job) -> Result<Ran, Fault> {
        let before = self.connection.total_changes();
        match job.run(&self.connection) {
            Ok(()) => Ok(Ran::Changes),
            Err(fault) if self.connection.is_autocommit() => Err(fault),
            Err(_) if self.connection.total_changes() == before => Ok(Ran::Nothing),
            Err(_) => Ok(Ran::Remains),
        }
    }

    /// Runs one job so that its failure leaves nothing.
    fn run_apart(&self, job: &mut dyn Job) -> Result<Ran, Fault> {
        self.execute("SAVEPOINT job")?;
        let ran = self.run(job)?;
        if matches!(ran, Ran::Remains) {
            self.execute("ROLLBACK TO job")?;
        }
        self.execute("RELEASE job")?;
        Ok(match ran {
            Ran::Changes => Ran::Changes,
            Ran::Nothing | Ran::Remains => Ran::Nothing,
        })
    }

    /// Ends a transaction that has failed. Gives back why it failed.
    fn roll_back(&self, fault: Fault) -> Fault {
        self.clear();
        fault
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
