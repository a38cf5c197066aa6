//! `fathom runs review`: a decision at a gate, and then on.

use fathom_workflow::interrupt::{Decision, Verdict};
use fathom_workflow::record::Status;
use fathom_workflow::{Error, RunId};
use serde_json::Value;

use super::{RunsContext, go_on, resolve};
use crate::cli::{self, ReviewArgs};
use crate::edits;
use crate::exit::{Exit, Problem, Result};
use crate::{deliver, gates, screen};

pub(super) async fn decide(args: ReviewArgs, context: &RunsContext) -> Result<Exit> {
    let run = resolve(context, &args.run.id).await?;
    deliver::check_output_of(&context.host, run, &args.output).await?;
    let decision = decision(&args, context, run).await?;
    let decided = match context.host.gate(run).await {
        Ok(gate) => context.host.decide(&gate, decision.clone()).await,
        Err(error) => Err(error),
    };
    match decided {
        Ok(()) => {}
        Err(error @ (Error::GateClosed { .. } | Error::NotWaiting { .. })) => {
            reopen(context, run, decision, error).await?;
        }
        Err(error) => return Err(error.into()),
    }
    go_on(&context.host, run, &args.output).await
}

async fn decision(args: &ReviewArgs, context: &RunsContext, run: RunId) -> Result<Decision> {
    let verdict = match args.verdict {
        cli::VerdictArg::Approve => Verdict::Approve,
        cli::VerdictArg::Reject => Verdict::Reject,
        cli::VerdictArg::Modify => Verdict::Modify,
        cli::VerdictArg::Skip => Verdict::Skip,
    };
    let modifies = verdict == Verdict::Modify;
    if modifies && args.edits.is_none() && args.feedback.is_none() {
        return Err(Problem::usage("modify needs edits or feedback")
            .advise("Add --edits FILE (JSON or TOML), or --feedback TEXT"));
    }
    if !modifies && args.edits.is_some() {
        return Err(
            Problem::usage("--edits can only be given with modify").advise(format!(
                "Write: fathom runs review {run} modify --edits FILE"
            )),
        );
    }
    let edits = match &args.edits {
        Some(path) => Some(checked(context, run, edits::read(path)?).await?),
        None => None,
    };
    Ok(Decision {
        edits,
        feedback: args.feedback.clone(),
        ..Decision::new(verdict, gates::decider())
    })
}

/// Edits that fit what they change. Those for a gate whose time has passed are checked when the run is back there.
async fn checked(context: &RunsContext, run: RunId, edits: Value) -> Result<Value> {
    if context.host.header(run).await?.head.status == Status::Waiting {
        context.host.check_edits(run, &edits).await?;
    }
    Ok(edits)
}

/// A decision that comes after its gate's deadline takes the run back there.
async fn reopen(context: &RunsContext, run: RunId, decision: Decision, why: Error) -> Result<()> {
    match context.host.reopen(run, decision).await {
        Ok(()) => {
            screen::tell(
                "The gate's deadline had passed; the run returns to it with your decision.",
            );
            Ok(())
        }
        // No gate was missed, so what was said first is what matters.
        Err(Error::GateClosed { .. } | Error::NotWaiting { .. }) => Err(why.into()),
        Err(error) => Err(error.into()),
    }
}
