//! The doors of the engine: begin a run, take one up, stop it, look at it.

mod open;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::clock::later;
use crate::event::{Event, EventKind};
use crate::lease::HeldRun;
use crate::log_writer::LogWriter;
use crate::record::{
    BaseReason, Creation, Labels, LogHead, Name, Origin, RunHeader, RunIdentity, RunTally, Status,
    StepKind, StepMeta, StepRecord, Token,
};
use crate::run::Execution;
use crate::runtime::{Runtime, RuntimeSettings};
use crate::snapshot::SnapshotPolicy;
use crate::step_buffer;
use crate::{Clock, Error, Graph, Payload, RunId, State, Store};

/// Runs one workflow's graph over one store. Cheap to clone; clones share everything.
pub struct Engine<S: State, D> {
    pub(crate) shared: Arc<Shared<S, D>>,
}

impl<S: State, D> Clone for Engine<S, D> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

/// A workflow's graph with what its nodes may call, and the runtime it works on.
pub(crate) struct Shared<S: State, D> {
    pub(crate) graph: Graph<S, D>,
    pub(crate) deps: Arc<D>,
    pub(crate) runtime: Arc<Runtime>,
}

impl<S: State, D: 'static> Shared<S, D> {
    pub(crate) fn most_steps(&self) -> u64 {
        self.runtime
            .settings
            .max_steps
            .unwrap_or_else(|| self.graph.most_steps())
    }
}

/// A run to begin.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The id that the run will have; the caller knows it before the run exists.
    pub id: RunId,
    /// What a person recognises it by.
    pub title: String,
    /// How long it may take, waiting for people not counted.
    pub time_limit: Option<Duration>,
    /// Whether it is kept when finished runs expire.
    pub keep: bool,
    /// What the caller notes about it, such as whose run it is. The engine only keeps it.
    pub labels: Labels,
}

impl NewRun {
    /// A run that is recognised by what its workflow calls it.
    pub fn untitled() -> Self {
        Self::titled("")
    }

    /// A run with this title, without a time limit of its own.
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            id: RunId::new(),
            title: title.into(),
            time_limit: None,
            keep: false,
            labels: Labels::new(),
        }
    }
}

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    /// An engine with a runtime of its own: all that a program with one workflow needs.
    pub fn new(graph: Graph<S, D>, store: Arc<dyn Store>, deps: Arc<D>) -> Self {
        Self::on(Runtime::new(store), graph, deps)
    }

    /// Like [`Engine::new`], on a clock and with settings of the caller's.
    pub fn with(
        graph: Graph<S, D>,
        store: Arc<dyn Store>,
        deps: Arc<D>,
        clock: Arc<dyn Clock>,
        settings: RuntimeSettings,
    ) -> Self {
        Self::on(Runtime::with(store, clock, settings), graph, deps)
    }

    /// An engine on a runtime that other workflows of the process share.
    pub fn on(runtime: Arc<Runtime>, graph: Graph<S, D>, deps: Arc<D>) -> Self {
        Self {
            shared: Arc::new(Shared {
                graph,
                deps,
                runtime,
            }),
        }
    }

    /// The workflow's shape and code.
    pub fn graph(&self) -> &Graph<S, D> {
        &self.shared.graph
    }

    /// What the nodes may call.
    pub fn deps(&self) -> &D {
        &self.shared.deps
    }

    /// What this engine shares with the other workflows of the process.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.shared.runtime
    }

    /// Where the runs are stored.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.runtime.store
    }

    /// Commits a new run. When this returns the run exists, whatever happens to this process.
    pub async fn start(&self, new: NewRun, state: S) -> Result<Execution<S, D>, Error> {
        let started = EventKind::RunStarted {
            workflow: self.shared.graph.name().into(),
        };
        let next = Name::Borrowed(self.shared.graph.start());
        self.create(new, state, RunTally::default(), next, None, started)
            .await
    }

    pub(crate) async fn create(
        &self,
        new: NewRun,
        state: S,
        tally: RunTally,
        next: Name,
        forked_from: Option<Origin>,
        event: EventKind,
    ) -> Result<Execution<S, D>, Error> {
        let Runtime {
            store,
            clock,
            settings,
            owner,
            ..
        } = &*self.shared.runtime;
        let graph = &self.shared.graph;
        let now = clock.now();
        let why = match forked_from {
            Some(_) => BaseReason::Forked,
            None => BaseReason::Started,
        };
        let base = StepRecord {
            meta: StepMeta {
                step: 0,
                node: next.clone(),
                kind: StepKind::Base {
                    tally: tally.clone(),
                    why,
                },
                next: Some(next.clone()),
                looped: None,
                meters: Default::default(),
                entries: 0,
                at: now,
            },
            payload: Some(Payload::encoded(&state)?),
        };
        let about = RunIdentity {
            id: new.id,
            workflow: graph.name().into(),
            version: graph.version(),
            title: new.title,
            created_at: now,
            forked_from,
            time_limit: new.time_limit,
            labels: new.labels,
        };
        let deadline = new.time_limit.map(|limit| later(now, limit));
        let run = RunHeader {
            about,
            head: first_head(now, next, deadline),
            keep: new.keep,
        };
        let creation = Creation {
            run: run.clone(),
            base,
            events: vec![Event {
                number: 1,
                at: now,
                kind: event,
            }],
        };
        let held = self.shared.runtime.hold(new.id, now)?;
        let token = store.create(creation, owner, settings.lease).await?;
        Ok(self.execution(
            run,
            token,
            state,
            tally,
            step_buffer::StepJournal::new(),
            now,
            held,
        ))
    }

    /// A run's header, if the run is one of this workflow and not of a newer version of it.
    pub async fn header(&self, run: RunId) -> Result<RunHeader, Error> {
        self.header_and_token(run).await.map(|(header, _)| header)
    }

    pub(crate) async fn header_and_token(&self, run: RunId) -> Result<(RunHeader, Token), Error> {
        let (header, token) = self.shared.runtime.store.head(run).await?;
        if header.about.workflow != self.shared.graph.name() {
            return Err(Error::OtherWorkflow {
                run,
                is: header.about.workflow.into_owned(),
                wanted: self.shared.graph.name().to_owned(),
            });
        }
        if header.about.version > self.shared.graph.version() {
            return Err(Error::NewerVersion {
                run,
                workflow: header.about.workflow.into_owned(),
                written: header.about.version,
                known: self.shared.graph.version(),
            });
        }
        Ok((header, token))
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of an execution, put together once"
    )]
    fn execution(
        &self,
        run: RunHeader,
        token: Token,
        state: S,
        tally: RunTally,
        journal: step_buffer::StepJournal,
        started_at: Timestamp,
        held: HeldRun,
    ) -> Execution<S, D> {
        let shared = Arc::clone(&self.shared);
        let writer = LogWriter::new(Arc::clone(&shared.runtime), run, token);
        Execution {
            shared,
            writer,
            state,
            tally: Arc::new(tally),
            journal,
            started_at,
            snapshots: SnapshotPolicy::default(),
            held,
            poisoned: false,
        }
    }
}

fn first_head(now: Timestamp, next: Name, deadline: Option<Timestamp>) -> LogHead {
    LogHead {
        rev: 1,
        status: Status::Pending,
        step: 0,
        next: Some(next),
        updated_at: now,
        deadline,
        wake_at: None,
        parked: false,
        reason: None,
        events: 1,
        entries: 0,
        attempts: 1,
        waited: Duration::ZERO,
    }
}
