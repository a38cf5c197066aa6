//! Many runs under way at once, over a database that is hurt meanwhile: what T8 and T9 share.
//!
//! The runs are those of [`super::research`]; every call takes a few milliseconds and is written down
//! in memory. Nobody kills the processes here, so not even a call in flight may be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use async_trait::async_trait;
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Engine, MemoryStore, NewRun, NodeError, RunId, Store, fan_out};
use futures::future::try_join_all;

use super::audit::{self, Effect};
use super::research::{self, Deps, Research, World};
use crate::ledger;

/// How long a call takes, at most.
const LONGEST_CALL: Duration = Duration::from_millis(5);
/// Runs checked at once, when the load is over.
const CHECKED_AT_ONCE: usize = 4;

/// Engines over one database, as so many processes would have it.
pub struct Load {
    engines: Vec<Engine<Research, Deps>>,
    calls: Arc<Calls>,
    runs: Mutex<Vec<RunId>>,
    /// Runs that have completed.
    completed: AtomicUsize,
}

impl Load {
    pub fn new(stores: impl IntoIterator<Item = Arc<dyn Store>>) -> Result<Self> {
        let calls = Arc::<Calls>::default();
        let mut engines = Vec::new();
        for store in stores {
            let world: Arc<dyn World> = Arc::clone(&calls) as _;
            engines.push(Engine::new(
                research::eventful()?,
                store,
                Arc::new(Deps(world)),
            ));
        }
        Ok(Self {
            engines,
            calls,
            runs: Mutex::default(),
            completed: AtomicUsize::new(0),
        })
    }

    /// Keeps `at_once` runs under way until `enough` have completed. Fails with the first that fails.
    pub async fn bear(&self, at_once: usize, enough: impl Fn(usize) -> bool + Sync) -> Result<()> {
        let workers = (0..at_once).map(|worker| {
            let enough = &enough;
            async move {
                while !enough(self.completed.load(Ordering::Relaxed)) {
                    let new = NewRun::titled("under load");
                    let run = new.id;
                    let done = self.one_run(worker, new).await;
                    done.with_context(|| format!("run {run} failed"))?;
                    self.completed.fetch_add(1, Ordering::Relaxed);
                }
                anyhow::Ok(())
            }
        });
        try_join_all(workers).await.map(drop)
    }

    /// A run that one engine begins, a person lets go on, and the next engine ends.
    async fn one_run(&self, worker: usize, new: NewRun) -> Result<()> {
        let run = new.id;
        let mut execution = self.engine(worker).start(new, Research::default()).await?;
        lock(&self.runs).push(run);
        let parked = execution.run().await?;
        ensure!(parked.status == Status::Waiting, "it began with {parked:?}");
        drop(execution);
        let decision = Decision::new(Verdict::Approve, "a person");
        let gate = self.engine(worker).gate(run).await?;
        self.engine(worker).decide(&gate, decision).await?;
        let ended = self.engine(worker + 1).drive(run).await?;
        ensure!(ended.status == Status::Completed, "it ended with {ended:?}");
        Ok(())
    }

    fn engine(&self, worker: usize) -> &Engine<Research, Deps> {
        &self.engines[worker % self.engines.len()]
    }

    /// Checks that every run is there, whole, and that each of its calls was made once. Gives how
    /// many runs and calls there were.
    pub async fn check(&self) -> Result<(usize, usize)> {
        let runs = lock(&self.runs).clone();
        let made = lock(&self.calls.made).clone();
        let report = self.expected_report().await?;
        let check = |run| self.check_run(run, &made, &report);
        let calls: Result<Vec<usize>> = fan_out(runs.clone(), CHECKED_AT_ONCE, check)
            .await
            .into_iter()
            .collect();
        Ok((runs.len(), calls?.iter().sum()))
    }

    async fn check_run(
        &self,
        run: RunId,
        made: &BTreeMap<RunId, BTreeMap<Effect, u32>>,
        report: &Option<String>,
    ) -> Result<usize> {
        let engine = self.engine(0);
        let story = audit::story(&**engine.store(), run).await?;
        let status = &story.run.head.status;
        ensure!(*status == Status::Completed, "run {run} is {status}");
        let state = engine.view(run, None).await?.state;
        ensure!(state.report == *report, "run {run} came to another report");
        let none = BTreeMap::new();
        let made = made.get(&run).unwrap_or(&none);
        for ((step, key), times) in made {
            ensure!(
                *times == 1,
                "run {run} called \"{key}\" of step {step} {times} times"
            );
        }
        let made: BTreeSet<Effect> = made.keys().cloned().collect();
        ensure!(
            made == story.recorded(),
            "run {run} recorded other calls than it made"
        );
        Ok(made.len())
    }

    /// What a run comes to that nobody disturbs.
    async fn expected_report(&self) -> Result<Option<String>> {
        let store = Arc::new(MemoryStore::new());
        let undisturbed = Self::new([store as Arc<dyn Store>])?;
        undisturbed.bear(1, |completed| completed == 1).await?;
        let run = lock(&undisturbed.runs)[0];
        Ok(undisturbed.engine(0).view(run, None).await?.state.report)
    }
}

/// The outside world: every call that was made.
#[derive(Default)]
struct Calls {
    made: Mutex<BTreeMap<RunId, BTreeMap<Effect, u32>>>,
}

#[async_trait]
impl World for Calls {
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError> {
        let effect = (step, key.to_owned());
        *lock(&self.made)
            .entry(run)
            .or_default()
            .entry(effect)
            .or_default() += 1;
        tokio::time::sleep(LONGEST_CALL.mul_f64(rand::random())).await;
        Ok(ledger::answer(step, key))
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
