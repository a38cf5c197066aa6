//! The doors of the engine: begin a run, take one up, stop it, look at it.

use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use jiff::Timestamp;

use crate::clock::{SystemClock, later};
use crate::desk::{self, Notes};
use crate::event::{Event, EventKind};
use crate::journal::{Page, Purged, RunFilter};
use crate::keeper::{Held, Keeper};
use crate::record::{
    About, BaseReason, Creation, Head, Name, Origin, Run, Status, StepKind, StepMeta, StepRecord,
    Tally, Token,
};
use crate::run::{Execution, Outcome};
use crate::scribe::Scribe;
use crate::snapshot::Snapshots;
use crate::stream::{self, Hub};
use crate::{Clock, Error, Graph, Owner, Payload, RunId, State, Store, fold};

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
            entries: Vec::new(),
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

    /// Takes a run up again where its log ends. A parked run whose time has come goes on; one that
    /// must wait is refused with [`Error::Waiting`], one that has ended with [`Error::Ended`].
    pub async fn open(&self, run: RunId) -> Result<Execution<S, D>, Error> {
        self.admit(run, Purpose::Open).await?;
        self.take_hold(run, Purpose::Open).await
    }

    /// Like [`Engine::open`], for a person: a failed or cancelled run goes on too, and one that
    /// crashed too often gets another chance.
    pub async fn resume(&self, run: RunId) -> Result<Execution<S, D>, Error> {
        self.admit(run, Purpose::Resume).await?;
        self.shared.store.clear_cancel(run).await?;
        self.take_hold(run, Purpose::Resume).await
    }

    /// Refuses a run that there is nothing to do for. One whose gate has timed out passes it.
    async fn admit(&self, run: RunId, purpose: Purpose) -> Result<(), Error> {
        let (header, token) = self.header_and_token(run).await?;
        match header.head.status {
            Status::Waiting => self.wake(&header, token).await,
            _ => purpose.check(&header),
        }
    }

    async fn take_hold(&self, run: RunId, purpose: Purpose) -> Result<Execution<S, D>, Error> {
        let Shared {
            store,
            settings,
            owner,
            clock,
            ..
        } = &*self.shared;
        let held = self.hold(run, clock.now())?;
        let token = store.claim(run, owner, settings.lease).await?;
        match self.read_and_begin(run, token, held, purpose).await {
            Ok(execution) => Ok(execution),
            Err(error) => {
                if let Err(error) = store.release(run, token).await {
                    tracing::warn!(%run, %error, "the run could not be released");
                }
                Err(error)
            }
        }
    }

    async fn read_and_begin(
        &self,
        run: RunId,
        token: Token,
        held: Held,
        purpose: Purpose,
    ) -> Result<Execution<S, D>, Error> {
        let Shared {
            store,
            settings,
            owner,
            clock,
            ..
        } = &*self.shared;
        let loaded = store.load(run, None).await?;
        let header = loaded.run.clone();
        // Between the first look and the claim another process may have ended it.
        purpose.check(&header)?;
        let head = &header.head;
        let started_at = match loaded.records.last() {
            Some(record) => record.meta.at,
            // The step before this one lies within the snapshot.
            None => self.time_of_step(run, head.step).await?,
        };
        let (state, tally) = fold::whole(loaded)?;
        let journal = desk::journal(store.entries(run, head.step + 1).await?);

        let attempt = match purpose {
            Purpose::Open => head.attempts + 1,
            Purpose::Resume | Purpose::Cancel => 1,
        };
        if attempt > settings.max_starts {
            return Err(Error::CrashLoop {
                run,
                step: head.step + 1,
                node: head.next.as_deref().unwrap_or_default().to_owned(),
                attempts: head.attempts,
            });
        }
        let step = head.step + 1;
        let paused = Duration::try_from(clock.now().duration_since(head.updated_at));
        let deadline = head
            .deadline
            .map(|at| later(at, paused.unwrap_or_default()));
        let mut execution = self.execution(header, token, state, tally, journal, started_at, held);

        let mut notes = Notes::default();
        let resumed = EventKind::RunResumed {
            owner: owner.clone(),
            step,
            attempt,
        };
        execution.scribe.note(&mut notes, resumed);
        let mut draft = execution.scribe.draft(notes);
        draft.head = Head {
            status: Status::Pending,
            attempts: attempt,
            reason: None,
            deadline,
            ..draft.head
        };
        if execution.scribe.commit(draft).await?.cancel_requested {
            execution.held.cancel.cancel();
        }
        Ok(execution)
    }

    async fn time_of_step(&self, run: RunId, step: u64) -> Result<Timestamp, Error> {
        let found = self.shared.store.steps(run, step, 1).await?;
        match found.first() {
            Some(record) => Ok(record.meta.at),
            None => Err(Error::NoSuchStep {
                run,
                step,
                last: step,
            }),
        }
    }

    /// Opens a run and works on it until it ends or waits.
    pub async fn drive(&self, run: RunId) -> Result<Outcome, Error> {
        self.open(run).await?.run().await
    }

    /// Asks a run to stop, wherever it is worked on. It can be resumed.
    pub async fn cancel(&self, run: RunId) -> Result<(), Error> {
        Purpose::Cancel.check(&self.header(run).await?)?;
        self.shared.store.request_cancel(run).await?;
        if self.shared.keeper.cancel(run) {
            return Ok(());
        }
        // Nobody may be there to hear it. If nobody is, stop the run here.
        match self.take_hold(run, Purpose::Cancel).await {
            Ok(mut execution) => {
                execution.held.cancel.cancel();
                execution.advance().await.map(drop)
            }
            Err(Error::Held { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Unfinished runs that no process works on and that could go on now.
    pub async fn unattended(&self, limit: usize) -> Result<Vec<RunId>, Error> {
        let Settings {
            lease,
            take_up_after,
            ..
        } = self.shared.settings;
        let unheld = take_up_after.saturating_sub(lease);
        self.shared
            .store
            .due(self.shared.clock.now(), unheld, limit)
            .await
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

    pub(crate) fn owner(&self) -> &Owner {
        &self.shared.owner
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
        }
    }
}

/// What a run is taken up for, which says what it may be.
#[derive(Clone, Copy)]
enum Purpose {
    Open,
    Resume,
    Cancel,
}

impl Purpose {
    fn check(self, header: &Run) -> Result<(), Error> {
        let (run, head) = (header.id(), &header.head);
        match (&head.status, self) {
            (Status::Pending | Status::Running(_), _)
            | (Status::Waiting, Self::Cancel)
            | (Status::Failed | Status::Cancelled, Self::Resume) => Ok(()),
            (Status::Waiting, Self::Open | Self::Resume) => Err(Error::Waiting {
                run,
                reason: head.reason.clone().unwrap_or_default(),
                until: head.wake_at,
            }),
            (Status::Completed, _)
            | (Status::Failed | Status::Cancelled, Self::Open | Self::Cancel) => {
                let status = head.status.to_string();
                Err(Error::Ended { run, status })
            }
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
    }
}
