//! Asks a damaged store everything, and holds its answers against the good ones.
//!
//! Every answer must be the good one, or a refusal that says so. Anything else, "there is no such
//! run" included, is a silent loss.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fathom_workflow::journal::RunFilter;
use fathom_workflow::{Error, Payload, RunId, Store};
use jiff::Timestamp;
use serde::Serialize;

use super::specimen::{self, Specimen};
use crate::proofs::run_log::{RunLog, read_events};

/// More than there are steps or runs here.
const MOST: usize = 1 << 20;
/// Journals looked at in each run, spread over its steps.
const JOURNALS: u64 = 8;

/// A digest of what was read, or why it was refused.
type Answer = Result<u64, String>;

/// By run and question.
type Answers = BTreeMap<(RunId, String), Answer>;

/// The question that a damaged list need not answer, whichever run was harmed.
const LISTED: &str = "place in the list";

/// How a damaged store did.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DamageVerdict {
    Same,
    RefusedInPart,
    RefusedWhole,
}

/// A good store: its answers, and how its unfinished runs end.
pub(super) struct GoodStore {
    specimen: Specimen,
    last_steps: BTreeMap<RunId, u64>,
    answers: Answers,
    endings: BTreeMap<RunId, Vec<String>>,
}

impl GoodStore {
    /// Reads a good store, and lets its unfinished runs go on.
    pub(super) async fn read(store: &Arc<dyn Store>, specimen: Specimen) -> Result<Self> {
        let mut good = Self {
            specimen,
            last_steps: BTreeMap::new(),
            answers: Answers::new(),
            endings: BTreeMap::new(),
        };
        for &run in &good.specimen.runs {
            let log = RunLog::sound(&**store, run).await?;
            good.last_steps.insert(run, log.run.head.step);
        }
        good.answers = good.ask(store).await?;
        let wrong = good.answers.iter().find(|(_, answer)| answer.is_err());
        ensure!(wrong.is_none(), "unharmed, it answers {wrong:?}");
        for &run in &good.specimen.unfinished {
            let ending = specimen::go_on(store, run).await?;
            good.endings.insert(run, ending);
        }
        Ok(good)
    }

    /// Reads a store in which records of these runs were harmed, or anything, and lets it go on. What
    /// was not harmed must be read, and go on, as if nothing had happened.
    pub(super) async fn judge(
        &self,
        store: &Arc<dyn Store>,
        harmed: Option<&BTreeSet<RunId>>,
    ) -> Result<DamageVerdict> {
        let mut verdict = DamageVerdict::Same;
        let mut refuse = |run: RunId, why: String| {
            let may_refuse = harmed.is_none_or(|harmed| harmed.contains(&run));
            ensure!(may_refuse, "not harmed, and yet {why}");
            verdict = DamageVerdict::RefusedInPart;
            Ok(())
        };
        let due = store.due(specimen::WORKFLOW, Timestamp::MAX, Duration::ZERO, MOST);
        let due = due.await;
        let mut list_is_good = true;
        for ((run, what), answer) in self.ask(store).await? {
            match answer {
                Err(_) if what == LISTED => list_is_good = false,
                Err(why) => refuse(run, format!("{what} of {run}: {why}"))?,
                Ok(_) if answer == self.answers[&(run, what.clone())] => {}
                Ok(_) => bail!("{what} of {run} is another"),
            }
        }
        for (&run, ending) in &self.endings {
            match specimen::go_on(store, run).await {
                Err(error) => refuse(run, format!("going on with {run}: {error:#}"))?,
                Ok(ended) => {
                    ensure!(ended == *ending, "{run} ended otherwise");
                    let is_due = due.as_ref().is_ok_and(|due| due.contains(&run));
                    let told = due.is_err() || !list_is_good;
                    ensure!(is_due || told, "{run} could go on, and was not due");
                }
            }
        }
        match specimen::another(store).await {
            Ok(()) => {}
            Err(error) if harmed.is_none() && error.is::<Error>() => list_is_good = false,
            Err(error) => return Err(error.context("a new run")),
        }
        if due.is_err() || !list_is_good {
            verdict = DamageVerdict::RefusedInPart;
        }
        Ok(verdict)
    }

    /// Asks everything, each part by itself, so that a refusal of one does not hide the loss of another.
    /// A header may be damaged, so the number of steps is known beforehand.
    async fn ask(&self, store: &Arc<dyn Store>) -> Result<Answers> {
        let engine = specimen::engine(Arc::clone(store))?;
        let mut answers = Answers::new();
        let listed = list(store, &self.specimen.runs).await;
        for &run in &self.specimen.runs {
            answers.insert((run, LISTED.into()), listed.clone());
            let mut note = |what: String, answer: Result<u64, Error>| {
                // "There is no such thing" is an answer, and a wrong one here.
                let answer = match answer {
                    Err(Error::NoSuchRun { .. } | Error::NoSuchStep { .. }) => Ok(0),
                    other => other.map_err(|error| error.to_string()),
                };
                answers.insert((run, what), answer);
            };
            let last = self.last_steps[&run];
            // In the long run, half way is before its snapshot.
            for at in [last, last / 2] {
                let view = engine.view(run, (at < last).then_some(at)).await;
                let view = view.and_then(|view| match view.damage {
                    // A damaged run may be read up to the last good step, if it says so.
                    Some(damage) => Err(Error::Damaged { run, damage }),
                    None => Ok(digest(&(view.step, &view.state, &view.tally, &view.next))),
                });
                note(format!("state at step {at}"), view);
            }
            let header = store.head(run).await.map(|(head, _)| digest(&head));
            note("header".into(), header);
            let steps = store.steps(run, 0, MOST).await.map(|steps| {
                let body = |payload: &Option<Payload>| payload.as_ref().map(payload_digest);
                let steps = steps.iter().map(|step| (&step.meta, body(&step.payload)));
                digest(&steps.collect::<Vec<_>>())
            });
            note("steps".into(), steps);
            let events = read_events(&**store, run).await;
            note("events".into(), events.map(|events| digest(&events)));
            for step in (0..=last + 1).step_by((last / JOURNALS).max(1) as usize) {
                let journal = store.entries(run, step).await.map(|entries| {
                    let all = entries.iter();
                    let all = all.map(|entry| (&entry.meta, payload_digest(&entry.payload)));
                    digest(&all.collect::<Vec<_>>())
                });
                note(format!("journal of step {step}"), journal);
            }
            for (_, hash) in self.specimen.blobs.iter().filter(|(of, _)| *of == run) {
                let bytes = store.blob(*hash).await;
                note(format!("blob {hash}"), bytes.map(|bytes| hashed(&bytes)));
            }
        }
        Ok(answers)
    }
}

/// Whether the list has all of the runs; refused if it lacks some and names damage for them.
async fn list(store: &Arc<dyn Store>, wanted: &[RunId]) -> Answer {
    // Pages of two, so that cursors are read too.
    let mut filter = RunFilter {
        limit: 2,
        ..RunFilter::default()
    };
    let (mut missing, mut named) = (wanted.to_vec(), Vec::new());
    for _ in 0..MOST {
        let page = store.list(&filter).await;
        let page = page.map_err(|error| error.to_string())?;
        missing.retain(|run| !page.runs.iter().any(|listed| listed.id() == *run));
        named.extend(page.damaged);
        match page.next {
            Some(next) => filter.after = Some(next),
            None => break,
        }
    }
    // Word that the list itself is damaged speaks for every run that it may lack.
    let mut words = named.iter();
    let of_all = words.any(|word| word.starts_with("the list of runs"));
    if !missing.is_empty() && (of_all || missing.len() <= named.len()) {
        return Err(named.join(", "));
    }
    Ok(u64::from(missing.is_empty()))
}

fn payload_digest(payload: &Payload) -> u64 {
    payload.bytes().map_or(0, |bytes| hashed(&bytes))
}

fn digest<T: Serialize>(value: &T) -> u64 {
    serde_json::to_vec(value).map_or(0, |bytes| hashed(&bytes))
}

fn hashed<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
