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
use crate::interrupt::{Answer, Decision, Interrupt, ParkOutcome};
use crate::log_writer::fresh_nonce;
use crate::record::{
    Append, Entry, EntryKind, EntryMeta, EntryPart, LogHead, Meters, RunHeader, Status, Token,
};
use crate::runtime::Runtime;
use crate::{Error, Payload, RunId, State, waiting};

/// How often an answer is tried against a run that keeps changing under it.
const TRIES: usize = 32;

/// A gate that stands open.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The run that waits.
    pub run: RunId,
    /// The step that asked, which has not ended yet.
    pub step: u64,
    /// The key that the question was put under in its step.
    pub key: String,
    /// When the question was put.
    pub opened_at: Timestamp,
    /// The question, what to show with it, and until when it can be answered.
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
                let why = format!("it has passed the gate \"{}\" since", asked.key);
                return Err(Error::GateClosed { run, why });
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
            match self
                .reply(&header, token, &gate, WaitReply::Answer(answer))
                .await
            {
                Ok(()) if late => {
                    let why = format!("the deadline of the gate \"{}\" has passed", gate.key);
                    return Err(Error::GateClosed { run, why });
                }
                Err(Error::Superseded { .. }) => {}
                done => return done,
            }
        }
        Err(Error::Superseded { run })
    }

    /// Lets a waiting run go on if its time has come, or if somebody has answered since `header` was
    /// read. A run that is only parked goes on `early` if a person wants it to.
    pub(crate) async fn wake(
        &self,
        header: &RunHeader,
        token: Token,
        early: bool,
    ) -> Result<(), Error> {
        let run = header.id();
        let (kind, gate) = match self.open_wait(header).await {
            Ok(found) => found,
            Err(Error::NotWaiting { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let at = self.clock.now();
        let until = gate.interrupt.deadline;
        let due = until.is_some_and(|until| at >= until);
        let reply = match kind {
            EntryKind::Timer if due || early => WaitReply::Woken { at },
            EntryKind::Gate if due => WaitReply::Answer(Answer::TimedOut { at }),
            _ => {
                let reason = gate.interrupt.reason;
                return Err(Error::Waiting { run, reason, until });
            }
        };
        match self.reply(header, token, &gate, reply).await {
            // Somebody else was quicker: it goes on all the same.
            Err(Error::Superseded { .. }) => Ok(()),
            done => done,
        }
    }

    pub(crate) async fn open_gate(&self, header: &RunHeader) -> Result<Gate, Error> {
        match self.open_wait(header).await? {
            (EntryKind::Timer, gate) => Err(Error::NotWaiting {
                run: gate.run,
                status: match gate.interrupt.deadline {
                    Some(until) => format!("parked until {until} ({})", gate.interrupt.reason),
                    None => "parked".to_owned(),
                },
            }),
            (_, gate) => Ok(gate),
        }
    }

    /// What a waiting run waits for: the last gate or timer of its step that has no answer.
    async fn open_wait(&self, header: &RunHeader) -> Result<(EntryKind, Gate), Error> {
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
                .any(|entry| entry.meta.part == EntryPart::Answered && entry.meta.key == key)
        };
        let waits = |kind| matches!(kind, EntryKind::Gate | EntryKind::Timer);
        let mut open = entries.iter().rev();
        match open.find(|entry| waits(entry.meta.kind) && !is_answered(&entry.meta.key)) {
            Some(Entry { meta, payload }) => Ok((
                meta.kind,
                Gate {
                    run,
                    step,
                    key: meta.key.clone(),
                    opened_at: meta.at,
                    interrupt: payload.decode_owned()?,
                },
            )),
            // The header was read before an answer came, or the journal would hold the gate.
            None => Err(Error::NotWaiting {
                run,
                status: "about to go on".into(),
            }),
        }
    }

    async fn reply(
        &self,
        header: &RunHeader,
        token: Token,
        gate: &Gate,
        reply: WaitReply,
    ) -> Result<(), Error> {
        let (step, key) = (gate.step, gate.key.clone());
        let (kind, at, payload, event) = match reply {
            WaitReply::Answer(answer) => {
                let (at, payload) = (answer.at(), Payload::encoded(&answer)?);
                let event = EventKind::Answered { step, key, answer };
                (EntryKind::Gate, at, payload, event)
            }
            WaitReply::Woken { at } => {
                let payload = Payload::encoded(&ParkOutcome::Woken)?;
                (
                    EntryKind::Timer,
                    at,
                    payload,
                    EventKind::Woken { step, key },
                )
            }
        };
        let waited = waiting::since_left(&header.head, at);
        let mut meters = Meters::new();
        // Counted also where it is nothing: it tells that the node's time goes on with this answer.
        waiting::count(&mut meters, header.head.waited.saturating_add(waited));
        let head = LogHead {
            entries: header.head.entries + 1,
            ..ready_again(&header.head, token, at)
        };
        let meta = EntryMeta {
            step,
            key: gate.key.clone(),
            kind,
            part: EntryPart::Answered,
            meters,
            at,
        };
        self.write_and_leave(Append {
            entries: vec![Entry { meta, payload }],
            ..one_event(gate.run, token, head, event)
        })
        .await
    }

    /// Writes to a run that this process does not work on.
    async fn write_and_leave(&self, append: Append) -> Result<(), Error> {
        let (run, head) = (append.run, append.head.clone());
        self.store.append(append, self.settings.lease).await?;
        self.hub.publish(run, &head, None);
        Ok(())
    }
}

/// The header of a run that goes on after it waited or had ended.
fn ready_again(head: &LogHead, token: Token, at: Timestamp) -> LogHead {
    let waited = waiting::since_left(head, at);
    LogHead {
        rev: token.rev + 1,
        status: Status::Pending,
        updated_at: at,
        // Waiting for people is not the run's own time.
        deadline: head.deadline.map(|deadline| later(deadline, waited)),
        wake_at: None,
        parked: false,
        reason: None,
        events: head.events + 1,
        // A step that asks many questions is started as often, and has not crashed.
        attempts: 0,
        waited: Duration::ZERO,
        ..head.clone()
    }
}

/// An append that tells of one event and gives the run up.
fn one_event(run: RunId, token: Token, head: LogHead, kind: EventKind) -> Append {
    Append {
        run,
        token,
        nonce: fresh_nonce(),
        events: vec![Event {
            number: head.events,
            at: head.updated_at,
            kind,
        }],
        head,
        record: None,
        snapshot: None,
        entries: Vec::new(),
        blobs: Vec::new(),
        release: true,
    }
}

/// What lets a waiting run go on.
enum WaitReply {
    Answer(Answer),
    /// The time of a parked run has come.
    Woken {
        at: Timestamp,
    },
}
