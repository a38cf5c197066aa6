//! A decision that came too late: the run goes back to the gate it had passed.

use jiff::Timestamp;

use super::{one_event, ready_again};
use crate::engine::Engine;
use crate::event::EventKind;
use crate::fold;
use crate::interrupt::{Answer, Decision};
use crate::record::{
    Append, BaseReason, Entry, EntryKind, EntryPart, LogHead, Meters, Name, RunHeader, StepKind,
    StepMeta, StepRecord, Token, add_meters,
};
use crate::{Error, Payload, RunId, State, waiting};

/// How many events are looked through at a time.
const PAGE: usize = 512;

/// A gate that its deadline passed.
struct MissedGate {
    step: u64,
    key: String,
}

impl<S: State, D: Send + Sync + 'static> Engine<S, D> {
    /// Takes a decision that came after its gate's deadline: the run goes back to that gate, as a
    /// new stretch of the same log, and passes it with this decision. Calls recorded in the gate's
    /// step are not made again. Here too the first decision wins.
    pub async fn reopen(&self, run: RunId, decision: Decision) -> Result<(), Error> {
        self.header(run).await?;
        let (store, settings) = (&self.shared.runtime.store, &self.shared.runtime.settings);
        let token = store
            .claim(run, &self.shared.runtime.owner, settings.lease)
            .await?;
        // Nobody else can reopen it from here on, so what the log says now stays true.
        let reopened = self.turn_back(run, token, decision).await;
        if reopened.is_err()
            && let Err(error) = store.release(run, token).await
        {
            tracing::warn!(%run, %error, "the run could not be released");
        }
        reopened
    }

    async fn turn_back(&self, run: RunId, token: Token, decision: Decision) -> Result<(), Error> {
        let append = self.reopening(run, token, decision).await?;
        // A run that was cancelled after the gate is wanted again.
        self.shared.runtime.store.mark_cancel(run, false).await?;
        self.shared.runtime.write_and_leave(append).await
    }

    /// The append that turns a run back to the last gate that timed out.
    async fn reopening(
        &self,
        run: RunId,
        token: Token,
        decision: Decision,
    ) -> Result<Append, Error> {
        let missed = self.last_missed(run).await?;
        let (header, _) = self.header_and_token(run).await?;
        let at = self.shared.runtime.clock.now();
        let node = self.node_of(&header, missed.step).await?;
        let (entries, given_up) = self.entries_again(&header, &missed, decision, at).await?;
        let base = self
            .base_before(&header, &missed, node.clone(), &given_up, at)
            .await?;
        let head = LogHead {
            step: header.head.step + 1,
            next: Some(node),
            entries: entries.len() as u32,
            ..ready_again(&header.head, token, at)
        };
        let event = EventKind::Reopened {
            step: head.step,
            gate_step: missed.step,
        };
        Ok(Append {
            record: Some(base),
            entries,
            ..one_event(run, token, head, event)
        })
    }

    /// The state before the gate's step, as the record that the run goes on from.
    async fn base_before(
        &self,
        header: &RunHeader,
        missed: &MissedGate,
        node: Name,
        given_up: &Meters,
        at: Timestamp,
    ) -> Result<StepRecord, Error> {
        let (run, before) = (header.id(), missed.step - 1);
        let loaded = self.shared.runtime.store.load(run, Some(before)).await?;
        let (state, mut tally) = fold::whole::<S>(loaded)?;
        tally.meters = self.spent_elsewhere(header, missed.step, at).await?;
        add_meters(&mut tally.meters, given_up);
        Ok(StepRecord {
            meta: StepMeta {
                step: header.head.step + 1,
                node: node.clone(),
                kind: StepKind::Base {
                    tally,
                    why: BaseReason::Reopened,
                },
                next: Some(node),
                looped: None,
                meters: Meters::new(),
                // Those of a step that had not ended: the base takes its number.
                entries: header.head.entries,
                at,
            },
            payload: Some(Payload::encoded(&state)?),
        })
    }

    /// All that the run has spent, but for the gate's step, which is about to be counted again; and
    /// all that it has waited until now, the gate's step included: the step to come begins now.
    async fn spent_elsewhere(
        &self,
        header: &RunHeader,
        gate_step: u64,
        at: Timestamp,
    ) -> Result<Meters, Error> {
        let (run, store, head) = (header.id(), &self.shared.runtime.store, &header.head);
        let (_, tally) = fold::whole::<S>(store.load(run, None).await?)?;
        let mut meters = tally.meters;
        let mut waited = head.waited.saturating_add(waiting::since_left(head, at));
        waited = waited.saturating_add(waiting::counted(&meters).unwrap_or_default());
        // A step that has not ended is in no tally yet, and never will be.
        for entry in store.entries(run, head.step + 1).await? {
            let answered = waiting::counted(&entry.meta.meters).unwrap_or_default();
            waited = waited.saturating_add(answered);
            if head.step + 1 != gate_step {
                add_meters(&mut meters, &entry.meta.meters);
            }
        }
        if let Some(passed) = store.steps(run, gate_step, 1).await?.first() {
            for (meter, amount) in &passed.meta.meters {
                if let Some(spent) = meters.get_mut(meter) {
                    *spent = spent.saturating_sub(*amount);
                }
            }
        }
        waiting::take(&mut meters);
        waiting::count(&mut meters, waited);
        Ok(meters)
    }

    /// The journal of the gate's step for the step to come, with the decision in place of the
    /// deadline; and what was spent on calls that were made since the gate was opened: their answers
    /// may be to other questions than the ones that the decision leads to.
    async fn entries_again(
        &self,
        header: &RunHeader,
        missed: &MissedGate,
        decision: Decision,
        at: Timestamp,
    ) -> Result<(Vec<Entry>, Meters), Error> {
        let answer = Payload::encoded(&Answer::Decided { decision, at })?;
        let store = &self.shared.runtime.store;
        let entries = store.entries(header.id(), missed.step).await?;
        let of_gate = |entry: &&Entry| entry.meta.key == missed.key;
        let opened_at = entries.iter().find(of_gate).map(|entry| entry.meta.at);
        let (mut kept, mut given_up) = (Vec::new(), Meters::new());
        for mut entry in entries {
            let Entry { meta, payload } = &mut entry;
            // The base has counted it.
            waiting::take(&mut meta.meters);
            let since_gate = Some(meta.at) > opened_at;
            if since_gate && matches!(meta.kind, EntryKind::Call | EntryKind::Timer) {
                add_meters(&mut given_up, &meta.meters);
                continue;
            }
            meta.step = header.head.step + 2;
            // Other gates of the step keep the answers they got.
            if meta.key == missed.key && meta.part == EntryPart::Answered {
                *payload = answer.clone();
            }
            kept.push(entry);
        }
        Ok((kept, given_up))
    }

    /// The node that ran, or was about to run, as step `step`.
    async fn node_of(&self, header: &RunHeader, step: u64) -> Result<Name, Error> {
        let run = header.id();
        let passed = self.shared.runtime.store.steps(run, step, 1).await?;
        let node = match passed.into_iter().next() {
            Some(record) => Some(record.meta.node),
            // The step has not ended yet.
            None => header.head.next.clone(),
        };
        node.ok_or(Error::NoSuchStep {
            run,
            step,
            last: header.head.step,
        })
    }

    /// The last gate that its deadline passed, unless it was reopened since.
    async fn last_missed(&self, run: RunId) -> Result<MissedGate, Error> {
        let (mut found, mut seen) = (None, 0);
        loop {
            let events = self.shared.runtime.store.events(run, seen, PAGE).await?;
            let Some(last) = events.last() else { break };
            seen = last.number;
            for event in events {
                match event.kind {
                    EventKind::Answered {
                        step,
                        key,
                        answer: Answer::TimedOut { .. },
                    } => found = Some(MissedGate { step, key }),
                    EventKind::Reopened { .. } => found = None,
                    _ => {}
                }
            }
        }
        found.ok_or_else(|| Error::GateClosed {
            run,
            why: "none of its gates has timed out, so there is nothing to reopen".into(),
        })
    }
}
