//! Taking up a run that exists: to go on with it, to try it again, or to stop it.

use std::time::Duration;

use jiff::Timestamp;

use super::Engine;
use crate::clock::later;
use crate::event::EventKind;
use crate::lease::HeldRun;
use crate::record::{LogHead, RunHeader, Status, Token};
use crate::run::Execution;
use crate::runtime::Runtime;
use crate::step_buffer::{self, StepNotes};
use crate::{Error, Owner, RunId, State, fold, waiting};

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    /// Takes a run up again where its log ends. A parked run whose time has come goes on; one that
    /// must wait is refused with [`Error::Waiting`], one that has ended with [`Error::Ended`].
    pub async fn open(&self, run: RunId) -> Result<Execution<S, D>, Error> {
        self.admit(run, OpenPurpose::Open).await?;
        self.take_hold(run, OpenPurpose::Open).await
    }

    /// Like [`Engine::open`], for a person: a failed or cancelled run goes on too, and one that
    /// crashed too often gets another chance.
    pub async fn resume(&self, run: RunId) -> Result<Execution<S, D>, Error> {
        self.admit(run, OpenPurpose::Resume).await?;
        self.take_hold(run, OpenPurpose::Resume).await
    }

    /// Refuses a run that there is nothing to do for. One whose gate has timed out passes it.
    async fn admit(&self, run: RunId, purpose: OpenPurpose) -> Result<(), Error> {
        let (header, token) = self.header_and_token(run).await?;
        match header.head.status {
            Status::Waiting => {
                let early = matches!(purpose, OpenPurpose::Resume);
                self.shared.runtime.wake(&header, token, early).await
            }
            _ => purpose.check(&header),
        }
    }

    async fn take_hold(&self, run: RunId, purpose: OpenPurpose) -> Result<Execution<S, D>, Error> {
        let Runtime {
            store,
            settings,
            owner,
            clock,
            ..
        } = &*self.shared.runtime;
        let held = self.shared.runtime.hold(run, clock.now())?;
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
        held: HeldRun,
        purpose: OpenPurpose,
    ) -> Result<Execution<S, D>, Error> {
        let Runtime {
            store,
            settings,
            owner,
            clock,
            ..
        } = &*self.shared.runtime;
        if let OpenPurpose::Resume = purpose {
            // Only now: whoever held the run before would not have heard of the cancel any more.
            store.mark_cancel(run, false).await?;
        }
        let loaded = store.load(run, None).await?;
        let header = loaded.run.clone();
        // Between the first look and the claim another process may have ended it.
        purpose.check(&header)?;
        let head = &header.head;
        let started_at = match loaded.records.last() {
            Some(record) => record.meta.at,
            // The step before this one lies within the snapshot.
            None => self.shared.runtime.step(run, head.step).await?.meta.at,
        };
        let (state, tally) = fold::whole(loaded)?;
        let journal = step_buffer::journal(store.entries(run, head.step + 1).await?);

        let mut execution = self.execution(header, token, state, tally, journal, started_at, held);
        match purpose {
            OpenPurpose::Open => execution.refuse_crash_loop(settings.max_starts).await?,
            OpenPurpose::Resume => execution.start_anew(clock.now()),
            OpenPurpose::Cancel => {}
        }
        execution
            .note_resumption(owner.clone(), clock.now())
            .await?;
        Ok(execution)
    }

    /// Asks a run to stop, wherever it is worked on. It can be resumed. Tells whether it has stopped
    /// already; else somebody holds it, who will hear of it at the next step if they live.
    pub async fn cancel(&self, run: RunId) -> Result<bool, Error> {
        OpenPurpose::Cancel.check(&self.header(run).await?)?;
        self.shared.runtime.store.mark_cancel(run, true).await?;
        if self.shared.runtime.leases.cancel(run) {
            return Ok(false);
        }
        // Nobody may be there to hear it. If nobody is, stop the run here.
        match self.take_hold(run, OpenPurpose::Cancel).await {
            Ok(mut execution) => {
                execution.held.cancel.cancel();
                execution.advance().await?;
                Ok(true)
            }
            Err(Error::Held { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl<S: State, D: Send + Sync + 'static> Execution<S, D> {
    /// Fails a run whose step was started too often, so that nobody starts it for ever.
    async fn refuse_crash_loop(&mut self, max_starts: u32) -> Result<(), Error> {
        let (id, now) = (self.id(), self.shared.runtime.clock.now());
        let head = &mut self.writer.run.head;
        if head.attempts < max_starts {
            return Ok(());
        }
        let error = Error::CrashLoop {
            run: id,
            step: head.step + 1,
            node: head.next.as_deref().unwrap_or_default().to_owned(),
            attempts: head.attempts,
        };
        // The end is written now, so what it lay there before would be counted as work.
        (head.deadline, head.waited) = (after_pause(head, now), waited_by(head, now));
        let reason = error.to_string();
        self.finish(Status::Failed, &reason, StepNotes::default())
            .await?;
        Err(error)
    }

    /// Gives a run that a person resumes its chances back, and its time if that was used up.
    fn start_anew(&mut self, now: Timestamp) {
        let RunHeader { about, head, .. } = &mut self.writer.run;
        head.attempts = 0;
        if after_pause(head, now).is_some_and(|deadline| deadline <= now) {
            head.deadline = about.time_limit.map(|limit| later(now, limit));
            head.waited = waited_by(head, now);
            // So that the pause is not added to them again.
            head.updated_at = now;
        }
    }

    /// Records that the run goes on. The time in which nobody held it does not count as its own.
    async fn note_resumption(&mut self, owner: Owner, now: Timestamp) -> Result<(), Error> {
        let head = &self.writer.run.head;
        let attempt = head.attempts + 1;
        let (deadline, waited) = (after_pause(head, now), waited_by(head, now));
        let resumed = EventKind::RunResumed {
            owner,
            step: head.step + 1,
            attempt,
        };
        let mut notes = StepNotes::default();
        self.writer.note(&mut notes, resumed);
        let mut draft = self.writer.draft(notes);
        draft.head = LogHead {
            status: Status::Pending,
            wake_at: None,
            parked: false,
            attempts: attempt,
            reason: None,
            deadline,
            waited,
            ..draft.head
        };
        if self.writer.commit(draft).await?.cancel_requested {
            self.held.cancel.cancel();
        }
        Ok(())
    }
}

/// The deadline of a run that nobody has held since it was last written to.
fn after_pause(head: &LogHead, now: Timestamp) -> Option<Timestamp> {
    let paused = waiting::since_left(head, now);
    head.deadline.map(|deadline| later(deadline, paused))
}

/// How long such a run has waited in its step since the last answer.
fn waited_by(head: &LogHead, now: Timestamp) -> Duration {
    let paused = waiting::since_left(head, now);
    head.waited.saturating_add(paused)
}

/// What a run is taken up for, which says what it may be.
#[derive(Clone, Copy)]
enum OpenPurpose {
    Open,
    Resume,
    Cancel,
}

impl OpenPurpose {
    fn check(self, header: &RunHeader) -> Result<(), Error> {
        let (run, head) = (header.id(), &header.head);
        match (&head.status, self) {
            (Status::Pending | Status::Running(_), _) | (Status::Waiting, Self::Cancel) => Ok(()),
            // Without a step to go on with, a person has ended it for good.
            (Status::Failed | Status::Cancelled, Self::Resume) if head.next.is_some() => Ok(()),
            (Status::Waiting, Self::Open | Self::Resume) => Err(Error::Waiting {
                run,
                reason: head.reason.clone().unwrap_or_default(),
                until: head.wake_at,
            }),
            (Status::Completed | Status::Failed | Status::Cancelled, _) => {
                let status = head.status.to_string();
                Err(Error::Ended { run, status })
            }
        }
    }
}
