//! Keeps hold of the runs this process works on: prolongs their leases, passes cancel requests on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Owner, RunId, Store};

/// How often the store is asked for cancel requests made by other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A lease is prolonged when this part of it has gone.
const RENEW_AFTER: u32 = 3;

#[derive(Clone)]
pub(crate) struct Keeper {
    store: Arc<dyn Store>,
    owner: Owner,
    lease: Duration,
    round: Arc<Mutex<Round>>,
}

#[derive(Default)]
struct Round {
    runs: HashMap<RunId, CancellationToken>,
    walking: bool,
}

/// A run in this process's hands. Dropping it takes the run off the keeper's round.
pub(crate) struct Held {
    pub(crate) cancel: CancellationToken,
    run: RunId,
    /// `None` once the run has been let go: somebody else here may hold it by then.
    round: Option<Arc<Mutex<Round>>>,
}

impl Held {
    /// Takes the run off the round.
    pub(crate) fn let_go(&mut self) {
        if let Some(round) = self.round.take() {
            lock(&round).runs.remove(&self.run);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.let_go();
    }
}

impl Keeper {
    pub(crate) fn new(store: Arc<dyn Store>, owner: Owner, lease: Duration) -> Self {
        Self {
            store,
            owner,
            lease,
            round: Arc::default(),
        }
    }

    /// Takes a run onto the round; `None` if it is there already.
    pub(crate) fn hold(&self, run: RunId) -> Option<Held> {
        let cancel = CancellationToken::new();
        let mut round = lock(&self.round);
        if round.runs.contains_key(&run) {
            return None;
        }
        round.runs.insert(run, cancel.clone());
        if !round.walking {
            round.walking = true;
            // It ends by itself when the round is empty.
            tokio::spawn(self.clone().walk());
        }
        Some(Held {
            cancel,
            run,
            round: Some(Arc::clone(&self.round)),
        })
    }

    /// Stops a run of this process; false if it is not one.
    pub(crate) fn cancel(&self, run: RunId) -> bool {
        match lock(&self.round).runs.get(&run) {
            Some(cancel) => {
                cancel.cancel();
                true
            }
            None => false,
        }
    }

    /// The runs on the round. With none left the round ends, and the next hold begins another.
    fn runs_or_rest(&self) -> Option<Vec<RunId>> {
        let mut round = lock(&self.round);
        round.walking = !round.runs.is_empty();
        round.walking.then(|| round.runs.keys().copied().collect())
    }

    async fn walk(self) {
        let mut renewed = Instant::now();
        let pause = LOOK_EVERY.min(self.lease / RENEW_AFTER);
        loop {
            tokio::time::sleep(pause).await;
            let Some(runs) = self.runs_or_rest() else {
                return;
            };
            if renewed.elapsed() + pause > self.lease / RENEW_AFTER {
                match self.store.renew(&self.owner, &runs, self.lease).await {
                    Ok(()) => renewed = Instant::now(),
                    Err(error) => tracing::warn!(%error, "leases could not be prolonged"),
                }
            }
            match self.store.cancels(&self.owner).await {
                Ok(runs) => runs.into_iter().for_each(|run| {
                    self.cancel(run);
                }),
                Err(error) => tracing::warn!(%error, "cancel requests could not be read"),
            }
        }
    }
}

fn lock(round: &Mutex<Round>) -> MutexGuard<'_, Round> {
    round.lock().unwrap_or_else(PoisonError::into_inner)
}
