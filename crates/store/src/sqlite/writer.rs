//! The one thread that writes, and the commits it shares out.
//!
//! A synced commit costs about as much for one write as for a thousand. So the thread takes
//! whatever has queued up while it committed the last group, runs each job in a savepoint of its
//! own, and commits them together. Nobody is answered before the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use fathom_workflow::Error;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::fault::{Failure, Fault};

/// Jobs that may wait; more callers than that wait for room, and hold no rows meanwhile.
const QUEUE: usize = 256;

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
    pub(super) fn start(connection: Connection, veto: Option<Veto>) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let mut desk = Desk {
            connection,
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
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
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
        F: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.0.send(Box::new(Task {
            state: State::Waiting(work),
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
    /// Does the work. On `Err` nothing of it is to be kept.
    fn run(&mut self, connection: &Connection) -> Result<(), Fault>;

    /// Tells the caller: its own result if the commit went well, else what befell the commit.
    fn answer(self: Box<Self>, commit: Result<(), Fault>);
}

struct Task<F, T> {
    state: State<F, T>,
    reply: oneshot::Sender<Result<T, Error>>,
}

enum State<F, T> {
    Waiting(F),
    Done(Result<T, Error>),
    /// Taken out to be run.
    Running,
}

impl<F, T> Job for Task<F, T>
where
    F: FnOnce(&Connection) -> Result<T, Failure> + Send,
    T: Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), Fault> {
        let State::Waiting(work) = std::mem::replace(&mut self.state, State::Running) else {
            return Err(Fault::Refused("it was run before".into()));
        };
        let (result, outcome) = match work(connection) {
            Ok(value) => (Ok(value), Ok(())),
            Err(failure) => {
                let fault = failure.fault();
                (Err(failure.into()), Err(fault))
            }
        };
        self.state = State::Done(result);
        outcome
    }

    fn answer(self: Box<Self>, commit: Result<(), Fault>) {
        let result = match (commit, self.state) {
            (Ok(()), State::Done(result)) => result,
            (Ok(()), State::Waiting(_) | State::Running) => Err(stopped()),
            // Even a refusal is void: it may rest on what others in the group wrote.
            (Err(fault), _) => Err(fault.into()),
        };
        // A caller that no longer waits needs no answer.
        let _ = self.reply.send(result);
    }
}

/// What the thread works with.
struct Desk {
    connection: Connection,
    veto: Option<Veto>,
    commits: Arc<AtomicU64>,
}

impl Desk {
    fn work(&mut self, mut queue: mpsc::Receiver<Box<dyn Job>>) {
        let mut waiting = Vec::with_capacity(GROUP);
        while queue.blocking_recv_many(&mut waiting, GROUP) > 0 {
            let mut jobs = waiting.drain(..);
            while jobs.len() > 0 {
                let mut group = Vec::with_capacity(jobs.len());
                let outcome = self.commit(&mut jobs, &mut group);
                for job in group {
                    job.answer(outcome.clone());
                }
            }
        }
    }

    /// Moves jobs to `group` and runs them in one transaction. Leaves some behind only if SQLite
    /// gave the transaction up: those have not run yet, and get another.
    fn commit(
        &mut self,
        jobs: &mut dyn ExactSizeIterator<Item = Box<dyn Job>>,
        group: &mut Vec<Box<dyn Job>>,
    ) -> Result<(), Fault> {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            group.extend(jobs);
            return Err(error.into());
        }
        // A job that is alone needs no savepoint, which would copy every page it changes.
        let alone = jobs.len() == 1;
        let mut kept = false;
        for mut job in jobs {
            let ran = if alone {
                self.run_alone(job.as_mut())
            } else {
                self.run(job.as_mut())
            };
            group.push(job);
            match ran {
                Ok(keep) => kept |= keep,
                Err(fault) => return Err(self.roll_back(fault)),
            }
        }
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

    /// Runs the only job of its transaction. If it fails there is nothing to keep, and the
    /// transaction is rolled back.
    fn run_alone(&self, job: &mut dyn Job) -> Result<bool, Fault> {
        match job.run(&self.connection) {
            Ok(()) => Ok(true),
            Err(fault) if self.connection.is_autocommit() => Err(fault),
            Err(_) => Ok(false),
        }
    }

    /// Runs one job so that its failure leaves the others' work alone. Says whether it wrote
    /// something; fails if the whole transaction is lost.
    fn run(&self, job: &mut dyn Job) -> Result<bool, Fault> {
        self.execute("SAVEPOINT job")?;
        let Err(fault) = job.run(&self.connection) else {
            self.execute("RELEASE job")?;
            return Ok(true);
        };
        // On a full disk or a failed read SQLite may give up the transaction, savepoints and all.
        if self.connection.is_autocommit() {
            return Err(fault);
        }
        self.execute("ROLLBACK TO job")?;
        self.execute("RELEASE job")?;
        Ok(false)
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
