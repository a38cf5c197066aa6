//! Gates: how a decision, or a deadline, lets a parked run go on.
//!
//! A gate is two lines in the journal of its step: one opens it, one answers it. Whoever answers
//! appends against the revision it has read, so of a hundred answers exactly one is taken; the rest
//! read again and find the gate closed.

mod reopen;

use std::time::Duration;

use jiff::Timestamp;

use crate::clock::later;
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::interrupt::{Answer, Decision, Interrupt};
use crate::log_writer::fresh_nonce;
use crate::record::{Append, Entry, EntryKind, EntryMeta, Head, Meters, Part, Run, Status, Token};
use crate::runtime::Runtime;
use crate::{Error, Payload, RunId, State, waiting};

/// How often an answer is tried against a run that keeps changing under it.
const TRIES: usize = 32;

/// A gate that stands open.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    pub run: RunId,
    pub step: u64,
    pub key: String,
    pub opened_at: Timestamp,
    pub interrupt: Interrupt,
}

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    /// The question a waiting run asks.
    pub async fn gate(&self, run: RunId) -> Result<Gate, Error> {
        let header = self.header(run).await?;
        self.shared.runtime.open_gate(&header).await
    }

    /// Answers the question of a waiting run: see [`Runtime::decide`].
    pub async fn decide(&self, asked: &Gate, decision: Decision) -> Result<(), Error> {
        self.header(asked.run).await?;
        self.shared.runtime.decide(asked, decision).await
    }
}

impl Runtime {
    /// The question a waiting run asks.
    pub async fn gate(&self, run: RunId) -> Result<Gate, Error> {
        self.open_gate(&self.header(run).await?).await
    }

    /// Answers the question of a waiting run, which is then ready to be opened again. The first
    /// answer wins, and one that comes after the deadline is too late: see [`Engine::reopen`]. The
    /// gate is the one that the person has seen; an answer never falls to a later one.
    pub async fn decide(&self, asked: &Gate, decision: Decision) -> Result<(), Error> {
        let run = asked.run;
        for _ in 0..TRIES {
            let (header, token) = self.store.head(run).await?;
            let gate = self.open_gate(&header).await?;
            if (gate.step, &gate.key) != (asked.step, &asked.key) {
                let (key, how) = (asked.key.clone(), "the run has gone on since".to_owned());
                return Err(Error::GateClosed { run, key, how });
            }
            let at = self.clock.now();
            let late = gate
                .interrupt
                .deadline
                .is_some_and(|deadline| at >= deadline);
            let answer = if late {
                Answer::TimedOut { at }
            } else {
                Answer::Decided {
                    decision: decision.clone(),
                    at,
                }
            };
            match self.answer(&header, token, &gate, answer).await {
                Ok(()) if late => {
                    let how = "its deadline has passed".to_owned();
                    return Err(Error::GateClosed {
                        run,
                        key: gate.key,
                        how,
                    });
                }
                Err(Error::Superseded { .. }) => {}
                done => return done,
            }
        }
        Err(Error::Superseded { run })
    }

    /// Lets a parked run go on if its deadline has passed, or if somebody has answered since
    /// `header` was read.
    pub(crate) async fn wake(&self, header: &Run, token: Token) -> Result<(), Error> {
        let run = header.id();
        let gate = match self.open_gate(header).await {
            Ok(gate) => gate,
            Err(Error::NotWaiting { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let at = self.clock.now();
        match gate.interrupt.deadline {
            Some(deadline) if at >= deadline => {
                let answer = Answer::TimedOut { at };
                match self.answer(header, token, &gate, answer).await {
                    // Somebody else was quicker: it goes on all the same.
                    Err(Error::Superseded { .. }) => Ok(()),
                    done => done,
                }
            }
            until => Err(Error::Waiting {
                run,
                reason: gate.interrupt.reason,
                until,
            }),
        }
    }

    async fn open_gate(&self, header: &Run) -> Result<Gate, Error> {
        let run = header.id();
        let status = &header.head.status;
        if *status != Status::Waiting {
            return Err(Error::NotWaiting {
                run,
                status: status.to_string(),
            });
        }
        let step = header.head.step + 1;
        let entries = self.store.entries(run, step).await?;
        let is_answered = |key: &str| {
            entries
                .iter()
                .any(|entry| entry.meta.part == Part::Answered && entry.meta.key == key)
        };
        for Entry { meta, payload } in &entries {
            if meta.kind == EntryKind::Gate && !is_answered(&meta.key) {
                return Ok(Gate {
                    run,
                    step,
                    key: meta.key.clone(),
                    opened_at: meta.at,
                    interrupt: payload.decode_owned()?,
                });
            }
        }
        // The header was read before an answer came, or the journal would hold the gate.
        Err(Error::NotWaiting {
            run,
            status: "about to go on".into(),
        })
    }

    async fn answer(
        &self,
        header: &Run,
        token: Token,
        gate: &Gate,
        answer: Answer,
    ) -> Result<(), Error> {
        let at = answer.at();
        // Since the run was last written to, and not since the gate was opened: a run that was
        // cancelled at its gate and resumed has had some of that time taken off already.
        let waited = waiting::between(header.head.updated_at, at);
        let mut meters = Meters::new();
        // Counted also where it is nothing: it tells that the node's time goes on with this answer.
        waiting::count(&mut meters, header.head.waited.saturating_add(waited));
        let head = Head {
            rev: token.rev + 1,
            status: Status::Pending,
            updated_at: at,
            // Waiting for people is not the run's own time.
            deadline: header.head.deadline.map(|deadline| later(deadline, waited)),
            wake_at: None,
            reason: None,
            events: header.head.events + 1,
            entries: header.head.entries + 1,
            // A step that asks many questions is started as often, and has not crashed.
            attempts: 0,
            waited: Duration::ZERO,
            ..header.head.clone()
        };
        let (step, key) = (gate.step, gate.key.clone());
        let meta = EntryMeta {
            step,
            key: key.clone(),
            kind: EntryKind::Gate,
            part: Part::Answered,
            meters,
            at,
        };
        let entry = Entry {
            meta,
            payload: Payload::encoded(&answer)?,
        };
        let event = EventKind::Answered { step, key, answer };
        let append = Append {
            run: gate.run,
            token,
            nonce: fresh_nonce(),
            events: vec![Event {
                number: head.events,
                at,
                kind: event,
            }],
            head,
            record: None,
            snapshot: None,
            entries: vec![entry],
            blobs: Vec::new(),
            release: true,
        };
        let head = append.head.clone();
        self.store.append(append, self.settings.lease).await?;
        self.hub.publish(gate.run, &head, None);
        Ok(())
    }
}
