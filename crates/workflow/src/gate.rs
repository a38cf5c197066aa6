//! Gates: how a decision, or a deadline, lets a parked run go on.
//!
//! A gate is two lines in the journal of its step: one opens it, one answers it. Whoever answers
//! appends against the revision it has read, so of a hundred answers exactly one is taken; the rest
//! read again and find the gate closed.

use jiff::Timestamp;

use crate::clock::later;
use crate::engine::Engine;
use crate::event::{Event, EventKind};
use crate::fold;
use crate::interrupt::{Answer, Decision, Interrupt};
use crate::record::{
    Append, BaseReason, Entry, EntryKind, EntryMeta, Head, Meters, Part, Run, Status, StepKind,
    StepMeta, StepRecord, Token,
};
use crate::{Error, Payload, RunId, State};

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
        self.open_gate(&header).await
    }

    /// Answers the question of a waiting run, which is then ready to be opened again. The first
    /// answer wins, and one that comes after the deadline is too late: see [`Engine::reopen`].
    pub async fn decide(&self, run: RunId, decision: Decision) -> Result<(), Error> {
        for _ in 0..TRIES {
            let (header, token) = self.header_and_token(run).await?;
            let gate = self.open_gate(&header).await?;
            let at = self.shared.clock.now();
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
        let at = self.shared.clock.now();
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

    /// Takes a decision that came after its gate's deadline: the run goes back to that gate, as a
    /// new stretch of the same log, and passes it with this decision. Calls recorded in the gate's
    /// step are not made again. Here too the first decision wins.
    pub async fn reopen(&self, run: RunId, decision: Decision) -> Result<(), Error> {
        self.header(run).await?;
        let (store, settings) = (&self.shared.store, &self.shared.settings);
        let token = store.claim(run, self.owner(), settings.lease).await?;
        // Nobody else can reopen it from here on, so what the log says now stays true.
        let reopened = match self.reopening(run, token, decision).await {
            Ok(append) => store.append(append, settings.lease).await.map(drop),
            Err(error) => Err(error),
        };
        if reopened.is_err() {
            store.release(run, token).await?;
        }
        reopened
    }

    /// The append that turns a run back to the last gate that timed out.
    async fn reopening(
        &self,
        run: RunId,
        token: Token,
        decision: Decision,
    ) -> Result<Append, Error> {
        let (gate_step, gate_key) = self.last_timeout(run).await?;
        let (header, _) = self.header_and_token(run).await?;
        let store = &self.shared.store;
        let before = store.load(run, Some(gate_step - 1)).await?;
        let passed = store.steps(run, gate_step, 1).await?;
        let node = match passed.first() {
            Some(record) => Some(record.meta.node.clone()),
            // The step has not ended yet.
            None => header.head.next.clone(),
        };
        let Some(node) = node else {
            return Err(Error::NoSuchStep {
                run,
                step: gate_step,
                last: header.head.step,
            });
        };
        let (state, tally) = fold::whole::<S>(before)?;
        let at = self.shared.clock.now();
        let step = header.head.step + 1;
        let base = StepRecord {
            meta: StepMeta {
                step,
                node: node.clone(),
                kind: StepKind::Base {
                    tally,
                    why: BaseReason::Reopened,
                },
                next: Some(node.clone()),
                looped: None,
                meters: Meters::new(),
                // Those of a step that had not ended: the base takes its number.
                entries: header.head.entries,
                at,
            },
            payload: Some(Payload::encoded(&state)?),
        };
        let answer = Payload::encoded(&Answer::Decided { decision, at })?;
        let mut entries = store.entries(run, gate_step).await?;
        for Entry { meta, payload } in &mut entries {
            meta.step = step + 1;
            // Other gates of the step keep the answers they got.
            if meta.key == gate_key && meta.part == Part::Answered {
                *payload = answer.clone();
            }
        }
        let ended_for = at.duration_since(header.head.updated_at);
        let ended_for = ended_for.try_into().unwrap_or_default();
        let head = Head {
            rev: token.rev + 1,
            status: Status::Pending,
            step,
            next: Some(node),
            updated_at: at,
            // Nor is the time until somebody came with a late decision the run's own.
            deadline: header.head.deadline.map(|end| later(end, ended_for)),
            wake_at: None,
            reason: None,
            events: header.head.events + 1,
            entries: entries.len() as u32,
            attempts: 0,
        };
        let event = EventKind::Reopened { step, gate_step };
        let events = vec![Event {
            number: head.events,
            at,
            kind: event,
        }];
        Ok(Append {
            run,
            token,
            nonce: nonce(),
            head,
            record: Some(base),
            snapshot: None,
            entries,
            events,
            blobs: Vec::new(),
            release: true,
        })
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
        let entries = self.shared.store.entries(run, step).await?;
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
        let at = self.shared.clock.now();
        // Since the run was last written to, and not since the gate was opened: a run that was
        // cancelled at its gate and resumed has had some of that time taken off already.
        let waited = at
            .duration_since(header.head.updated_at)
            .try_into()
            .unwrap_or_default();
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
            ..header.head.clone()
        };
        let (step, key) = (gate.step, gate.key.clone());
        let meta = EntryMeta {
            step,
            key: key.clone(),
            kind: EntryKind::Gate,
            part: Part::Answered,
            meters: Meters::new(),
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
            nonce: nonce(),
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
        self.shared
            .store
            .append(append, self.shared.settings.lease)
            .await?;
        self.shared.hub.publish(gate.run, &head, None);
        Ok(())
    }

    /// The step and key of the last gate that its deadline passed, unless it was reopened since.
    async fn last_timeout(&self, run: RunId) -> Result<(u64, String), Error> {
        let (mut found, mut seen) = (None, 0);
        loop {
            let events = self.shared.store.events(run, seen, PAGE).await?;
            let Some(last) = events.last() else { break };
            seen = last.number;
            for event in events {
                match event.kind {
                    EventKind::Answered {
                        step,
                        key,
                        answer: Answer::TimedOut { .. },
                    } => found = Some((step, key)),
                    EventKind::Reopened { .. } => found = None,
                    _ => {}
                }
            }
        }
        found.ok_or_else(|| Error::GateClosed {
            run,
            key: "any".into(),
            how: "none stands that its deadline passed, so there is nothing to reopen".into(),
        })
    }
}

/// How many events are looked through at a time.
const PAGE: usize = 512;

fn nonce() -> u64 {
    RunId::new().as_uuid().as_u64_pair().1 & (u64::MAX >> 2)
}
