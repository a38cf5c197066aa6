//! `fathom graph`: draws a workflow, or the path a run took through it.

use std::sync::Arc;

use fathom_workflow::draw::{self, RunPath};
use fathom_workflow::{Error, MemoryStore, Store};

use super::{RunsContext, runs};
use crate::Register;
use crate::cli;
use crate::exit::{Exit, Result};
use crate::settings::Settings;
use crate::{deliver, screen, wiring};

pub async fn run(args: cli::GraphArgs, settings: Settings, register: Register) -> Result<Exit> {
    let store: Arc<dyn Store> = match args.run {
        Some(_) => wiring::store(&settings.store).await?,
        // Nothing is stored of a workflow itself.
        None => Arc::new(MemoryStore::default()),
    };
    let context = RunsContext::on(store, settings, register)?;
    let outline = context.host.workflow(&args.workflow)?.outline();
    let path = match &args.run {
        Some(run) => {
            let run = runs::resolve(&context, run).await?;
            let is = context.host.header(run).await?.about.workflow;
            if is != args.workflow {
                let (is, wanted) = (is.into_owned(), args.workflow);
                return Err(Error::OtherWorkflow { run, is, wanted }.into());
            }
            Some(RunPath::from_steps(
                &deliver::steps(&context.host, run).await?,
            ))
        }
        None => None,
    };
    let drawing = draw::draw(&outline, path.as_ref(), args.format);
    screen::print_line(drawing.trim_end())?;
    Ok(Exit::Complete)
}
