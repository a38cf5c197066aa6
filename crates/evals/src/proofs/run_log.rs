//! Reads all that a store holds of a run, and checks what must be true of it at any moment.
//!
//! Every check holds for a run in the middle of a step too, because each append is committed whole:
//! so a proof may look right after a crash.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::interrupt::{Answer, Interrupt, ParkOutcome};
use fathom_workflow::record::{
    Entry, EntryKind, EntryPart, RunHeader, Status, StepKind, StepRecord,
};
use fathom_workflow::{Error, RunId, State, Store};

use super::world::Effect;

/// Reads are not one transaction: a commit that was under way at a crash may come between two.
const TRIES: usize = 20;

/// Events read at once.
const PAGE: usize = 256;

/// All there is of a run.
pub struct RunLog {
    /// The header.
    pub run: RunHeader,
    /// Every record, in order.
    pub steps: Vec<StepRecord>,
    /// Journals of all steps, the one under way included.
    pub entries: Vec<Entry>,
    /// Every event, in order.
    pub events: Vec<Event>,
}

impl RunLog {
    /// Reads a run and checks its log. A fault is told with the run's id.
    pub async fn sound(store: &dyn Store, run: RunId) -> Result<Self> {
        let log = Self::read(store, run).await?;
        log.check()
            .with_context(|| format!("the log of run {run} is not sound"))?;
        Ok(log)
    }

    async fn read(store: &dyn Store, run: RunId) -> Result<Self> {
        for _ in 0..TRIES {
            let (header, token) = store.head(run).await?;
            let log = Self::read_at(store, header).await?;
            if store.head(run).await?.1.rev == token.rev {
                return Ok(log);
            }
        }
        bail!("run {run} was written to again and again while it was read")
    }

    async fn read_at(store: &dyn Store, run: RunHeader) -> Result<Self> {
        let id = run.id();
        let steps = store.steps(id, 0, usize::MAX >> 1).await?;
        let mut entries = Vec::new();
        for step in 1..=run.head.step + 1 {
            entries.extend(store.entries(id, step).await?);
        }
        let events = read_events(store, id).await?;
        Ok(Self {
            run,
            steps,
            entries,
            events,
        })
    }

    /// The effects whose answers are recorded.
    pub fn recorded(&self) -> BTreeSet<Effect> {
        let answered = self.entries.iter().map(|entry| &entry.meta).filter(|meta| {
            meta.part == EntryPart::Answered
                && matches!(meta.kind, EntryKind::Call | EntryKind::Once)
        });
        answered.map(|meta| (meta.step, meta.key.clone())).collect()
    }

    /// The entries that a reopened gate brought over from the step it had been passed in. A call that
    /// was made anew there has an event.
    pub fn copied(&self) -> BTreeSet<Effect> {
        let told = self.told();
        let metas = || self.entries.iter().map(|entry| &entry.meta);
        let there: BTreeSet<Effect> = metas().map(|meta| (meta.step, meta.key.clone())).collect();
        let mut copied = BTreeSet::new();
        for event in &self.events {
            if let EventKind::Reopened { step, gate_step } = event.kind {
                let again = metas().filter(|meta| meta.step == gate_step);
                copied.extend(again.map(|meta| (step + 1, meta.key.clone())));
            }
        }
        copied.retain(|effect| there.contains(effect) && !told.contains(effect));
        copied
    }

    /// The state after every step, folded here and not by the engine.
    pub fn fold<S: State + Clone>(&self) -> Result<Vec<S>> {
        let (mut states, mut now): (Vec<S>, Option<S>) = (Vec::new(), None);
        for record in &self.steps {
            match (&record.meta.kind, &record.payload, &mut now) {
                (StepKind::Base { .. }, Some(payload), now) => *now = Some(payload.decode_owned()?),
                (StepKind::Update, Some(payload), Some(state)) => {
                    let taken = state.apply(&payload.decode_owned()?);
                    ensure!(taken.is_ok(), "a recorded update does not fit");
                }
                (StepKind::Cut(_), None, _) => {}
                (kind, ..) => bail!("step {} is {kind:?} with the wrong body", record.meta.step),
            }
            states.push(now.clone().context("the log begins without a state")?);
        }
        Ok(states)
    }

    /// The effects that events say were answered, in order.
    fn told(&self) -> Vec<Effect> {
        let mut told = Vec::new();
        for event in &self.events {
            if let EventKind::EffectFinished { step, key, .. } = &event.kind {
                told.push((*step, key.clone()));
            }
        }
        told.sort_unstable();
        told
    }

    fn check(&self) -> Result<()> {
        self.check_steps()?;
        self.check_loops()?;
        self.check_journal()?;
        self.check_events()?;
        self.check_gates()?;
        self.check_parks()?;
        self.check_end()
    }

    fn check_steps(&self) -> Result<()> {
        let (head, found) = (&self.run.head, self.steps.len());
        ensure!(
            found as u64 == head.step + 1,
            "the head says step {}, but {found} records are there",
            head.step,
        );
        let mut leads_to = None;
        for (number, StepRecord { meta, .. }) in (0..).zip(&self.steps) {
            let found = meta.step;
            ensure!(
                found == number,
                "step {found} lies where step {number} belongs"
            );
            let reopened = matches!(meta.kind, StepKind::Base { .. });
            ensure!(
                reopened || leads_to.as_ref() == Some(&meta.node),
                "step {number} ran {}, but the one before leads to {leads_to:?}",
                meta.node
            );
            leads_to.clone_from(&meta.next);
        }
        ensure!(
            head.next == leads_to,
            "the head leads to {:?}, the last step to {leads_to:?}",
            head.next
        );
        Ok(())
    }

    /// Each use of a bounded edge counts one more than the last.
    fn check_loops(&self) -> Result<()> {
        let mut used = BTreeMap::new();
        for StepRecord { meta, .. } in &self.steps {
            if let StepKind::Base { tally, .. } = &meta.kind {
                used.clone_from(&tally.loops);
            }
            if let Some(looped) = &meta.looped {
                let count = used.entry(looped.edge.clone()).or_insert(0);
                *count += 1;
                let (edge, said) = (&looped.edge, looped.used);
                ensure!(
                    *count == said,
                    "use {count} of {edge} is recorded as {said}"
                );
            }
        }
        Ok(())
    }

    /// No key is opened or answered twice, and each step has the entries its record counts.
    fn check_journal(&self) -> Result<()> {
        let (mut names, mut counts) = (BTreeSet::new(), BTreeMap::new());
        for Entry { meta, .. } in &self.entries {
            ensure!(
                names.insert((meta.step, &meta.key, meta.part == EntryPart::Answered)),
                "\"{}\" of step {} is in the journal twice",
                meta.key,
                meta.step
            );
            *counts.entry(meta.step).or_insert(0_u32) += 1;
        }
        let head = &self.run.head;
        let recorded = self.steps.iter().map(|record| &record.meta);
        let counted = recorded.map(|meta| (meta.step, meta.entries));
        for (step, said) in counted.chain([(head.step + 1, head.entries)]) {
            let found = counts.get(&step).copied().unwrap_or(0);
            ensure!(
                found == said,
                "the journal of step {step} has {found} entries, not {said}"
            );
        }
        Ok(())
    }

    /// Events are numbered without a gap. Every recorded step and answer has exactly one, and none
    /// tells of what is not recorded.
    fn check_events(&self) -> Result<()> {
        let numbers = self.events.iter().map(|event| event.number);
        ensure!(
            numbers.eq(1..=self.run.head.events),
            "the events are not those from 1 to {}",
            self.run.head.events
        );
        let ended = self.events.iter().filter_map(|event| match event.kind {
            EventKind::StepFinished { step, .. }
            | EventKind::StepCut { step, .. }
            | EventKind::Reopened { step, .. } => Some(step),
            _ => None,
        });
        let ended: Vec<u64> = ended.collect();
        let recorded: Vec<u64> = (1..=self.run.head.step).collect();
        ensure!(
            ended == recorded,
            "steps {recorded:?} are recorded, but the events end steps {ended:?}"
        );
        let told = self.told();
        let recorded: Vec<Effect> = (&self.recorded() - &self.copied()).into_iter().collect();
        ensure!(
            told == recorded,
            "the journal answers {recorded:?}, the events tell of {told:?}"
        );
        Ok(())
    }

    /// A gate was opened before it was answered; a decision counts before its deadline, and the
    /// deadline from its moment on. A late decision that reopened its gate counts too.
    fn check_gates(&self) -> Result<()> {
        let gates = self.entries.iter();
        let gates = gates.filter(|entry| entry.meta.kind == EntryKind::Gate);
        let (answered, opened): (Vec<&Entry>, Vec<&Entry>) =
            gates.partition(|entry| entry.meta.part == EntryPart::Answered);
        let late = self.copied();
        for Entry { meta, payload } in answered {
            let (step, key) = (meta.step, &meta.key);
            if late.contains(&(step, key.clone())) {
                continue;
            }
            let same = |entry: &&&Entry| entry.meta.step == step && entry.meta.key == *key;
            let opened = opened.iter().find(same);
            let opened = opened.with_context(|| format!("gate \"{key}\" was never opened"))?;
            let deadline = opened.payload.decode_owned::<Interrupt>()?.deadline;
            let answer = payload.decode_owned()?;
            let right = match (&answer, deadline) {
                (Answer::Decided { at, .. }, Some(deadline)) => *at < deadline,
                (Answer::Decided { .. }, None) => true,
                (Answer::TimedOut { at }, Some(deadline)) => *at >= deadline,
                (Answer::TimedOut { .. }, None) => false,
            };
            ensure!(
                right,
                "gate \"{key}\" of step {step}, open until {deadline:?}, was passed by {answer:?}"
            );
            ensure!(
                self.answers(step, key) == [&answer],
                "the events tell of gate \"{key}\" of step {step}: {:?}, not {answer:?}",
                self.answers(step, key)
            );
        }
        Ok(())
    }

    /// A run that was parked told so once, and woke once. Only one that was cancelled while it was
    /// parked goes on without being woken.
    fn check_parks(&self) -> Result<()> {
        let is_told = |wanted: &EventKind| {
            let told = self.events.iter().filter(|event| event.kind == *wanted);
            told.count()
        };
        for (opened, answered) in self.parks() {
            let (step, key) = (opened.meta.step, opened.meta.key.clone());
            let Interrupt {
                deadline, reason, ..
            } = opened.payload.decode_owned()?;
            let until = deadline.context("a run is parked until no moment")?;
            let parked = EventKind::Parked {
                step,
                key: key.clone(),
                until,
                reason,
            };
            let (parked, woken) = (is_told(&parked), is_told(&EventKind::Woken { step, key }));
            let cancelled = self.events.iter().any(|event| match &event.kind {
                EventKind::RunFinished { status, .. } => *status == Status::Cancelled,
                _ => false,
            });
            let right = match answered {
                None => woken == 0,
                Some(entry) => {
                    entry.payload.decode_owned::<ParkOutcome>()? == ParkOutcome::Woken
                        && (woken == 1 || (woken == 0 && cancelled))
                }
            };
            ensure!(
                right && parked == 1,
                "step {step} parked until {until}: told {parked} times, woken {woken} times"
            );
        }
        Ok(())
    }

    /// The parks of this run, each with its answer. Those that a reopened gate brought over were
    /// told of where they happened.
    pub fn parks(&self) -> Vec<(&Entry, Option<&Entry>)> {
        let brought_over = self.copied();
        let timers = self.entries.iter();
        let timers = timers.filter(|entry| entry.meta.kind == EntryKind::Timer);
        let (answered, opened): (Vec<&Entry>, Vec<&Entry>) =
            timers.partition(|entry| entry.meta.part == EntryPart::Answered);
        let name = |entry: &Entry| (entry.meta.step, entry.meta.key.clone());
        let own = opened.into_iter();
        let own = own.filter(|entry| !brought_over.contains(&name(entry)));
        let answers = answered.into_iter();
        own.map(|entry| {
            let answer = answers.clone().find(|other| name(other) == name(entry));
            (entry, answer)
        })
        .collect()
    }

    /// The steps in which a parked run went on before its time, as only a person may let it.
    pub fn woken_early(&self) -> Result<BTreeSet<u64>> {
        let mut early = BTreeSet::new();
        for (opened, answered) in self.parks() {
            let deadline = opened.payload.decode_owned::<Interrupt>()?.deadline;
            if answered.is_some_and(|entry| Some(entry.meta.at) < deadline) {
                early.insert(opened.meta.step);
            }
        }
        Ok(early)
    }

    /// The answers to a gate, as the events tell of them.
    fn answers(&self, wanted: u64, wanted_key: &str) -> Vec<&Answer> {
        let kinds = self.events.iter().map(|event| &event.kind);
        let answers = kinds.filter_map(|kind| match kind {
            EventKind::Answered { step, key, answer } if *step == wanted && key == wanted_key => {
                Some(answer)
            }
            _ => None,
        });
        answers.collect()
    }

    /// A run that has ended says so in its last event, and only there.
    fn check_end(&self) -> Result<()> {
        let status = &self.run.head.status;
        let last = self.events.last().map(|event| &event.kind);
        let told = match last {
            Some(EventKind::RunFinished { status, .. }) => Some(status),
            _ => None,
        };
        ensure!(
            told == Some(status).filter(|status| status.is_finished()),
            "the run is {status}, but its last event is {last:?}"
        );
        let next = &self.run.head.next;
        ensure!(
            next.is_none() == (status.as_str() == "completed"),
            "the run is {status}, but what comes next is {next:?}"
        );
        Ok(())
    }
}

/// Every event of a run, in order.
pub async fn read_events(store: &dyn Store, run: RunId) -> Result<Vec<Event>, Error> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let seen = events.last().map_or(0, |event| event.number);
        let more = store.events(run, seen, PAGE).await?;
        if more.is_empty() {
            return Ok(events);
        }
        events.extend(more);
    }
}
