//! Reads all that a store holds of a run, and checks what must be true of it at any moment.
//!
//! Every check here holds for a run in the middle of a step too, because each append is committed
//! whole: so a proof may audit right after a crash.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use fathom_workflow::event::{Event, EventKind};
use fathom_workflow::record::{Entry, EntryKind, Part, Run, StepKind, StepRecord};
use fathom_workflow::{RunId, Store};

/// An effect of a run: its step and its key.
pub type Effect = (u64, String);

/// Reads are not one transaction: a commit that was under way at a crash may come between two.
const TRIES: usize = 20;

const PAGE: usize = 256;

/// All there is of a run.
pub struct Story {
    pub run: Run,
    pub steps: Vec<StepRecord>,
    /// Journals of all steps, the one under way included.
    pub entries: Vec<Entry>,
    pub events: Vec<Event>,
}

/// Reads a run and checks its log. A fault is told with the run's id.
pub async fn story(store: &dyn Store, run: RunId) -> Result<Story> {
    let story = Story::read(store, run).await?;
    story
        .check()
        .with_context(|| format!("the log of run {run} is not sound"))?;
    Ok(story)
}

impl Story {
    async fn read(store: &dyn Store, run: RunId) -> Result<Self> {
        for _ in 0..TRIES {
            let (header, token) = store.head(run).await?;
            let story = Self::read_at(store, header).await?;
            if store.head(run).await?.1.rev == token.rev {
                return Ok(story);
            }
        }
        bail!("run {run} was written to again and again while it was read")
    }

    async fn read_at(store: &dyn Store, run: Run) -> Result<Self> {
        let id = run.id();
        let steps = store.steps(id, 0, usize::MAX >> 1).await?;
        let mut entries = Vec::new();
        for step in 1..=run.head.step + 1 {
            entries.extend(store.entries(id, step).await?);
        }
        let mut events: Vec<Event> = Vec::new();
        loop {
            let seen = events.last().map_or(0, |event| event.number);
            let more = store.events(id, seen, PAGE).await?;
            if more.is_empty() {
                break;
            }
            events.extend(more);
        }
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
            meta.part == Part::Answered && matches!(meta.kind, EntryKind::Call | EntryKind::Once)
        });
        answered.map(|meta| (meta.step, meta.key.clone())).collect()
    }

    /// The entries that a reopened gate brought over from the step it had been passed in; a call that
    /// was made anew there is told of.
    pub fn copied(&self) -> BTreeSet<Effect> {
        let told = self.told();
        let mut copied = BTreeSet::new();
        for event in &self.events {
            if let EventKind::Reopened { step, gate_step } = event.kind {
                let again = self.entries.iter().map(|entry| &entry.meta);
                let again = again.filter(|meta| meta.step == gate_step);
                copied.extend(again.map(|meta| (step + 1, meta.key.clone())));
            }
        }
        let metas = self.entries.iter().map(|entry| &entry.meta);
        let there: BTreeSet<Effect> = metas.map(|meta| (meta.step, meta.key.clone())).collect();
        copied.retain(|effect| there.contains(effect) && !told.contains(effect));
        copied
    }

    /// The effects that events say were answered, in order.
    fn told(&self) -> Vec<Effect> {
        let mut told: Vec<Effect> = Vec::new();
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
        self.check_numbers()?;
        self.check_step_events()?;
        self.check_effect_events()?;
        self.check_end()
    }

    fn check_steps(&self) -> Result<()> {
        let head = &self.run.head;
        ensure!(
            self.steps.len() as u64 == head.step + 1,
            "the head says step {}, but {} records are there",
            head.step,
            self.steps.len()
        );
        for (number, record) in (0..).zip(&self.steps) {
            let found = record.meta.step;
            ensure!(
                found == number,
                "step {found} lies where step {number} belongs"
            );
        }
        for pair in self.steps.windows(2) {
            let [before, after] = pair else { continue };
            let reopened = matches!(after.meta.kind, StepKind::Base { .. });
            ensure!(
                reopened || before.meta.next.as_ref() == Some(&after.meta.node),
                "step {} leads to {:?}, but step {} ran {}",
                before.meta.step,
                before.meta.next,
                after.meta.step,
                after.meta.node
            );
        }
        let next = self.steps.last().and_then(|last| last.meta.next.clone());
        ensure!(
            head.next == next,
            "the head leads to {:?}, the last step to {next:?}",
            head.next
        );
        Ok(())
    }

    /// Each use of a bounded edge counts one more than the last.
    fn check_loops(&self) -> Result<()> {
        let mut used = BTreeMap::new();
        for record in &self.steps {
            if let StepKind::Base { tally, .. } = &record.meta.kind {
                used.clone_from(&tally.loops);
            }
            if let Some(looped) = &record.meta.looped {
                let count = used.entry(looped.edge.clone()).or_insert(0);
                *count += 1;
                ensure!(
                    *count == looped.used,
                    "use {count} of {} is recorded as use {}",
                    looped.edge,
                    looped.used
                );
            }
        }
        Ok(())
    }

    /// No key is opened or answered twice, and each step has the entries its record counts.
    fn check_journal(&self) -> Result<()> {
        let (mut names, mut counts) = (BTreeSet::new(), BTreeMap::new());
        for Entry { meta, .. } in &self.entries {
            let answered = meta.part == Part::Answered;
            ensure!(
                names.insert((meta.step, &meta.key, answered)),
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

    fn check_numbers(&self) -> Result<()> {
        for (number, event) in (1..).zip(&self.events) {
            let found = event.number;
            ensure!(
                found == number,
                "event {found} comes where {number} belongs"
            );
        }
        let (found, said) = (self.events.len() as u64, self.run.head.events);
        ensure!(found == said, "there are {found} events, not {said}");
        Ok(())
    }

    /// Every recorded step was told exactly once, and none that is not recorded.
    fn check_step_events(&self) -> Result<()> {
        let told: Vec<u64> = self
            .events
            .iter()
            .filter_map(|event| match event.kind {
                EventKind::StepFinished { step, .. }
                | EventKind::StepCut { step, .. }
                | EventKind::Reopened { step, .. } => Some(step),
                _ => None,
            })
            .collect();
        let recorded: Vec<u64> = (1..=self.run.head.step).collect();
        ensure!(
            told == recorded,
            "steps {recorded:?} are recorded, but the events end steps {told:?}"
        );
        Ok(())
    }

    /// Every recorded answer was told exactly once, and none that is not recorded.
    fn check_effect_events(&self) -> Result<()> {
        let told = self.told();
        let (recorded, copied) = (self.recorded(), self.copied());
        let recorded: Vec<Effect> = recorded.difference(&copied).cloned().collect();
        ensure!(
            told == recorded,
            "the journal answers {recorded:?}, the events tell of {told:?}"
        );
        Ok(())
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
        let ended = self.run.head.next.is_none();
        let completed = status.as_str() == "completed";
        ensure!(
            ended == completed,
            "the run is {status}, but what comes next is {:?}",
            self.run.head.next
        );
        Ok(())
    }
}
