//! The commands, one file each.

mod config;
mod doctor;
mod encoder;
mod graph;
mod library;
mod report;
mod runs;
mod shell;

use std::sync::Arc;

use fathom_workflow::{Host, RunId, Store};

use crate::Register;
use crate::cli::{Cli, Command};
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValue, Settings};
use crate::wiring;

/// Does what was typed.
pub async fn run(cli: Cli, register: Register) -> Result<Exit> {
    let settings = |flags: Vec<FlagValue>| Settings::load(cli.config.as_deref(), flags);
    match cli.command {
        Command::Report(args) => report::run(args, settings, register).await,
        Command::Runs(command) => {
            let context = RunsContext::open(settings(Vec::new())?, register).await?;
            runs::run(command, &context).await
        }
        Command::Library(command) => library::run(command, &settings(Vec::new())?).await,
        Command::Encoder(command) => encoder::run(command, &settings(Vec::new())?).await,
        Command::Graph(args) => graph::run(args, settings, register).await,
        Command::Doctor => doctor::run(&settings(Vec::new())?).await,
        Command::Config => config::run(&settings(Vec::new())?),
        Command::Completions { shell } => shell::completions(shell),
        Command::Man { out } => shell::man(out.as_deref()),
        Command::ReadPdf => Err(Problem::failed("this is done before anything is set up")),
    }
}

/// What commands on runs need.
pub struct RunsContext {
    /// All settings of this process.
    pub settings: Settings,
    /// Looks at runs and changes their records. It has nothing to call, so it works on none.
    pub host: Host,
    store: Arc<dyn Store>,
    register: Register,
}

impl RunsContext {
    /// Opens the store that the settings name.
    pub async fn open(settings: Settings, register: Register) -> Result<Self> {
        let store = wiring::store(&settings.store).await?;
        let lease = settings.lease;
        let host = wiring::host(Arc::clone(&store), wiring::no_services(), lease, register)?;
        Ok(Self {
            settings,
            host,
            store,
            register,
        })
    }

    /// A host that can work on runs. It fails where the way out cannot be opened and the given run, or any run that may
    /// come, needs it.
    pub async fn working_host(&self, run: Option<RunId>) -> Result<Host> {
        let web_needed = match run {
            Some(run) => wiring::needs_web(&self.host, run).await?,
            None => true,
        };
        let services = wiring::services(&self.settings, Arc::default(), web_needed)?;
        let store = Arc::clone(&self.store);
        wiring::host(store, services, self.settings.lease, self.register)
    }
}
