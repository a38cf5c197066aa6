//! Reads all that a store holds of a run, and checks what must be true of it at any moment.
//!
//! Every check holds for a run in the middle of a step too, because each append is committed whole:
//! so a proof may look right after a crash.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::interrupt::{Answer, Interrupt};
use fathom_workflow::record::{
    Entry, EntryKind, EntryMeta, EntryPart, RunHeader, Status, StepKind, StepRecord,
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
    /// The entries that a reopened gate brought over from the step it had been passed in. A call that
    /// was made anew there has an event.
    pub copied: BTreeSet<Effect>,
}

impl RunLog {
    /// Reads a run and checks its log. A fault is told with the run's id.
    pub async fn sound(store: &dyn Store, run: RunId) -> Result<Self> {
        for _ in 0..TRIES {
            let (header, token) = store.head(run).await?;
            let log = Self::read(store, header).await?;
            if store.head(run).await?.1.rev == token.rev {
                let sound = log.check();
                sound.with_context(|| format!("the log of run {run} is not sound"))?;
                return Ok(log);
            }
        }
        bail!("run {run} was written to again and again while it was read")
    }

    async fn read(store: &dyn Store, run: RunHeader) -> Result<Self> {
        let id = run.id();
        let mut log = Self {
            steps: store.steps(id, 0, usize::MAX >> 1).await?,
            entries: Vec::new(),
            events: read_events(store, id).await?,
            copied: BTreeSet::new(),
            run,
        };
        for step in 1..=log.run.head.step + 1 {
            log.entries.extend(store.entries(id, step).await?);
        }
        log.copied = log.brought_over();
        Ok(log)
    }

    fn brought_over(&self) -> BTreeSet<Effect> {
        let (told, mut brought) = (self.told(), BTreeSet::new());
        for event in &self.events {
            if let EventKind::Reopened { step, gate_step } = event.kind {
                let again = self.metas().filter(|meta| meta.step == gate_step);
                brought.extend(again.map(|meta| (step + 1, meta.key.clone())));
            }
        }
        let there: BTreeSet<Effect> = self.metas().map(effect).collect();
        brought.retain(|effect| there.contains(effect) && !told.contains(effect));
        brought
    }

    /// What the entries of all journals say of themselves.
    pub fn metas(&self) -> impl Iterator<Item = &EntryMeta> {
        self.entries.iter().map(|entry| &entry.meta)
    }

    /// The effects whose answers are recorded.
    pub fn recorded(&self) -> BTreeSet<Effect> {
        let is_call = |kind| matches!(kind, EntryKind::Call | EntryKind::Once);
        let answered = self.metas().filter(|meta| meta.part == EntryPart::Answered);
        answered
            .filter(|meta| is_call(meta.kind))
            .map(effect)
            .collect()
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
        let finished = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::EffectFinished { step, key, .. } => Some((*step, key.clone())),
            _ => None,
        });
        let mut told: Vec<Effect> = finished.collect();
        told.sort_unstable();
        told
    }

    fn check(&self) -> Result<()> {
        self.check_steps()?;
        self.check_journal()?;
        self.check_events()?;
        self.check_gates()?;
        self.check_parks()?;
        self.check_end()
    }

    /// Steps follow one another, and each use of a bounded edge counts one more than the last.
    fn check_steps(&self) -> Result<()> {
        let (head, found) = (&self.run.head, self.steps.len() as u64);
        ensure!(
            found == head.step + 1,
            "the head says step {}, but {found} records are there",
            head.step,
        );
        let (mut leads_to, mut used) = (None, BTreeMap::new());
        for (number, StepRecord { meta, .. }) in (0..).zip(&self.steps) {
            let found = meta.step;
            ensure!(
                found == number,
                "step {found} lies where step {number} belongs"
            );
            if let StepKind::Base { tally, .. } = &meta.kind {
                used.clone_from(&tally.loops);
            } else {
                ensure!(
                    leads_to.as_ref() == Some(&meta.node),
                    "step {number} ran {}, but the one before leads to {leads_to:?}",
                    meta.node
                );
            }
            leads_to.clone_from(&meta.next);
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
        ensure!(
            head.next == leads_to,
            "the head leads to {:?}, the last step to {leads_to:?}",
            head.next
        );
        Ok(())
    }

    /// No key is opened or answered twice, and each step has the entries its record counts.
    fn check_journal(&self) -> Result<()> {
        let (mut names, mut counts) = (BTreeSet::new(), BTreeMap::new());
        for meta in self.metas() {
            let (step, key) = (meta.step, &meta.key);
            ensure!(
                names.insert((step, key, meta.part == EntryPart::Answered)),
                "\"{key}\" of step {step} is in the journal twice"
            );
            *counts.entry(step).or_insert(0_u32) += 1;
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
        let last = self.run.head.events;
        ensure!(
            numbers.eq(1..=last),
            "the events are not those from 1 to {last}"
        );
        let ended = self.events.iter().filter_map(|event| match event.kind {
            EventKind::StepFinished { step, .. }
            | EventKind::StepCut { step, .. }
            | EventKind::Reopened { step, .. } => Some(step),
            _ => None,
        });
        let ended: Vec<u64> = ended.collect();
        ensure!(
            ended.iter().copied().eq(1..=self.run.head.step),
            "{} steps are recorded, but the events end steps {ended:?}",
            self.run.head.step
        );
        let told = self.told();
        let recorded: Vec<Effect> = (&self.recorded() - &self.copied).into_iter().collect();
        ensure!(
            told == recorded,
            "the journal answers {recorded:?}, the events tell of {told:?}"
        );
        Ok(())
    }

    /// The entries of one kind, each with what closed it. Those that a reopened gate brought over
    /// were told of where they happened.
    pub fn pairs(&self, kind: EntryKind) -> Vec<(&Entry, Option<&Entry>)> {
        let of_kind = || {
            self.entries
                .iter()
                .filter(move |entry| entry.meta.kind == kind)
        };
        let own = of_kind().filter(|entry| {
            entry.meta.part != EntryPart::Answered && !self.copied.contains(&effect(&entry.meta))
        });
        let closes = |opened: &EntryMeta, other: &EntryMeta| {
            other.part == EntryPart::Answered && effect(other) == effect(opened)
        };
        own.map(|opened| {
            let answer = of_kind().find(|other| closes(&opened.meta, &other.meta));
            (opened, answer)
        })
        .collect()
    }

    /// A gate is opened before it is answered, and answered once; a decision counts before its
    /// deadline, and the deadline from its moment on.
    fn check_gates(&self) -> Result<()> {
        let gates = self.pairs(EntryKind::Gate);
        let answers = self.metas().filter(|meta| {
            let is_answer = meta.kind == EntryKind::Gate && meta.part == EntryPart::Answered;
            is_answer && !self.copied.contains(&effect(meta))
        });
        let answered = gates.iter().filter(|(_, answer)| answer.is_some()).count();
        ensure!(
            answers.count() == answered,
            "a gate was passed that was never opened"
        );
        for (opened, answer) in gates {
            let (step, key) = effect(&opened.meta);
            let deadline = opened.payload.decode_owned::<Interrupt>()?.deadline;
            let Some(answer) = answer else { continue };
            let answer = answer.payload.decode_owned()?;
            let in_order = match &answer {
                Answer::Decided { at, .. } => deadline.is_none_or(|deadline| *at < deadline),
                Answer::TimedOut { at } => deadline.is_some_and(|deadline| *at >= deadline),
            };
            ensure!(
                in_order,
                "gate \"{key}\" of step {step}, open until {deadline:?}, was passed by {answer:?}"
            );
            let times = self.told_times(&EventKind::Answered { step, key, answer });
            ensure!(
                times == 1,
                "the answer to a gate of step {step} is told {times} times"
            );
        }
        Ok(())
    }

    fn told_times(&self, wanted: &EventKind) -> usize {
        self.events
            .iter()
            .filter(|event| event.kind == *wanted)
            .count()
    }

    /// A run that was parked told so once, and woke once. Only one that was cancelled while it was
    /// parked goes on without being woken.
    fn check_parks(&self) -> Result<()> {
        let cancelled = self.events.iter().any(|event| match &event.kind {
            EventKind::RunFinished { status, .. } => *status == Status::Cancelled,
            _ => false,
        });
        for (opened, answer) in self.pairs(EntryKind::Timer) {
            let (step, key) = effect(&opened.meta);
            let interrupt: Interrupt = opened.payload.decode_owned()?;
            let woken = self.told_times(&EventKind::Woken {
                step,
                key: key.clone(),
            });
            let parked = self.told_times(&EventKind::Parked {
                step,
                key,
                until: interrupt
                    .deadline
                    .context("a run is parked until no moment")?,
                reason: interrupt.reason,
            });
            let in_order = match answer {
                None => woken == 0,
                Some(_) => woken == 1 || (woken == 0 && cancelled),
            };
            ensure!(
                in_order && parked == 1,
                "step {step} parked: told {parked} times, woken {woken} times"
            );
        }
        Ok(())
    }

    /// The steps in which a parked run went on before its time, as only a person may let it.
    pub fn woken_early(&self) -> Result<BTreeSet<u64>> {
        let mut early = BTreeSet::new();
        for (opened, answer) in self.pairs(EntryKind::Timer) {
            let deadline = opened.payload.decode_owned::<Interrupt>()?.deadline;
            if answer.is_some_and(|entry| Some(entry.meta.at) < deadline) {
                early.insert(opened.meta.step);
            }
        }
        Ok(early)
    }

    /// A run that has ended says so in its last event, and only there.
    fn check_end(&self) -> Result<()> {
        let (status, next) = (&self.run.head.status, &self.run.head.next);
        let last = self.events.last().map(|event| &event.kind);
        let told = match last {
            Some(EventKind::RunFinished { status, .. }) => Some(status),
            _ => None,
        };
        ensure!(
            told == Some(status).filter(|status| status.is_finished()),
            "the run is {status}, but its last event is {last:?}"
        );
        ensure!(
            next.is_none() == (*status == Status::Completed),
            "the run is {status}, but what comes next is {next:?}"
        );
        Ok(())
    }
}

fn effect(meta: &EntryMeta) -> Effect {
    (meta.step, meta.key.clone())
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
