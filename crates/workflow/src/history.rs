//! A run's past: its state at any step, forks from there, replay, export.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::{FutureExt, Stream};
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::desk::{self, Desk, Place};
use crate::engine::{Engine, NewRun};
use crate::event::{Event, EventKind};
use crate::node::Stop;
use crate::record::{
    Damage, EntryMeta, LoopUse, Name, Origin, Run, StepKind, StepMeta, StepRecord, Tally,
};
use crate::run::Execution;
use crate::{Error, Payload, RunId, State, fold, waited};

/// A run as it stood at one of its steps.
pub struct View<S> {
    pub run: Run,
    pub step: u64,
    pub state: S,
    pub tally: Tally,
    /// The node that came, or comes, next.
    pub next: Option<Name>,
    /// Set when the run could be read only up to `step`.
    pub damage: Option<Damage>,
}

/// What a replay found: the same run again.
pub struct Replayed<S> {
    pub steps: u64,
    /// Recorded calls and answers that the nodes asked for.
    pub answers: u64,
    pub state: S,
}

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    /// The state as of step `at`, or of the last good step.
    pub async fn view(&self, run: RunId, at: Option<u64>) -> Result<View<S>, Error> {
        self.header(run).await?;
        let loaded = self.shared.store.load(run, at).await?;
        let (state, tally) = fold::fold(&loaded)?;
        let step = loaded
            .records
            .last()
            .map_or(loaded.from.step, |record| record.meta.step);
        let next = match loaded.records.last() {
            Some(record) => record.meta.next.clone(),
            None => self.step(run, step).await?.meta.next,
        };
        let (run, damage) = (loaded.run, loaded.damage);
        Ok(View {
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
        let View {
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
        let left_at = self.step(run, step).await?.meta.at;
        let waited = waited::between(left_at, self.shared.clock.now());
        waited::count(&mut tally.meters, waited);
        let origin = Origin { run, step };
        let forked = EventKind::RunForked { from: run, step };
        self.create(new, state, tally, next, Some(origin), forked)
            .await
    }

    /// Runs every recorded step again from the journal alone: no outside call is made, nothing is
    /// written. Fails at the first step whose update, or way on, is not the recorded one.
    pub async fn replay(&self, run: RunId) -> Result<Replayed<S>, Error> {
        let header = self.header(run).await?;
        let base = self.step(run, 0).await?;
        let mut replay = Replay::begin(self.clone(), run, &base)?;
        for step in 1..=header.head.step {
            let record = self.step(run, step).await?;
            replay.step(&record).await?;
        }
        Ok(Replayed {
            steps: header.head.step,
            answers: replay.answers,
            state: replay.state,
        })
    }

    /// Everything the log holds of a run, as JSON lines: its header, each step with its journal,
    /// its events.
    pub fn export(
        &self,
        run: RunId,
    ) -> impl Stream<Item = Result<String, Error>> + Send + use<S, D> {
        let engine = self.clone();
        futures::stream::unfold(Some(Export::Header), move |at| {
            let engine = engine.clone();
            async move {
                match engine.export_part(run, at?).await {
                    Ok((lines, next)) => Some((Ok(lines), next)),
                    Err(error) => Some((Err(error), None)),
                }
            }
        })
    }

    async fn export_part(
        &self,
        run: RunId,
        part: Export,
    ) -> Result<(String, Option<Export>), Error> {
        let header = self.header(run).await?;
        let mut lines = String::new();
        match part {
            Export::Header => {
                line(&mut lines, &Line::Run(&header))?;
                Ok((lines, Some(Export::Step(0))))
            }
            Export::Step(step) if step <= header.head.step => {
                let record = self.step(run, step).await?;
                let content = record
                    .payload
                    .as_ref()
                    .map(Payload::decode_owned)
                    .transpose()?;
                self.export_journal(&mut lines, run, step).await?;
                line(
                    &mut lines,
                    &Line::Step {
                        meta: &record.meta,
                        content,
                    },
                )?;
                Ok((lines, Some(Export::Step(step + 1))))
            }
            Export::Step(step) => {
                self.export_journal(&mut lines, run, step).await?;
                Ok((lines, Some(Export::Events(0))))
            }
            Export::Events(after) => {
                let events = self.shared.store.events(run, after, EXPORT_PAGE).await?;
                for event in &events {
                    line(&mut lines, &Line::Event(event))?;
                }
                Ok((lines, events.last().map(|last| Export::Events(last.number))))
            }
        }
    }

    async fn export_journal(&self, lines: &mut String, run: RunId, step: u64) -> Result<(), Error> {
        for entry in self.shared.store.entries(run, step).await? {
            let content = entry.payload.decode_owned()?;
            line(
                lines,
                &Line::Journal {
                    meta: &entry.meta,
                    content,
                },
            )?;
        }
        Ok(())
    }

    pub(crate) async fn step(&self, run: RunId, step: u64) -> Result<StepRecord, Error> {
        let found = self.shared.store.steps(run, step, 1).await?;
        let last = step.saturating_sub(1);
        found
            .into_iter()
            .next()
            .ok_or(Error::NoSuchStep { run, step, last })
    }
}

const EXPORT_PAGE: usize = 512;

/// Where an export is.
enum Export {
    Header,
    Step(u64),
    Events(u64),
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Run(&'a Run),
    Step {
        #[serde(flatten)]
        meta: &'a StepMeta,
        content: Option<Value>,
    },
    Journal {
        #[serde(flatten)]
        meta: &'a EntryMeta,
        content: Value,
    },
    Event(&'a Event),
}

fn line(lines: &mut String, value: &Line<'_>) -> Result<(), Error> {
    let json = serde_json::to_string(value).map_err(|source| Error::Encode { source })?;
    lines.push_str(&json);
    lines.push('\n');
    Ok(())
}

/// A run being lived again.
struct Replay<S: State, D> {
    engine: Engine<S, D>,
    run: RunId,
    state: S,
    tally: Arc<Tally>,
    started_at: jiff::Timestamp,
    answers: u64,
}

impl<S: State, D: Send + Sync + 'static> Replay<S, D> {
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
        self.state.apply(&update).map_err(|misfit| {
            self.diverged(meta, format!("its update does not fit: {}", misfit.0))
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
        let journal = desk::journal(shared.store.entries(self.run, meta.step).await?);
        self.answers += journal.len() as u64;
        let place = Place {
            run: self.run,
            step: meta.step,
            node: name,
            started_at: self.started_at,
            deadline: None,
            replay: true,
        };
        let (clock, store) = (Arc::clone(&shared.clock), Arc::clone(&shared.store));
        let desk = Arc::new(Desk::new(
            place,
            Arc::clone(&self.tally),
            journal,
            clock,
            store,
        ));
        let ctx = Context::new(Arc::clone(&shared.deps), Arc::clone(&desk));
        let working = AssertUnwindSafe((node.run)(&self.state, &ctx)).catch_unwind();
        let Ok(result) = working.await else {
            return Err(self.diverged(meta, "it panicked".into()));
        };
        match (desk.stop(), result) {
            (Some(Stop::Fault(error) | Stop::Broken(error)), _) => Err(error),
            (None, Ok(update)) => match desk.unasked() {
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
