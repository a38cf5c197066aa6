//! The commands, one file each.

mod answer;
mod appraise;
mod ask;
mod config;
mod doctor;
mod encoder;
mod graph;
mod library;
mod mcp;
mod report;
mod runs;
mod serve;
mod shell;
mod token;

use std::sync::Arc;

use fathom_workflow::{Host, NewRun, RunId, Store};
use serde_json::Value;

use crate::Register;
use crate::cli::{Cli, Command, OutputArgs};
use crate::exit::{Exit, Problem, Result};
use crate::own_library::OwnLibraries;
use crate::settings::{FlagValues, Settings};
use crate::{screen, wiring};

/// Does what was typed.
pub async fn run(cli: Cli, register: Register) -> Result<Exit> {
    let settings = |flags: FlagValues| {
        let settings = Settings::load(cli.config.as_deref(), flags)?;
        if let Some(ignored) = settings.ignored() {
            screen::tell(&screen::harmless(&ignored));
        }
        Ok(settings)
    };
    match cli.command {
        Command::Report(args) => report::run(args, settings, register).await,
        Command::Answer(args) => answer::run(args, settings, register).await,
        Command::Ask(args) => ask::run(args, settings, register).await,
        Command::Appraise(args) => appraise::run(args, settings, register).await,
        Command::Runs(command) => {
            let context = RunsContext::open(settings(FlagValues::default())?, register).await?;
            runs::run(command, &context).await
        }
        Command::Serve(args) => {
            let settings = settings(serve::flags(args))?;
            serve::run(RunsContext::open(settings, register).await?).await
        }
        Command::Mcp(args) => {
            let settings = settings(mcp::flags(args))?;
            mcp::run(RunsContext::open(settings, register).await?).await
        }
        Command::Token(command) => token::run(command, &settings(FlagValues::default())?),
        Command::Library(command) => library::run(command, &settings(FlagValues::default())?).await,
        Command::Encoder(command) => encoder::run(command, &settings(FlagValues::default())?).await,
        Command::Graph(args) => graph::run(args, settings(FlagValues::default())?, register).await,
        Command::Doctor { offline } => {
            doctor::run(&settings(FlagValues::default())?, offline).await
        }
        Command::Config => config::run(&settings(FlagValues::default())?),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { out } => shell::man(out.as_deref()),
        Command::ReadPdf => Err(Problem::failed("this is done before anything is set up")),
    }
}

/// What commands on runs need: the settings, and the one host of this process.
pub struct RunsContext {
    /// All settings of this process.
    pub settings: Settings,
    /// Works on runs, looks at them and changes their records.
    pub host: Host,
    /// The libraries that the host's runs search.
    pub libraries: Arc<OwnLibraries>,
}

impl RunsContext {
    /// Opens the store that the settings name.
    pub async fn open(settings: Settings, register: Register) -> Result<Self> {
        let store = wiring::store(&settings.store).await?;
        Self::on(store, settings, register)
    }

    /// As [`Self::open`], for a command that starts runs: those that have expired go.
    async fn open_to_start(settings: Settings, register: Register) -> Result<Self> {
        let context = Self::open(settings, register).await?;
        // That old runs cannot be removed is no reason not to start a new one.
        if let Err(error) = context.host.expire(context.settings.ttl).await {
            tracing::warn!(%error, "old runs could not be removed");
        }
        Ok(context)
    }

    /// Sets the host up on a store that is open.
    pub fn on(store: Arc<dyn Store>, settings: Settings, register: Register) -> Result<Self> {
        let libraries = Arc::new(OwnLibraries::new(settings.home.clone()));
        let services = wiring::services(&settings, Arc::clone(&libraries));
        let host = wiring::host(store, services, settings.lease, register)?;
        Ok(Self {
            settings,
            host,
            libraries,
        })
    }

    /// Commits a run and tells its id.
    async fn start(
        &self,
        workflow: &str,
        input: Value,
        keep: bool,
        output: &OutputArgs,
    ) -> Result<RunId> {
        let new = NewRun {
            keep,
            ..NewRun::untitled()
        };
        let run = self.host.start(workflow, new, input).await?;
        if !output.quiet {
            screen::tell(&format!("Run {run}"));
        }
        Ok(run)
    }
}
