//! Who writes: one thread that shares its commits, or a caller that is alone.
//!
//! A synced commit costs about as much for one write as for a thousand. So the thread takes
//! whatever has queued up while it committed the last group, runs the jobs in one transaction, and
//! commits them together ([`connection`]). Nobody is answered before the commit.
//!
//! To wake the thread, and to be woken by it, takes a lone caller about as long as the work itself. So
//! one that nobody shares with may write on its own thread: same connection, same transaction.

mod connection;
mod job;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use fathom_workflow::Error;
use rusqlite::Connection;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::mpsc;

pub(super) use self::connection::CommitVeto;
use self::connection::WriterConnection;
use self::job::{WriteJob, WriteTask};
use super::failure::SqliteFailure;

/// Jobs that may wait; more callers than that wait for room, and hold no rows meanwhile.
const QUEUE: usize = 160;

/// Jobs that share one commit, at most.
const GROUP: usize = QUEUE;

pub(super) struct SharedWriter {
    /// `None` only while the store is dropped.
    jobs: Option<mpsc::Sender<Box<dyn WriteJob>>>,
    thread: Option<JoinHandle<()>>,
    connection: Arc<Mutex<WriterConnection>>,
    /// Jobs handed to the thread that have not come to their end.
    waiting: Arc<AtomicUsize>,
    commits: Arc<AtomicU64>,
}

impl SharedWriter {
    /// Writes over `connection`, and asks `veto` before each commit.
    pub(super) fn start(connection: Connection, veto: Option<CommitVeto>) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let connection = WriterConnection::new(connection, veto, Arc::clone(&commits));
        let connection = Arc::new(Mutex::new(connection));
        let waiting = Arc::new(AtomicUsize::new(0));
        let (at, left) = (Arc::clone(&connection), Arc::clone(&waiting));
        let thread = std::thread::Builder::new()
            .name("fathom-sqlite".into())
            .spawn(move || work(&at, queue, &left))
            .map_err(|error| Error::StoreGone {
                why: format!("its writing thread did not start: {error}"),
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            connection,
            waiting,
            commits,
        })
    }

    /// Waits for room for one job. Rows that may be large are made only then, so that those of
    /// many callers don't all wait in memory.
    pub(super) async fn slot(&self) -> Result<QueueSlot<'_>, Error> {
        let Some(jobs) = &self.jobs else {
            return Err(stopped());
        };
        let permit = jobs.reserve().await.map_err(|_| stopped())?;
        Ok(QueueSlot {
            permit,
            writer: self,
        })
    }

    pub(super) async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        self.slot().await?.run(work).await
    }

    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// The connection, if this thread may be kept waiting and no job that was handed in before waits for it.
    fn free_connection(&self) -> Option<MutexGuard<'_, WriterConnection>> {
        let runtime = Handle::try_current().ok()?;
        let may_block = runtime.runtime_flavor() == RuntimeFlavor::MultiThread;
        let is_free = may_block && self.waiting.load(Ordering::Acquire) == 0;
        is_free.then(|| self.connection.try_lock().ok()).flatten()
    }
}

impl Drop for SharedWriter {
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

/// A permit in the queue.
pub(super) struct QueueSlot<'a> {
    permit: mpsc::Permit<'a, Box<dyn WriteJob>>,
    writer: &'a SharedWriter,
}

impl QueueSlot<'_> {
    /// Runs `work` in a transaction, and answers once that is committed. Work that fails leaves
    /// nothing. The work is done even if the caller stops waiting.
    pub(super) async fn run<T, F>(self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        let (task, answer) = WriteTask::new(work);
        self.hand_in(Box::new(task));
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    /// As [`QueueSlot::run`], but on the caller's own thread if the connection is free: then the work has come
    /// to its end before this first waits.
    pub(super) async fn run_here<T, F>(self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        let (task, answer) = WriteTask::new(work);
        let task: Box<dyn WriteJob> = Box::new(task);
        match self.writer.free_connection() {
            Some(mut connection) => {
                tokio::task::block_in_place(|| connection.serve(&mut vec![task], |_| {}));
            }
            None => self.hand_in(task),
        }
        answer.await.unwrap_or_else(|_| Err(stopped()))
    }

    fn hand_in(self, job: Box<dyn WriteJob>) {
        self.writer.waiting.fetch_add(1, Ordering::AcqRel);
        self.permit.send(job);
    }
}

/// What the thread does until nobody can hand in any more.
fn work(
    connection: &Mutex<WriterConnection>,
    mut queue: mpsc::Receiver<Box<dyn WriteJob>>,
    waiting: &AtomicUsize,
) {
    let mut jobs = Vec::with_capacity(GROUP);
    while queue.blocking_recv_many(&mut jobs, GROUP) > 0 {
        // What a panic left on it is cleared away by the next transaction.
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        connection.serve(&mut jobs, |ended| {
            waiting.fetch_sub(ended, Ordering::AcqRel);
        });
    }
}

fn stopped() -> Error {
    Error::StoreGone {
        why: "its writing thread has stopped".into(),
    }
}
