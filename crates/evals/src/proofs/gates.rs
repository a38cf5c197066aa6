//! T12: gates that expire while nobody is there, a hundred answers at once, and late ones.
//!
//! Every round is a few runs that ask twice in one step: first without a deadline, then with one. Four
//! engines over the same store, as four processes would have it, answer, open and reopen them at once.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Engine, Error, Gate, ManualClock, NewRun, RunId, RuntimeSettings};
use futures::future::join_all;
use jiff::Timestamp;

use super::acts::{Act, ScriptedRun, scripted};
use super::run_log::RunLog;
use super::world::{Deps, ObservedWorld, Pace};
use super::{Proof, Setting};
use crate::stores::{Backend, Disk, Site};

const ENGINES: usize = 4;
const ANSWERS: usize = 100;
const REOPENERS: usize = 20;
/// How long the second gate waits.
const WITHIN: Duration = Duration::from_secs(3600);
/// Shorter than the wait for late decisions, which must not count.
const TIME_LIMIT: Duration = Duration::from_secs(600);
const LONG_AFTER: Duration = Duration::from_secs(30 * 24 * 3600);

/// Where the answers to the two gates stand in what a run brought: after its first two calls.
const PLAN: usize = 2;
const REVIEW: usize = 3;

/// The proof, for the list.
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

type ReviewEngine = Engine<ScriptedRun, Deps>;

/// Four engines and the people who use them.
struct Crowd<'a> {
    site: &'a Site,
    clock: Arc<ManualClock>,
    world: Arc<ObservedWorld>,
    engines: Vec<ReviewEngine>,
}

impl<'a> Crowd<'a> {
    async fn new(site: &'a Site) -> Result<Self> {
        let observed = Some(site.open().await?);
        let mut crowd = Self {
            site,
            clock: Arc::new(ManualClock::at(Timestamp::now())),
            world: Arc::new(ObservedWorld::new(observed, Pace::OneTurn)),
            engines: Vec::new(),
        };
        crowd.restart().await?;
        Ok(crowd)
    }

    /// All processes end, and others begin.
    async fn restart(&mut self) -> Result<()> {
        self.engines.clear();
        for _ in 0..ENGINES {
            let clock = Arc::clone(&self.clock) as _;
            let deps = Arc::new(Deps(Arc::clone(&self.world) as _));
            let (store, settings) = (self.site.open().await?, RuntimeSettings::default());
            let engine = Engine::with(scripted("review")?, store, deps, clock, settings);
            self.engines.push(engine);
        }
        Ok(())
    }

    fn engine(&self, nth: usize) -> &ReviewEngine {
        &self.engines[nth % ENGINES]
    }

    async fn round(&mut self) -> Result<()> {
        let in_time = self.all_answered_in_time().await;
        in_time.context("answers in time")?;
        let run = self.expires_while_down().await.context("nobody there")?;
        self.is_reopened(run).await.context("a late decision")?;
        self.all_answered_late().await.context("late answers")?;
        let at_once = self.is_reopened_at_once().await;
        at_once.context("a late decision before the run went on")?;
        self.world.verdict()
    }

    /// Both gates are answered by a hundred people at once.
    async fn all_answered_in_time(&self) -> Result<()> {
        let run = self.begin().await?;
        let plan = self.one_of_many(run).await?;
        self.goes_on(1, run, Status::Waiting).await?;
        let review = self.one_of_many(run).await?;
        self.goes_on(2, run, Status::Completed).await?;
        let lines = self.engine(2).view(run, None).await?.state.lines;
        ensure!(
            lines[PLAN] == plan && lines[REVIEW] == review,
            "{plan} and {review} were taken, {lines:?} stands"
        );
        self.calls_made(run, 3).await
    }

    /// A new run, parked at its first gate.
    async fn begin(&self) -> Result<RunId> {
        let new = NewRun {
            time_limit: Some(TIME_LIMIT),
            ..NewRun::titled("a review")
        };
        let within_s = Some(WITHIN.as_secs());
        let asks = vec![
            Act::Call,
            Act::Ask { within_s: None },
            Act::Ask { within_s },
        ];
        let turns = vec![vec![Act::Call], asks, vec![Act::Call]];
        let mut execution = self.engine(0).start(new, ScriptedRun::new(turns)).await?;
        let parked = execution.run().await?.status;
        ensure!(parked == Status::Waiting, "it did not ask: {parked}");
        Ok(execution.id())
    }

    /// Somebody lets the run go on, and it must come to this.
    async fn goes_on(&self, nth: usize, run: RunId, to: Status) -> Result<()> {
        let outcome = self.engine(nth).open(run).await?.run().await?;
        ensure!(outcome.status == to, "it came to {outcome:?}, not {to}");
        Ok(())
    }

    /// Everybody answers at once; gives the one answer that was taken.
    async fn one_of_many(&self, run: RunId) -> Result<String> {
        let gate = self.engine(0).gate(run).await?;
        Ok(format!("Approve by {}", only(self.decided(&gate).await?)?))
    }

    /// Everybody answers a gate; gives those whose answer was taken.
    async fn decided(&self, gate: &Gate) -> Result<Vec<String>> {
        let refused =
            |error: &Error| matches!(error, Error::GateClosed { .. } | Error::NotWaiting { .. });
        let decide = |engine: ReviewEngine, decision| {
            let gate = gate.clone();
            async move { engine.decide(&gate, decision).await }
        };
        self.taken(ANSWERS, decide, refused).await
    }

    /// Many people do the same at once, spread over the engines. Gives the names of those who were
    /// not refused; an error that is no refusal is a fault.
    async fn taken<F>(
        &self,
        people: usize,
        act: impl Fn(ReviewEngine, Decision) -> F,
        refused: impl Fn(&Error) -> bool,
    ) -> Result<Vec<String>>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let acts = (0..people).map(|nth| {
            let decision = Decision::new(Verdict::Approve, format!("person {nth}"));
            tokio::spawn(act(self.engine(nth).clone(), decision))
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
        self.timed_out_once(run).await?;
        Ok(run)
    }

    async fn at_second_gate(&self) -> Result<RunId> {
        let run = self.begin().await?;
        let gate = self.engine(0).gate(run).await?;
        let decision = Decision::new(Verdict::Modify, "the planner");
        self.engine(0).decide(&gate, decision).await?;
        self.goes_on(1, run, Status::Waiting).await?;
        Ok(run)
    }

    async fn everybody_opens(&self, run: RunId) -> Result<()> {
        let open =
            |engine: ReviewEngine, _| async move { engine.open(run).await?.run().await.map(drop) };
        let refused = |error: &Error| matches!(error, Error::Held { .. } | Error::Ended { .. });
        self.taken(ENGINES, open, refused).await.map(drop)
    }

    /// The second gate was passed once, by its deadline; the log says that it was not before it.
    async fn timed_out_once(&self, run: RunId) -> Result<()> {
        // Those who came second may all have been told to try again.
        let engine = self.engine(0);
        let ended = async { engine.open(run).await?.run().await };
        match ended.await {
            Ok(outcome) => ensure!(outcome.status == Status::Completed, "it ended {outcome:?}"),
            Err(Error::Ended { .. }) => {}
            Err(error) => bail!("after its deadline it could not go on: {error}"),
        }
        let view = self.engine(0).view(run, None).await?;
        let (status, lines) = (view.run.head.status, view.state.lines);
        ensure!(status == Status::Completed, "it is {status}");
        ensure!(lines[REVIEW] == "timed out", "{lines:?} stands");
        self.calls_made(run, 3).await
    }

    /// Long after, many come with a late decision: one of them reopens the run.
    async fn is_reopened(&self, run: RunId) -> Result<()> {
        self.clock.advance(LONG_AFTER);
        let reopen =
            |engine: ReviewEngine, decision| async move { engine.reopen(run, decision).await };
        let refused =
            |error: &Error| matches!(error, Error::GateClosed { .. } | Error::Held { .. });
        let reopener = only(self.taken(REOPENERS, reopen, refused).await?)?;
        self.goes_on(2, run, Status::Completed).await?;
        let lines = self.engine(3).view(run, None).await?.state.lines;
        ensure!(
            lines[REVIEW] == format!("Approve by {reopener}"),
            "{reopener} reopened, {lines:?} stands"
        );
        ensure!(
            lines[PLAN] == "Modify by the planner",
            "the first answer became another: {lines:?}"
        );
        // The step after the gate is a new one, so its call is made again; the gate's own is not.
        self.calls_made(run, 4).await?;
        let again = Decision::new(Verdict::Reject, "somebody else");
        match self.engine(0).reopen(run, again).await {
            Err(Error::GateClosed { .. }) => Ok(()),
            other => bail!("a second late decision was not refused: {other:?}"),
        }
    }

    /// A hundred answers after the deadline, while others open the run.
    async fn all_answered_late(&self) -> Result<()> {
        let run = self.at_second_gate().await?;
        let gate = self.engine(0).gate(run).await?;
        self.clock.advance(WITHIN);
        let deciding = self.decided(&gate);
        let (heard, opened) = tokio::join!(deciding, self.everybody_opens(run));
        opened?;
        let heard = heard?;
        ensure!(heard.is_empty(), "{heard:?} were late and were heard");
        self.timed_out_once(run).await
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
        self.goes_on(2, run, Status::Completed).await?;
        let lines = self.engine(3).replay(run).await?.state.lines;
        ensure!(
            lines[REVIEW] == "Approve by a latecomer",
            "{lines:?} stands"
        );
        self.calls_made(run, 3).await
    }

    /// The log is sound, and so many calls were made, none of them twice.
    async fn calls_made(&self, run: RunId, wanted: usize) -> Result<()> {
        RunLog::sound(&**self.engine(0).store(), run).await?;
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
