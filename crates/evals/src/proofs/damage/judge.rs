//! Asks a damaged store everything, and holds its answers against the good ones.
//!
//! Every answer must be the good one, or a refusal that says so. Anything else, "there is no such
//! run" included, is a silent loss.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{RunTally, Status};
use fathom_workflow::{Error, Payload, RunId, Store};
use jiff::Timestamp;
use serde::Serialize;

use super::specimen::{self, NotebookEngine, Specimen};
use crate::proofs::acts::ScriptedRun;
use crate::proofs::run_log::{RunLog, read_events};

/// More than there are steps or runs here.
const MOST: usize = 1 << 20;
/// Journals looked at in each run, spread over its steps.
const JOURNALS: u64 = 8;

/// Bytes are compared by their hash.
type Digest = u64;
/// What an answer is that is neither right nor a refusal.
const WRONG: Digest = 0;
const RIGHT: Digest = 1;

/// By run and question: a digest of the answer, or why there is none.
type Answers = BTreeMap<(RunId, String), Result<Digest, String>>;

/// The question that a damaged list need not answer, whichever run was harmed.
const LISTED: &str = "place in the list";

/// What may have been harmed. What was not must be read, and go on, as if nothing had happened.
pub(super) enum Harmed {
    Anything,
    /// Records of those runs.
    Runs(BTreeSet<RunId>),
}

/// A good store: its answers, and how its unfinished runs end.
pub(super) struct GoodStore {
    specimen: Specimen,
    /// The state after every step, folded by the proof.
    states: BTreeMap<(RunId, u64), Digest>,
    last_steps: BTreeMap<RunId, u64>,
    answers: Answers,
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
    fn refuse(&mut self, harmed: &Harmed, run: RunId, told: String) {
        match harmed {
            Harmed::Runs(runs) if !runs.contains(&run) => {
                self.broken.push(format!("not harmed, and yet {told}"));
            }
            Harmed::Anything | Harmed::Runs(_) => self.refused.push(told),
        }
    }
}

impl GoodStore {
    /// Reads a good store, and lets its unfinished runs go on.
    pub(super) async fn read(store: &Arc<dyn Store>, specimen: Specimen) -> Result<Self> {
        let mut good = Self {
            specimen,
            states: BTreeMap::new(),
            last_steps: BTreeMap::new(),
            answers: Answers::new(),
            endings: BTreeMap::new(),
        };
        for &run in &good.specimen.runs {
            let log = RunLog::sound(&**store, run).await?;
            let mut tally = RunTally::default();
            for (state, record) in log.fold::<ScriptedRun>()?.iter().zip(&log.steps) {
                tally.count(&record.meta);
                let state = digest(&(state, &tally, &record.meta.next));
                good.states.insert((run, record.meta.step), state);
            }
            good.last_steps.insert(run, log.run.head.step);
        }
        good.answers = good.ask(store, &good.specimen.runs).await?;
        let is_good = |answer: &Result<Digest, String>| matches!(answer, Ok(a) if *a != WRONG);
        let wrong = good.answers.iter().find(|(_, answer)| !is_good(answer));
        ensure!(wrong.is_none(), "unharmed, it answers {wrong:?}");
        let engine = specimen::engine(Arc::clone(store))?;
        for &run in &good.specimen.unfinished {
            let ended = engine.open(run).await?.run().await?;
            ensure!(ended.status == Status::Completed, "it ended {ended:?}");
            let state = digest(&engine.view(run, None).await?.state);
            good.endings.insert(run, state);
        }
        Ok(good)
    }

    /// Reads a store that may be damaged, lets it go on, and reads it again.
    pub(super) async fn judge(
        &self,
        store: &Arc<dyn Store>,
        harmed: &Harmed,
    ) -> Result<Difference> {
        let mut difference = Difference::default();
        let all = &self.specimen.runs;
        let due = store.due(specimen::WORKFLOW, Timestamp::MAX, Duration::ZERO, MOST);
        let due = due.await;
        self.compare(store, harmed, all, &mut difference).await?;
        let names_damage = list(store).await.map_or(true, |(_, named)| named > 0);
        let went_on = self.go_on(store, harmed, &mut difference).await?;
        match due {
            Err(why) => difference.refused.push(format!("the runs due: {why}")),
            Ok(_) if names_damage => {}
            Ok(due) => {
                for run in went_on.iter().filter(|run| !due.contains(run)) {
                    let broken = format!("{run} could go on, and was not among those due");
                    difference.broken.push(broken);
                }
            }
        }
        if difference.refused.is_empty() {
            // What went on wrote to the store, and may have fallen into a damage nobody had read.
            let mut ended = all.clone();
            ended.retain(|run| !self.endings.contains_key(run));
            self.compare(store, harmed, &ended, &mut difference).await?;
        }
        Ok(difference)
    }

    async fn compare(
        &self,
        store: &Arc<dyn Store>,
        harmed: &Harmed,
        runs: &[RunId],
        difference: &mut Difference,
    ) -> Result<()> {
        for (question, answer) in self.ask(store, runs).await? {
            let (run, what) = &question;
            match answer {
                answer if answer == self.answers[&question] => {}
                Err(why) if what == LISTED => difference.refused.push(why),
                Err(why) => difference.refuse(harmed, *run, format!("{what} of {run}: {why}")),
                Ok(_) => difference
                    .broken
                    .push(format!("{what} of {run} is another")),
            }
        }
        Ok(())
    }

    /// What was not harmed goes on: unfinished runs end, and a new one begins. Gives those that did.
    async fn go_on(
        &self,
        store: &Arc<dyn Store>,
        harmed: &Harmed,
        difference: &mut Difference,
    ) -> Result<BTreeSet<RunId>> {
        let engine = specimen::engine(Arc::clone(store))?;
        let mut went_on = BTreeSet::new();
        for (&run, ending) in &self.endings {
            let going_on = async { engine.open(run).await?.run().await };
            let ended = match going_on.await {
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
                        let broken = format!("{run} ended {ended:?}, right: {right}");
                        difference.broken.push(broken);
                    }
                }
                Ok(_) => difference.refuse(harmed, run, format!("{run} ended damaged")),
                Err(error) => difference.refuse(harmed, run, format!("{run} ended: {error}")),
            }
        }
        match (specimen::another(store).await, harmed) {
            (Ok(()), _) => {}
            (Err(error), Harmed::Anything) if error.is::<Error>() => {
                difference.refused.push(format!("a new run: {error}"));
            }
            (Err(error), _) => difference.broken.push(format!("a new run: {error:#}")),
        }
        Ok(went_on)
    }

    /// Asks everything about some runs.
    async fn ask(&self, store: &Arc<dyn Store>, runs: &[RunId]) -> Result<Answers> {
        let engine = specimen::engine(Arc::clone(store))?;
        let listed = list(store).await;
        let missing = |listed: &BTreeSet<RunId>| {
            let all = self.specimen.runs.iter();
            all.filter(|run| !listed.contains(run)).count()
        };
        let mut answers = Answers::new();
        for &run in runs {
            let place = match &listed {
                Err(why) => Err(format!("the list: {why}")),
                Ok((listed, _)) if listed.contains(&run) => Ok(RIGHT),
                // A run may be missing if the list names a damage.
                Ok((listed, named)) if missing(listed) <= *named => {
                    Err("the list is damaged".into())
                }
                Ok(_) => Ok(WRONG),
            };
            answers.insert((run, LISTED.into()), place);
            self.ask_run(store, &engine, run, &mut answers).await;
        }
        for &(run, hash) in &self.specimen.blobs {
            if runs.contains(&run) {
                let bytes = store.blob(hash).await;
                let bytes = bytes.map(|bytes| bytes.map_or(WRONG, |bytes| digest_bytes(&bytes)));
                answers.insert((run, format!("blob {hash}")), said(bytes));
            }
        }
        Ok(answers)
    }

    /// A header may be damaged, so the number of steps is known beforehand.
    async fn ask_run(
        &self,
        store: &Arc<dyn Store>,
        engine: &NotebookEngine,
        run: RunId,
        answers: &mut Answers,
    ) {
        let last = self.last_steps[&run];
        let mut note = |what: String, answer| answers.insert((run, what), answer);
        for at in [last, last / 2] {
            let view = engine.view(run, (at < last).then_some(at)).await;
            let answer = view.map_err(|error| error.to_string()).and_then(|view| {
                let state = digest(&(&view.state, &view.tally, &view.next));
                let right = self.states.get(&(run, view.step)) == Some(&state);
                match (view.step == at, view.damage) {
                    (true, None) if right => Ok(RIGHT),
                    // A damaged run may be read up to the last good step, if it says so.
                    (false, Some(_)) if right => Err(format!("only up to {}", view.step)),
                    _ => Ok(WRONG),
                }
            });
            note(format!("state at step {at}"), answer);
        }
        let head = store.head(run).await;
        note("header".into(), said(head.map(|(head, _)| digest(&head))));
        let steps = store.steps(run, 0, MOST).await.map(|steps| {
            let whole = steps.iter();
            let whole = whole.map(|step| (&step.meta, step.payload.as_ref().map(payload_digest)));
            digest(&whole.collect::<Vec<_>>())
        });
        note("steps".into(), said(steps));
        let events = read_events(&**store, run).await;
        note("events".into(), said(events.map(|events| digest(&events))));
        for step in (0..=last + 1).step_by((last / JOURNALS).max(1) as usize) {
            let journal = store.entries(run, step).await.map(|entries| {
                let whole = entries.iter();
                let whole = whole.map(|entry| (&entry.meta, payload_digest(&entry.payload)));
                digest(&whole.collect::<Vec<_>>())
            });
            note(format!("journal of step {step}"), said(journal));
        }
    }
}

/// "There is no such thing" is an answer, and a wrong one here; other errors name a damage.
fn said(found: Result<Digest, Error>) -> Result<Digest, String> {
    match found {
        Ok(found) => Ok(found),
        Err(Error::NoSuchRun { .. } | Error::NoSuchStep { .. }) => Ok(WRONG),
        Err(error) => Err(error.to_string()),
    }
}

/// The runs listed, and how many damages the list names.
async fn list(store: &Arc<dyn Store>) -> Result<(BTreeSet<RunId>, usize), Error> {
    // Pages of two, so that cursors are read too.
    let mut filter = RunFilter {
        limit: 2,
        ..RunFilter::default()
    };
    let (mut runs, mut damaged) = (BTreeSet::new(), 0);
    for _ in 0..MOST {
        let page = store.list(&filter).await?;
        runs.extend(page.runs.iter().map(|run| run.id()));
        // Word that the list itself is damaged speaks for every run that it may lack.
        let of_all = |word: &String| word.starts_with("the list of runs");
        damaged += if page.damaged.iter().any(of_all) {
            MOST
        } else {
            page.damaged.len()
        };
        match page.next {
            Some(next) => filter.after = Some(next),
            None => break,
        }
    }
    Ok((runs, damaged))
}

fn payload_digest(payload: &Payload) -> Digest {
    payload.bytes().map_or(WRONG, |bytes| digest_bytes(&bytes))
}

fn digest<T: Serialize>(value: &T) -> Digest {
    serde_json::to_vec(value).map_or(WRONG, |bytes| digest_bytes(&bytes))
}

fn digest_bytes(bytes: &[u8]) -> Digest {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
