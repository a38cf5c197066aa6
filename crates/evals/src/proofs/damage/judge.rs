//! Holds a damaged store against the good one.
//!
//! Every answer must be the good one, or a refusal that says so. Anything else, "there is no such
//! run" included, is a silent loss.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Result, ensure};
use fathom_workflow::record::Status;
use fathom_workflow::{Error, RunId, Store};

use super::reading::{Digest, Reading, Seen, digest};
use super::specimen::{self, Specimen};

/// What may have been harmed. What was not must be read, and go on, as if nothing had happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Harmed {
    Anything,
    /// A record of that run.
    Run(RunId),
}

impl Harmed {
    fn may_refuse(self, run: RunId) -> bool {
        self == Self::Anything || self == Self::Run(run)
    }
}

/// A good store: its answers, and how its unfinished runs end.
pub(super) struct Good {
    specimen: Specimen,
    reading: Reading,
    last_steps: BTreeMap<RunId, u64>,
    /// The state after every step.
    states: BTreeMap<(RunId, u64), Digest>,
    endings: BTreeMap<RunId, Digest>,
}

/// How a damaged store differs from the good one.
#[derive(Default)]
pub(super) struct Difference {
    /// What was refused, each with the reason.
    pub(super) refused: Vec<String>,
    /// Promises broken: what was different without a word, or refused though it was not harmed.
    pub(super) broken: Vec<String>,
}

impl Difference {
    fn refuse(&mut self, harmed: Harmed, run: RunId, told: String) {
        match harmed.may_refuse(run) {
            true => self.refused.push(told),
            false => self.broken.push(format!("not harmed, and yet {told}")),
        }
    }
}

impl Good {
    /// Reads a good store, and lets its unfinished runs go on.
    pub(super) async fn read(store: &Arc<dyn Store>, specimen: Specimen) -> Result<Self> {
        let engine = specimen::engine(Arc::clone(store))?;
        let (mut last_steps, mut states) = (BTreeMap::new(), BTreeMap::new());
        for &run in &specimen.runs {
            let history = specimen::history(store, run).await?;
            last_steps.insert(run, history.len() as u64 - 1);
            states.extend((0..).zip(history).map(|(step, state)| ((run, step), state)));
        }
        let reading = Reading::of(store, &specimen, &last_steps).await?;
        let mut endings = BTreeMap::new();
        for &run in &specimen.unfinished {
            let ended = engine.drive(run).await?;
            ensure!(
                ended.status == Status::Completed,
                "unharmed, it ended {ended:?}"
            );
            endings.insert(run, digest(&engine.view(run, None).await?.state));
        }
        Ok(Self {
            specimen,
            reading,
            last_steps,
            states,
            endings,
        })
    }

    /// Reads a store that may be damaged, lets it go on, and reads it again.
    pub(super) async fn judge(&self, store: &Arc<dyn Store>, harmed: Harmed) -> Result<Difference> {
        let mut difference = Difference::default();
        let all: Vec<RunId> = self.specimen.runs.clone();
        let offered = self.compare(store, harmed, &all, &mut difference).await?;
        let ended = self.go_on(store, harmed, &mut difference).await?;
        for run in ended.difference(&offered) {
            let broken = format!("{run} could go on, and was not among those due");
            difference.broken.push(broken);
        }
        if difference.refused.is_empty() {
            // What went on wrote to the store, and may have fallen into a damage nobody had read.
            let ended = |run: &RunId| !self.endings.contains_key(run);
            let ended: Vec<RunId> = all.into_iter().filter(ended).collect();
            self.compare(store, harmed, &ended, &mut difference).await?;
        }
        Ok(difference)
    }

    /// Compares what can be read of some runs. Gives those on offer to whoever looks for work.
    async fn compare(
        &self,
        store: &Arc<dyn Store>,
        harmed: Harmed,
        runs: &[RunId],
        difference: &mut Difference,
    ) -> Result<BTreeSet<RunId>> {
        let reading = Reading::of(store, &self.specimen, &self.last_steps).await?;
        for ((run, what), good) in &self.reading.answers {
            let answer = &reading.answers[&(*run, what.clone())];
            if !runs.contains(run) || answer == good {
                continue;
            }
            match answer {
                Err(why) => difference.refuse(harmed, *run, format!("{what} of {run}: {why}")),
                Ok(_) => difference
                    .broken
                    .push(format!("{what} of {run} is another")),
            }
        }
        for ((run, at), view) in &reading.views {
            if runs.contains(run) {
                self.compare_view(harmed, *run, *at, view, difference);
            }
        }
        let names_damage = compare_list(&reading, runs, difference);
        Ok(match reading.due {
            Ok(due) if !names_damage => due,
            Ok(_) => runs.iter().copied().collect(),
            Err(why) => {
                difference.refused.push(format!("those due: {why}"));
                runs.iter().copied().collect()
            }
        })
    }

    /// A damaged run may be read up to the last good step, if it says so.
    fn compare_view(
        &self,
        harmed: Harmed,
        run: RunId,
        at: Option<u64>,
        view: &Result<Seen, String>,
        difference: &mut Difference,
    ) {
        let question = format!("run {run} at {at:?}");
        let seen = match view {
            Ok(seen) => seen,
            Err(why) => return difference.refuse(harmed, run, format!("{question}: {why}")),
        };
        let wanted = at.unwrap_or(self.last_steps[&run]);
        let (step, damaged) = (seen.step, seen.names_damage);
        let right = self.states.get(&(run, step)) == Some(&seen.state);
        match (step == wanted, damaged) {
            (true, false) if right => {}
            (false, true) if right => {
                difference.refuse(harmed, run, format!("{question}: only up to {step}"));
            }
            _ => difference
                .broken
                .push(format!("{question}: step {step}, right: {right}")),
        }
    }

    /// What was not harmed goes on: unfinished runs end, and a new one begins. Gives those that did.
    async fn go_on(
        &self,
        store: &Arc<dyn Store>,
        harmed: Harmed,
        difference: &mut Difference,
    ) -> Result<BTreeSet<RunId>> {
        let engine = specimen::engine(Arc::clone(store))?;
        let mut went_on = BTreeSet::new();
        for (&run, ending) in &self.endings {
            let ended = match engine.drive(run).await {
                Ok(ended) => ended,
                Err(error) => {
                    difference.refuse(harmed, run, format!("going on with {run}: {error}"));
                    continue;
                }
            };
            went_on.insert(run);
            match engine.view(run, None).await {
                Ok(view) if view.damage.is_none() => {
                    let right = digest(&view.state) == *ending;
                    if !right || ended.status != Status::Completed {
                        difference
                            .broken
                            .push(format!("{run} ended {ended:?}, right: {right}"));
                    }
                }
                Ok(_) => difference.refuse(harmed, run, format!("{run} ended damaged")),
                Err(error) => difference.refuse(harmed, run, format!("{run} ended: {error}")),
            }
        }
        match specimen::another(store).await {
            Ok(()) => {}
            Err(error) if harmed == Harmed::Anything && error.is::<Error>() => {
                difference.refused.push(format!("a new run: {error}"));
            }
            Err(error) => difference.broken.push(format!("a new run: {error:#}")),
        }
        Ok(went_on)
    }
}

/// A run may be missing from the list if the list names a damage; tells whether it does.
fn compare_list(reading: &Reading, runs: &[RunId], difference: &mut Difference) -> bool {
    let (listed, named) = match &reading.listed {
        Ok(listed) => listed,
        Err(why) => {
            difference.refused.push(format!("the list: {why}"));
            return true;
        }
    };
    let missing = runs.iter().filter(|run| !listed.contains(run)).count();
    if missing > *named {
        let broken = format!("the list lacks {missing} and names {named}");
        difference.broken.push(broken);
    } else if *named > 0 {
        difference
            .refused
            .push(format!("the list names {named} damages"));
    }
    *named > 0
}
