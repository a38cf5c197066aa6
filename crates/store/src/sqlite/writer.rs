//! The one thread that writes, and the commits it shares out.
//!
//! A synced commit costs about as much for one write as for a thousand. So the thread takes
//! whatever has queued up while it committed the last group, runs the jobs in one transaction, and
//! commits them together. Nobody is answered before the commit.
//!
//! A job that fails must leave nothing, and leave the others' work alone. Nearly all that fail have
//! changed nothing yet, so only after one that has are the jobs run again, each in a savepoint of its
//! own: savepoints copy every page that changes in them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use fathom_workflow::Error;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::ahead::Ahead;
use super::fault::{Failure, Fault};

/// Jobs that may wait; more callers than that wait for room, and hold no rows meanwhile.
const QUEUE: usize = 160;

/// Jobs that share one commit, at most.
const GROUP: usize = QUEUE;

/// Asked before each commit; `true` turns the commit into a rollback.
pub(super) type Veto = Arc<dyn Fn() -> bool + Send + Sync>;

pub(super) struct Writer {
    /// `None` only while the store is dropped.
    jobs: Option<mpsc::Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    /// Writes over `connection`, whose log is kept `ahead` of what it needs.
    pub(super) fn start(
        connection: Connection,
        ahead: Ahead,
        veto: Option<Veto>,
    ) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let mut desk = Desk {
            connection,
            ahead,
            veto,
            commits: Arc::clone(&commits),
        };
        let thread = std::thread::Builder::new()
            .name("fathom-sqlite".into())
            .spawn(move || desk.work(queue))
            .map_err(|error| Error::StoreGone {
                why: format!("its writing thread did not start: {error}"),
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            commits,
        })
    }

    /// Waits for room for one job. Rows that may be large are made only then, so that those of
    /// many callers don't all wait in memory.
    pub(super) async fn room(&self) -> Result<Room<'_>, Error> {
        match &self.jobs {
            Some(jobs) => jobs.reserve().await.map(Room).map_err(|_| stopped()),
            None => Err(stopped()),
        }
    }

    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        self.room().await?.run(work).await
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    /// Waits until everything that was handed in is written.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writing thread of the SQLite store ended in a panic");
        }
    }
}

/// A place in the queue.
pub(super) struct Room<'a>(mpsc::Permit<'a, Box<dyn Job>>);

impl Room<'_> {
    /// Runs `work` in a transaction, and answers once that is committed. Work that fails leaves
    /// nothing. The work is done even if the caller stops waiting.
    pub(super) async fn run<T, F>(self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.0.send(Box::new(Task {
            work: Some(work),
            result: None,
            reply,
        }));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }
}

fn stopped() -> Error {
    Error::StoreGone {
        why: "its writing thread has stopped".into(),
    }
}

/// Work to be done on the writing connection.
trait Job: Send {
    /// Does the work, again if need be. On `Err` nothing of it is to be kept.
    fn run(&mut self, connection: &Connection) -> Result<(), Fault>;

    /// Lets go of what it needs to run, which may be large.
    fn lighten(&mut self);

    /// Tells the caller: its own result if the commit went well, else what befell the commit.
    fn answer(self: Box<Self>, commit: Result<(), Fault>);
}

struct Task<F, T> {
    /// `None` once it will not be run again.
    work: Option<F>,
    result: Option<Result<T, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<F, T> Job for Task<F, T>
where
    F: Fn(&Connection) -> Result<T, Failure> + Send,
    T: Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), Fault> {
        let Some(work) = &self.work else {
            return Err(Fault::Refused("it was run before".into()));
        };
        let (result, outcome) = match work(connection) {
            Ok(value) => (Ok(value), Ok(())),
            Err(failure) => {
                let fault = failure.fault();
                (Err(failure.into()), Err(fault))
            }
        };
        self.result = Some(result);
        outcome
    }

    fn lighten(&mut self) {
        self.work = None;
    }

    fn answer(self: Box<Self>, commit: Result<(), Fault>) {
        let result = match (commit, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(stopped()),
            // Even a refusal is void: it may rest on what others in the group wrote.
            (Err(fault), _) => Err(fault.into()),
        };
        // A caller that no longer waits needs no answer.
        let _ = self.reply.send(result);
    }
}

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

/// What the thread works with.
struct Desk {
    connection: Connection,
    ahead: Ahead,
    veto: Option<Veto>,
    commits: Arc<AtomicU64>,
}

impl Desk {
    fn work(&mut self, mut queue: mpsc::Receiver<Box<dyn Job>>) {
        let mut waiting = Vec::with_capacity(GROUP);
        while queue.blocking_recv_many(&mut waiting, GROUP) > 0 {
            let shared_by = waiting.len();
            while !waiting.is_empty() {
                let (outcome, ran) = self.commit(&mut waiting);
                for job in waiting.drain(..ran) {
                    job.answer(outcome.clone());
                }
            }
            self.ahead.keep(&self.connection, shared_by);
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

    /// Ends a transaction that has failed, so that the next can begin. Gives back why it failed.
    fn roll_back(&self, fault: Fault) -> Fault {
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute("ROLLBACK")
        {
            tracing::error!(%error, "a failed transaction could not be rolled back");
        }
        fault
    }

    fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}
