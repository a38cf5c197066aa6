//! `fathom graph`: draws a workflow, or the path a run took through it.

use std::sync::Arc;

use fathom_workflow::draw::{self, RunPath};
use fathom_workflow::record::StepMeta;
use fathom_workflow::{Error, Host, MemoryStore, RunId, Store};

use super::{RunsContext, runs};
use crate::Register;
use crate::cli;
use crate::exit::{Exit, Result};
use crate::screen;
use crate::settings::Settings;
use crate::wiring;

/// Steps read from the store at a time.
const PAGE: usize = 256;

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
            Some(RunPath::from_steps(&steps(&context.host, run).await?))
        }
        None => None,
    };
    let drawing = draw::draw(&outline, path.as_ref(), args.format);
    screen::print_line(drawing.trim_end())?;
    Ok(Exit::Complete)
}

/// What every recorded step was, without what it brought.
pub(super) async fn steps(host: &Host, run: RunId) -> Result<Vec<StepMeta>> {
    let last = host.header(run).await?.head.step;
    let mut steps: Vec<StepMeta> = Vec::new();
    let mut from = 0;
    while from <= last {
        let page = host.store().steps(run, from, PAGE).await?;
        let Some(last) = page.last() else { break };
        from = last.meta.step + 1;
        steps.extend(page.into_iter().map(|record| record.meta));
    }
    Ok(steps)
}
