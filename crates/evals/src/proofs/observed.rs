//! A world for runs in this process: counts every call, and notices one that was recorded before.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use async_trait::async_trait;
use fathom_workflow::interrupt::Answer;
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

    /// Writes a call down. It must be told before the call takes any time.
    pub async fn note(&self, run: RunId, step: u64, key: &str) {
        let repeats = |entry: &Entry| is_answer(entry, key);
        if self.repeats == Repeats::Forbidden && self.journal_has(run, step, repeats).await {
            self.complain(format!(
                "run {run}: effect \"{key}\" of step {step} was made again after it was recorded"
            ));
        }
        let mut seen = self.lock();
        *seen.calls.entry((step, key.to_owned())).or_default() += 1;
    }

    /// A node goes on with an answer, which must be recorded by now.
    pub async fn went_on(&self, run: RunId, step: u64, key: &str) {
        let known = |entry: &Entry| is_answer(entry, key) || is_edit(entry, key);
        if !self.journal_has(run, step, known).await {
            self.complain(format!(
                "run {run}: step {step} went on before the answer of \"{key}\" was recorded"
            ));
        }
    }

    async fn journal_has(&self, run: RunId, step: u64, wanted: impl Fn(&Entry) -> bool) -> bool {
        match self.store.entries(run, step).await {
            Ok(entries) => entries.iter().any(wanted),
            Err(error) => {
                self.complain(format!("the store could not be read: {error}"));
                false
            }
        }
    }

    fn complain(&self, how: String) {
        self.lock().broken.push(how);
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an entry answers an effect. What must not repeat may have been tried again, which has a
/// longer key.
fn is_answer(entry: &Entry, key: &str) -> bool {
    let meta = &entry.meta;
    let rest = meta.key.strip_prefix(key);
    let right = match meta.kind {
        EntryKind::Call => rest == Some(""),
        EntryKind::Once => rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("/again")),
        EntryKind::Gate | EntryKind::Timer => false,
    };
    right && meta.part == Part::Answered
}

/// Whether an entry is a person's word that an effect has happened, with its answer.
fn is_edit(entry: &Entry, key: &str) -> bool {
    let meta = &entry.meta;
    let asks = meta.kind == EntryKind::Gate && meta.part == Part::Answered;
    asks && meta.key.starts_with(&format!("{key}/"))
        && matches!(
            entry.payload.decode_owned(),
            Ok(Answer::Decided { decision, .. }) if decision.edits.is_some()
        )
}

#[async_trait]
impl World for Observed {
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError> {
        self.note(run, step, key).await;
        tokio::task::yield_now().await;
        Ok(ledger::answer(step, key))
    }
    async fn went_on(&self, run: RunId, step: u64, key: &str) {
        if self.repeats == Repeats::Forbidden {
            Self::went_on(self, run, step, key).await;
        }
    }
}
