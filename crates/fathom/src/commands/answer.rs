//! `fathom answer`: a task searched for in rounds, and answered with checked citations.

use fathom_research::workflows::answer::{self, AnswerInput, AnswerSettings};
use fathom_research::{AskedDepth, Question};
use serde_json::json;

use crate::Register;
use crate::cli::AnswerArgs;
use crate::commands::{RunsContext, report};
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValues, Settings};
use crate::{deliver, follow};

pub async fn run(
    args: AnswerArgs,
    settings: impl FnOnce(FlagValues) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    let settings = settings(flags(&args))?;
    // Refused before a library is read for it.
    Question::parse(&args.task, jiff::Zoned::now().date()).map_err(Problem::usage)?;
    deliver::check_output(fathom_render::answer::KIND, &args.output)?;
    let context = RunsContext::open_to_start(settings, register).await?;
    let settings = context.settings.answer.clone();
    let library = report::open_library(settings.library, &context, args.output.quiet).await?;
    let input = AnswerInput {
        question: args.task,
        tier: args.tier.unwrap_or(AskedDepth::Auto),
        settings: AnswerSettings {
            library,
            ..settings
        },
    };
    let started = context.start(answer::NAME, json!(input), args.keep, &args.output);
    follow::follow(&context.host, started.await?, &args.output).await
}

/// What the flags say about settings.
fn flags(args: &AnswerArgs) -> FlagValues {
    FlagValues::default()
        .table("answer")
        .flag("library", "--library", &args.library)
        .flag("web", "--web", args.web)
        .flag("max_iters", "--max-iters", args.max_iters)
        .flag("max_execution_time_s", "--max-time", args.max_time)
}
