//! Keeps the runs that this process works on its own: renews their leases, passes cancel requests on.
//!
//! One task renews them all. A turn that fails or panics is logged and the next one is taken, so the
//! task cannot die unseen; a run whose lease lapsed all the same is stopped, since somebody else may
//! have taken it up.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Error, Owner, RunId, Store};

/// How often the store is asked for cancel requests made by other processes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// However short the leases, the store is not asked more often.
const LEAST_PAUSE: Duration = Duration::from_millis(10);

/// However short the leases, a run is not stopped sooner for want of a renewal: a short lease is
/// prolonged by every append, and a stale writer is refused by its fence.
const LEAST_LAPSE: Duration = Duration::from_secs(1);

/// A lease is renewed when this part of it has gone.
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
    runs: HashMap<RunId, HeldState>,
    /// Whether a task renews them.
    renewing: bool,
}

struct HeldState {
    cancel: CancellationToken,
    lost: CancellationToken,
    /// When the lease was last known to be good.
    renewed: Instant,
    /// Whether nobody works on the run just now. Its lease is left to lapse.
    idle: bool,
}

/// A run in this process's hands. Dropping it ends the renewal of its lease.
pub(crate) struct HeldRun {
    /// Cancelled when somebody wants the run to stop.
    pub(crate) cancel: CancellationToken,
    /// Cancelled when the lease has lapsed because it could not be renewed.
    pub(crate) lost: CancellationToken,
    run: RunId,
    /// `None` once the run has been let go: somebody else here may hold it by then.
    held_runs: Option<Arc<Mutex<HeldRuns>>>,
}

impl HeldRun {
    /// Ends the renewal of the run's lease.
    pub(crate) fn let_go(&mut self) {
        if let Some(held_runs) = self.held_runs.take() {
            lock(&held_runs).runs.remove(&self.run);
        }
    }

    /// Notes that an append has just prolonged the lease.
    pub(crate) fn mark_renewed(&self) {
        self.change(|held| held.renewed = Instant::now());
    }

    /// Says whether somebody works on the run. The lease of an idle one lapses by itself, so that
    /// another process can take it up.
    pub(crate) fn set_idle(&self, idle: bool) {
        self.change(|held| held.idle = idle);
    }

    fn change(&self, change: impl FnOnce(&mut HeldState)) {
        if let Some(held_runs) = &self.held_runs
            && let Some(held) = lock(held_runs).runs.get_mut(&self.run)
        {
            change(held);
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

    /// Takes a run into care; `None` if this process holds it already.
    pub(crate) fn hold(&self, run: RunId) -> Option<HeldRun> {
        let (cancel, lost) = (CancellationToken::new(), CancellationToken::new());
        let mut held_runs = lock(&self.held_runs);
        if held_runs.runs.contains_key(&run) {
            return None;
        }
        let held = HeldState {
            cancel: cancel.clone(),
            lost: lost.clone(),
            renewed: Instant::now(),
            idle: false,
        };
        held_runs.runs.insert(run, held);
        if !held_runs.renewing {
            held_runs.renewing = true;
            // It ends by itself when there is nothing left to renew.
            tokio::spawn(self.clone().renew_loop());
        }
        Some(HeldRun {
            cancel,
            lost,
            run,
            held_runs: Some(Arc::clone(&self.held_runs)),
        })
    }

    /// Stops a run of this process; false if it is not one.
    pub(crate) fn cancel(&self, run: RunId) -> bool {
        match lock(&self.held_runs).runs.get(&run) {
            Some(held) => {
                held.cancel.cancel();
                true
            }
            None => false,
        }
    }

    async fn renew_loop(self) {
        // However this task ends, the next run that is held starts another.
        let mut ended = LoopEnd(Some(Arc::clone(&self.held_runs)));
        let pause = (self.lease / RENEW_AFTER).clamp(LEAST_PAUSE, LOOK_EVERY);
        loop {
            tokio::time::sleep(pause).await;
            {
                let mut held_runs = lock(&self.held_runs);
                if held_runs.runs.is_empty() {
                    held_runs.renewing = false;
                    ended.0 = None;
                    return;
                }
            }
            // A store that hangs must not keep the lapse of a lease from being seen.
            let limit = self.lease.max(LEAST_LAPSE);
            let turn = tokio::time::timeout(limit, self.renew_and_look(pause));
            match AssertUnwindSafe(turn).catch_unwind().await {
                Ok(Ok(Ok(()))) => {}
                Ok(Ok(Err(error))) => {
                    tracing::warn!(%error, "leases could not be renewed, or cancel requests read");
                }
                Ok(Err(_)) => tracing::warn!("the store did not answer in time to renew leases"),
                Err(_) => tracing::error!("the renewal of leases panicked; it goes on"),
            }
            self.stop_lapsed();
        }
    }

    /// Renews the leases that need it, and passes cancel requests on.
    async fn renew_and_look(&self, pause: Duration) -> Result<(), Error> {
        let soon = self.lease / RENEW_AFTER;
        let worked_on: Vec<(RunId, bool)> = lock(&self.held_runs)
            .runs
            .iter()
            .filter(|(_, held)| !held.idle)
            .map(|(run, held)| (*run, held.renewed.elapsed() + pause > soon))
            .collect();
        if worked_on.iter().any(|(_, due)| *due) {
            let runs: Vec<RunId> = worked_on.into_iter().map(|(run, _)| run).collect();
            let asked = Instant::now();
            self.store.renew(&self.owner, &runs, self.lease).await?;
            let mut held_runs = lock(&self.held_runs);
            for run in &runs {
                if let Some(held) = held_runs.runs.get_mut(run) {
                    held.renewed = held.renewed.max(asked);
                }
            }
        }
        for run in self.store.cancels(&self.owner).await? {
            self.cancel(run);
        }
        Ok(())
    }

    /// Stops the runs whose lease was not renewed in time: their writes would be refused as soon as
    /// somebody else takes them up.
    fn stop_lapsed(&self) {
        for (run, held) in &lock(&self.held_runs).runs {
            let lapsed = held.renewed.elapsed() >= self.lease.max(LEAST_LAPSE);
            if lapsed && !held.idle && !held.lost.is_cancelled() {
                tracing::error!(%run, "the lease could not be renewed and has lapsed; the work stops");
                held.lost.cancel();
            }
        }
    }
}

/// Says that no task renews any more, also when it was aborted.
struct LoopEnd(Option<Arc<Mutex<HeldRuns>>>);

impl Drop for LoopEnd {
    fn drop(&mut self) {
        if let Some(held_runs) = &self.0 {
            lock(held_runs).renewing = false;
        }
    }
}

fn lock(held_runs: &Mutex<HeldRuns>) -> MutexGuard<'_, HeldRuns> {
    held_runs.lock().unwrap_or_else(PoisonError::into_inner)
}
