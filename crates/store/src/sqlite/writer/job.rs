//! Work for the writing connection, and the answer to whoever handed it in.

use fathom_workflow::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::stopped;
use crate::sqlite::fault::{Failure, Fault};

/// Work to be done on the writing connection.
pub(super) trait Job: Send {
    /// Does the work, again if need be. On `Err` nothing of it is to be kept.
    fn run(&mut self, connection: &Connection) -> Result<(), Fault>;

    /// Lets go of what it needs to run, which may be large.
    fn lighten(&mut self);

    /// Tells the caller: its own result if the commit went well, else what befell the commit.
    fn answer(self: Box<Self>, commit: Result<(), Fault>);
}

pub(super) type Answer<T> = oneshot::Receiver<Result<T, Error>>;

pub(super) struct Task<F, T> {
    /// `None` once it will not be run again.
    work: Option<F>,
    result: Option<Result<T, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<F, T> Task<F, T> {
    /// The job that does `work`, and where its answer will come.
    pub(super) fn of(work: F) -> (Self, Answer<T>) {
        let (reply, answer) = oneshot::channel();
        let task = Self {
            work: Some(work),
            result: None,
            reply,
        };
        (task, answer)
    }
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
