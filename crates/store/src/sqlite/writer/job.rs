//! Work for the writing connection, and the answer to whoever handed it in.

use fathom_workflow::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::stopped;
use crate::sqlite::failure::{CommitFailure, SqliteFailure};

/// Work to be done on the writing connection.
pub(super) trait WriteJob: Send {
    /// Does the work, again if need be. On `Err` nothing of it is to be kept.
    fn run(&mut self, connection: &Connection) -> Result<(), CommitFailure>;

    /// Lets go of what it needs to run, which may be large.
    fn lighten(&mut self);

    /// Tells the caller: its own result if the commit went well, else what befell the commit.
    fn answer(self: Box<Self>, commit: Result<(), CommitFailure>);
}

pub(super) type WriteReply<T> = oneshot::Receiver<Result<T, Error>>;

pub(super) struct WriteTask<F, T> {
    /// `None` once it will not be run again.
    work: Option<F>,
    result: Option<Result<T, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<F, T> WriteTask<F, T> {
    /// The job that does `work`, and where its answer will come.
    pub(super) fn new(work: F) -> (Self, WriteReply<T>) {
        let (reply, answer) = oneshot::channel();
        let task = Self {
            work: Some(work),
            result: None,
            reply,
        };
        (task, answer)
    }
}

impl<F, T> WriteJob for WriteTask<F, T>
where
    F: Fn(&Connection) -> Result<T, SqliteFailure> + Send,
    T: Send,
{
    fn run(&mut self, connection: &Connection) -> Result<(), CommitFailure> {
        let Some(work) = &self.work else {
            return Err(CommitFailure::Refused("it was run before".into()));
        };
        let (result, outcome) = match work(connection) {
            Ok(value) => (Ok(value), Ok(())),
            Err(failure) => {
                let commit_failure = failure.of_commit();
                (Err(failure.into()), Err(commit_failure))
            }
        };
        self.result = Some(result);
        outcome
    }

    fn lighten(&mut self) {
        self.work = None;
    }

    fn answer(self: Box<Self>, commit: Result<(), CommitFailure>) {
        let result = match (commit, self.result) {
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(stopped()),
            // Even a refusal is void: it may rest on what others in the group wrote.
            (Err(failure), _) => Err(failure.into()),
        };
        // A caller that no longer waits needs no answer.
        let _ = self.reply.send(result);
    }
}
