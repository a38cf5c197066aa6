//! How a turn's end is written: a step, a cut, a gate, or the end of the run.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{CANCELLED, Execution, Progress, RunOutcome};
use crate::clock::later;
use crate::event::EventKind;
use crate::graph::{RunEnding, StepExit};
use crate::interrupt::Interrupt;
use crate::node::{ParkRequest, ParkWait};
use crate::record::{
    CutReason, Entry, EntryKind, EntryMeta, EntryPart, LogHead, Meters, Name, Status, StepKind,
    StepMeta, StepRecord,
};
use crate::step_buffer::{StepBuffer, StepNotes};
use crate::{Error, NodeName, Payload, State, fold, waiting};

impl<S: State, D: Send + Sync + 'static> Execution<S, D> {
    /// Takes an update in and records the step.
    pub(super) async fn record(
        &mut self,
        name: NodeName,
        buffer: &Arc<StepBuffer>,
        update: S::Update,
    ) -> Result<Progress, Error> {
        let update = Arc::new(update);
        let leave = match self.apply(name, &update) {
            Ok(leave) => leave,
            Err(error) => {
                // The state may be half changed: the log has the good one.
                self.reload().await?;
                return self
                    .cut(name, buffer, CutReason::Failed(error.to_string()))
                    .await;
            }
        };
        let payload = Payload::live(update);
        self.write_step(name, buffer, StepKind::Update, Some(payload), leave)
            .await
    }

    fn apply(&mut self, name: NodeName, update: &S::Update) -> Result<StepExit, Error> {
        let node = || name.to_owned();
        self.state
            .apply(update)
            .map_err(|invalid| Error::InvalidUpdate {
                node: node(),
                why: invalid.0,
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
        let loaded = self.shared.runtime.store.load(self.id(), None).await?;
        (self.state, _) = fold::whole(loaded)?;
        Ok(())
    }

    /// Ends a step that brought nothing: the run goes to its rescue node, or fails.
    pub(super) async fn cut(
        &mut self,
        name: NodeName,
        buffer: &Arc<StepBuffer>,
        cut: CutReason,
    ) -> Result<Progress, Error> {
        let rescue = self
            .shared
            .graph
            .rescue()
            .filter(|rescue| *rescue != name && self.tally.rescue.is_none());
        let Some(rescue) = rescue else {
            return self
                .finish(Status::Failed, &cut.to_string(), buffer.take())
                .await;
        };
        if let Some(deadline) = &mut self.writer.run.head.deadline {
            // Time for the rescue to save what there is.
            *deadline = later(
                self.shared.runtime.clock.now(),
                self.shared.runtime.settings.grace,
            )
            .max(*deadline);
        }
        let leave = StepExit {
            to: Some(rescue),
            looped: None,
        };
        self.write_step(name, buffer, StepKind::Cut(cut), None, leave)
            .await
    }

    async fn write_step(
        &mut self,
        name: NodeName,
        buffer: &Arc<StepBuffer>,
        kind: StepKind,
        payload: Option<Payload>,
        leave: StepExit,
    ) -> Result<Progress, Error> {
        let mut notes = buffer.take();
        let now = self.shared.runtime.clock.now();
        let step = buffer.params.step;
        let entries = self.writer.run.head.entries + notes.entries.len() as u32;
        let next = leave.to.map(Name::Borrowed);
        let (status, reason) = match leave.to {
            Some(next) => {
                let phase = self.shared.graph.phase(next, &self.state);
                (Status::Running(phase), None)
            }
            None => match self.shared.graph.ending(&self.state) {
                RunEnding::Complete => (Status::Completed, None),
                RunEnding::Partial(why) => (Status::Completed, Some(why)),
                RunEnding::Refused(why) => (Status::Cancelled, Some(why)),
            },
        };
        let outcome = RunOutcome { status, reason };
        step_events(&mut notes, now, step, name, &kind, next.clone(), &outcome);
        let mut meters = buffer.spendings();
        let waited = self.writer.run.head.waited;
        if !waited.is_zero() {
            waiting::count(&mut meters, waited);
        }
        let meta = StepMeta {
            step,
            node: Name::Borrowed(name),
            kind,
            next: next.clone(),
            looped: leave.looped,
            meters,
            entries,
            at: now,
        };
        // The buffer holds the other reference; a stray task that kept it only costs a copy.
        Arc::make_mut(&mut self.tally).count(&meta);
        let snapshot = self.snapshots.take(step, &self.state, &self.tally)?;

        let mut draft = self.writer.draft(notes);
        let ends = next.is_none();
        draft.head = LogHead {
            step,
            next,
            status: outcome.status,
            reason: outcome.reason,
            entries: 0,
            attempts: 1,
            waited: Duration::ZERO,
            ..draft.head
        };
        draft.record = Some(StepRecord { meta, payload });
        draft.snapshot = snapshot;
        draft.release = ends;
        let appended = self.writer.commit(draft).await?;

        self.started_at = now;
        self.snapshots.count(appended.bytes);
        self.held.mark_renewed();
        if appended.cancel_requested {
            self.held.cancel.cancel();
        }
        if ends {
            return Ok(Progress::Done(RunOutcome::from_head(&self.writer.run.head)));
        }
        if self.held.cancel.is_cancelled() {
            return self
                .finish(Status::Cancelled, CANCELLED, StepNotes::default())
                .await;
        }
        Ok(Progress::Ran { step })
    }

    /// Parks the run and gives it up until there is an answer, or until its time has come.
    pub(super) async fn park(
        &mut self,
        buffer: &StepBuffer,
        request: ParkRequest,
    ) -> Result<Progress, Error> {
        let mut notes = buffer.take();
        let mut head = self.writer.run.head.clone();
        head.parked = matches!(request.wait, ParkWait::Moment { .. });
        let interrupt = match &request.opened {
            // The journal's word counts: a reopened gate has cleared the header's.
            Some(opened) => opened.decode_owned()?,
            None => self.open_wait(&mut notes, buffer.params.step, request)?,
        };
        head.status = Status::Waiting;
        head.wake_at = interrupt.deadline;
        head.reason = Some(interrupt.reason);
        head.entries += notes.entries.len() as u32;
        let until = head.wake_at;
        let mut draft = self.writer.draft(notes);
        draft.head = head;
        draft.release = true;
        let appended = self.writer.commit(draft).await?;
        if appended.cancel_requested || self.held.cancel.is_cancelled() {
            return self.cancel_parked(until).await;
        }
        Ok(Progress::Waiting { until })
    }

    /// Notes what the run waits for, in the journal and for whoever watches.
    fn open_wait(
        &self,
        notes: &mut StepNotes,
        step: u64,
        request: ParkRequest,
    ) -> Result<Interrupt, Error> {
        let now = self.shared.runtime.clock.now();
        let ParkRequest { key, wait, .. } = request;
        let (kind, interrupt) = match wait {
            ParkWait::Answer(ask) => (
                EntryKind::Gate,
                Interrupt {
                    reason: ask.reason,
                    show: ask.show,
                    deadline: ask.within.map(|within| later(now, within)),
                },
            ),
            ParkWait::Moment { at, reason } => (EntryKind::Timer, Interrupt::timer(at, reason)),
        };
        let event = match (kind, interrupt.deadline) {
            (EntryKind::Timer, Some(until)) => EventKind::Parked {
                step,
                key: key.clone(),
                until,
                reason: interrupt.reason.clone(),
            },
            _ => EventKind::Interrupted {
                step,
                key: key.clone(),
                interrupt: interrupt.clone(),
            },
        };
        let meta = EntryMeta {
            step,
            key,
            kind,
            part: EntryPart::Opened,
            meters: Meters::new(),
            at: now,
        };
        let payload = Payload::encoded(&interrupt)?;
        notes.entries.push(Entry { meta, payload });
        notes.events.push((now, event));
        Ok(interrupt)
    }

    /// Stops a run that was asked to stop just as it parked, when nobody heard it any more.
    async fn cancel_parked(&mut self, until: Option<Timestamp>) -> Result<Progress, Error> {
        match self.writer.claim_again().await {
            Ok(true) => {
                self.finish(Status::Cancelled, CANCELLED, StepNotes::default())
                    .await
            }
            // Somebody was quicker to answer. The mark stands for whoever takes the run up.
            Ok(false) | Err(Error::Held { .. }) => Ok(Progress::Waiting { until }),
            Err(error) => Err(error),
        }
    }

    /// Ends the run without another step. It can be resumed at the step it was at.
    pub(crate) async fn finish(
        &mut self,
        status: Status,
        reason: &str,
        mut notes: StepNotes,
    ) -> Result<Progress, Error> {
        let reason = Some(reason.to_owned());
        let event = EventKind::RunFinished {
            status: status.clone(),
            reason: reason.clone(),
        };
        self.writer.note(&mut notes, event);
        let entries = self.writer.run.head.entries + notes.entries.len() as u32;
        let mut draft = self.writer.draft(notes);
        draft.head = LogHead {
            status,
            reason,
            wake_at: None,
            parked: false,
            entries,
            ..draft.head
        };
        draft.release = true;
        self.writer.commit(draft).await?;
        Ok(Progress::Done(RunOutcome::from_head(&self.writer.run.head)))
    }
}

fn step_events(
    notes: &mut StepNotes,
    now: Timestamp,
    step: u64,
    node: NodeName,
    kind: &StepKind,
    next: Option<Name>,
    after: &RunOutcome,
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
    let following = match (next, &after.status) {
        (Some(node), Status::Running(phase)) => EventKind::StepStarted {
            step: step + 1,
            node,
            phase: phase.clone(),
        },
        (_, status) => EventKind::RunFinished {
            status: status.clone(),
            reason: after.reason.clone(),
        },
    };
    notes.events.extend([(now, ended), (now, following)]);
}
