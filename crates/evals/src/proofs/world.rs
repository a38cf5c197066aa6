//! What the nodes of a proof call, and a world for runs in this process that watches them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use async_trait::async_trait;
use fathom_workflow::interrupt::Answer;
use fathom_workflow::record::{Entry, EntryKind, EntryPart};
use fathom_workflow::{NodeError, RunId, Store};

use crate::ledger;

/// An effect of a run: its step and its key.
pub type Effect = (u64, String);

/// What the nodes may call. It gives the same answer to the same key.
#[async_trait]
pub trait World: Send + Sync + 'static {
    /// Makes the call of this effect.
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError>;

    /// Told when a node goes on with an answer.
    async fn went_on(&self, _run: RunId, _step: u64, _key: &str) {}
}

/// The dependencies of every workflow in these proofs.
pub struct Deps(pub Arc<dyn World>);

/// Says how long the next call takes, beyond one turn of the scheduler.
pub type Pace = Box<dyn Fn() -> Duration + Send + Sync>;

/// Counts every call. With a store to look into, it notices a call that was recorded before, and a
/// node that goes on with an answer which is not recorded.
pub struct ObservedWorld {
    /// The real store, out of reach of any fault. Absent where a process that was stopped for long
    /// may repeat a call before it learns that it has been superseded.
    store: Option<Arc<dyn Store>>,
    pace: Pace,
    seen: Mutex<Observations>,
}

#[derive(Default)]
struct Observations {
    calls: BTreeMap<RunId, BTreeMap<Effect, u32>>,
    broken: Vec<String>,
}

impl ObservedWorld {
    /// A world that nobody has called yet, and that answers after one turn.
    pub fn new(store: Option<Arc<dyn Store>>) -> Arc<Self> {
        Self::with_pace(store, Box::new(|| Duration::ZERO))
    }

    /// A world whose calls take as long as `pace` says.
    pub fn with_pace(store: Option<Arc<dyn Store>>, pace: Pace) -> Arc<Self> {
        let seen = Mutex::default();
        Arc::new(Self { store, pace, seen })
    }

    /// How often each effect of a run was made.
    pub fn calls(&self, run: RunId) -> BTreeMap<Effect, u32> {
        self.lock().calls.get(&run).cloned().unwrap_or_default()
    }

    /// How often one effect was made.
    pub fn times(&self, run: RunId, step: u64, key: &str) -> u32 {
        let calls = self.calls(run);
        calls.get(&(step, key.to_owned())).copied().unwrap_or(0)
    }

    /// Fails if a recorded effect was made again, or something was built on an unrecorded one.
    pub fn verdict(&self) -> Result<()> {
        match self.lock().broken.first() {
            Some(first) => bail!("{first}"),
            None => Ok(()),
        }
    }

    /// Complains if the journal has the effect's answer and should not, or the other way round.
    async fn expect(&self, run: RunId, step: u64, key: &str, recorded: bool, complaint: &str) {
        let Some(store) = &self.store else { return };
        let broken = match store.entries(run, step).await {
            Err(error) => format!("the store could not be read: {error}"),
            Ok(entries) => {
                let found = entries.iter().any(|entry| answers(entry, key, recorded));
                if found == recorded {
                    return;
                }
                format!("run {run}: effect \"{key}\" of step {step} {complaint}")
            }
        };
        self.lock().broken.push(broken);
    }

    fn lock(&self) -> MutexGuard<'_, Observations> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an entry answers an effect. What must not repeat may have been tried again, which has a
/// longer key; or a person may have said that it happened, if that counts too.
fn answers(entry: &Entry, key: &str, by_person_too: bool) -> bool {
    let Some(rest) = entry.meta.key.strip_prefix(key) else {
        return false;
    };
    let right = match entry.meta.kind {
        EntryKind::Call => rest.is_empty(),
        EntryKind::Once => rest.is_empty() || rest.starts_with("/again"),
        EntryKind::Timer => false,
        EntryKind::Gate => {
            let edited = matches!(
                entry.payload.decode_owned(),
                Ok(Answer::Decided { decision, .. }) if decision.edits.is_some()
            );
            by_person_too && rest.starts_with('/') && edited
        }
    };
    right && entry.meta.part == EntryPart::Answered
}

#[async_trait]
impl World for ObservedWorld {
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError> {
        // Before the call takes any time.
        let complaint = "was made again after it was recorded";
        self.expect(run, step, key, false, complaint).await;
        let effect = (step, key.to_owned());
        let pause = (self.pace)();
        *self
            .lock()
            .calls
            .entry(run)
            .or_default()
            .entry(effect)
            .or_default() += 1;
        tokio::task::yield_now().await;
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        Ok(ledger::answer(step, key))
    }

    async fn went_on(&self, run: RunId, step: u64, key: &str) {
        let complaint = "was gone on with before it was recorded";
        self.expect(run, step, key, true, complaint).await;
    }
}
