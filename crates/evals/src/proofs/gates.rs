//! T12: gates that expire while nobody is there, a hundred answers at once, and late ones.
//!
//! Every round is one run that asks twice in one step: first without a deadline, then with one. Four
//! engines over the same store, as four processes would have it, answer, open and reopen it at once.

mod review;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::event::EventKind;
use fathom_workflow::interrupt::{Answer, Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Clock, Engine, Error, Gate, ManualClock, NewRun, RunId, RuntimeSettings};
use futures::future::join_all;
use jiff::Timestamp;

use super::{Proof, Setting};
use crate::stores::{Backend, Disk, Site};
use review::{Calls, PLAN, REVIEW, Review, WITHIN};

const ENGINES: usize = 4;
const ANSWERS: usize = 100;
const REOPENERS: usize = 20;
/// Shorter than the wait for late decisions, which must not count.
const TIME_LIMIT: Duration = Duration::from_secs(600);
const LONG_AFTER: Duration = Duration::from_secs(30 * 24 * 3600);
/// More events than a round brings.
const MOST: usize = 10_000;

pub fn proof() -> Proof {
    Proof {
        id: "T12",
        what: "gates under contention",
        run: |setting| Box::pin(prove(setting)),
    }
}

async fn prove(setting: Setting) -> Result<String> {
    let rounds = setting.size.pick(3, 60);
    for backend in Backend::ALL {
        let site = Site::new(backend, Disk::Fast).await?;
        for round in 0..rounds {
            // What differs from round to round is who comes first, and that is left to chance.
            let mut bench = Bench::set_up(&site).await?;
            bench
                .round()
                .await
                .with_context(|| format!("{}, round {round}", backend.name()))?;
        }
    }
    let each = Backend::ALL.len() * rounds;
    Ok(format!(
        "{each} rounds over 3 stores, {ENGINES} engines each: {} answers at once, 1 taken in \
             each race; {} late ones, 0 taken; {each} deadlines while down, each fired once; {} \
             reopenings, 1 taken in each race, 0 calls repeated",
        each * ANSWERS * 2,
        each * ANSWERS,
        each * REOPENERS,
    ))
}

/// Four engines and the run they contend for.
struct Bench<'a> {
    site: &'a Site,
    clock: Arc<ManualClock>,
    calls: Arc<Calls>,
    engines: Vec<Engine<Review, Calls>>,
}

impl<'a> Bench<'a> {
    async fn set_up(site: &'a Site) -> Result<Self> {
        let mut bench = Self {
            site,
            clock: Arc::new(ManualClock::at(Timestamp::now())),
            calls: Arc::default(),
            engines: Vec::new(),
        };
        bench.restart().await?;
        Ok(bench)
    }

    /// All processes end, and others begin.
    async fn restart(&mut self) -> Result<()> {
        self.engines.clear();
        for _ in 0..ENGINES {
            let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as _;
            let (store, calls) = (self.site.open().await?, Arc::clone(&self.calls));
            let settings = RuntimeSettings::default();
            let engine = Engine::with(review::graph()?, store, calls, clock, settings);
            self.engines.push(engine);
        }
        Ok(())
    }

    fn engine(&self, nth: usize) -> Engine<Review, Calls> {
        self.engines[nth % ENGINES].clone()
    }

    async fn round(&mut self) -> Result<()> {
        self.all_answered_in_time()
            .await
            .context("answers in time")?;
        let run = self.expires_while_down().await.context("nobody there")?;
        self.is_reopened(run).await.context("a late decision")?;
        self.all_answered_late().await.context("late answers")
    }

    /// Both gates are answered by a hundred people at once.
    async fn all_answered_in_time(&self) -> Result<()> {
        let run = self.begin().await?;
        let plan = self.one_of_many(run).await?;
        let waits = self.engine(0).drive(run).await?;
        ensure!(
            waits.status == Status::Waiting,
            "it did not ask again: {}",
            waits.status
        );
        let review = self.one_of_many(run).await?;
        let ended = self.engine(1).drive(run).await?;
        ensure!(
            ended.status == Status::Completed,
            "it ended {}",
            ended.status
        );

        let state = self.engine(2).view(run, None).await?.state;
        ensure!(
            by(&state.plan) == Some(&plan),
            "{plan} was taken, {:?} stands",
            state.plan
        );
        ensure!(
            by(&state.review) == Some(&review),
            "{review} was taken, {:?} stands",
            state.review
        );
        self.each_call_was_made_once(run, &[("draft", 1), ("read", 1), ("deliver", 1)])
    }

    /// A new run, parked at its first gate.
    async fn begin(&self) -> Result<RunId> {
        let new = NewRun {
            time_limit: Some(TIME_LIMIT),
            ..NewRun::titled("a review")
        };
        let mut execution = self.engine(0).start(new, Review::default()).await?;
        let parked = execution.run().await?;
        ensure!(
            parked.status == Status::Waiting,
            "it did not ask: {}",
            parked.status
        );
        Ok(execution.id())
    }

    /// Everybody answers at once; gives the one who was taken.
    async fn one_of_many(&self, run: RunId) -> Result<String> {
        let mut taken = Vec::new();
        let gate = self.engine(0).gate(run).await?;
        for (person, answer) in self.everybody_decides(&gate).await? {
            match answer {
                Ok(()) => taken.push(person),
                Err(Error::GateClosed { .. } | Error::NotWaiting { .. }) => {}
                Err(error) => bail!("{person} was told: {error}"),
            }
        }
        ensure!(
            taken.len() == 1,
            "{} answers were taken: {taken:?}",
            taken.len()
        );
        Ok(taken.remove(0))
    }

    async fn everybody_decides(&self, gate: &Gate) -> Result<Vec<(String, Result<(), Error>)>> {
        let people = (0..ANSWERS).map(|nth| {
            let (engine, person) = (self.engine(nth), format!("person {nth}"));
            let gate = gate.clone();
            tokio::spawn(async move {
                let decision = Decision::new(Verdict::Approve, person.clone());
                (person, engine.decide(&gate, decision).await)
            })
        });
        Ok(join_all(people)
            .await
            .into_iter()
            .collect::<Result<_, _>>()?)
    }

    /// The second gate's deadline passes while no process runs; then all open the run at once.
    async fn expires_while_down(&mut self) -> Result<RunId> {
        let run = self.at_second_gate().await?;
        self.restart().await?;
        match self.engine(0).open(run).await.map(drop) {
            Err(Error::Waiting { .. }) => {}
            other => bail!("before its deadline it could be opened: {other:?}"),
        }
        self.clock.advance(WITHIN);
        self.everybody_opens(run).await?;
        // Those who came second may all have been told to try again.
        match self.engine(0).drive(run).await {
            Ok(outcome) => ensure!(outcome.status == Status::Completed, "it ended {outcome:?}"),
            Err(Error::Ended { .. }) => {}
            Err(error) => bail!("after its deadline it could not go on: {error}"),
        }
        self.timed_out_once(run).await?;
        self.each_call_was_made_once(run, &[("draft", 1), ("read", 1), ("deliver", 1)])?;
        Ok(run)
    }

    async fn at_second_gate(&self) -> Result<RunId> {
        let run = self.begin().await?;
        let decision = Decision::new(Verdict::Modify, "the planner");
        let gate = self.engine(0).gate(run).await?;
        self.engine(0).decide(&gate, decision).await?;
        let waits = self.engine(1).drive(run).await?;
        ensure!(
            waits.status == Status::Waiting,
            "it did not ask again: {}",
            waits.status
        );
        Ok(run)
    }

    async fn everybody_opens(&self, run: RunId) -> Result<()> {
        let openers = self
            .engines
            .iter()
            .cloned()
            .map(|engine| tokio::spawn(async move { engine.drive(run).await }));
        for opened in join_all(openers).await {
            match opened? {
                Ok(outcome) => {
                    ensure!(outcome.status == Status::Completed, "it ended {outcome:?}");
                }
                Err(Error::Held { .. } | Error::Ended { .. }) => {}
                Err(error) => bail!("whoever came second was told: {error}"),
            }
        }
        Ok(())
    }

    /// The second gate was passed once, by its deadline, and not before it.
    async fn timed_out_once(&self, run: RunId) -> Result<()> {
        let mut deadline = None;
        let mut passed = Vec::new();
        for event in self.engine(0).store().events(run, 0, MOST).await? {
            match event.kind {
                EventKind::Interrupted { key, interrupt, .. } if key == REVIEW => {
                    deadline = interrupt.deadline;
                }
                EventKind::Answered { key, answer, .. } if key == REVIEW => passed.push(answer),
                _ => {}
            }
        }
        match (deadline, passed.as_slice()) {
            (Some(deadline), [Answer::TimedOut { at }]) if *at >= deadline => Ok(()),
            _ => bail!("its deadline was {deadline:?}, and it was passed by {passed:?}"),
        }
    }

    /// Long after, many come with a late decision: one of them reopens the run.
    async fn is_reopened(&self, run: RunId) -> Result<()> {
        self.clock.advance(LONG_AFTER);
        let reopener = self.one_reopens(run).await?;
        let ended = self.engine(2).drive(run).await?;
        ensure!(
            ended.status == Status::Completed,
            "reopened, it ended {ended:?}"
        );

        let state = self.engine(3).view(run, None).await?.state;
        ensure!(
            by(&state.review) == Some(&reopener),
            "{reopener} reopened, {:?} stands",
            state.review
        );
        let planner = by(&state.plan).map(String::as_str);
        ensure!(
            planner == Some("the planner"),
            "the answer to \"{PLAN}\" became {:?}",
            state.plan
        );
        // The step after the gate is a new one, so its call is made again; the gate's own is not.
        self.each_call_was_made_once(run, &[("draft", 1), ("read", 1), ("deliver", 2)])?;

        let again = Decision::new(Verdict::Reject, "somebody else");
        match self.engine(0).reopen(run, again).await {
            Err(Error::GateClosed { .. }) => Ok(()),
            other => bail!("a second late decision was not refused: {other:?}"),
        }
    }

    async fn one_reopens(&self, run: RunId) -> Result<String> {
        let people = (0..REOPENERS).map(|nth| {
            let (engine, person) = (self.engine(nth), format!("latecomer {nth}"));
            tokio::spawn(async move {
                let decision = Decision::new(Verdict::Approve, person.clone());
                (person, engine.reopen(run, decision).await)
            })
        });
        let mut taken = Vec::new();
        for reopened in join_all(people).await {
            match reopened? {
                (person, Ok(())) => taken.push(person),
                (_, Err(Error::GateClosed { .. } | Error::Held { .. })) => {}
                (person, Err(error)) => bail!("{person} was told: {error}"),
            }
        }
        ensure!(
            taken.len() == 1,
            "{} reopenings were taken: {taken:?}",
            taken.len()
        );
        Ok(taken.remove(0))
    }

    /// A hundred answers after the deadline, while others open the run.
    async fn all_answered_late(&self) -> Result<()> {
        let run = self.at_second_gate().await?;
        let gate = self.engine(0).gate(run).await?;
        self.clock.advance(WITHIN);
        let (answers, opened) =
            tokio::join!(self.everybody_decides(&gate), self.everybody_opens(run));
        opened?;
        for (person, answer) in answers? {
            match answer {
                Err(Error::GateClosed { .. } | Error::NotWaiting { .. }) => {}
                other => bail!("{person} was late and was told: {other:?}"),
            }
        }
        match self.engine(0).drive(run).await {
            Ok(_) | Err(Error::Ended { .. }) => {}
            Err(error) => bail!("after its deadline it could not go on: {error}"),
        }
        self.timed_out_once(run).await?;
        self.is_reopened_at_once().await
    }

    /// Whoever is told that the deadline has passed may reopen the run before it has gone on.
    async fn is_reopened_at_once(&self) -> Result<()> {
        let run = self.at_second_gate().await?;
        self.clock.advance(WITHIN);
        let late = Decision::new(Verdict::Approve, "a latecomer");
        let gate = self.engine(0).gate(run).await?;
        match self.engine(0).decide(&gate, late.clone()).await {
            Err(Error::GateClosed { .. }) => {}
            other => bail!("a late answer was not refused: {other:?}"),
        }
        self.engine(1).reopen(run, late).await?;
        let ended = self.engine(2).drive(run).await?;
        ensure!(
            ended.status == Status::Completed,
            "reopened at once, it ended {ended:?}"
        );
        let state = self.engine(3).replay(run).await?.state;
        ensure!(
            by(&state.review).is_some_and(|by| by == "a latecomer"),
            "{:?} stands",
            state.review
        );
        self.each_call_was_made_once(run, &[("draft", 1), ("read", 1), ("deliver", 1)])
    }

    fn each_call_was_made_once(&self, run: RunId, wanted: &[(&str, usize)]) -> Result<()> {
        for (key, times) in wanted {
            let made = self.calls.made(run, key);
            ensure!(
                made == *times,
                "\"{key}\" was called {made} times, not {times}"
            );
        }
        Ok(())
    }
}

fn by(answer: &Option<Answer>) -> Option<&String> {
    match answer {
        Some(Answer::Decided { decision, .. }) => Some(&decision.by),
        Some(Answer::TimedOut { .. }) | None => None,
    }
}
