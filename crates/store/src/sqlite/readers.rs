//! A few connections that only read, used on the blocking pool, and for a row or two where they are asked.
//!
//! Readers never wait for the writer, nor the writer for them: each read sees the database as it was when
//! the read began.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use fathom_workflow::Error;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::failure::SqliteFailure;
use super::file;

/// Reads that run at once. More would only share the same disk and cores.
const READERS: usize = 4;

pub(super) struct ReaderPool {
    path: PathBuf,
    turns: Arc<Semaphore>,
    /// Those not in use. Opened when first needed, so never more than [`READERS`].
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl ReaderPool {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            turns: Arc::new(Semaphore::new(READERS)),
            idle: Arc::new(Mutex::new(Vec::with_capacity(READERS))),
        }
    }

    /// Runs `read` in one read transaction.
    pub(super) async fn run<T, F>(&self, read: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        let turn = match Arc::clone(&self.turns).acquire_owned().await {
            Ok(turn) => turn,
            Err(_closed) => return Err(gone("it is being closed")),
        };
        let idle = Arc::clone(&self.idle);
        let path = self.path.clone();
        let reading = tokio::task::spawn_blocking(move || -> Result<T, SqliteFailure> {
            // Held to the end of the read, even if the caller has stopped waiting for it.
            let _turn = turn;
            let kept = lock(&idle).pop();
            let mut connection = match kept {
                Some(connection) => connection,
                None => file::open_for_reading(&path)?,
            };
            let transaction = connection.transaction()?;
            let result = read(&transaction);
            transaction.finish()?;
            lock(&idle).push(connection);
            result
        });
        match reading.await {
            Ok(result) => result.map_err(Error::from),
            Err(_) => Err(gone("a read was broken off")),
        }
    }

    /// Reads a row or two on the caller's own thread, where a connection is free: to hand that to another thread takes
    /// several times as long as the read itself.
    pub(super) async fn run_here<T, F>(&self, read: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, SqliteFailure> + Send + 'static,
    {
        let turn = self.turns.try_acquire().ok();
        let kept = turn.as_ref().and_then(|_| lock(&self.idle).pop());
        let Some(connection) = kept else {
            drop(turn);
            return self.run(read).await;
        };
        let result = read(&connection);
        lock(&self.idle).push(connection);
        result.map_err(Error::from)
    }

    /// Closes the connections that are not in use. The last connection to close tidies the file
    /// up, and a reader could not.
    pub(super) fn close(&self) {
        self.turns.close();
        lock(&self.idle).clear();
    }
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone(why: &str) -> Error {
    Error::StoreGone { why: why.into() }
}
