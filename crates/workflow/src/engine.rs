//! The doors of the engine: begin a run, take one up, stop it, look at it.

mod open;

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use jiff::Timestamp;

use crate::clock::{SystemClock, later};
use crate::desk;
use crate::event::{Event, EventKind};
use crate::journal::{Page, Purged, RunFilter};
use crate::keeper::{Held, Keeper};
use crate::record::{
    About, BaseReason, Creation, Head, Name, Origin, Run, Status, StepKind, StepMeta, StepRecord,
    Tally, Token,
};
use crate::run::Execution;
use crate::scribe::Scribe;
use crate::snapshot::Snapshots;
use crate::stream::{self, Hub};
use crate::{Clock, Error, Graph, Owner, Payload, RunId, State, Store};

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

pub(crate) struct Shared<S: State, D> {
    pub(crate) graph: Graph<S, D>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) deps: Arc<D>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Settings,
    pub(crate) hub: Arc<Hub>,
    owner: Owner,
    keeper: Keeper,
}

impl<S: State, D: 'static> Shared<S, D> {
    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(crate) fn most_steps(&self) -> u64 {
        self.settings
            .max_steps
            .unwrap_or_else(|| self.graph.most_steps())
    }
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a run stays this process's own without a sign of life.
    pub lease: Duration,
    /// How long a run must have been without an owner before another process takes it up.
    pub take_up_after: Duration,
    /// How many steps a run may take; the graph's own bound unless set.
    pub max_steps: Option<u64>,
    /// How long a rescue may take when the run's time is used up.
    pub grace: Duration,
    /// How often a step may be started, crash after crash, before the run is left to a person.
    pub max_starts: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            take_up_after: Duration::from_secs(60),
            max_steps: None,
            grace: Duration::from_secs(60),
            max_starts: 25,
        }
    }
}

/// A run to begin.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub id: RunId,
    /// What a person recognises it by.
    pub title: String,
    /// How long it may take, waiting for people not counted.
    pub time_limit: Option<Duration>,
    /// Whether it is kept when finished runs expire.
    pub keep: bool,
}

impl NewRun {
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            id: RunId::new(),
            title: title.into(),
            time_limit: None,
            keep: false,
        }
    }
}

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    pub fn new(graph: Graph<S, D>, store: Arc<dyn Store>, deps: Arc<D>) -> Self {
        Self::with(
            graph,
            store,
            deps,
            Arc::new(SystemClock),
            Settings::default(),
        )
    }

    pub fn with(
        graph: Graph<S, D>,
        store: Arc<dyn Store>,
        deps: Arc<D>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Self {
        let owner = Owner::unique();
        let keeper = Keeper::new(Arc::clone(&store), owner.clone(), settings.lease);
        let hub = Arc::default();
        Self {
            shared: Arc::new(Shared {
                graph,
                store,
                deps,
                clock,
                settings,
                hub,
                owner,
                keeper,
            }),
        }
    }

    pub fn graph(&self) -> &Graph<S, D> {
        &self.shared.graph
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Commits a new run. When this returns the run exists, whatever happens to this process.
    pub async fn start(&self, new: NewRun, state: S) -> Result<Execution<S, D>, Error> {
        let started = EventKind::RunStarted {
            workflow: self.shared.graph.name().into(),
        };
        let next = Name::Borrowed(self.shared.graph.start());
        self.create(new, state, Tally::default(), next, None, started)
            .await
    }

    pub(crate) async fn create(
        &self,
        new: NewRun,
        state: S,
        tally: Tally,
        next: Name,
        forked_from: Option<Origin>,
        event: EventKind,
    ) -> Result<Execution<S, D>, Error> {
        let Shared {
            graph,
            store,
            clock,
            settings,
            owner,
            ..
        } = &*self.shared;
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
        let about = About {
            id: new.id,
            workflow: graph.name().into(),
            title: new.title,
            created_at: now,
            forked_from,
            time_limit: new.time_limit,
        };
        let deadline = new.time_limit.map(|limit| later(now, limit));
        let run = Run {
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
        let held = self.hold(new.id, now)?;
        let token = store.create(creation, owner, settings.lease).await?;
        Ok(self.execution(run, token, state, tally, desk::Journal::new(), now, held))
    }

    /// Unfinished runs that no process works on and that could go on now.
    pub async fn unattended(&self, limit: usize) -> Result<Vec<RunId>, Error> {
        let Settings {
            lease,
            take_up_after,
            ..
        } = self.shared.settings;
        let unheld = take_up_after.saturating_sub(lease);
        {
            let Shared {
                graph,
                store,
                clock,
                ..
            } = &*self.shared;
            store.due(graph.name(), clock.now(), unheld, limit).await
        }
    }

    /// Every event numbered above `after`, then what comes, until the run ends.
    pub fn events(
        &self,
        run: RunId,
        after: u64,
    ) -> impl Stream<Item = Result<Event, Error>> + Send + use<S, D> {
        stream::events(Arc::clone(&self.shared.store), &self.shared.hub, run, after)
    }

    pub async fn list(&self, filter: &RunFilter) -> Result<Page, Error> {
        self.shared.store.list(filter).await
    }

    pub async fn delete(&self, run: RunId) -> Result<(), Error> {
        self.shared.store.delete(run).await
    }

    /// Removes finished runs older than `ttl`, kept ones excepted.
    pub async fn expire(&self, ttl: Duration) -> Result<Purged, Error> {
        let age = jiff::SignedDuration::try_from(ttl).unwrap_or(jiff::SignedDuration::MAX);
        match self.shared.clock.now().checked_sub(age) {
            Ok(before) => self.shared.store.purge(before).await,
            // Nothing is as old as that.
            Err(_) => Ok(Purged::default()),
        }
    }

    /// A run's header, if the run is one of this workflow.
    pub async fn header(&self, run: RunId) -> Result<Run, Error> {
        self.header_and_token(run).await.map(|(header, _)| header)
    }

    pub(crate) async fn header_and_token(&self, run: RunId) -> Result<(Run, Token), Error> {
        let (header, token) = self.shared.store.head(run).await?;
        if header.about.workflow != self.shared.graph.name() {
            return Err(Error::OtherWorkflow {
                run,
                is: header.about.workflow.into_owned(),
                wanted: self.shared.graph.name().to_owned(),
            });
        }
        Ok((header, token))
    }

    fn hold(&self, run: RunId, now: Timestamp) -> Result<Held, Error> {
        self.shared.keeper.hold(run).ok_or_else(|| Error::Held {
            run,
            owner: self.shared.owner.clone(),
            until: later(now, self.shared.settings.lease),
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of an execution, put together once"
    )]
    fn execution(
        &self,
        run: Run,
        token: Token,
        state: S,
        tally: Tally,
        journal: desk::Journal,
        started_at: Timestamp,
        held: Held,
    ) -> Execution<S, D> {
        let shared = Arc::clone(&self.shared);
        let scribe = Scribe::new(
            Arc::clone(&shared.store),
            Arc::clone(&shared.clock),
            Arc::clone(&shared.hub),
            run,
            token,
            shared.settings.lease,
        );
        Execution {
            shared,
            scribe,
            state,
            tally: Arc::new(tally),
            journal,
            started_at,
            snapshots: Snapshots::default(),
            held,
            adrift: false,
        }
    }
}

fn first_head(now: Timestamp, next: Name, deadline: Option<Timestamp>) -> Head {
    Head {
        rev: 1,
        status: Status::Pending,
        step: 0,
        next: Some(next),
        updated_at: now,
        deadline,
        wake_at: None,
        reason: None,
        events: 1,
        entries: 0,
        attempts: 1,
        waited: Duration::ZERO,
    }
}
