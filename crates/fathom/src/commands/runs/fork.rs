//! `fathom runs fork`: a new run from a step of another, with parts of its state changed.

use std::path::Path;

use fathom_workflow::NewRun;

use super::{RunsContext, resolve};
use crate::cli::OutputArgs;
use crate::exit::{Exit, Result};
use crate::{edits, follow, render, screen};

pub(super) async fn fork(
    context: &RunsContext,
    id: &str,
    at: u64,
    edits: Option<&Path>,
    output: &OutputArgs,
) -> Result<Exit> {
    let run = resolve(context, id).await?;
    render::chosen(output.format, output.out.as_deref())?;
    let edits = edits.map(edits::read).transpose()?;
    context.host.workflow_of(run).await?;
    let host = context.working_host(Some(run)).await?;
    let forked = host.fork(run, at, NewRun::untitled(), edits).await?;
    if !output.quiet {
        screen::tell(&format!("Run {forked}, from step {at} of {run}"));
    }
    follow::follow(&host, forked, output).await
}
