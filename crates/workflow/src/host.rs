//! One host per process: every workflow by its name, and every run by its id.
//!
//! Callers (command line, service, cluster mode) speak JSON and need only a run's id; the host finds
//! the workflow in the run's header. What no workflow is needed for works on every run, also on one
//! whose workflow this program does not know.

mod definition;
mod edits;
mod hand_over;
mod open_runs;
mod work;
mod workflow;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::Stream;
use serde_json::Value;
use tokio::time::Instant;

use self::hand_over::Background;
use self::open_runs::OpenRuns;
use crate::event::Event;
use crate::export::StepView;
use crate::interrupt::Decision;
use crate::journal::{Purged, RunFilter, RunPage};
use crate::record::RunHeader;
use crate::runtime::Runtime;
use crate::{Error, Gate, NewRun, Progress, ReplayReport, RunId, RunOutcome, RunView, Store};

pub use self::definition::{BeginResult, Definition, FirstState, InvalidInput, JSON_OUTCOME};
pub use self::edits::{edited, expected_in_words, read_input, read_lenient};
pub use self::work::{SkippedRun, WorkPass, WorkedRun};
pub use self::workflow::{OpenRun, Workflow};

/// How often is looked whether a run has stopped that was asked to.
const STOP_LOOK_EVERY: Duration = Duration::from_millis(250);

/// The bounds of a host.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// How many runs stay open between two steps, so that the next need not read the log again.
    pub max_open_runs: usize,
    /// How often the background work looks for runs that are due.
    pub look_every: Duration,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            max_open_runs: 32,
            look_every: Duration::from_secs(1),
        }
    }
}

/// All workflows of a process on one runtime. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Host {
    runtime: Arc<Runtime>,
    workflows: Arc<BTreeMap<&'static str, Arc<dyn Workflow>>>,
    open_runs: Arc<OpenRuns>,
    background: Arc<Background>,
    settings: HostSettings,
}

/// A run that a caller took hold of, after an attempt to open it.
enum OpenedSlot<'a> {
    Open(&'a mut Box<dyn OpenRun>),
    /// There is nothing to do: the run waits or has ended.
    AtRest(Progress),
}

/// Collects the workflows of a host.
pub struct HostBuilder {
    runtime: Arc<Runtime>,
    workflows: BTreeMap<&'static str, Arc<dyn Workflow>>,
    settings: HostSettings,
}

impl HostBuilder {
    /// Adds a workflow with what its nodes may call.
    pub fn register<W: Definition>(
        mut self,
        definition: W,
        deps: impl Into<Arc<W::Deps>>,
    ) -> Result<Self, Error> {
        let workflow = workflow::typed(&self.runtime, definition, deps.into())?;
        let name = workflow.name();
        if self.workflows.insert(name, workflow).is_some() {
            return Err(Error::DuplicateWorkflow {
                workflow: name.to_owned(),
            });
        }
        Ok(self)
    }

    /// Replaces the default settings.
    pub fn settings(mut self, settings: HostSettings) -> Self {
        self.settings = settings;
        self
    }

    /// The host with the workflows that were registered.
    pub fn build(self) -> Host {
        let lease = self.runtime.settings().lease;
        Host {
            open_runs: Arc::new(OpenRuns::new(self.settings.max_open_runs, lease)),
            workflows: Arc::new(self.workflows),
            runtime: self.runtime,
            background: Arc::default(),
            settings: self.settings,
        }
    }
}

impl Host {
    /// A host without workflows, to register them with.
    pub fn builder(runtime: Arc<Runtime>) -> HostBuilder {
        HostBuilder {
            runtime,
            workflows: BTreeMap::new(),
            settings: HostSettings::default(),
        }
    }

    /// What the workflows share.
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// Where the runs are stored.
    pub fn store(&self) -> &Arc<dyn Store> {
        self.runtime.store()
    }

    /// The registered workflows, by name.
    pub fn workflows(&self) -> impl Iterator<Item = &Arc<dyn Workflow>> {
        self.workflows.values()
    }

    /// A workflow by its name.
    pub fn workflow(&self, name: &str) -> Result<&Arc<dyn Workflow>, Error> {
        self.workflows
            .get(name)
            .ok_or_else(|| Error::NoSuchWorkflow {
                workflow: name.to_owned(),
                known: self.known(),
            })
    }

    /// The workflow of a run, found by the run's header.
    pub async fn workflow_of(&self, run: RunId) -> Result<&Arc<dyn Workflow>, Error> {
        let header = self.runtime.header(run).await?;
        let name = &*header.about.workflow;
        self.workflows
            .get(name)
            .ok_or_else(|| Error::UnknownWorkflow {
                run,
                workflow: name.to_owned(),
                known: self.known(),
            })
    }

    fn known(&self) -> Vec<String> {
        self.workflows.keys().map(ToString::to_string).collect()
    }

    // What needs the run's workflow.

    /// Commits a new run of a workflow and keeps it open. When this returns the run exists.
    pub async fn start(&self, workflow: &str, new: NewRun, input: Value) -> Result<RunId, Error> {
        let run = new.id;
        let opened = self.workflow(workflow)?.start(new, input).await?;
        self.open_runs.put(run, opened).await;
        Ok(run)
    }

    /// Takes one step. A run that waits or has ended is told as such, and no step is taken.
    pub async fn advance(&self, run: RunId) -> Result<Progress, Error> {
        let mut slot = self.open_runs.take(run, &self.runtime).await?;
        let progress = match self.opened(&mut slot, run).await? {
            OpenedSlot::Open(open) => open.advance().await?,
            OpenedSlot::AtRest(progress) => return Ok(progress),
        };
        match progress {
            Progress::Ran { .. } => slot.put_back().await,
            Progress::Waiting { .. } | Progress::Done(_) => {}
        }
        Ok(progress)
    }

    /// Works on a run until it waits or has ended; one that does is told as it is.
    pub async fn run(&self, run: RunId) -> Result<RunOutcome, Error> {
        let mut slot = self.open_runs.take(run, &self.runtime).await?;
        let open = match self.opened(&mut slot, run).await? {
            OpenedSlot::Open(open) => open,
            OpenedSlot::AtRest(_) => return self.outcome_of(run).await,
        };
        while let Progress::Ran { .. } = open.advance().await? {}
        self.outcome_of(run).await
    }

    async fn outcome_of(&self, run: RunId) -> Result<RunOutcome, Error> {
        let header = self.runtime.header(run).await?;
        Ok(RunOutcome::from_head(&header.head))
    }

    /// The run that a slot holds, opened if it is not.
    async fn opened<'a>(
        &self,
        slot: &'a mut open_runs::RunSlot,
        run: RunId,
    ) -> Result<OpenedSlot<'a>, Error> {
        let opened = match slot.take_open() {
            Some(opened) => opened,
            None => match self.workflow_of(run).await?.open(run).await {
                Ok(opened) => opened,
                Err(Error::Waiting { until, .. }) => {
                    return Ok(OpenedSlot::AtRest(Progress::Waiting { until }));
                }
                Err(Error::Ended { .. }) => {
                    let outcome = self.outcome_of(run).await?;
                    return Ok(OpenedSlot::AtRest(Progress::Done(outcome)));
                }
                Err(error) => return Err(error),
            },
        };
        Ok(OpenedSlot::Open(slot.fill(opened)))
    }

    /// Takes a run up for a person: a failed or cancelled one too, and one that is parked before its
    /// time. It stays open for [`Host::run`] or [`Host::advance`].
    pub async fn resume(&self, run: RunId) -> Result<(), Error> {
        let mut slot = self.open_runs.take(run, &self.runtime).await?;
        let opened = match slot.take_open() {
            Some(opened) => opened,
            None => self.workflow_of(run).await?.resume(run).await?,
        };
        slot.fill(opened);
        slot.put_back_unused().await;
        Ok(())
    }

    /// How many runs could go on now and have nobody who works on them, counted up to `most`. Those that this program
    /// cannot take up do not count.
    pub async fn backlog(&self, most: usize) -> Result<usize, Error> {
        let left_alone = self.background.left_alone.load(Ordering::Relaxed);
        let mut due = 0;
        for name in self.workflows.keys() {
            let room = (most + left_alone).saturating_sub(due);
            due += self.runtime.unattended(name, room).await?.len();
        }
        Ok(due.saturating_sub(left_alone))
    }

    /// The state at a step, or at the last good one.
    pub async fn view(&self, run: RunId, at: Option<u64>) -> Result<RunView<Value>, Error> {
        self.workflow_of(run).await?.view(run, at).await
    }

    /// What the run has brought, if it has brought anything yet.
    pub async fn outcome(&self, run: RunId) -> Result<Option<Value>, Error> {
        self.workflow_of(run).await?.outcome(run).await
    }

    /// [`Host::view`] and [`Host::outcome`] together, from one look at the log.
    pub async fn view_with_outcome(
        &self,
        run: RunId,
    ) -> Result<(RunView<Value>, Option<Value>), Error> {
        self.workflow_of(run).await?.view_with_outcome(run).await
    }

    /// Takes a person's decision after its gate's deadline: see [`crate::Engine::reopen`].
    pub async fn reopen(&self, run: RunId, decision: Decision) -> Result<(), Error> {
        self.open_runs.release(run).await;
        self.workflow_of(run).await?.reopen(run, decision).await
    }

    /// Asks a run to stop, wherever it is worked on, and tells whether it has stopped already. It can
    /// be resumed.
    pub async fn cancel(&self, run: RunId) -> Result<bool, Error> {
        // One that nobody works on just now would not hear of it.
        self.open_runs.release(run).await;
        self.workflow_of(run).await?.cancel(run).await
    }

    /// Like [`Host::cancel`], and waits until the run has stopped. One whose process has died, or
    /// keeps it open without working on it, is stopped here when its lease has lapsed.
    pub async fn stop(&self, run: RunId) -> Result<(), Error> {
        let deadline = Instant::now() + self.runtime.settings().lease + 2 * STOP_LOOK_EVERY;
        while !self.cancel(run).await? {
            if Instant::now() >= deadline {
                return Err(Error::NotStopped { run });
            }
            tokio::time::sleep(STOP_LOOK_EVERY).await;
            if self.header(run).await?.head.status.is_finished() {
                break;
            }
        }
        Ok(())
    }

    /// A new run that goes on from step `at` of another, with parts of its state changed. It stays
    /// open.
    pub async fn fork(
        &self,
        run: RunId,
        at: u64,
        new: NewRun,
        edits: Option<Value>,
    ) -> Result<RunId, Error> {
        let forked = new.id;
        let opened = self
            .workflow_of(run)
            .await?
            .fork(run, at, new, edits)
            .await?;
        self.open_runs.put(forked, opened).await;
        Ok(forked)
    }

    /// Runs every recorded step again from the journal alone.
    pub async fn replay(&self, run: RunId) -> Result<ReplayReport<Value>, Error> {
        self.workflow_of(run).await?.replay(run).await
    }

    /// What a person may edit while the run waits, as it stands; `None` if nothing.
    pub async fn editable(&self, run: RunId) -> Result<Option<Value>, Error> {
        self.workflow_of(run).await?.editable(run).await
    }

    /// Whether edits fit what a person may edit; else [`Error::InvalidInput`] says which field does
    /// not.
    pub async fn check_edits(&self, run: RunId, edits: &Value) -> Result<(), Error> {
        self.workflow_of(run).await?.check_edits(run, edits).await
    }

    // What works on every run.

    /// The question that a waiting run asks.
    pub async fn gate(&self, run: RunId) -> Result<Gate, Error> {
        self.runtime.gate(run).await
    }

    /// Answers the question of a waiting run: see [`Runtime::decide`].
    pub async fn decide(&self, asked: &Gate, decision: Decision) -> Result<(), Error> {
        self.runtime.decide(asked, decision).await
    }

    /// A run's header.
    pub async fn header(&self, run: RunId) -> Result<RunHeader, Error> {
        self.runtime.header(run).await
    }

    /// Headers that match, newest first, of every workflow.
    pub async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error> {
        self.store().list(filter).await
    }

    /// Recorded steps from `from` on, `limit` at most, as far as the log can be read.
    pub async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepView>, Error> {
        let records = self.store().steps(run, from, limit).await?;
        records.into_iter().map(StepView::from_record).collect()
    }

    /// Every event numbered above `after`, then what comes, until the run ends.
    pub fn events(
        &self,
        run: RunId,
        after: u64,
    ) -> impl Stream<Item = Result<Event, Error>> + Send + use<> {
        self.runtime.events(run, after)
    }

    /// Everything the log holds of a run, as JSON lines.
    pub fn export(&self, run: RunId) -> impl Stream<Item = Result<String, Error>> + Send + use<> {
        self.runtime.export(run)
    }

    /// Sets or clears the mark that keeps a run from expiring.
    pub async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error> {
        self.store().keep(run, keep).await
    }

    /// Removes a run with all that only it refers to. One that is worked on is refused.
    pub async fn delete(&self, run: RunId) -> Result<(), Error> {
        self.open_runs.release(run).await;
        self.store().delete(run).await
    }

    /// Removes finished runs older than `ttl`, kept ones excepted.
    pub async fn expire(&self, ttl: Duration) -> Result<Purged, Error> {
        self.runtime.expire(ttl).await
    }

    /// Gives up every run that is open between two steps, so that others can take them up at once.
    pub async fn release_open_runs(&self) {
        self.open_runs.release_all().await;
    }
}
