//! A run in this process's hands, and the only loop: run a node, apply its update, route, record.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::{BoxFuture, OptionFuture};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::clock::later;
use crate::context::Context;
use crate::desk::{Desk, Journal, Notes, Place, Pressure};
use crate::engine::Shared;
use crate::event::EventKind;
use crate::graph::Leave;
use crate::interrupt::{Ask, Interrupt};
use crate::keeper::Held;
use crate::node::{Halted, NodeError, Stop};
use crate::record::{
    Cut, Entry, EntryKind, EntryMeta, Head, Meters, Name, Part, Status, StepKind, StepMeta,
    StepRecord, Tally,
};
use crate::scribe::{InFlight, Scribe};
use crate::snapshot::Snapshots;
use crate::{Error, NodeName, NodeResult, Payload, RunId, State, fold};

/// Events that nobody waits for may lie this long before they are stored and passed on. Long enough
/// for a quick call's start to share a commit with its answer, short to a person who watches.
const LINGER: Duration = Duration::from_millis(20);

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
        already_open: bool,
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

    /// Runs one node and records what it brought. After an error nothing more can be done with this
    /// execution; the run itself stands as it was last recorded, and can be opened again.
    pub async fn advance(&mut self) -> Result<Progress, Error> {
        let progress = self.one_turn().await;
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
        match self.turn(name, &desk).await? {
            Turn::Update(update) => self.record(name, &desk, update).await,
            Turn::Parked {
                key,
                ask,
                already_open,
            } => self.park(&desk, key, ask, already_open).await,
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
        let mut working = (node.run)(&self.state, &ctx);
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

    /// Takes an update in and records the step.
    async fn record(
        &mut self,
        name: NodeName,
        desk: &Arc<Desk>,
        update: S::Update,
    ) -> Result<Progress, Error> {
        let update = Arc::new(update);
        let leave = match self.apply(name, &update) {
            Ok(leave) => leave,
            Err(error) => {
                // The state may be half changed: the log has the good one.
                self.reload().await?;
                return self.cut(name, desk, Cut::Failed(error.to_string())).await;
            }
        };
        let payload = Payload::live(update);
        self.write_step(name, desk, StepKind::Update, Some(payload), leave)
            .await
    }

    fn apply(&mut self, name: NodeName, update: &S::Update) -> Result<Leave, Error> {
        let node = || name.to_owned();
        self.state.apply(update).map_err(|misfit| Error::Misfit {
            node: node(),
            why: misfit.0,
        })?;
        self.shared
            .graph
            .leave(name, &self.state, &self.tally)
            .map_err(|chose| Error::UndeclaredTarget {
                node: node(),
                chose: chose.to_owned(),
            })
    }

    async fn reload(&mut self) -> Result<(), Error> {
        let loaded = self.shared.store.load(self.id(), None).await?;
        (self.state, _) = fold::whole(loaded)?;
        Ok(())
    }

    /// Ends a step that brought nothing: the run goes to its rescue node, or fails.
    async fn cut(&mut self, name: NodeName, desk: &Arc<Desk>, cut: Cut) -> Result<Progress, Error> {
        let rescue = self
            .shared
            .graph
            .rescue()
            .filter(|rescue| *rescue != name && self.tally.rescue.is_none());
        let Some(rescue) = rescue else {
            return self
                .finish(Status::Failed, &cut.to_string(), desk.take())
                .await;
        };
        if let Some(deadline) = &mut self.scribe.run.head.deadline {
            // Time for the rescue to save what there is.
            *deadline = later(self.shared.clock.now(), self.shared.settings.grace).max(*deadline);
        }
        let leave = Leave {
            to: Some(rescue),
            looped: None,
        };
        self.write_step(name, desk, StepKind::Cut(cut), None, leave)
            .await
    }

    async fn write_step(
        &mut self,
        name: NodeName,
        desk: &Arc<Desk>,
        kind: StepKind,
        payload: Option<Payload>,
        leave: Leave,
    ) -> Result<Progress, Error> {
        let mut notes = desk.take();
        let now = self.shared.clock.now();
        let step = desk.step;
        let entries = self.scribe.run.head.entries + notes.entries.len() as u32;
        let next = leave.to.map(Name::Borrowed);
        let status = match leave.to {
            Some(next) => Status::Running(self.shared.graph.phase(next, &self.state)),
            None => Status::Completed,
        };
        step_events(&mut notes, now, step, name, &kind, next.clone(), &status);
        let meta = StepMeta {
            step,
            node: Name::Borrowed(name),
            kind,
            next: next.clone(),
            looped: leave.looped,
            meters: desk.spendings(),
            entries,
            at: now,
        };
        // The desk holds the other reference; a stray task that kept it only costs a copy.
        Arc::make_mut(&mut self.tally).count(&meta);
        let snapshot = self.snapshots.take(step, &self.state, &self.tally)?;

        let mut draft = self.scribe.draft(notes);
        let ends = next.is_none();
        draft.head = Head {
            step,
            next,
            status,
            entries: 0,
            attempts: 1,
            ..draft.head
        };
        draft.record = Some(StepRecord { meta, payload });
        draft.snapshot = snapshot;
        draft.release = ends;
        let appended = self.scribe.commit(draft).await?;

        self.started_at = now;
        self.snapshots.count(appended.bytes);
        if appended.cancel_requested {
            self.held.cancel.cancel();
        }
        if ends {
            return Ok(Progress::Done(Outcome::of(&self.scribe.run.head)));
        }
        if self.held.cancel.is_cancelled() {
            return self
                .finish(Status::Cancelled, CANCELLED, Notes::default())
                .await;
        }
        Ok(Progress::Ran { step })
    }

    /// Parks the run at a gate and gives it up until there is an answer.
    async fn park(
        &mut self,
        desk: &Desk,
        key: String,
        ask: Ask,
        already_open: bool,
    ) -> Result<Progress, Error> {
        let now = self.shared.clock.now();
        let mut notes = desk.take();
        let mut head = self.scribe.run.head.clone();
        head.status = Status::Waiting;
        head.reason = Some(ask.reason.clone());
        if !already_open {
            let interrupt = Interrupt {
                reason: ask.reason,
                show: ask.show,
                deadline: ask.within.map(|within| later(now, within)),
            };
            head.wake_at = interrupt.deadline;
            notes.entries.push(Entry {
                meta: EntryMeta {
                    step: desk.step,
                    key: key.clone(),
                    kind: EntryKind::Gate,
                    part: Part::Opened,
                    meters: Meters::new(),
                    at: now,
                },
                payload: Payload::encoded(&interrupt)?,
            });
            notes.events.push((
                now,
                EventKind::Interrupted {
                    step: desk.step,
                    key,
                    interrupt,
                },
            ));
        }
        head.entries += notes.entries.len() as u32;
        let until = head.wake_at;
        let mut draft = self.scribe.draft(notes);
        draft.head = head;
        draft.release = true;
        self.scribe.commit(draft).await?;
        Ok(Progress::Waiting { until })
    }

    /// Ends the run without another step. It can be resumed at the step it was at.
    async fn finish(
        &mut self,
        status: Status,
        reason: &str,
        mut notes: Notes,
    ) -> Result<Progress, Error> {
        let reason = Some(reason.to_owned());
        let event = EventKind::RunFinished {
            status: status.clone(),
            reason: reason.clone(),
        };
        self.scribe.note(&mut notes, event);
        let entries = self.scribe.run.head.entries + notes.entries.len() as u32;
        let mut draft = self.scribe.draft(notes);
        draft.head = Head {
            status,
            reason,
            entries,
            ..draft.head
        };
        draft.release = true;
        self.scribe.commit(draft).await?;
        Ok(Progress::Done(Outcome::of(&self.scribe.run.head)))
    }
}

/// Resolves when the run's time is used up.
async fn reach<S: State, D>(shared: &Shared<S, D>, deadline: Option<Timestamp>) {
    match deadline {
        Some(deadline) => shared.clock.reach(deadline).await,
        None => std::future::pending().await,
    }
}

/// Reads a node's result together with the word its desk may hold, which counts more: a node can
/// swallow a halt, but not undo it.
fn ended<S: State>(result: NodeResult<S>, desk: &Desk) -> Result<Turn<S::Update>, Error> {
    match (desk.stop(), result) {
        (
            Some(Stop::Parked {
                key,
                ask,
                already_open,
            }),
            _,
        ) => Ok(Turn::Parked {
            key,
            ask,
            already_open,
        }),
        (Some(Stop::Broken(error)), _) => Ok(Turn::Failed(error.to_string())),
        (Some(Stop::Fault(error)), _) => Err(error),
        (Some(Stop::Superseded), _) | (None, Err(NodeError(Halted::Engine))) => {
            Err(Error::Superseded { run: desk.run })
        }
        (None, Err(NodeError(Halted::Failed(why)))) => Ok(Turn::Failed(why)),
        (None, Ok(update)) => Ok(Turn::Update(update)),
    }
}

fn step_events(
    notes: &mut Notes,
    now: Timestamp,
    step: u64,
    node: NodeName,
    kind: &StepKind,
    next: Option<Name>,
    status: &Status,
) {
    let node = Name::Borrowed(node);
    let ended = match kind {
        StepKind::Cut(cut) => EventKind::StepCut {
            step,
            node,
            cut: cut.clone(),
        },
        StepKind::Update | StepKind::Base { .. } => EventKind::StepFinished {
            step,
            node,
            next: next.clone(),
        },
    };
    let following = match (next, status) {
        (Some(node), Status::Running(phase)) => EventKind::StepStarted {
            step: step + 1,
            node,
            phase: phase.clone(),
        },
        _ => EventKind::RunFinished {
            status: status.clone(),
            reason: None,
        },
    };
    notes.events.extend([(now, ended), (now, following)]);
}

/// Commits what a node at work lays on its desk, one append at a time: what gathers while one is on
/// its way goes with the next.
struct DeskWork<'a> {
    scribe: &'a mut Scribe,
    snapshots: &'a mut Snapshots,
    desk: &'a Desk,
    in_flight: Option<InFlight>,
    cancel: CancellationToken,
}

impl DeskWork<'_> {
    /// Works until the store fails.
    async fn serve(&mut self) -> Error {
        loop {
            if let Some(in_flight) = &mut self.in_flight {
                let reply = (&mut in_flight.reply).await;
                if let Err(error) = self.settle(reply) {
                    return error;
                }
                continue;
            }
            match self.desk.pressure() {
                Pressure::Now => self.send(),
                Pressure::Since(laid) => {
                    tokio::select! {
                        () = tokio::time::sleep_until(laid + LINGER) => self.send(),
                        () = self.desk.news() => {}
                    }
                }
                Pressure::None => self.desk.news().await,
            }
        }
    }

    fn send(&mut self) {
        let notes = self.desk.take();
        let entries = notes.entries.len() as u32;
        let mut draft = self.scribe.draft(notes);
        draft.head.entries += entries;
        self.in_flight = Some(self.scribe.begin(draft));
    }

    fn settle(&mut self, reply: Result<crate::journal::Appended, Error>) -> Result<(), Error> {
        if let Some(in_flight) = self.in_flight.take() {
            let appended = self.scribe.settle(in_flight, reply)?;
            self.snapshots.count(appended.bytes);
            if appended.cancel_requested {
                self.cancel.cancel();
            }
        }
        Ok(())
    }

    async fn see_through(mut self) -> Result<(), Error> {
        let reply: OptionFuture<&mut BoxFuture<'static, _>> = self
            .in_flight
            .as_mut()
            .map(|in_flight| &mut in_flight.reply)
            .into();
        match reply.await {
            Some(reply) => self.settle(reply),
            None => Ok(()),
        }
    }
}
