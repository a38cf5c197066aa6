//! T12: gates that expire while nobody is there, a hundred answers at once, and late ones.
//!
//! Every round is a few runs that ask twice in one step: first without a deadline, then with one. Four
//! engines over the same store, as four processes would have it, answer, open and reopen them at once.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Error, Gate, ManualClock, NewRun, RunId, RuntimeSettings};
use futures::future::{join_all, try_join_all};
use jiff::Timestamp;

use super::Setting;
use super::lab::engine;
use super::run_log::RunLog;
use super::scripted::{Act, ScriptedEngine, ScriptedRun, scripted};
use super::world::ObservedWorld;
use crate::stores::{Backend, Disk, Site};

const ENGINES: usize = 4;
const ANSWERS: usize = 100;
const REOPENERS: usize = 20;
/// How long the second gate waits.
const WITHIN: Duration = Duration::from_secs(3600);
/// Shorter than the wait for late decisions, which must not count.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// Where the answers to the two gates stand in what a run brought: after its first two calls.
const PLAN: usize = 2;
const REVIEW: usize = 3;

pub(super) async fn prove(setting: Setting) -> Result<String> {
    let rounds = setting.size.pick(3, 60);
    for backend in Backend::ALL {
        let site = Site::new(backend, Disk::Fast).await?;
        for round in 0..rounds {
            // What differs from round to round is who comes first, and that is left to chance.
            let mut crowd = Crowd::new(&site).await?;
            let told = || format!("{}, round {round}", backend.name());
            crowd.round().await.with_context(told)?;
        }
    }
    let each = Backend::ALL.len() * rounds;
    Ok(format!(
        "{each} rounds over 3 stores, {ENGINES} engines each: {} answers at once, 1 taken in each \
         race; {} late ones, 0 taken; {each} deadlines while down, each fired once; {} reopenings, \
         1 taken in each race, 0 calls repeated",
        each * ANSWERS * 2,
        each * ANSWERS,
        each * REOPENERS,
    ))
}

/// Four engines and the people who use them.
struct Crowd<'a> {
    site: &'a Site,
    clock: Arc<ManualClock>,
    world: Arc<ObservedWorld>,
    engines: Vec<ScriptedEngine>,
}

impl<'a> Crowd<'a> {
    async fn new(site: &'a Site) -> Result<Self> {
        let mut crowd = Self {
            site,
            clock: Arc::new(ManualClock::at(Timestamp::now())),
            world: ObservedWorld::new(Some(site.open().await?)),
            engines: Vec::new(),
        };
        crowd.restart().await?;
        Ok(crowd)
    }

    /// All processes end, and others begin.
    async fn restart(&mut self) -> Result<()> {
        let stores = try_join_all((0..ENGINES).map(|_| self.site.open())).await?;
        self.engines.clear();
        for store in stores {
            let (clock, lease) = (
                Arc::clone(&self.clock) as _,
                RuntimeSettings::default().lease,
            );
            let engine = engine(scripted("review")?, store, &self.world, clock, lease);
            self.engines.push(engine);
        }
        Ok(())
    }

    async fn round(&mut self) -> Result<()> {
        self.answered_in_time().await.context("answers in time")?;
        self.answered_late().await.context("late answers")?;
        let run = self.expires_while_down().await.context("nobody there")?;
        self.is_reopened(run).await.context("a late decision")?;
        self.world.verdict()
    }

    /// Both gates are answered by a hundred people at once, and one is heard.
    async fn answered_in_time(&self) -> Result<()> {
        let run = self.begin().await?;
        let gate = self.engines[0].gate(run).await?;
        let plan = only(self.decide(&gate).await?)?;
        self.goes_on(1, run, Status::Waiting).await?;
        let gate = self.engines[0].gate(run).await?;
        let review = only(self.decide(&gate).await?)?;
        self.goes_on(2, run, Status::Completed).await?;
        let wanted = [plan, review].map(|person| format!("Approve by {person}"));
        self.came_to(run, [&wanted[0], &wanted[1]], 3).await
    }

    /// A hundred answers after the deadline, while others open the run.
    async fn answered_late(&self) -> Result<()> {
        let run = self.at_second_gate().await?;
        self.clock.advance(WITHIN);
        let gate = self.engines[0].gate(run).await?;
        let (heard, opened) = tokio::join!(self.decide(&gate), self.everybody_opens(run));
        opened?;
        let heard = heard?;
        ensure!(heard.is_empty(), "{heard:?} were late and were heard");
        self.timed_out_once(run).await
    }

    /// The second gate's deadline passes while no process runs; then all open the run at once.
    async fn expires_while_down(&mut self) -> Result<RunId> {
        let run = self.at_second_gate().await?;
        self.restart().await?;
        match self.engines[0].open(run).await.map(drop) {
            Err(Error::Waiting { .. }) => {}
            other => bail!("before its deadline it could be opened: {other:?}"),
        }
        self.clock.advance(WITHIN);
        self.everybody_opens(run).await?;
        self.timed_out_once(run).await?;
        Ok(run)
    }

    /// Long after, many come with a late decision: one of them reopens the run. The step after the
    /// gate is a new one, so its call is made again; the gate's own is not.
    async fn is_reopened(&self, run: RunId) -> Result<()> {
        self.clock.advance(1_000 * TIME_LIMIT);
        let reopen = |engine: ScriptedEngine, by| async move { engine.reopen(run, by).await };
        let refused = |it: &Error| matches!(it, Error::GateClosed { .. } | Error::Held { .. });
        let reopener = only(self.taken(REOPENERS, reopen, refused).await?)?;
        self.goes_on(2, run, Status::Completed).await?;
        let wanted = format!("Approve by {reopener}");
        self.came_to(run, ["Modify by the planner", &wanted], 4)
            .await
    }

    /// A new run, parked at its first gate.
    async fn begin(&self) -> Result<RunId> {
        let new = NewRun {
            time_limit: Some(TIME_LIMIT),
            ..NewRun::titled("a review")
        };
        let [plan, review] = [None, Some(WITHIN.as_secs())].map(|within_s| Act::Ask { within_s });
        let turns = vec![
            vec![Act::Call],
            vec![Act::Call, plan, review],
            vec![Act::Call],
        ];
        let mut execution = self.engines[0].start(new, ScriptedRun::new(turns)).await?;
        let parked = execution.run().await?.status;
        ensure!(parked == Status::Waiting, "it did not ask: {parked}");
        Ok(execution.id())
    }

    async fn at_second_gate(&self) -> Result<RunId> {
        let run = self.begin().await?;
        let gate = self.engines[0].gate(run).await?;
        let decision = Decision::new(Verdict::Modify, "the planner");
        self.engines[0].decide(&gate, decision).await?;
        self.goes_on(1, run, Status::Waiting).await?;
        Ok(run)
    }

    /// Somebody lets the run go on, and it must come to this.
    async fn goes_on(&self, nth: usize, run: RunId, to: Status) -> Result<()> {
        let outcome = self.engines[nth].open(run).await?.run().await?;
        ensure!(outcome.status == to, "it came to {outcome:?}, not {to}");
        Ok(())
    }

    /// Everybody answers at once; gives those whose answer was taken.
    async fn decide(&self, gate: &Gate) -> Result<Vec<String>> {
        let refused =
            |it: &Error| matches!(it, Error::GateClosed { .. } | Error::NotWaiting { .. });
        let decide = |engine: ScriptedEngine, decision| {
            let gate = gate.clone();
            async move { engine.decide(&gate, decision).await }
        };
        self.taken(ANSWERS, decide, refused).await
    }

    async fn everybody_opens(&self, run: RunId) -> Result<()> {
        let open = |engine: ScriptedEngine, _| async move {
            engine.open(run).await?.run().await.map(drop)
        };
        let refused = |it: &Error| matches!(it, Error::Held { .. } | Error::Ended { .. });
        self.taken(ENGINES, open, refused).await.map(drop)
    }

    /// Many people do the same at once, spread over the engines. Gives the names of those who were
    /// not refused; an error that is no refusal is a fault.
    async fn taken<F>(
        &self,
        people: usize,
        act: impl Fn(ScriptedEngine, Decision) -> F,
        refused: impl Fn(&Error) -> bool,
    ) -> Result<Vec<String>>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let acts = (0..people).map(|nth| {
            let decision = Decision::new(Verdict::Approve, format!("person {nth}"));
            tokio::spawn(act(self.engines[nth % ENGINES].clone(), decision))
        });
        let mut taken = Vec::new();
        for (nth, done) in join_all(acts).await.into_iter().enumerate() {
            match done? {
                Ok(()) => taken.push(format!("person {nth}")),
                Err(error) if refused(&error) => {}
                Err(error) => bail!("person {nth} was told: {error}"),
            }
        }
        Ok(taken)
    }

    /// The second gate was passed once, by its deadline; the log says that it was not before it.
    async fn timed_out_once(&self, run: RunId) -> Result<()> {
        // Those who came second may all have been told to try again.
        match async { self.engines[0].open(run).await?.run().await }.await {
            Ok(_) | Err(Error::Ended { .. }) => {}
            Err(error) => bail!("after its deadline it could not go on: {error}"),
        }
        self.came_to(run, ["Modify by the planner", "timed out"], 3)
            .await
    }

    /// The run has completed with these answers, its log is sound, and so many calls were made, none
    /// of them twice.
    async fn came_to(&self, run: RunId, answers: [&str; 2], wanted: usize) -> Result<()> {
        let view = self.engines[3].view(run, None).await?;
        let (status, lines) = (view.run.head.status, view.state.lines);
        ensure!(status == Status::Completed, "it is {status}");
        ensure!(
            lines[PLAN..=REVIEW] == answers,
            "{answers:?} were taken, {lines:?} stands"
        );
        RunLog::sound(&**self.engines[0].store(), run).await?;
        let calls = self.world.calls(run);
        ensure!(
            calls.len() == wanted && calls.values().all(|times| *times == 1),
            "{calls:?} were made, not {wanted} calls once each"
        );
        Ok(())
    }
}

/// The one who was quickest.
fn only(mut taken: Vec<String>) -> Result<String> {
    ensure!(taken.len() == 1, "what {taken:?} did was taken");
    Ok(taken.remove(0))
}
