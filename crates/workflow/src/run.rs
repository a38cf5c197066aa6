//! A run in this process's hands, and the only loop: run a node, apply its update, route, record.

mod serve;
mod write;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;

use futures::FutureExt;
use jiff::Timestamp;

use self::serve::DeskWork;
use crate::context::Context;
use crate::desk::{Desk, Journal, Place};
use crate::engine::Shared;
use crate::event::EventKind;
use crate::interrupt::Ask;
use crate::keeper::Held;
use crate::node::{Halted, NodeError, Stop};
use crate::record::{Cut, Head, Status, Tally};
use crate::scribe::Scribe;
use crate::snapshot::Snapshots;
use crate::{Error, NodeName, NodeResult, Payload, RunId, State};

const CANCELLED: &str = "somebody asked it to stop";

/// A run, its state, and the right to write to its log.
pub struct Execution<S: State, D> {
    pub(crate) shared: Arc<Shared<S, D>>,
    pub(crate) scribe: Scribe,
    pub(crate) state: S,
    pub(crate) tally: Arc<Tally>,
    /// The journal of the step that comes next, if it was begun before.
    pub(crate) journal: Journal,
    /// When the step that comes next was first started.
    pub(crate) started_at: Timestamp,
    pub(crate) snapshots: Snapshots,
    pub(crate) held: Held,
    /// Set while a turn is under way, and for good if it was dropped or failed: what is in memory may
    /// then be ahead of the log.
    pub(crate) adrift: bool,
}

/// What one turn brought the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A step was recorded; there is more to do.
    Ran { step: u64 },
    /// The run is parked and no longer held: until an answer, or until that time.
    Waiting { until: Option<Timestamp> },
    /// The run has ended and is no longer held.
    Done(Outcome),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub status: Status,
    /// Why, unless it is completed.
    pub reason: Option<String>,
}

impl Outcome {
    pub(crate) fn of(head: &Head) -> Self {
        Self {
            status: head.status.clone(),
            reason: head.reason.clone(),
        }
    }
}

/// How a node's turn ended.
enum Turn<U> {
    Update(U),
    Parked {
        key: String,
        ask: Ask,
        opened: Option<Payload>,
    },
    Failed(String),
    Deadline,
    Cancelled,
}

impl<S: State, D: Send + Sync + 'static> Execution<S, D> {
    pub fn id(&self) -> RunId {
        self.scribe.run.id()
    }

    pub fn state(&self) -> &S {
        &self.state
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn deps(&self) -> &D {
        &self.shared.deps
    }

    /// Runs until the run ends or waits. Its graph bounds how long that can be.
    pub async fn run(&mut self) -> Result<Outcome, Error> {
        loop {
            match self.advance().await? {
                Progress::Ran { .. } => {}
                Progress::Waiting { .. } | Progress::Done(_) => {
                    return Ok(Outcome::of(&self.scribe.run.head));
                }
            }
        }
    }

    /// Runs one node and records what it brought. After an error, or when this was dropped under
    /// way, nothing more can be done with this execution; the run itself stands as it was last
    /// recorded, and can be opened again.
    pub async fn advance(&mut self) -> Result<Progress, Error> {
        if std::mem::replace(&mut self.adrift, true) {
            return Err(Error::Adrift { run: self.id() });
        }
        let progress = self.one_turn().await;
        self.adrift = progress.is_err();
        match &progress {
            Ok(Progress::Ran { .. }) => {}
            Ok(Progress::Waiting { .. } | Progress::Done(_)) => self.held.let_go(),
            Err(_) => {
                self.scribe.give_up().await;
                self.held.let_go();
            }
        }
        progress
    }

    async fn one_turn(&mut self) -> Result<Progress, Error> {
        let head = &self.scribe.run.head;
        let (Some(next), false) = (head.next.clone(), head.status.is_finished()) else {
            return Ok(Progress::Done(Outcome::of(head)));
        };
        if head.status == Status::Waiting {
            return Ok(Progress::Waiting {
                until: head.wake_at,
            });
        }
        let run = self.id();
        let Some((name, _)) = self.shared.graph.node(&next) else {
            return Err(Error::UnknownNode {
                run,
                node: next.into_owned(),
            });
        };
        let desk = self.desk(name);
        if self.held.cancel.is_cancelled() {
            return self.finish(Status::Cancelled, CANCELLED, desk.take()).await;
        }
        if let Some(cut) = self.used_up() {
            return self.cut(name, &desk, cut).await;
        }
        let turn = self.turn(name, &desk).await;
        desk.close();
        match turn? {
            Turn::Update(update) => self.record(name, &desk, update).await,
            Turn::Parked { key, ask, opened } => self.park(&desk, key, ask, opened).await,
            Turn::Failed(why) => self.cut(name, &desk, Cut::Failed(why)).await,
            Turn::Deadline => self.cut(name, &desk, Cut::Deadline).await,
            Turn::Cancelled => self.finish(Status::Cancelled, CANCELLED, desk.take()).await,
        }
    }

    /// Whether the run may not start another step. A rescue has time of its own, and may take the
    /// few steps its way is long.
    fn used_up(&self) -> Option<Cut> {
        let deadline = self.scribe.run.head.deadline;
        if deadline.is_some_and(|deadline| self.shared.clock.now() >= deadline) {
            return Some(Cut::Deadline);
        }
        let limit = self.shared.most_steps();
        (self.tally.rescue.is_none() && self.tally.steps >= limit).then_some(Cut::StepLimit(limit))
    }

    fn desk(&mut self, node: NodeName) -> Arc<Desk> {
        let place = Place {
            run: self.id(),
            step: self.scribe.run.head.step + 1,
            node,
            started_at: self.started_at,
            deadline: self.scribe.run.head.deadline,
            replay: false,
        };
        Arc::new(Desk::new(
            place,
            Arc::clone(&self.tally),
            std::mem::take(&mut self.journal),
            Arc::clone(&self.shared.clock),
            Arc::clone(&self.shared.store),
        ))
    }

    /// Lets the node work, and stores what it lays on its desk meanwhile.
    async fn turn(&mut self, name: NodeName, desk: &Arc<Desk>) -> Result<Turn<S::Update>, Error> {
        if self.scribe.run.head.status == Status::Pending {
            let phase = self.shared.graph.phase(name, &self.state);
            self.scribe.run.head.status = Status::Running(phase.clone());
            desk.note(EventKind::StepStarted {
                step: desk.step,
                node: name.into(),
                phase,
            });
        }
        let shared = Arc::clone(&self.shared);
        let Some((_, node)) = shared.graph.node(name) else {
            return Err(Error::UnknownNode {
                run: desk.run,
                node: name.into(),
            });
        };
        let ctx = Context::new(Arc::clone(&shared.deps), Arc::clone(desk));
        let mut working = AssertUnwindSafe((node.run)(&self.state, &ctx)).catch_unwind();
        // Most steps of a workflow take seconds, but those that take none cost no timers.
        if let Poll::Ready(result) = futures::poll!(&mut working) {
            return ended::<S>(result, desk);
        }
        let deadline = self.scribe.run.head.deadline;
        let mut desk_work = DeskWork {
            scribe: &mut self.scribe,
            snapshots: &mut self.snapshots,
            desk,
            in_flight: None,
            cancel: self.held.cancel.clone(),
        };
        let turn = tokio::select! {
            biased;
            result = &mut working => ended::<S>(result, desk),
            () = self.held.cancel.cancelled() => Ok(Turn::Cancelled),
            () = reach(&shared, deadline) => Ok(Turn::Deadline),
            error = desk_work.serve() => Err(error),
        };
        // The node is dropped, with every call it had under way; what was on its way to the store
        // is seen through.
        drop(working);
        desk_work.see_through().await?;
        turn
    }
}

/// Resolves when the run's time is used up.
async fn reach<S: State, D>(shared: &Shared<S, D>, deadline: Option<Timestamp>) {
    match deadline {
        Some(deadline) => shared.clock.reach(deadline).await,
        None => std::future::pending().await,
    }
}

/// What a node gave, unless it panicked.
type Ended<S> = Result<NodeResult<S>, Box<dyn Any + Send>>;

/// Reads a node's result together with the word its desk may hold, which counts more: a node can
/// swallow a halt, but not undo it.
fn ended<S: State>(result: Ended<S>, desk: &Desk) -> Result<Turn<S::Update>, Error> {
    let result = match result {
        Ok(result) => result,
        Err(panic) => return Ok(Turn::Failed(words_of(panic.as_ref(), desk.node))),
    };
    match (desk.stop(), result) {
        (Some(Stop::Parked { key, ask, opened }), _) => Ok(Turn::Parked { key, ask, opened }),
        (Some(Stop::Broken(error)), _) => Ok(Turn::Failed(error.to_string())),
        (Some(Stop::Fault(error)), _) => Err(error),
        (Some(Stop::Superseded), _) | (None, Err(NodeError(Halted::Engine))) => {
            Err(Error::Superseded { run: desk.run })
        }
        (None, Err(NodeError(Halted::Failed(why)))) => Ok(Turn::Failed(why)),
        (None, Ok(update)) => Ok(Turn::Update(update)),
    }
}

fn words_of(panic: &(dyn Any + Send), node: NodeName) -> String {
    let words = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(words), _) => words,
        (_, Some(words)) => words.as_str(),
        (None, None) => "no words",
    };
    format!("node \"{node}\" panicked: {words}")
}
