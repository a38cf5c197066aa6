//! `fathom graph`: draws a workflow, or the way a run went through it.

use fathom_research::workflows::report;
use fathom_workflow::draw::{self, RunPath};
use fathom_workflow::record::StepMeta;
use fathom_workflow::{Error, Outline, RunId, Store};

use super::{RunsContext, runs};
use crate::cli;
use crate::exit::{Exit, Problem, Result};
use crate::screen;
use crate::settings::{FlagValue, Settings};

/// Steps read from the store at a time.
const PAGE: usize = 256;

pub async fn run(
    args: cli::GraphArgs,
    settings: impl FnOnce(Vec<FlagValue>) -> Result<Settings>,
) -> Result<Exit> {
    let outline = outline(&args.workflow)?;
    let path = match &args.run {
        Some(run) => {
            let context = RunsContext::open(settings(Vec::new())?).await?;
            let run = runs::resolve(&context, run).await?;
            Some(RunPath::from_steps(&steps(&*context.store, run).await?))
        }
        None => None,
    };
    let drawing = draw::draw(&outline, path.as_ref(), args.format);
    screen::print_line(drawing.trim_end())?;
    Ok(Exit::Complete)
}

fn outline(workflow: &str) -> Result<Outline> {
    match workflow {
        report::NAME => match report::graph() {
            Ok(graph) => Ok(graph.outline()),
            Err(error) => Err(Error::from(error).into()),
        },
        other => Err(Problem::usage(format!("there is no workflow \"{other}\""))
            .advise(format!("Known workflows: {}", report::NAME))),
    }
}

/// What every recorded step was, without what it brought.
pub(super) async fn steps(store: &dyn Store, run: RunId) -> Result<Vec<StepMeta>> {
    let (header, _) = store.head(run).await?;
    let mut steps: Vec<StepMeta> = Vec::new();
    let mut from = 0;
    while from <= header.head.step {
        let page = store.steps(run, from, PAGE).await?;
        let Some(last) = page.last() else { break };
        from = last.meta.step + 1;
        steps.extend(page.into_iter().map(|record| record.meta));
    }
    Ok(steps)
}
