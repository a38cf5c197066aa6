//! All that can be asked of a store about a specimen, and what it answers.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fathom_workflow::event::Event;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{Entry, StepRecord};
use fathom_workflow::{Error, Payload, RunId, Store, View};
use jiff::Timestamp;
use serde::Serialize;

use super::specimen::{self, Notebook, Specimen};

/// More than there are events, steps or runs here.
const MOST: usize = 1 << 20;
/// Journals looked at in each run, spread over its steps.
const JOURNALS: u64 = 8;

/// Bytes are compared by their hash.
pub(super) type Digest = u64;

/// A part of a run, in words.
pub(super) type Question = (RunId, String);

pub(super) struct Reading {
    /// A digest of each answer, or why there is none.
    pub(super) answers: BTreeMap<Question, Result<Digest, String>>,
    pub(super) views: BTreeMap<(RunId, Option<u64>), Result<Seen, String>>,
    /// The runs listed, and how many damages the list names.
    pub(super) listed: Result<(BTreeSet<RunId>, usize), String>,
    pub(super) due: Result<BTreeSet<RunId>, String>,
}

/// A run as of some step.
pub(super) struct Seen {
    /// The step it could be read to.
    pub(super) step: u64,
    pub(super) state: Digest,
    pub(super) names_damage: bool,
}

impl Seen {
    pub(super) fn of(view: &View<Notebook>) -> Self {
        Self {
            step: view.step,
            state: digest(&(&view.state, &view.tally, &view.next)),
            names_damage: view.damage.is_some(),
        }
    }
}

impl Reading {
    /// Asks everything. A header may be damaged, so the number of steps is known beforehand.
    pub(super) async fn of(
        store: &Arc<dyn Store>,
        specimen: &Specimen,
        last_steps: &BTreeMap<RunId, u64>,
    ) -> Result<Self> {
        let engine = specimen::engine(Arc::clone(store))?;
        let (mut answers, mut views) = (BTreeMap::new(), BTreeMap::new());
        for (&run, &last) in last_steps {
            for at in [None, Some(last / 2)] {
                let view = engine.view(run, at).await;
                views.insert(
                    (run, at),
                    view.map(|view| Seen::of(&view)).map_err(in_words),
                );
            }
            for (what, answer) in about_run(store, run, last).await {
                answers.insert((run, what), answer);
            }
        }
        for &(run, hash) in &specimen.blobs {
            let bytes = store
                .blob(hash)
                .await
                .map(|bytes| digest_bytes(&bytes.unwrap_or_default()));
            answers.insert((run, format!("blob {hash}")), answer(bytes));
        }
        let due = store
            .due(specimen::WORKFLOW, Timestamp::MAX, Duration::ZERO, MOST)
            .await;
        Ok(Self {
            answers,
            views,
            listed: list(store).await.map_err(in_words),
            due: due.map(BTreeSet::from_iter).map_err(in_words),
        })
    }
}

async fn about_run(
    store: &Arc<dyn Store>,
    run: RunId,
    last: u64,
) -> Vec<(String, Result<Digest, String>)> {
    let head = store.head(run).await.map(|(header, _)| digest(&header));
    let steps = store.steps(run, 0, MOST).await;
    let events = all_events(store, run).await;
    let mut answers = vec![
        ("header".to_owned(), answer(head)),
        (
            "steps".to_owned(),
            answer(steps.map(|steps| of_steps(&steps))),
        ),
        (
            "events".to_owned(),
            answer(events.map(|events| digest(&events))),
        ),
    ];
    for step in (0..=last + 1).step_by((last / JOURNALS).max(1) as usize) {
        let journal = store.entries(run, step).await;
        let journal = journal.map(|journal| of_journal(&journal));
        answers.push((format!("journal of step {step}"), answer(journal)));
    }
    answers
}

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
        damaged += match page.damaged.iter().any(of_all) {
            true => MOST,
            false => page.damaged.len(),
        };
        match page.next {
            Some(next) => filter.after = Some(next),
            None => break,
        }
    }
    Ok((runs, damaged))
}

async fn all_events(store: &Arc<dyn Store>, run: RunId) -> Result<Vec<Event>, Error> {
    let mut all: Vec<Event> = Vec::new();
    loop {
        let seen = all.last().map_or(0, |event| event.number);
        let more = store.events(run, seen, 64).await?;
        if more.is_empty() {
            return Ok(all);
        }
        all.extend(more);
    }
}

/// "There is no such thing" is an answer, and a wrong one here; other errors name a damage.
fn answer(found: Result<Digest, Error>) -> Result<Digest, String> {
    match found {
        Ok(found) => Ok(found),
        Err(Error::NoSuchRun { .. } | Error::NoSuchStep { .. }) => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

fn in_words(error: Error) -> String {
    error.to_string()
}

fn of_steps(steps: &[StepRecord]) -> Digest {
    let whole = |step: &StepRecord| digest(&(&step.meta, step.payload.as_ref().map(of_payload)));
    digest(&steps.iter().map(whole).collect::<Vec<_>>())
}

fn of_journal(journal: &[Entry]) -> Digest {
    let whole = |entry: &Entry| digest(&(&entry.meta, of_payload(&entry.payload)));
    digest(&journal.iter().map(whole).collect::<Vec<_>>())
}

fn of_payload(payload: &Payload) -> Digest {
    payload.bytes().map_or(0, |bytes| digest_bytes(&bytes))
}

pub(super) fn digest<T: Serialize>(value: &T) -> Digest {
    serde_json::to_vec(value).map_or(0, |bytes| digest_bytes(&bytes))
}

fn digest_bytes(bytes: &[u8]) -> Digest {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
