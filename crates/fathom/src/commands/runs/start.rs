//! `fathom runs start`: a run of any workflow from JSON input.

use std::path::Path;

use serde_json::Value;

use super::RunsContext;
use crate::cli::StartArgs;
use crate::exit::{Exit, Problem, Result};
use crate::{deliver, follow};

pub(super) async fn start(args: StartArgs, context: &RunsContext) -> Result<Exit> {
    let host = &context.host;
    let kind = host.workflow(&args.workflow)?.outcome_kind();
    deliver::check_output(kind, &args.output)?;
    let input = input(&args.input)?;
    let run = context.start(&args.workflow, input, args.keep, &args.output);
    follow::follow(host, run.await?, &args.output).await
}

/// The JSON that was given, or that the file holds which was named.
fn input(given: &str) -> Result<Value> {
    let read;
    let text = match given.strip_prefix('@') {
        Some(path) => {
            let file = std::fs::read_to_string(Path::new(path));
            read =
                file.map_err(|error| Problem::usage(format!("{path} cannot be read: {error}")))?;
            &read
        }
        None => given,
    };
    serde_json::from_str(text).map_err(|error| {
        Problem::usage(format!("the input is not JSON: {error}"))
            .advise("Give it as JSON, or name a file that holds it: --input @FILE")
    })
}
