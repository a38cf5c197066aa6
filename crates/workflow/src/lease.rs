//! Keeps hold of the runs this process works on: prolongs their leases, passes cancel requests on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Owner, RunId, Store};

/// How often the store is asked for cancel requests made by other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// However short the leases, the held_runs is not run more often.
const LEAST_PAUSE: Duration = Duration::from_millis(10);

/// A lease is prolonged when this part of it has gone.
const RENEW_AFTER: u32 = 3;

#[derive(Clone)]
pub(crate) struct LeaseManager {
    store: Arc<dyn Store>,
    owner: Owner,
    lease: Duration,
    held_runs: Arc<Mutex<HeldRuns>>,
}

#[derive(Default)]
struct HeldRuns {
    runs: HashMap<RunId, CancellationToken>,
    renewing: bool,
}

/// A run in this process's hands. Dropping it takes the run off the leases's held_runs.
pub(crate) struct HeldRun {
    pub(crate) cancel: CancellationToken,
    run: RunId,
    /// `None` once the run has been let go: somebody else here may hold it by then.
    held_runs: Option<Arc<Mutex<HeldRuns>>>,
}

impl HeldRun {
    /// Takes the run off the held_runs.
    pub(crate) fn let_go(&mut self) {
        if let Some(held_runs) = self.held_runs.take() {
            lock(&held_runs).runs.remove(&self.run);
        }
    }
}

impl Drop for HeldRun {
    fn drop(&mut self) {
        self.let_go();
    }
}

impl LeaseManager {
    pub(crate) fn new(store: Arc<dyn Store>, owner: Owner, lease: Duration) -> Self {
        Self {
            store,
            owner,
            lease,
            held_runs: Arc::default(),
        }
    }

    /// Takes a run onto the held_runs; `None` if it is there already.
    pub(crate) fn hold(&self, run: RunId) -> Option<HeldRun> {
        let cancel = CancellationToken::new();
        let mut held_runs = lock(&self.held_runs);
        if held_runs.runs.contains_key(&run) {
            return None;
        }
        held_runs.runs.insert(run, cancel.clone());
        if !held_runs.renewing {
            held_runs.renewing = true;
            // It ends by itself when the held_runs is empty.
            tokio::spawn(self.clone().renew_loop());
        }
        Some(HeldRun {
            cancel,
            run,
            held_runs: Some(Arc::clone(&self.held_runs)),
        })
    }

    /// Stops a run of this process; false if it is not one.
    pub(crate) fn cancel(&self, run: RunId) -> bool {
        match lock(&self.held_runs).runs.get(&run) {
            Some(cancel) => {
                cancel.cancel();
                true
            }
            None => false,
        }
    }

    async fn renew_loop(self) {
        let mut renewed = Instant::now();
        let pause = (self.lease / RENEW_AFTER).clamp(LEAST_PAUSE, LOOK_EVERY);
        loop {
            tokio::time::sleep(pause).await;
            let runs: Vec<RunId> = {
                let mut held_runs = lock(&self.held_runs);
                if held_runs.runs.is_empty() {
                    held_runs.renewing = false;
                    return;
                }
                held_runs.runs.keys().copied().collect()
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

fn lock(held_runs: &Mutex<HeldRuns>) -> MutexGuard<'_, HeldRuns> {
    held_runs.lock().unwrap_or_else(PoisonError::into_inner)
}
