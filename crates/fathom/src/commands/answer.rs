//! `fathom answer`: a task searched for in rounds, and answered with checked citations.

use fathom_research::workflows::answer::{self, AnswerInput, AnswerSettings};
use fathom_research::{AskedDepth, Question};
use fathom_workflow::NewRun;
use serde_json::json;

use crate::Register;
use crate::cli::AnswerArgs;
use crate::commands::{RunsContext, report};
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValue, Settings};
use crate::{deliver, follow, screen};

pub async fn run(
    args: AnswerArgs,
    settings: impl FnOnce(Vec<FlagValue>) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    let settings = settings(flags(&args))?;
    // Refused before a library is read for it.
    Question::parse(&args.task, jiff::Zoned::now().date()).map_err(Problem::usage)?;
    deliver::check_output(fathom_render::answer::KIND, &args.output)?;
    let context = RunsContext::open(settings, register).await?;
    let RunsContext {
        settings,
        host,
        libraries,
    } = context;
    // That old runs cannot be removed is no reason not to start a new one.
    if let Err(error) = host.expire(settings.ttl).await {
        tracing::warn!(%error, "old runs could not be removed");
    }
    let named = settings.answer.library.clone();
    let quiet = args.output.quiet;
    let library = report::open_library(named, &settings.home, &libraries, quiet).await?;
    let input = AnswerInput {
        question: args.task,
        tier: args.tier.unwrap_or(AskedDepth::Auto),
        settings: AnswerSettings {
            library,
            ..settings.answer
        },
    };
    let new = NewRun {
        keep: args.keep,
        ..NewRun::untitled()
    };
    let run = host.start(answer::NAME, new, json!(input)).await?;
    if !quiet {
        screen::tell(&format!("Run {run}"));
    }
    follow::follow(&host, run, &args.output).await
}

/// What the flags say about settings.
fn flags(args: &AnswerArgs) -> Vec<FlagValue> {
    let mut flags = Vec::new();
    let mut flag = |setting, flag, value| {
        flags.push(FlagValue {
            setting,
            flag,
            value,
        });
    };
    if !args.library.is_empty() {
        flag("answer.library", "--library", json!(args.library));
    }
    if args.web {
        flag("answer.web", "--web", json!(true));
    }
    if let Some(rounds) = args.max_iters {
        flag("answer.max_iters", "--max-iters", json!(rounds));
    }
    if let Some(seconds) = args.max_time {
        flag("answer.max_execution_time_s", "--max-time", json!(seconds));
    }
    flags
}
