//! Follows a run to its end: works on it, shows it, asks the person at its gates, and hands the report over.

use std::pin::pin;
use std::time::Duration;

use fathom_render::Report;
use fathom_research::{Services, State};
use fathom_workflow::event::Event;
use fathom_workflow::record::Status;
use fathom_workflow::{Error, Execution, RunId, RunOutcome};
use futures::StreamExt;
use serde_json::json;

use crate::cli::OutputArgs;
use crate::exit::{Exit, Problem, Result};
use crate::gates::{self, GateAnswer};
use crate::progress::Progress;
use crate::signals::Signals;
use crate::wiring::Engine;
use crate::{deliver, screen};

const REDRAW_EVERY: Duration = Duration::from_millis(150);

/// How often a run is tried that another process may still hold.
const TRY_EVERY: Duration = Duration::from_millis(250);

/// How long is waited for it at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run and the person who waits for it.
pub struct Follower<'a> {
    engine: &'a Engine,
    run: RunId,
    output: &'a OutputArgs,
    progress: Progress,
    /// The number of the last event that was shown.
    seen: u64,
    signals: Signals,
    stopped: Option<Exit>,
}

/// How a stretch of work came to its end.
enum Worked {
    /// The run stands still: it ended, waits or was cancelled.
    Stopped(RunOutcome),
    /// The person left before that, with this code.
    Left(Exit),
}

/// Works on a run until it ends or waits for somebody who is not here.
pub async fn follow(
    engine: &Engine,
    execution: Execution<State, Services>,
    output: &OutputArgs,
) -> Result<Exit> {
    let run = execution.id();
    let seen = match engine.header(run).await?.head.events {
        // A new run is shown from its first event on.
        0..=1 => 0,
        events => events,
    };
    let follower = Follower {
        engine,
        run,
        output,
        progress: Progress::new(output.quiet),
        seen,
        signals: Signals::listen()?,
        stopped: None,
    };
    follower.until_it_ends(execution).await
}

/// Takes up a run. One that a dead process held is free again after its lease, so that is waited for once.
pub async fn take_up(
    engine: &Engine,
    run: RunId,
    quiet: bool,
) -> Result<Execution<State, Services>> {
    let held_until = match engine.resume(run).await {
        Err(Error::Held { until, .. }) => until,
        taken => return Ok(taken?),
    };
    if !quiet {
        screen::tell(
            "Another process works on this run, or crashed while it did; waiting for its lease to end.",
        );
    }
    let lease = held_until.duration_since(jiff::Timestamp::now());
    let lease = Duration::try_from(lease).unwrap_or_default();
    let patience = lease.min(PATIENCE) + TRY_EVERY;
    for _ in 0..patience.as_millis() / TRY_EVERY.as_millis() {
        tokio::time::sleep(TRY_EVERY).await;
        match engine.resume(run).await {
            Err(Error::Held { .. }) => {}
            taken => return Ok(taken?),
        }
    }
    Ok(engine.resume(run).await?)
}

impl Follower<'_> {
    async fn until_it_ends(mut self, mut execution: Execution<State, Services>) -> Result<Exit> {
        loop {
            let worked = self.work(&mut execution).await;
            self.progress.rest();
            let outcome = match worked? {
                Worked::Stopped(outcome) => outcome,
                Worked::Left(exit) => {
                    screen::tell(&format!("Left at once. {}", self.how_to_resume()));
                    return Ok(exit);
                }
            };
            match outcome.status {
                Status::Waiting => match self.attend().await? {
                    GateAnswer::Decided => execution = take_up(self.engine, self.run, true).await?,
                    GateAnswer::Later => return self.parked(),
                },
                Status::Completed => return self.completed().await,
                Status::Cancelled => return self.cancelled(),
                _ => return self.failed(&outcome),
            }
        }
    }

    /// Lets the run work, shows its events, and listens for Ctrl-C.
    async fn work(&mut self, execution: &mut Execution<State, Services>) -> Result<Worked> {
        let mut events = pin!(self.engine.events(self.run, self.seen));
        let mut working = pin!(execution.run());
        let mut redraw = tokio::time::interval(REDRAW_EVERY);
        let outcome = loop {
            tokio::select! {
                biased;
                Some(event) = events.next() => self.show(&event?)?,
                outcome = &mut working => break outcome,
                signal = self.signals.next() => {
                    // Whoever cannot wait leaves at once; what is recorded is safe.
                    if self.stopped.is_some() {
                        return Ok(Worked::Left(signal));
                    }
                    self.stop(signal).await?;
                }
                _ = redraw.tick(), if self.progress.is_live() => self.progress.tick(),
            }
        };
        let outcome = outcome?;
        let last = self.engine.header(self.run).await?.head.events;
        while self.seen < last {
            match events.next().await {
                Some(event) => self.show(&event?)?,
                None => break,
            }
        }
        Ok(Worked::Stopped(outcome))
    }

    fn show(&mut self, event: &Event) -> Result<()> {
        self.seen = event.number;
        self.progress.take(event);
        match self.output.json {
            true => screen::print_line(&serde_json::to_string(event).map_err(Problem::failed)?),
            false => Ok(()),
        }
    }

    /// Asks the run to stop.
    async fn stop(&mut self, signal: Exit) -> Result<()> {
        self.stopped = Some(signal);
        self.progress.say("Stopping. Ctrl-C again leaves at once.");
        match self.engine.cancel(self.run).await {
            // It has just ended by itself.
            Ok(()) | Err(Error::Ended { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn attend(&mut self) -> Result<GateAnswer> {
        match screen::can_ask() && !self.output.quiet && !self.output.json {
            true => gates::attend(self.engine, self.run, &mut self.signals).await,
            false => Ok(GateAnswer::Later),
        }
    }

    fn parked(&self) -> Result<Exit> {
        self.result("waiting", Exit::Waiting, None, None)?;
        let run = self.run;
        screen::tell(&format!(
            "The run is waiting for your decision. See it with: fathom runs show {run}\n\
             Decide with: fathom runs review {run} approve (or reject, modify, skip)"
        ));
        Ok(Exit::Waiting)
    }

    async fn completed(&self) -> Result<Exit> {
        let state = self.engine.view(self.run, None).await?.state;
        let Some(report) = state.report.as_deref() else {
            let why = "it was rejected before anything was written";
            self.result("rejected", Exit::Failed, Some(why), None)?;
            return Err(Problem::failed(format!(
                "the run ended without a report: {why}"
            )));
        };
        let exit = match report.is_partial() {
            true => Exit::Partial,
            false => Exit::Complete,
        };
        let delivered = deliver::deliver(self.run, report, self.output);
        let (status, exit, why) = match &delivered {
            Ok(()) if report.is_partial() => ("partial", exit, None),
            Ok(()) => ("complete", exit, None),
            Err(problem) => ("undelivered", problem.exit, Some(problem.to_string())),
        };
        self.result(status, exit, why.as_deref(), Some(report))?;
        delivered.map(|()| exit)
    }

    fn cancelled(&self) -> Result<Exit> {
        let exit = self.stopped.unwrap_or(Exit::Failed);
        self.result("cancelled", exit, None, None)?;
        screen::tell(&format!("Stopped. {}", self.how_to_resume()));
        Ok(exit)
    }

    fn failed(&self, outcome: &RunOutcome) -> Result<Exit> {
        let why = outcome.reason.as_deref().unwrap_or("the reason is unknown");
        self.result("failed", Exit::Failed, Some(why), None)?;
        Err(Problem::failed(format!("the run failed: {why}")).advise(self.how_to_resume()))
    }

    fn how_to_resume(&self) -> String {
        match self.engine.store().is_durable() {
            true => format!("Continue with: fathom runs resume {}", self.run),
            false => "The store is in memory, so the run is gone.".to_owned(),
        }
    }

    /// The last line of `--json`.
    fn result(
        &self,
        status: &str,
        exit: Exit,
        reason: Option<&str>,
        report: Option<&Report>,
    ) -> Result<()> {
        if !self.output.json {
            return Ok(());
        }
        let line = json!({
            "event": "result",
            "run": self.run,
            "status": status,
            "exit": exit.number(),
            "reason": reason,
            "report": report.map(fathom_render::json::value),
            "out": self.output.out,
        });
        screen::print_line(&line.to_string())
    }
}
