//! A run's past: its state at any step, forks from there, replay.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use crate::context::Context;
use crate::engine::{Engine, NewRun};
use crate::event::EventKind;
use crate::node::HaltReason;
use crate::record::{
    Damage, LoopUse, Name, Origin, RunHeader, RunTally, StepKind, StepMeta, StepRecord,
};
use crate::run::Execution;
use crate::step_buffer::{self, StepBuffer, StepParams};
use crate::{Error, Payload, RunId, State, fold, waiting};

/// A run as it stood at one of its steps.
pub struct RunView<S> {
    /// The header, as it is now.
    pub run: RunHeader,
    /// The step that the state is of.
    pub step: u64,
    /// What the run knew after that step.
    pub state: S,
    /// What the engine had counted by then.
    pub tally: RunTally,
    /// The node that came, or comes, next.
    pub next: Option<Name>,
    /// Set when the run could be read only up to `step`.
    pub damage: Option<Damage>,
}

/// What a replay found: the same run again.
pub struct ReplayReport<S> {
    /// How many steps were run again.
    pub steps: u64,
    /// Recorded calls and answers that the nodes asked for.
    pub answers: u64,
    /// The state after the last of them.
    pub state: S,
}

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    /// The state as of step `at`, or of the last good step.
    pub async fn view(&self, run: RunId, at: Option<u64>) -> Result<RunView<S>, Error> {
        self.header(run).await?;
        let loaded = self.shared.runtime.store.load(run, at).await?;
        let (state, tally) = fold::fold(&loaded)?;
        let step = loaded
            .records
            .last()
            .map_or(loaded.from.step, |record| record.meta.step);
        let next = match loaded.records.last() {
            Some(record) => record.meta.next.clone(),
            None => self.shared.runtime.step(run, step).await?.meta.next,
        };
        let (run, damage) = (loaded.run, loaded.damage);
        Ok(RunView {
            run,
            step,
            state,
            tally,
            next,
            damage,
        })
    }

    /// A new run that goes on from step `at` of another, with its state edited.
    pub async fn fork(
        &self,
        run: RunId,
        at: u64,
        new: NewRun,
        edit: impl FnOnce(&mut S),
    ) -> Result<Execution<S, D>, Error> {
        let RunView {
            step,
            mut state,
            mut tally,
            next,
            damage,
            ..
        } = self.view(run, Some(at)).await?;
        if let Some(damage) = damage
            && step < at
        {
            return Err(Error::Damaged { run, damage });
        }
        let Some(next) = next else {
            return Err(Error::NothingAfter { run, step: at });
        };
        edit(&mut state);
        // The fork goes on from where the run was then; nobody worked on it in between.
        let left_at = self.shared.runtime.step(run, step).await?.meta.at;
        let waited = waiting::between(left_at, self.shared.runtime.clock.now());
        waiting::count(&mut tally.meters, waited);
        let origin = Origin { run, step };
        let forked = EventKind::RunForked { from: run, step };
        self.create(new, state, tally, next, Some(origin), forked)
            .await
    }

    /// Runs every recorded step again from the journal alone: no outside call is made, nothing is
    /// written. Fails at the first step whose update, or way on, is not the recorded one.
    pub async fn replay(&self, run: RunId) -> Result<ReplayReport<S>, Error> {
        let header = self.header(run).await?;
        let base = self.shared.runtime.step(run, 0).await?;
        let mut replay = ReplayedRun::begin(self.clone(), run, &base)?;
        for step in 1..=header.head.step {
            let record = self.shared.runtime.step(run, step).await?;
            replay.step(&record).await?;
        }
        Ok(ReplayReport {
            steps: header.head.step,
            answers: replay.answers,
            state: replay.state,
        })
    }
}

/// A run being lived again.
struct ReplayedRun<S: State, D> {
    engine: Engine<S, D>,
    run: RunId,
    state: S,
    tally: Arc<RunTally>,
    started_at: jiff::Timestamp,
    answers: u64,
}

impl<S: State, D: Send + Sync + 'static> ReplayedRun<S, D> {
    fn begin(engine: Engine<S, D>, run: RunId, base: &StepRecord) -> Result<Self, Error> {
        let (StepKind::Base { tally, .. }, Some(state)) = (&base.meta.kind, &base.payload) else {
            return Err(Error::StoreDamaged {
                what: "step 0".into(),
                why: "it holds no state".into(),
            });
        };
        Ok(Self {
            engine,
            run,
            state: state.decode_owned()?,
            tally: Arc::new(tally.clone()),
            started_at: base.meta.at,
            answers: 0,
        })
    }

    async fn step(&mut self, record: &StepRecord) -> Result<(), Error> {
        let meta = &record.meta;
        match (&meta.kind, &record.payload) {
            (StepKind::Base { .. }, Some(state)) => self.state = state.decode_owned()?,
            (StepKind::Update, Some(recorded)) => self.update(meta, recorded).await?,
            // A deadline or a failure cut it short: that came from outside, so it stands.
            (StepKind::Cut(_), _) => {}
            (StepKind::Base { .. } | StepKind::Update, None) => {
                return Err(self.diverged(meta, "its record holds nothing".into()));
            }
        }
        Arc::make_mut(&mut self.tally).count(meta);
        self.started_at = meta.at;
        Ok(())
    }

    async fn update(&mut self, meta: &StepMeta, recorded: &Payload) -> Result<(), Error> {
        let update = self.run_node(meta).await?;
        let again = Payload::encoded(&update)?;
        if again.bytes()? != recorded.bytes()? {
            return Err(self.diverged(meta, "its update is not the recorded one".into()));
        }
        self.state.apply(&update).map_err(|invalid| {
            self.diverged(meta, format!("its update does not fit: {}", invalid.0))
        })?;
        let graph = &self.engine.shared.graph;
        let node = graph.node(&meta.node).map(|(name, _)| name);
        let leave = node.and_then(|name| graph.leave(name, &self.state, &self.tally).ok());
        let went = leave.map(|leave| (leave.to.map(Name::Borrowed), leave.looped));
        let recorded: (Option<Name>, Option<LoopUse>) = (meta.next.clone(), meta.looped.clone());
        if went.as_ref() != Some(&recorded) {
            let next = recorded.0.as_deref().unwrap_or(crate::END).to_owned();
            return Err(self.diverged(meta, format!("it no longer leads to \"{next}\"")));
        }
        Ok(())
    }

    async fn run_node(&mut self, meta: &StepMeta) -> Result<S::Update, Error> {
        let shared = Arc::clone(&self.engine.shared);
        let Some((name, node)) = shared.graph.node(&meta.node) else {
            return Err(self.diverged(meta, "the graph has no such node".into()));
        };
        let journal =
            step_buffer::journal(shared.runtime.store.entries(self.run, meta.step).await?);
        self.answers += journal.len() as u64;
        let buffer = Arc::new(StepBuffer::new(StepParams {
            run: self.run,
            step: meta.step,
            node: name,
            started_at: self.started_at,
            deadline: None,
            tally: Arc::clone(&self.tally),
            journal,
            clock: Arc::clone(&shared.runtime.clock),
            store: Arc::clone(&shared.runtime.store),
            replay: true,
            max_parks: 0,
        }));
        let ctx = Context::new(Arc::clone(&shared.deps), Arc::clone(&buffer));
        let working = AssertUnwindSafe((node.run)(&self.state, &ctx)).catch_unwind();
        let Ok(result) = working.await else {
            return Err(self.diverged(meta, "it panicked".into()));
        };
        match (buffer.stop(), result) {
            (Some(HaltReason::Fault(error) | HaltReason::Broken(error)), _) => Err(error),
            (None, Ok(update)) => match buffer.unasked() {
                None => Ok(update),
                Some(key) => {
                    Err(self.diverged(meta, format!("it did not ask for the recorded \"{key}\"")))
                }
            },
            (_, _) => Err(self.diverged(meta, "it ended without an update".into())),
        }
    }

    fn diverged(&self, meta: &StepMeta, how: String) -> Error {
        let node = meta.node.to_string();
        Error::Diverged {
            run: self.run,
            step: meta.step,
            node,
            how,
        }
    }
}
