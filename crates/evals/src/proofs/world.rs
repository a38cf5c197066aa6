//! What the nodes of a proof call, and a world for runs in this process that watches them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, bail};
use async_trait::async_trait;
use fathom_workflow::interrupt::Answer;
use fathom_workflow::record::{Entry, EntryKind, EntryPart};
use fathom_workflow::{NodeError, RunId, Store};
use rand::Rng;
use rand::rngs::StdRng;

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

    /// How often an effect was made; a world that does not count says "often enough".
    fn times(&self, _run: RunId, _step: u64, _key: &str) -> u32 {
        u32::MAX
    }
}

/// The dependencies of every workflow in these proofs.
pub struct Deps(pub Arc<dyn World>);

/// How long a call takes.
pub enum Pace {
    /// One turn of the scheduler.
    OneTurn,
    /// Up to so long, by chance.
    UpTo(Duration),
    /// Drawn from a few turns, a few milliseconds, and long enough for the lease to be renewed.
    Drawn(Box<Mutex<StdRng>>),
}

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
    /// A world that nobody has called yet.
    pub fn new(store: Option<Arc<dyn Store>>, pace: Pace) -> Self {
        Self {
            store,
            pace,
            seen: Mutex::default(),
        }
    }

    /// How often each effect of a run was made.
    pub fn calls(&self, run: RunId) -> BTreeMap<Effect, u32> {
        self.lock().calls.get(&run).cloned().unwrap_or_default()
    }

    /// Fails if a recorded effect was made again, or something was built on an unrecorded one.
    pub fn verdict(&self) -> Result<()> {
        match self.lock().broken.first() {
            Some(first) => bail!("{first}"),
            None => Ok(()),
        }
    }

    /// Complains unless the journal's word on an effect is the `wanted` one.
    async fn expect(&self, run: RunId, step: u64, key: &str, recorded: bool, complaint: &str) {
        let Some(store) = &self.store else { return };
        let found = match store.entries(run, step).await {
            Ok(entries) => entries.iter().any(|entry| answers(entry, key, recorded)),
            Err(error) => {
                let broken = format!("the store could not be read: {error}");
                return self.lock().broken.push(broken);
            }
        };
        if found != recorded {
            let broken = format!("run {run}: effect \"{key}\" of step {step} {complaint}");
            self.lock().broken.push(broken);
        }
    }

    fn count(&self, run: RunId, effect: Effect) {
        let mut seen = self.lock();
        let calls = seen.calls.entry(run).or_default();
        *calls.entry(effect).or_default() += 1;
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

impl Pace {
    async fn take(&self) {
        let wait = match self {
            Self::OneTurn => Ok(1),
            Self::UpTo(longest) => Err(longest.mul_f64(rand::random())),
            Self::Drawn(chance) => {
                let mut chance = chance.lock().unwrap_or_else(PoisonError::into_inner);
                match chance.random_range(0..10) {
                    0..=6 => Ok(chance.random_range(0..3)),
                    // Around the time after which events are stored although nobody waits for it.
                    7 | 8 => Err(Duration::from_millis(chance.random_range(1..60))),
                    _ => Err(Duration::from_secs(chance.random_range(1..15))),
                }
            }
        };
        match wait {
            Ok(turns) => {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            }
            Err(time) => tokio::time::sleep(time).await,
        }
    }
}

#[async_trait]
impl World for ObservedWorld {
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError> {
        // Before the call takes any time.
        self.expect(
            run,
            step,
            key,
            false,
            "was made again after it was recorded",
        )
        .await;
        self.count(run, (step, key.to_owned()));
        self.pace.take().await;
        Ok(ledger::answer(step, key))
    }

    async fn went_on(&self, run: RunId, step: u64, key: &str) {
        self.expect(
            run,
            step,
            key,
            true,
            "was gone on with before it was recorded",
        )
        .await;
    }

    fn times(&self, run: RunId, step: u64, key: &str) -> u32 {
        let calls = self.calls(run);
        calls.get(&(step, key.to_owned())).copied().unwrap_or(0)
    }
}
