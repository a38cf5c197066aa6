//! The commands, one file each.

mod config;
mod doctor;
mod graph;
mod library;
mod report;
mod runs;
mod shell;

use std::sync::Arc;

use fathom_workflow::Store;

use crate::cli::{Cli, Command};
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValue, Settings};
use crate::wiring::{self, Engine};

pub async fn run(cli: Cli) -> Result<Exit> {
    let settings = |flags: Vec<FlagValue>| Settings::load(cli.config.as_deref(), flags);
    match cli.command {
        Command::Report(args) => report::run(args, settings).await,
        Command::Runs(command) => {
            runs::run(command, &RunsContext::open(settings(Vec::new())?).await?).await
        }
        Command::Library(command) => library::run(command, &settings(Vec::new())?).await,
        Command::Graph(args) => graph::run(args, settings).await,
        Command::Doctor => doctor::run(&settings(Vec::new())?).await,
        Command::Config => config::run(&settings(Vec::new())?),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { out } => shell::man(out.as_deref()),
        Command::ReadPdf => Err(Problem::failed("this is done before anything is set up")),
    }
}

/// Settings and the store they name: what commands on runs need.
pub struct RunsContext {
    pub settings: Settings,
    pub store: Arc<dyn Store>,
    /// To look at runs; to work on one takes an engine of its own.
    pub looking: Engine,
}

impl RunsContext {
    pub async fn open(settings: Settings) -> Result<Self> {
        let store = wiring::store(&settings.store).await?;
        let looking = wiring::onlooker(Arc::clone(&store))?;
        Ok(Self {
            settings,
            store,
            looking,
        })
    }
}
