//! `fathom runs review`: a decision at a gate, and then on.

use fathom_workflow::RunId;
use fathom_workflow::interrupt::{Decision, Verdict};

use super::{RunsContext, go_on, resolve};
use crate::cli::{self, ReviewArgs};
use crate::edits;
use crate::exit::{Exit, Problem, Result};
use crate::review::{self, Decided};
use crate::{deliver, gates, screen};

pub(super) async fn decide(args: ReviewArgs, context: &RunsContext) -> Result<Exit> {
    let run = resolve(context, &args.run.id).await?;
    deliver::check_output_of(&context.host, run, &args.output).await?;
    let decision = decision(&args, run)?;
    if review::decide(&context.host, run, None, decision).await? == Decided::Late {
        screen::tell("The gate's deadline had passed; the run returns to it with your decision.");
    }
    go_on(&context.host, run, &args.output).await
}

fn decision(args: &ReviewArgs, run: RunId) -> Result<Decision> {
    let verdict = match args.verdict {
        cli::VerdictArg::Approve => Verdict::Approve,
        cli::VerdictArg::Reject => Verdict::Reject,
        cli::VerdictArg::Modify => Verdict::Modify,
        cli::VerdictArg::Skip => Verdict::Skip,
    };
    let given = args.edits.is_some();
    if verdict == Verdict::Modify && !given && args.feedback.is_none() {
        return Err(Problem::usage("modify needs edits or feedback")
            .advise("Add --edits FILE (JSON or TOML), or --feedback TEXT"));
    }
    if verdict != Verdict::Modify && given {
        return Err(
            Problem::usage("--edits can only be given with modify").advise(format!(
                "Write: fathom runs review {run} modify --edits FILE"
            )),
        );
    }
    let edits = match &args.edits {
        Some(path) => Some(edits::read(path)?),
        None => None,
    };
    Ok(Decision {
        edits,
        feedback: args.feedback.clone(),
        ..Decision::new(verdict, gates::decider())
    })
}
