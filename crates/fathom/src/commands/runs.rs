//! `fathom runs`: looks at runs and goes on with them.

mod decide;
mod fork;
mod list;
mod show;

use fathom_workflow::RunId;
use fathom_workflow::journal::RunFilter;
use futures::StreamExt;

use super::Desk;
use crate::cli::{Format, Output, Runs};
use crate::exit::{Exit, Problem, Result};
use crate::{deliver, files, follow, render, screen, wiring};

/// Runs looked through for the one that an id begins.
const LOOKED_THROUGH: usize = 50_000;
const PAGE: usize = 500;

/// Ids that are named where several fit.
const CANDIDATES_NAMED: usize = 4;

pub async fn run(command: Runs, desk: &Desk) -> Result<Exit> {
    match command {
        Runs::List(args) => list::list(args, desk).await?,
        Runs::Show { run, at, json } => {
            show::show(desk, resolve(desk, &run.id).await?, at, json).await?
        }
        Runs::Resume { run, output } => return resume(desk, &run.id, &output).await,
        Runs::Review(args) => return decide::decide(args, desk).await,
        Runs::Fork {
            run,
            at,
            edits,
            output,
        } => return fork::fork(desk, &run.id, at, edits.as_deref(), &output).await,
        Runs::Replay { run } => replay(desk, &run.id).await?,
        Runs::Cancel { run } => cancel(desk, &run.id).await?,
        Runs::Export {
            run,
            out,
            format,
            log,
        } => {
            let run = resolve(desk, &run.id).await?;
            match log {
                true => export_log(desk, run, out.as_deref()).await?,
                false => export_report(desk, run, out.as_deref(), format).await?,
            }
        }
        Runs::Keep { run, off } => {
            let run = resolve(desk, &run.id).await?;
            desk.store.keep(run, !off).await?;
        }
        Runs::Delete { run } => {
            let run = resolve(desk, &run.id).await?;
            desk.looking.delete(run).await?;
            screen::tell(&format!("Removed run {run}."));
        }
    }
    Ok(Exit::Complete)
}

/// The run that an id, or the beginning of one, names.
pub(super) async fn resolve(desk: &Desk, given: &str) -> Result<RunId> {
    if let Ok(run) = given.parse::<RunId>() {
        desk.looking.header(run).await?;
        return Ok(run);
    }
    let wanted = given.to_lowercase();
    let mut found: Vec<RunId> = Vec::new();
    let mut filter = RunFilter {
        limit: PAGE,
        ..RunFilter::default()
    };
    for _ in 0..LOOKED_THROUGH.div_ceil(PAGE) {
        let page = desk.looking.list(&filter).await?;
        let ids = page.runs.iter().map(fathom_workflow::record::Run::id);
        found.extend(ids.filter(|id| id.to_string().starts_with(&wanted)));
        filter.after = page.next;
        if page.next.is_none() {
            break;
        }
    }
    match found.as_slice() {
        [run] if !wanted.is_empty() => Ok(*run),
        [] => Err(
            Problem::usage(format!("there is no run whose id begins with \"{given}\""))
                .advise("See them with: fathom runs list"),
        ),
        several => {
            let named = several
                .iter()
                .take(CANDIDATES_NAMED)
                .map(ToString::to_string);
            let named = named.collect::<Vec<_>>().join(", ");
            let count = several.len();
            Err(
                Problem::usage(format!("\"{given}\" begins the ids of {count} runs"))
                    .advise(format!("Give more of it: {named}")),
            )
        }
    }
}

async fn resume(desk: &Desk, id: &str, output: &Output) -> Result<Exit> {
    let run = resolve(desk, id).await?;
    render::chosen(output.format, output.out.as_deref())?;
    go_on(desk, run, output).await
}

/// Works on a run that exists until it ends or waits.
async fn go_on(desk: &Desk, run: RunId, output: &Output) -> Result<Exit> {
    let store = std::sync::Arc::clone(&desk.store);
    let engine = wiring::engine_for(&desk.settings, store, run).await?;
    let execution = follow::take_up(&engine, run, output.quiet).await?;
    follow::follow(&engine, execution, output).await
}

async fn replay(desk: &Desk, id: &str) -> Result<()> {
    let run = resolve(desk, id).await?;
    let store = std::sync::Arc::clone(&desk.store);
    let engine = wiring::engine_for(&desk.settings, store, run).await?;
    let replayed = engine.replay(run).await?;
    screen::print_line(&format!(
        "The same again: {} steps, {} recorded answers, no outside call.",
        replayed.steps, replayed.answers
    ))
}

async fn cancel(desk: &Desk, id: &str) -> Result<()> {
    let run = resolve(desk, id).await?;
    desk.looking.cancel(run).await?;
    screen::tell(&format!(
        "Run {run} stops. Continue with: fathom runs resume {run}"
    ));
    Ok(())
}

async fn export_report(
    desk: &Desk,
    run: RunId,
    out: Option<&std::path::Path>,
    format: Option<Format>,
) -> Result<()> {
    let format = render::chosen(format, out)?;
    let view = desk.looking.view(run, None).await?;
    let Some(report) = view.state.report.as_deref() else {
        let status = view.run.head.status;
        return Err(
            Problem::failed(format!("run {run} has no report yet: it is {status}")).advise(
                format!("Its log can be had: fathom runs export {run} --log"),
            ),
        );
    };
    match out {
        Some(path) => files::write(path, &render::render(report, format)?),
        None => deliver::print(report, format),
    }
}

/// Everything that is stored of a run, part by part, since it may be long.
async fn export_log(desk: &Desk, run: RunId, out: Option<&std::path::Path>) -> Result<()> {
    let mut parts = std::pin::pin!(desk.looking.export(run));
    let mut file = out.map(files::Writing::begin).transpose()?;
    while let Some(part) = parts.next().await {
        let part = part?;
        match &mut file {
            Some(file) => file.add(part.as_bytes())?,
            None => screen::print(&part)?,
        }
    }
    file.map_or(Ok(()), files::Writing::finish)
}
