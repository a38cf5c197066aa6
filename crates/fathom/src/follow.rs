//! Follows a run to its end: works on it, shows it, asks the person at its gates, and hands over what it brings.

use std::pin::pin;
use std::time::Duration;

use fathom_workflow::event::Event;
use fathom_workflow::record::Status;
use fathom_workflow::{Error, Host, RunId, RunOutcome};
use futures::StreamExt;
use jiff::Timestamp;
use serde_json::json;

use crate::cli::OutputArgs;
use crate::deliver::{self, Deliverable};
use crate::exit::{Exit, Problem, Result};
use crate::gates::{self, GateAnswer};
use crate::progress::Progress;
use crate::screen;
use crate::signals::Signals;

/// What a person must know who wants to be asked by a run that only this process knows.
pub const DECISION_LOST: &str = "Runs are kept in memory: this one waits for a decision only as long as this program runs, and no other command can decide. To decide later, choose a store that stays: FATHOM_STORE=sqlite:runs.db";

/// How often a run whose lease was lost is taken up again.
const LEASES_LOST_MOST: u32 = 10;

const REDRAW_EVERY: Duration = Duration::from_millis(150);

/// How often a run is tried that another process may still hold.
const TRY_EVERY: Duration = Duration::from_millis(250);

/// How long is waited for it at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run and the person who waits for it.
struct RunFollower<'a> {
    host: &'a Host,
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
    /// The store was out of reach for so long that the run is no longer held here.
    LeaseLost,
}

/// Works on a run that is open in the host until it ends or waits for somebody who is not here.
pub async fn follow(host: &Host, run: RunId, output: &OutputArgs) -> Result<Exit> {
    follow_since(None, host, run, output).await
}

/// As [`follow`], for a run that is over in a moment: what is shown meanwhile does not stay.
pub async fn follow_briefly(
    silent: bool,
    host: &Host,
    run: RunId,
    output: &OutputArgs,
) -> Result<Exit> {
    follow_showing(Progress::passing(silent), host, run, output).await
}

/// As [`follow`], for a person who has waited since a moment before the run began.
pub async fn follow_since(
    asked_at: Option<Timestamp>,
    host: &Host,
    run: RunId,
    output: &OutputArgs,
) -> Result<Exit> {
    follow_showing(Progress::new(output.quiet, asked_at), host, run, output).await
}

async fn follow_showing(
    progress: Progress,
    host: &Host,
    run: RunId,
    output: &OutputArgs,
) -> Result<Exit> {
    let seen = match host.header(run).await?.head.events {
        // A new run is shown from its first event on.
        0..=1 => 0,
        events => events,
    };
    let follower = RunFollower {
        host,
        run,
        output,
        progress,
        seen,
        signals: Signals::listen()?,
        stopped: None,
    };
    follower.until_it_ends().await
}

/// Takes up a run. One that a dead process held is free again after its lease, so that is waited for once.
pub async fn take_up(host: &Host, run: RunId, quiet: bool) -> Result<()> {
    let held_until = match host.resume(run).await {
        Err(Error::Held { until, .. }) => until,
        taken => return Ok(taken?),
    };
    if !quiet {
        screen::tell(
            "Another process works on this run, or crashed while it did; waiting for its lease to end.",
        );
    }
    let patience = from_now(held_until).min(PATIENCE) + TRY_EVERY;
    for _ in 0..patience.as_millis() / TRY_EVERY.as_millis() {
        tokio::time::sleep(TRY_EVERY).await;
        match host.resume(run).await {
            Err(Error::Held { .. }) => {}
            taken => return Ok(taken?),
        }
    }
    Ok(host.resume(run).await?)
}

fn from_now(moment: Timestamp) -> Duration {
    Duration::try_from(moment.duration_since(Timestamp::now())).unwrap_or_default()
}

impl RunFollower<'_> {
    async fn until_it_ends(mut self) -> Result<Exit> {
        let mut leases_lost = 0;
        loop {
            let worked = self.work().await;
            self.progress.rest();
            let outcome = match worked? {
                Worked::Stopped(outcome) => outcome,
                Worked::Left(exit) => {
                    screen::tell(&format!("Left at once. {}", self.how_to_resume()));
                    return Ok(exit);
                }
                Worked::LeaseLost if leases_lost < LEASES_LOST_MOST => {
                    leases_lost += 1;
                    take_up(self.host, self.run, true).await?;
                    continue;
                }
                Worked::LeaseLost => {
                    return Err(Problem::failed("the store was out of reach too often")
                        .advise(self.how_to_resume()));
                }
            };
            match outcome.status {
                Status::Waiting => {
                    let head = self.host.header(self.run).await?.head;
                    if let (true, Some(until)) = (head.parked, head.wake_at) {
                        if let Some(exit) = self.wait_until(until, outcome.reason).await? {
                            return Ok(exit);
                        }
                    } else if self.attend().await? == GateAnswer::Later {
                        return self.waiting();
                    } else {
                        take_up(self.host, self.run, true).await?;
                    }
                }
                Status::Completed => return self.completed().await,
                Status::Cancelled => return self.cancelled(&outcome).await,
                _ => return self.failed(&outcome),
            }
        }
    }

    /// Lets the run work, shows its events, and listens for Ctrl-C.
    async fn work(&mut self) -> Result<Worked> {
        // Fused: it is asked again while the run's outcome is still being read.
        let mut events = pin!(self.host.events(self.run, self.seen).fuse());
        let mut working = pin!(self.host.run(self.run));
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
        let outcome = match outcome {
            Err(Error::LeaseLost { .. }) => return Ok(Worked::LeaseLost),
            other => other?,
        };
        let last = self.host.header(self.run).await?.head.events;
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
        if self.output.json {
            screen::print_line(&serde_json::to_string(event).map_err(Problem::failed)?)?;
        }
        Ok(())
    }

    /// Asks the run to stop.
    async fn stop(&mut self, signal: Exit) -> Result<()> {
        self.stopped = Some(signal);
        self.progress.say("Stopping. Ctrl-C again leaves at once.");
        match self.host.cancel(self.run).await {
            // It has just ended by itself.
            Ok(_) | Err(Error::Ended { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits with a parked run for its time. Whoever leaves before, leaves it parked and gets the code to end with.
    async fn wait_until(
        &mut self,
        until: Timestamp,
        reason: Option<String>,
    ) -> Result<Option<Exit>> {
        if !self.output.quiet {
            let reason = reason.map(|reason| format!(": {}", screen::harmless(&reason)));
            let reason = reason.unwrap_or_default();
            let until = until.round(jiff::Unit::Second).unwrap_or(until);
            screen::tell(&format!(
                "The run waits until {until}{reason}. Ctrl-C leaves it waiting."
            ));
        }
        tokio::select! {
            () = tokio::time::sleep(from_now(until)) => Ok(None),
            signal = self.signals.next() => {
                self.result("waiting", signal, None, None)?;
                screen::tell(&self.how_to_resume());
                Ok(Some(signal))
            }
        }
    }

    async fn attend(&mut self) -> Result<GateAnswer> {
        if screen::can_ask() && !self.output.quiet && !self.output.json {
            gates::attend(self.host, self.run, &mut self.signals).await
        } else {
            Ok(GateAnswer::Later)
        }
    }

    fn waiting(&self) -> Result<Exit> {
        self.result("waiting", Exit::Waiting, None, None)?;
        let (run, out) = (self.run, self.out_again());
        if !self.host.store().is_durable() {
            screen::tell(DECISION_LOST);
            return Ok(Exit::Waiting);
        }
        screen::tell(&format!(
            "The run is waiting for your decision. See it with: fathom runs show {run}\n\
             Decide with: fathom runs review {run} approve{out} (or reject, modify, skip)"
        ));
        Ok(Exit::Waiting)
    }

    async fn completed(&self) -> Result<Exit> {
        let Some(outcome) = deliver::outcome(self.host, self.run).await? else {
            return self.refused("it brought nothing");
        };
        let (status, exit) = outcome.ending();
        let delivered = outcome.deliver(self.run, self.output);
        let (status, exit, why) = match &delivered {
            Ok(()) => (status, exit, None),
            Err(problem) => ("undelivered", problem.exit, Some(problem.to_string())),
        };
        self.result(status, exit, why.as_deref(), Some(&outcome))?;
        delivered.map(|()| exit)
    }

    /// Tells of a run that a person has ended for good.
    fn refused(&self, why: &str) -> Result<Exit> {
        self.result("rejected", Exit::Failed, Some(why), None)?;
        Err(Problem::failed(format!(
            "the run ended without a report: {why}"
        )))
    }

    async fn cancelled(&self, outcome: &RunOutcome) -> Result<Exit> {
        if self.host.header(self.run).await?.head.next.is_none() {
            return self.refused(outcome.reason.as_deref().unwrap_or("it was rejected"));
        }
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

    /// The file that was asked for, as it has to be named again: a run does not remember it.
    fn out_again(&self) -> String {
        let out = self.output.out.as_deref();
        out.map_or_else(String::new, |out| format!(" --out {}", out.display()))
    }

    fn how_to_resume(&self) -> String {
        if self.host.store().is_durable() {
            let out = self.out_again();
            format!("Continue with: fathom runs resume {}{out}", self.run)
        } else {
            "The store is in memory, so the run is gone.".to_owned()
        }
    }

    /// The last line of `--json`.
    fn result(
        &self,
        status: &str,
        exit: Exit,
        reason: Option<&str>,
        outcome: Option<&Deliverable>,
    ) -> Result<()> {
        if !self.output.json {
            return Ok(());
        }
        let mut line = json!({
            "event": "result",
            "run": self.run,
            "status": status,
            "exit": exit.number(),
            "reason": reason,
            "report": null,
            "out": self.output.out,
        });
        match outcome {
            Some(Deliverable::Report(report)) => {
                line["report"] = fathom_render::json::value(report)
            }
            Some(Deliverable::Answer { answer, .. }) => {
                line["answer"] = fathom_render::answer::value(answer)
            }
            Some(Deliverable::Appraisal(appraisal)) => line["appraisal"] = json!(appraisal),
            Some(Deliverable::Json(value)) => line["outcome"] = value.clone(),
            None => {}
        }
        screen::print_line(&line.to_string())
    }
}
