//! A run in this process's hands, and the only loop: run a node, apply its update, route, record.

mod flush;
mod write;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;

use futures::FutureExt;
use jiff::Timestamp;

use self::flush::BufferFlusher;
use crate::context::Context;
use crate::engine::Shared;
use crate::event::EventKind;
use crate::lease::HeldRun;
use crate::log_writer::LogWriter;
use crate::node::{HaltReason, NodeError, NodeFailure, ParkRequest};
use crate::record::{CutReason, LogHead, RunTally, Status};
use crate::snapshot::SnapshotPolicy;
use crate::step_buffer::{StepBuffer, StepJournal, StepParams};
use crate::{Error, NodeName, NodeResult, RunId, State};

const CANCELLED: &str = "cancelled on request";

/// A run, its state, and the right to write to its log.
pub struct Execution<S: State, D> {
    pub(crate) shared: Arc<Shared<S, D>>,
    pub(crate) writer: LogWriter,
    pub(crate) state: S,
    pub(crate) tally: Arc<RunTally>,
    /// The journal of the step that comes next, if it was begun before.
    pub(crate) journal: StepJournal,
    /// When the step that comes next was first started.
    pub(crate) started_at: Timestamp,
    pub(crate) snapshots: SnapshotPolicy,
    pub(crate) held: HeldRun,
    /// Set while a turn is under way, and for good if it was dropped or failed: what is in memory may
    /// then be ahead of the log.
    pub(crate) poisoned: bool,
}

/// What one turn brought the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// A step was recorded; there is more to do.
    Ran {
        /// Its number.
        step: u64,
    },
    /// The run is parked and no longer held: until an answer, or until that time.
    Waiting {
        /// `None` waits for an answer for ever.
        until: Option<Timestamp>,
    },
    /// The run has ended and is no longer held.
    Done(RunOutcome),
}

/// How a run stands when nobody works on it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// Waiting, completed, failed or cancelled.
    pub status: Status,
    /// Why; of a completed run, why what it brought is partial.
    pub reason: Option<String>,
}

impl RunOutcome {
    pub(crate) fn from_head(head: &LogHead) -> Self {
        Self {
            status: head.status.clone(),
            reason: head.reason.clone(),
        }
    }
}

/// How a node's turn ended.
enum TurnEnd<U> {
    Update(U),
    Parked(ParkRequest),
    Failed(String),
    Deadline,
    Cancelled,
}

impl<S: State, D: Send + Sync + 'static> Execution<S, D> {
    /// The run's id.
    pub fn id(&self) -> RunId {
        self.writer.run.id()
    }

    /// What the run knows after its last recorded step.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// What the engine has counted by then.
    pub fn tally(&self) -> &RunTally {
        &self.tally
    }

    /// What the nodes may call.
    pub fn deps(&self) -> &D {
        &self.shared.deps
    }

    /// Says whether somebody works on the run. While nobody does, its lease is left to lapse, so
    /// that another process can take it up.
    pub fn set_idle(&mut self, idle: bool) {
        self.held.set_idle(idle);
    }

    /// Gives the run up unfinished: another process can take it up at once. Nothing more can be done
    /// with this execution.
    pub async fn release(&mut self) {
        self.poisoned = true;
        self.writer.give_up().await;
        self.held.let_go();
    }

    /// Runs until the run ends or waits. Its graph bounds how long that can be.
    pub async fn run(&mut self) -> Result<RunOutcome, Error> {
        loop {
            match self.advance().await? {
                Progress::Ran { .. } => {}
                Progress::Waiting { .. } | Progress::Done(_) => {
                    return Ok(RunOutcome::from_head(&self.writer.run.head));
                }
            }
        }
    }

    /// Runs one node and records what it brought. After an error, or when this was dropped under
    /// way, nothing more can be done with this execution; the run itself stands as it was last
    /// recorded, and can be opened again.
    pub async fn advance(&mut self) -> Result<Progress, Error> {
        if std::mem::replace(&mut self.poisoned, true) {
            return Err(Error::Poisoned { run: self.id() });
        }
        let progress = self.one_turn().await;
        self.poisoned = progress.is_err();
        match &progress {
            Ok(Progress::Ran { .. }) => {}
            Ok(Progress::Waiting { .. } | Progress::Done(_)) => self.held.let_go(),
            Err(_) => {
                self.writer.give_up().await;
                self.held.let_go();
            }
        }
        progress
    }

    async fn one_turn(&mut self) -> Result<Progress, Error> {
        let head = &self.writer.run.head;
        let (Some(next), false) = (head.next.clone(), head.status.is_finished()) else {
            return Ok(Progress::Done(RunOutcome::from_head(head)));
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
        let buffer = self.buffer(name);
        if self.held.cancel.is_cancelled() {
            return self
                .finish(Status::Cancelled, CANCELLED, buffer.take())
                .await;
        }
        if let Some(cut) = self.used_up() {
            return self.cut(name, &buffer, cut).await;
        }
        let turn = self.turn(name, &buffer).await;
        buffer.close();
        match turn? {
            TurnEnd::Update(update) => self.record(name, &buffer, update).await,
            TurnEnd::Parked(request) => self.park(&buffer, request).await,
            TurnEnd::Failed(why) => self.cut(name, &buffer, CutReason::Failed(why)).await,
            TurnEnd::Deadline => self.cut(name, &buffer, CutReason::Deadline).await,
            TurnEnd::Cancelled => {
                self.finish(Status::Cancelled, CANCELLED, buffer.take())
                    .await
            }
        }
    }

    /// Whether the run may not start another step. A rescue has time of its own, and may take the
    /// few steps its way is long.
    fn used_up(&self) -> Option<CutReason> {
        let deadline = self.writer.run.head.deadline;
        if deadline.is_some_and(|deadline| self.shared.runtime.clock.now() >= deadline) {
            return Some(CutReason::Deadline);
        }
        let limit = self.shared.most_steps();
        (self.tally.rescue.is_none() && self.tally.steps >= limit)
            .then_some(CutReason::StepLimit(limit))
    }

    fn buffer(&mut self, node: NodeName) -> Arc<StepBuffer> {
        let head = &self.writer.run.head;
        Arc::new(StepBuffer::new(StepParams {
            run: self.id(),
            step: head.step + 1,
            node,
            started_at: self.started_at,
            deadline: head.deadline,
            tally: Arc::clone(&self.tally),
            journal: std::mem::take(&mut self.journal),
            clock: Arc::clone(&self.shared.runtime.clock),
            store: Arc::clone(&self.shared.runtime.store),
            replay: false,
            max_parks: self.shared.runtime.settings.max_parks,
        }))
    }

    /// Lets the node work, and stores what it hands over meanwhile.
    async fn turn(
        &mut self,
        name: NodeName,
        buffer: &Arc<StepBuffer>,
    ) -> Result<TurnEnd<S::Update>, Error> {
        if self.writer.run.head.status == Status::Pending {
            let phase = self.shared.graph.phase(name, &self.state);
            self.writer.run.head.status = Status::Running(phase.clone());
            buffer.note(EventKind::StepStarted {
                step: buffer.params.step,
                node: name.into(),
                phase,
            });
        }
        let shared = Arc::clone(&self.shared);
        let Some((_, node)) = shared.graph.node(name) else {
            return Err(Error::UnknownNode {
                run: buffer.params.run,
                node: name.into(),
            });
        };
        let ctx = Context::new(Arc::clone(&shared.deps), Arc::clone(buffer));
        let mut working = AssertUnwindSafe((node.run)(&self.state, &ctx)).catch_unwind();
        // Most steps of a workflow take seconds, but those that take none cost no timers.
        if let Poll::Ready(result) = futures::poll!(&mut working) {
            return ended::<S>(result, buffer);
        }
        let deadline = self.writer.run.head.deadline;
        let mut flusher = BufferFlusher {
            writer: &mut self.writer,
            snapshots: &mut self.snapshots,
            buffer,
            in_flight: None,
            held: &self.held,
        };
        let turn = tokio::select! {
            biased;
            result = &mut working => ended::<S>(result, buffer),
            () = self.held.cancel.cancelled() => Ok(TurnEnd::Cancelled),
            () = self.held.lost.cancelled() => Err(Error::LeaseLost { run: buffer.params.run }),
            () = reach(&shared, deadline) => Ok(TurnEnd::Deadline),
            error = flusher.serve() => Err(error),
        };
        // The node is dropped, with every call it had under way; what was on its way to the store
        // is seen through.
        drop(working);
        flusher.see_through().await?;
        turn
    }
}

/// Resolves when the run's time is used up.
async fn reach<S: State, D>(shared: &Shared<S, D>, deadline: Option<Timestamp>) {
    match deadline {
        Some(deadline) => shared.runtime.clock.reach(deadline).await,
        None => std::future::pending().await,
    }
}

/// What a node gave, unless it panicked.
type NodeEnd<S> = Result<NodeResult<S>, Box<dyn Any + Send>>;

/// Reads a node's result together with the word its buffer may hold, which counts more: a node can
/// swallow a halt, but not undo it.
fn ended<S: State>(result: NodeEnd<S>, buffer: &StepBuffer) -> Result<TurnEnd<S::Update>, Error> {
    let result = match result {
        Ok(result) => result,
        Err(panic) => {
            return Ok(TurnEnd::Failed(words_of(
                panic.as_ref(),
                buffer.params.node,
            )));
        }
    };
    match (buffer.stop(), result) {
        (Some(HaltReason::Parked(request)), _) => Ok(TurnEnd::Parked(request)),
        (Some(HaltReason::Broken(error)), _) => Ok(TurnEnd::Failed(error.to_string())),
        (Some(HaltReason::Fault(error)), _) => Err(error),
        (Some(HaltReason::Superseded), _) | (None, Err(NodeError(NodeFailure::Engine))) => {
            Err(Error::Superseded {
                run: buffer.params.run,
            })
        }
        (None, Err(NodeError(NodeFailure::Failed(why)))) => Ok(TurnEnd::Failed(why)),
        (None, Ok(update)) => Ok(TurnEnd::Update(update)),
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
