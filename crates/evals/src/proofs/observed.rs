//! A world for runs in this process: counts every call, and notices one that was recorded before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use async_trait::async_trait;
use fathom_workflow::record::{Entry, EntryKind, Part};
use fathom_workflow::{NodeError, RunId, Store};

use super::audit::Effect;
use super::research::World;
use crate::ledger;

/// Whether a call of an effect that the store already answers breaks a promise. A process that was
/// stopped for long may make one before it learns that it has been superseded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    Forbidden,
    Allowed,
}

pub struct Observed {
    /// The real store, out of reach of any fault.
    store: Arc<dyn Store>,
    repeats: Repeats,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    calls: BTreeMap<Effect, u32>,
    broken: Vec<String>,
}

impl Observed {
    pub fn new(store: Arc<dyn Store>, repeats: Repeats) -> Self {
        Self {
            store,
            repeats,
            seen: Mutex::default(),
        }
    }

    /// How often each effect was made.
    pub fn calls(&self) -> BTreeMap<Effect, u32> {
        self.lock().calls.clone()
    }

    pub fn times(&self, step: u64, key: &str) -> u32 {
        let effect = (step, key.to_owned());
        self.lock().calls.get(&effect).copied().unwrap_or(0)
    }

    /// Fails if a recorded effect was made again.
    pub fn verdict(&self) -> Result<()> {
        match self.lock().broken.first() {
            Some(first) => bail!("{first}"),
            None => Ok(()),
        }
    }

    /// Writes a call down. It must be asked for before the call takes any time.
    pub async fn note(&self, run: RunId, step: u64, key: &str) {
        let recorded = match self.repeats {
            Repeats::Forbidden => self.is_recorded(run, step, key).await,
            Repeats::Allowed => Ok(false),
        };
        let mut seen = self.lock();
        match recorded {
            Ok(false) => {}
            Ok(true) => seen.broken.push(format!(
                "run {run}: effect \"{key}\" of step {step} was made again after it was recorded"
            )),
            Err(error) => seen
                .broken
                .push(format!("the store could not be read: {error:#}")),
        }
        *seen.calls.entry((step, key.to_owned())).or_default() += 1;
    }

    async fn is_recorded(&self, run: RunId, step: u64, key: &str) -> Result<bool> {
        let entries = self.store.entries(run, step).await?;
        let answers = |Entry { meta, .. }: &Entry| {
            // The second try of an effect that must not repeat has a key of its own.
            let again = meta.key.strip_prefix(key).is_some_and(|rest| {
                rest.is_empty() || (meta.kind == EntryKind::Once && rest.starts_with("/again"))
            });
            meta.part == Part::Answered && meta.kind != EntryKind::Gate && again
        };
        Ok(entries.iter().any(answers))
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl World for Observed {
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError> {
        self.note(run, step, key).await;
        tokio::task::yield_now().await;
        Ok(ledger::answer(step, key))
    }
}
