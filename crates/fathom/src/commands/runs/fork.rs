//! `fathom runs fork`: a new run from a step of another, with parts of its state changed.

use std::path::Path;

use fathom_workflow::NewRun;

use super::{RunsContext, resolve};
use crate::cli::OutputArgs;
use crate::exit::{Exit, Result};
use crate::{deliver, edits, follow, screen};

pub(super) async fn fork(
    context: &RunsContext,
    id: &str,
    at: u64,
    edits: Option<&Path>,
    output: &OutputArgs,
) -> Result<Exit> {
    let run = resolve(context, id).await?;
    let host = &context.host;
    deliver::check_output_of(host, run, output).await?;
    let edits = edits.map(edits::read).transpose()?;
    let forked = host.fork(run, at, NewRun::untitled(), edits).await?;
    if !output.quiet {
        screen::tell(&format!("Run {forked}, from step {at} of {run}"));
    }
    follow::follow(host, forked, output).await
}
