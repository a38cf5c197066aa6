//! What a node may do besides reading its state: make recorded calls, ask people, note what happens.
//!
//! A node is a function of its state and of what it gets here. That is why time and chance come from
//! the context too: run again after a crash, or replayed a year later, it gets the same answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::event::{EventKind, Level};
use crate::interrupt::{Answer, Ask, Decision, ParkOutcome, Verdict};
use crate::node::{HaltReason, NodeError, ParkRequest, ParkWait, StepHalted};
use crate::record::{Blob, EntryKind, EntryPart, Meters, Name, Rescue};
use crate::step_buffer::StepBuffer;
use crate::{BlobHash, Error, NodeName, Payload, RunId};

/// What a node gets besides its state. Clones are of the same step.
pub struct Context<D> {
    deps: Arc<D>,
    buffer: Arc<StepBuffer>,
}

impl<D> Clone for Context<D> {
    fn clone(&self) -> Self {
        Self {
            deps: Arc::clone(&self.deps),
            buffer: Arc::clone(&self.buffer),
        }
    }
}

impl<D> Context<D> {
    pub(crate) fn new(deps: Arc<D>, buffer: Arc<StepBuffer>) -> Self {
        Self { deps, buffer }
    }

    /// What the workflow may call.
    pub fn deps(&self) -> &D {
        &self.deps
    }

    /// The run that this step belongs to.
    pub fn run(&self) -> RunId {
        self.buffer.params.run
    }

    /// The number this step will have in the log.
    pub fn step(&self) -> u64 {
        self.buffer.params.step
    }

    /// The name of the node at work.
    pub fn node(&self) -> NodeName {
        self.buffer.params.node
    }

    /// When this step was first started or, once the node has got an answer from [`Context::ask`],
    /// when the last one was given: the same moment however often the step is run again. Calls do
    /// not move it on.
    pub fn now(&self) -> Timestamp {
        self.buffer.now()
    }

    /// How long, until [`Context::now`], nobody worked on the run: while it waited for an answer or
    /// for a gate's deadline, and then for a process to take it up; and from its last written word
    /// on, while it lay cancelled, failed or crashed. The run's deadline is put off by the same. A
    /// fork has waited as long as its origin had, and from that step until it was made. The rest of
    /// the time since the run was started is its own. Like [`Context::now`], it is the same
    /// however often the step is run again.
    pub fn waited(&self) -> Duration {
        self.buffer.waited()
    }

    /// When the run's time is used up, for calls that must have ended by then. A replay knows no
    /// deadline, so nothing but calls may depend on it.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.buffer.params.deadline
    }

    /// A number drawn by chance for this name: the same whenever this step of this run asks again.
    pub fn random(&self, name: &str) -> u64 {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.buffer.params.run.as_uuid().as_bytes());
        hasher.update(&self.buffer.params.step.to_le_bytes());
        hasher.update(name.as_bytes());
        let mut drawn = [0; 8];
        hasher.finalize_xof().fill(&mut drawn);
        u64::from_le_bytes(drawn)
    }

    /// What the run had spent on a meter when this step began.
    pub fn spent(&self, meter: &str) -> u64 {
        self.buffer
            .params
            .tally
            .meters
            .get(meter)
            .copied()
            .unwrap_or(0)
    }

    /// What the run has spent on a meter until this moment: before this step, on calls of this step
    /// that were recorded before a crash, and on those recorded since. It grows while the step
    /// works, so only calls may depend on it.
    pub fn spent_so_far(&self, meter: &str) -> u64 {
        let step = self.buffer.spendings().get(meter).copied().unwrap_or(0);
        self.spent(meter).saturating_add(step)
    }

    /// Set once the run has been sent to its rescue node: from where, and why.
    pub fn rescued(&self) -> Option<&Rescue> {
        self.buffer.params.tally.rescue.as_ref()
    }

    /// Makes an outside call, or gives the recorded answer of the one made before. The answer is
    /// stored, good or bad, before the node goes on. `key` must differ from every other in the step
    /// and be the same when the step is run again.
    pub async fn effect<T, F, Fut>(&self, key: impl Into<String>, call: F) -> Result<T, StepHalted>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(EffectCall) -> Fut,
        Fut: Future<Output = T>,
    {
        let key = key.into();
        match self.buffer.begin(&key)?.answered {
            Some(answer) => self.recorded(&answer),
            None => self.call(EntryKind::Call, key, call).await,
        }
    }

    /// An effect that must never happen twice: its start is stored first. If a crash leaves open
    /// whether it happened, the run waits for a person, who approves (it did not happen: do it),
    /// modifies (it did: the edits are its answer) or rejects (the step fails).
    pub async fn once<T, F, Fut>(&self, key: impl Into<String>, call: F) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(EffectCall) -> Fut,
        Fut: Future<Output = T>,
    {
        let mut key = key.into();
        loop {
            let recorded = self.buffer.begin(&key)?;
            match (recorded.answered, recorded.opened) {
                (Some(answer), _) => return Ok(self.recorded(&answer)?),
                (None, Some(_)) => {
                    if let Some(answer) = self.ask_whether_done(&key).await? {
                        return Ok(answer);
                    }
                    // A second crash must ask again, so the second try has a start of its own.
                    key.push_str("/again");
                }
                (None, None) => {
                    self.buffer
                        .write(EntryKind::Once, &key, EntryPart::Opened, &())
                        .await?;
                    return Ok(self.call(EntryKind::Once, key, call).await?);
                }
            }
        }
    }

    async fn ask_whether_done<T: DeserializeOwned>(
        &self,
        key: &str,
    ) -> Result<Option<T>, NodeError> {
        let ask = Ask {
            reason: format!(
                "a crash interrupted \"{key}\", which must not happen twice; find out whether it happened"
            ),
            show: serde_json::json!({ "effect": key, "node": self.node() }),
            within: None,
        };
        let decision = match self.ask(format!("{key}/outcome"), ask).await? {
            Answer::Decided { decision, .. } => decision,
            Answer::TimedOut { .. } => Decision::new(Verdict::Reject, "deadline"),
        };
        match (decision.verdict, decision.edits) {
            (Verdict::Approve, _) => Ok(None),
            (Verdict::Modify, Some(answer)) => Ok(Some(serde_json::from_value(answer)?)),
            _ => Err(NodeError::new(format!(
                "it is not known whether \"{key}\" happened, and it must not be repeated"
            ))),
        }
    }

    /// Puts a question to a person, or sets a timer. The run parks here; when the answer or the
    /// deadline comes, the node runs again and gets it. The first answer wins.
    pub async fn ask(&self, key: impl Into<String>, ask: Ask) -> Result<Answer, StepHalted> {
        let key = key.into();
        let recorded = self.buffer.begin(&key)?;
        self.buffer.hear(&recorded);
        match (recorded.answered, recorded.opened) {
            (Some(answer), _) => self.recorded(&answer),
            (None, opened) => {
                let wait = ParkWait::Answer(ask);
                Err(self.park(ParkRequest { key, wait, opened }))
            }
        }
    }

    /// Parks the run until `at`, although nobody is asked: for a provider that wants to be left
    /// alone for minutes. No task sleeps meanwhile; the node runs again at that time, keeps what is
    /// in its journal, and is told [`ParkOutcome::Woken`]. A person may resume the run before.
    ///
    /// The time is the run's own: it counts against its deadline, and a moment beyond that is
    /// refused, as is one park more than `max_parks` in a step. The node is told so and decides.
    pub async fn park_until(
        &self,
        key: impl Into<String>,
        at: Timestamp,
        reason: impl Into<String>,
    ) -> Result<ParkOutcome, StepHalted> {
        let key = key.into();
        let recorded = self.buffer.begin(&key)?;
        self.buffer.hear(&recorded);
        let outcome = match (recorded.answered, recorded.opened) {
            (Some(answer), _) => return self.recorded(&answer),
            // The run was cancelled while it was parked, and a person has resumed it since.
            (None, Some(_)) => ParkOutcome::Woken,
            (None, None) => match self.buffer.answer_park(at) {
                Some(outcome) => outcome,
                None => {
                    let reason = reason.into();
                    let wait = ParkWait::Moment { at, reason };
                    let opened = None;
                    return Err(self.park(ParkRequest { key, wait, opened }));
                }
            },
        };
        // A replay knows no deadline, so what was decided here is recorded.
        self.buffer
            .write(EntryKind::Timer, &key, EntryPart::Answered, &outcome)
            .await?;
        Ok(outcome)
    }

    fn park(&self, request: ParkRequest) -> StepHalted {
        self.buffer.halt(HaltReason::Parked(request))
    }

    /// Notes something for whoever watches.
    pub fn log(&self, level: Level, message: impl fmt::Display) {
        self.buffer.note(EventKind::Log {
            level,
            message: message.to_string(),
        });
    }

    /// Counts something spent outside any effect.
    pub fn spend(&self, meter: impl Into<Name>, amount: u64) {
        self.buffer.spend(meter.into(), amount);
    }

    /// Keeps bytes in the store, once, under their hash. They are stored before anything that is
    /// recorded after them.
    pub fn keep(&self, bytes: impl Into<Vec<u8>>) -> BlobHash {
        self.buffer.keep(Blob::new(bytes))
    }

    /// Bytes kept before, by this run or another.
    pub async fn kept(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, NodeError> {
        Ok(self.buffer.kept(hash).await?)
    }

    async fn call<T, F, Fut>(&self, kind: EntryKind, key: String, call: F) -> Result<T, StepHalted>
    where
        T: Serialize,
        F: FnOnce(EffectCall) -> Fut,
        Fut: Future<Output = T>,
    {
        let call_made = self.buffer.started(&key);
        let handle = EffectCall::new(Arc::clone(&self.buffer), key);
        let value = call(handle.clone()).await;
        self.record(kind, &handle, call_made, &value).await?;
        Ok(value)
    }

    async fn record<T: Serialize>(
        &self,
        kind: EntryKind,
        handle: &EffectCall,
        call_made: Timestamp,
        value: &T,
    ) -> Result<(), StepHalted> {
        self.buffer
            .answered(kind, &handle.key, handle.meters(), call_made, value)
            .await
    }

    fn recorded<T: DeserializeOwned>(&self, answer: &Payload) -> Result<T, StepHalted> {
        answer
            .decode_owned()
            .map_err(|error: Error| self.buffer.halt(HaltReason::Fault(error)))
    }
}

/// A call under way: where its retries and costs are noted.
#[derive(Clone)]
pub struct EffectCall {
    buffer: Arc<StepBuffer>,
    key: String,
    meters: Arc<std::sync::Mutex<Meters>>,
}

impl EffectCall {
    fn new(buffer: Arc<StepBuffer>, key: String) -> Self {
        Self {
            buffer,
            key,
            meters: Arc::default(),
        }
    }

    /// The key that the call's answer is recorded under.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Counts something spent by this call; it is stored with the call's answer.
    pub fn spend(&self, meter: impl Into<Name>, amount: u64) {
        *self.lock().entry(meter.into()).or_default() += amount;
    }

    /// Notes that the call failed and is made again after a wait.
    pub fn retried(&self, attempt: u32, wait: Duration, reason: impl fmt::Display) {
        self.buffer.note(EventKind::EffectRetried {
            step: self.buffer.params.step,
            key: self.key.clone(),
            attempt,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            reason: reason.to_string(),
        });
    }

    /// Notes a part of the answer that the call has brought so far, for whoever watches.
    pub fn progressed(&self, text: impl fmt::Display) {
        self.buffer.note(EventKind::EffectProgressed {
            step: self.buffer.params.step,
            key: self.key.clone(),
            text: text.to_string(),
        });
    }

    fn meters(&self) -> Meters {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Meters> {
        self.meters
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
