//! `fathom runs review`: a decision at a gate, and then on.

use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Error, RunId};
use serde_json::Value;

use super::{Desk, go_on, resolve};
use crate::cli::{self, Decide};
use crate::edits;
use crate::exit::{Exit, Problem, Result};
use crate::{gates, render, screen};

pub(super) async fn decide(args: Decide, desk: &Desk) -> Result<Exit> {
    let run = resolve(desk, &args.run.id).await?;
    render::chosen(args.output.format, args.output.out.as_deref())?;
    let decision = decision(&args, desk, run).await?;
    let decided = match desk.looking.gate(run).await {
        Ok(gate) => desk.looking.decide(&gate, decision.clone()).await,
        Err(error) => Err(error),
    };
    match decided {
        Ok(()) => {}
        Err(error @ (Error::GateClosed { .. } | Error::NotWaiting { .. })) => {
            reopen(desk, run, decision, error).await?;
        }
        Err(error) => return Err(error.into()),
    }
    go_on(desk, run, &args.output).await
}

async fn decision(args: &Decide, desk: &Desk, run: RunId) -> Result<Decision> {
    let verdict = match args.verdict {
        cli::Verdict::Approve => Verdict::Approve,
        cli::Verdict::Reject => Verdict::Reject,
        cli::Verdict::Modify => Verdict::Modify,
        cli::Verdict::Skip => Verdict::Skip,
    };
    let modifies = verdict == Verdict::Modify;
    if modifies && args.edits.is_none() && args.feedback.is_none() {
        return Err(Problem::usage("to modify takes edits or feedback")
            .advise("Add --edits FILE (JSON or TOML), or --feedback TEXT"));
    }
    if !modifies && args.edits.is_some() {
        return Err(
            Problem::usage("edits are taken with modify alone").advise(format!(
                "Write: fathom runs review {run} modify --edits FILE"
            )),
        );
    }
    let edits = match &args.edits {
        Some(path) => Some(checked(desk, run, edits::read(path)?).await?),
        None => None,
    };
    Ok(Decision {
        edits,
        feedback: args.feedback.clone(),
        ..Decision::new(verdict, gates::decider())
    })
}

/// Edits that fit what they change. Those for a gate whose time has passed are checked when the run is back there.
async fn checked(desk: &Desk, run: RunId, edits: Value) -> Result<Value> {
    let view = desk.looking.view(run, None).await?;
    if view.run.head.status != Status::Waiting {
        return Ok(edits);
    }
    edits::check(&view.state, &edits)
        .map_err(|why| Problem::usage(format!("the edits do not fit: {why}")))?;
    Ok(edits)
}

/// A decision that comes after its gate's deadline takes the run back there.
async fn reopen(desk: &Desk, run: RunId, decision: Decision, why: Error) -> Result<()> {
    match desk.looking.reopen(run, decision).await {
        Ok(()) => {
            screen::tell("The gate's time had passed; the run goes back to it with your decision.");
            Ok(())
        }
        // No gate was missed, so what was said first is what matters.
        Err(Error::GateClosed { .. } | Error::NotWaiting { .. }) => Err(why.into()),
        Err(error) => Err(error.into()),
    }
}
