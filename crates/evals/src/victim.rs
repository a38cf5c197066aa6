//! `fathom-evals victim STORE RUN LEDGER ATTEMPT`: the process that proofs kill and stop.
//!
//! It takes a run up where its log ends, or begins it, works on it to the end and prints the report.
//! It is a command of this program and not a program of its own because `cargo run` builds just one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use fathom_workflow::record::Status;
use fathom_workflow::{Error, Execution, NodeError, RunId, SystemClock};

use crate::ledger::Caller;
use crate::proofs::lab;
use crate::proofs::scripted::{Act, ScriptedEngine, ScriptedRun, open_or_start, scripted};
use crate::proofs::world::{Deps, World};
use crate::stores;

/// Short, so that a proof need not wait long for the run of a dead process.
pub const LEASE: Duration = Duration::from_millis(300);

/// How often a run that another process holds is asked for, and how long until it is asked again.
const TRIES: u32 = 600;
const PAUSE: Duration = Duration::from_millis(20);

/// The exit code of a process that found its run taken over.
pub const SUPERSEDED: u8 = 3;

/// The exit code of a process that could not renew its lease in time, as on a machine with too much
/// to do. Nobody else needs to have the run.
pub const LEASE_LAPSED: u8 = 4;

/// What a victim is given.
pub struct Orders {
    /// The address of its store.
    pub store: String,
    /// The run to take up or begin.
    pub run: RunId,
    /// The URL where its effects call.
    pub ledger: String,
    /// Which life of the run this is.
    pub attempt: u32,
}

impl Orders {
    /// The command line that gives a process these orders.
    pub fn words(&self) -> [String; 5] {
        let (run, attempt) = (self.run.to_string(), self.attempt.to_string());
        [
            "victim".into(),
            self.store.clone(),
            run,
            self.ledger.clone(),
            attempt,
        ]
    }

    fn parse(words: &[&str]) -> Result<Self> {
        let [store, run, ledger, attempt] = words else {
            bail!("a victim needs a store, a run, a ledger and the number of its life");
        };
        Ok(Self {
            store: (*store).to_owned(),
            run: run.parse()?,
            ledger: (*ledger).to_owned(),
            attempt: attempt.parse()?,
        })
    }
}

/// The program a proof starts as its victim: this one, or, from a test, the one built beside it.
pub fn program() -> Result<PathBuf> {
    const NAME: &str = "fathom-evals";
    let this = std::env::current_exe().context("the program cannot find itself")?;
    if this.file_stem().is_some_and(|stem| stem == NAME) {
        return Ok(this);
    }
    let mut above = this.ancestors().skip(1).map(|folder| folder.join(NAME));
    above
        .find(|program| program.is_file())
        .with_context(|| format!("there is no {NAME} beside {}", this.display()))
}

/// A victim's whole life.
pub async fn live(words: &[&str], say: impl Fn(&str)) -> ExitCode {
    match work(words).await {
        Ok(report) => {
            say(&report);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("{error:#}"));
            match error.downcast_ref() {
                Some(Error::Superseded { .. }) => ExitCode::from(SUPERSEDED),
                Some(Error::LeaseLost { .. }) => ExitCode::from(LEASE_LAPSED),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

async fn work(words: &[&str]) -> Result<String> {
    let orders = Orders::parse(words)?;
    let caller = Caller::new(&orders.ledger, orders.attempt)?;
    let engine = lab::engine(
        scripted("victim")?,
        stores::open(&orders.store).await?,
        &Arc::new(Outside(caller)),
        Arc::new(SystemClock),
        LEASE,
    );
    while let Some(mut execution) = take_up(&engine, orders.run).await? {
        let outcome = execution.run().await?;
        if outcome.status == Status::Waiting {
            continue;
        }
        if let Some(reason) = outcome.reason {
            bail!("the run is {}: {reason}", outcome.status);
        }
    }
    Ok(engine.view(orders.run, None).await?.state.report())
}

/// Begins the run, or takes it up as soon as nobody holds it; `None` if it has ended.
async fn take_up(
    engine: &ScriptedEngine,
    run: RunId,
) -> Result<Option<Execution<ScriptedRun, Deps>>> {
    // Parked for long enough to be killed meanwhile.
    let plan = [Act::Call, Act::Park { for_ms: 100 }, Act::Call];
    let state = ScriptedRun::research(&plan, &[Act::Call]);
    for _ in 0..TRIES {
        match open_or_start(engine, run, state.clone()).await {
            Ok(execution) => return Ok(Some(execution)),
            Err(Error::Ended { .. }) => return Ok(None),
            // Another process was quicker.
            Err(Error::RunExists { .. }) => {}
            // A process that is stopped may keep the run, or the whole database.
            Err(error) if error.retry() => tokio::time::sleep(PAUSE).await,
            // Its time has not come.
            Err(Error::Waiting { .. }) => tokio::time::sleep(PAUSE).await,
            Err(error) => return Err(error.into()),
        }
    }
    bail!("run {run} was held by others for too long")
}

struct Outside(Caller);

#[async_trait]
impl World for Outside {
    async fn call(&self, run: RunId, step: u64, key: &str) -> Result<String, NodeError> {
        Ok(self.0.call(run, step, key).await?)
    }
}
