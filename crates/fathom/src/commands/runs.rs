//! `fathom runs`: starts runs of any workflow, looks at them and continues them.

mod decide;
mod fork;
mod list;
mod show;
mod start;
mod work;

use std::path::Path;
use std::time::Duration;

use fathom_render::FormOptions;
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::{RunHeader, Status};
use fathom_workflow::{Host, RunId};
use futures::StreamExt;

use super::RunsContext;
use crate::cli::{OutputArgs, ReportFormat, RunsCommand};
use crate::exit::{Exit, Problem, Result};
use crate::{deliver, files, follow, render, screen};

/// Runs looked through for the one that an id begins.
const LOOKED_THROUGH: usize = 50_000;
const PAGE: usize = 500;

/// A run that is not stopped by then is held by another process, which is told.
const TELL_AFTER: Duration = Duration::from_secs(2);

/// Ids that are named where several fit.
const CANDIDATES_NAMED: usize = 4;

pub async fn run(command: RunsCommand, context: &RunsContext) -> Result<Exit> {
    let host = &context.host;
    match command {
        RunsCommand::Start(args) => return start::start(args, context).await,
        RunsCommand::List(args) => list::list(args, host).await?,
        RunsCommand::Show { run, at, json } => {
            show::show(host, resolve(context, &run.id).await?, at, json).await?
        }
        RunsCommand::Resume { run, output } => return resume(context, &run.id, &output).await,
        RunsCommand::Review(args) => return decide::decide(args, context).await,
        RunsCommand::Fork {
            run,
            at,
            edits,
            output,
        } => return fork::fork(context, &run.id, at, edits.as_deref(), &output).await,
        RunsCommand::Replay { run } => replay(context, &run.id).await?,
        RunsCommand::Cancel { run } => cancel(context, &run.id).await?,
        RunsCommand::Export {
            run,
            out,
            format,
            proofs,
            log,
        } => {
            let run = resolve(context, &run.id).await?;
            if log {
                export_log(context, run, out.as_deref()).await?;
            } else {
                let options = FormOptions {
                    proofs,
                    ..FormOptions::default()
                };
                export_outcome(context, run, out.as_deref(), format, options).await?;
            }
        }
        RunsCommand::Keep { run, off } => {
            let run = resolve(context, &run.id).await?;
            host.keep(run, !off).await?;
        }
        RunsCommand::Delete { run } => {
            let run = resolve(context, &run.id).await?;
            host.delete(run).await?;
            screen::tell(&format!("Deleted run {run}."));
        }
        RunsCommand::Work { limit } => return work::work(context, limit.into()).await,
    }
    Ok(Exit::Complete)
}

/// The run that an id, or the beginning of one, names.
pub(super) async fn resolve(context: &RunsContext, given: &str) -> Result<RunId> {
    if let Ok(run) = given.parse::<RunId>() {
        context.host.header(run).await?;
        return Ok(run);
    }
    let wanted = given.to_lowercase();
    let mut found: Vec<RunId> = Vec::new();
    let mut filter = RunFilter {
        limit: PAGE,
        ..RunFilter::default()
    };
    for _ in 0..LOOKED_THROUGH.div_ceil(PAGE) {
        let page = context.host.list(&filter).await?;
        let ids = page.runs.iter().map(RunHeader::id);
        found.extend(ids.filter(|id| id.to_string().starts_with(&wanted)));
        filter.after = page.next;
        if page.next.is_none() {
            break;
        }
    }
    match found.as_slice() {
        [run] if !wanted.is_empty() => Ok(*run),
        [] => Err(
            Problem::usage(format!("no run has an id that begins with \"{given}\""))
                .advise("List runs with: fathom runs list"),
        ),
        several => {
            let named = several
                .iter()
                .take(CANDIDATES_NAMED)
                .map(ToString::to_string);
            let named = named.collect::<Vec<_>>().join(", ");
            let count = several.len();
            Err(Problem::usage(format!("\"{given}\" matches {count} runs"))
                .advise(format!("Give more of the id: {named}")))
        }
    }
}

async fn resume(context: &RunsContext, id: &str, output: &OutputArgs) -> Result<Exit> {
    let run = resolve(context, id).await?;
    deliver::check_output_of(&context.host, run, output).await?;
    go_on(&context.host, run, output).await
}

/// Works on a run that exists until it ends or waits for a person.
async fn go_on(host: &Host, run: RunId, output: &OutputArgs) -> Result<Exit> {
    follow::take_up(host, run, output.quiet).await?;
    follow::follow(host, run, output).await
}

async fn replay(context: &RunsContext, id: &str) -> Result<()> {
    let run = resolve(context, id).await?;
    let replayed = context.host.replay(run).await?;
    let steps = screen::counted(replayed.steps, "step");
    let answers = screen::counted(replayed.answers, "recorded answer");
    screen::print_line(&format!(
        "Identical: {steps} and {answers}, without any outside call."
    ))
}

async fn cancel(context: &RunsContext, id: &str) -> Result<()> {
    let run = resolve(context, id).await?;
    let mut stopping = std::pin::pin!(context.host.stop(run));
    tokio::select! {
        stopped = &mut stopping => stopped?,
        () = tokio::time::sleep(TELL_AFTER) => {
            screen::tell(
                "Another process holds this run, or crashed while it did; waiting for it to stop, or for its lease to end.",
            );
            stopping.await?;
        }
    }
    screen::tell(&match context.host.header(run).await?.head.status {
        Status::Cancelled => {
            format!("Cancelled run {run}. Continue with: fathom runs resume {run}")
        }
        other => format!("Run {run} came to its end before it could be cancelled: it is {other}."),
    });
    Ok(())
}

async fn export_outcome(
    context: &RunsContext,
    run: RunId,
    out: Option<&Path>,
    format: Option<ReportFormat>,
    options: FormOptions,
) -> Result<()> {
    let kind = context.host.workflow_of(run).await?.outcome_kind();
    let format = render::chosen(kind, format, out)?;
    let Some(outcome) = deliver::outcome(&context.host, run).await? else {
        let status = context.host.header(run).await?.head.status;
        return Err(
            Problem::failed(format!("run {run} has no outcome yet: it is {status}")).advise(
                format!("Export its log instead: fathom runs export {run} --log"),
            ),
        );
    };
    match out {
        Some(path) => {
            files::write(path, &outcome.bytes(format, &options)?)?;
            tell_written(path);
            Ok(())
        }
        None => outcome.print(format, &options).map(drop),
    }
}

/// Everything that is stored about a run, part by part, since it may be long.
async fn export_log(context: &RunsContext, run: RunId, out: Option<&Path>) -> Result<()> {
    let mut parts = std::pin::pin!(context.host.export(run));
    let mut file = out.map(files::AtomicFile::begin).transpose()?;
    while let Some(part) = parts.next().await {
        let part = part?;
        match &mut file {
            Some(file) => file.add(part.as_bytes())?,
            None => screen::print(&part)?,
        }
    }
    file.map_or(Ok(()), files::AtomicFile::finish)?;
    if let Some(path) = out {
        tell_written(path);
    }
    Ok(())
}

fn tell_written(path: &Path) {
    screen::tell(&format!("Wrote {}.", path.display()));
}
