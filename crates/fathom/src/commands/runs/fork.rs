//! `fathom runs fork`: a new run from a step of another, with parts of its state changed.

use std::path::Path;

use fathom_workflow::NewRun;

use super::{RunsContext, resolve};
use crate::cli::OutputArgs;
use crate::exit::{Exit, Problem, Result};
use crate::{edits, follow, render, screen, wiring};

pub(super) async fn fork(
    context: &RunsContext,
    id: &str,
    at: u64,
    edits: Option<&Path>,
    output: &OutputArgs,
) -> Result<Exit> {
    let run = resolve(context, id).await?;
    render::chosen(output.format, output.out.as_deref())?;
    let store = std::sync::Arc::clone(&context.store);
    let engine = wiring::engine_for(&context.settings, store, run).await?;
    let changed = match edits {
        Some(path) => {
            let state = engine.view(run, Some(at)).await?.state;
            let changed = edits::changed(&state, &edits::read(path)?);
            let misfit = |why| Problem::usage(format!("the edits cannot be used: {why}"));
            Some(changed.map_err(misfit)?)
        }
        None => None,
    };
    let header = engine.header(run).await?;
    let new = NewRun {
        time_limit: header.about.time_limit,
        ..NewRun::titled(header.about.title)
    };
    let forked = new.id;
    let edit = |state: &mut fathom_research::State| {
        if let Some(changed) = changed {
            *state = changed;
        }
    };
    let execution = engine.fork(run, at, new, edit).await?;
    if !output.quiet {
        screen::tell(&format!("Run {forked}, from step {at} of {run}"));
    }
    follow::follow(&engine, execution, output).await
}
