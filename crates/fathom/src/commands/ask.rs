//! `fathom ask`: a question over one's own documents, and the talk that may follow it.

mod talk;

use std::path::PathBuf;

use fathom_research::Question;
use fathom_research::workflows::ask::{self, AskInput, AskSettings, AskedTurn};
use fathom_workflow::{Host, NewRun, RunId};
use serde_json::json;

use crate::Register;
use crate::cli::AskArgs;
use crate::commands::{RunsContext, report};
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValue, Settings};
use crate::{deliver, follow};

pub async fn run(
    args: AskArgs,
    settings: impl FnOnce(Vec<FlagValue>) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    let settings = settings(flags(&args))?;
    if let Some(question) = &args.question {
        // Refused before a library is read for it.
        Question::parse_short(question, jiff::Zoned::now().date()).map_err(Problem::usage)?;
    }
    deliver::check_output(fathom_render::answer::KIND, &args.output)?;
    let context = RunsContext::open(settings, register).await?;
    // That old runs cannot be removed is no reason not to start a new one.
    if let Err(error) = context.host.expire(context.settings.ttl).await {
        tracing::warn!(%error, "old runs could not be removed");
    }
    match (args.interactive, &args.question) {
        (false, Some(question)) => {
            let settings = opened(&context, args.output.quiet).await?;
            let asking = Asking {
                host: &context.host,
                settings,
                keep: args.keep,
            };
            let run = asking.start(question, Vec::new()).await?;
            follow::follow_briefly(args.output.quiet, &context.host, run, &args.output).await
        }
        _ => talk::talk(&args, &context).await,
    }
}

/// How questions are put, one after another.
struct Asking<'a> {
    host: &'a Host,
    settings: AskSettings,
    keep: bool,
}

impl Asking<'_> {
    /// Commits a run for the question.
    async fn start(&self, question: &str, earlier: Vec<AskedTurn>) -> Result<RunId> {
        let input = AskInput {
            question: question.to_owned(),
            earlier,
            settings: self.settings.clone(),
        };
        let new = NewRun {
            keep: self.keep,
            ..NewRun::untitled()
        };
        Ok(self.host.start(ask::NAME, new, json!(input)).await?)
    }
}

/// The settings with the library read: the one that is named, else the folders that were added.
async fn opened(context: &RunsContext, quiet: bool) -> Result<AskSettings> {
    let RunsContext {
        settings,
        libraries,
        ..
    } = context;
    let named = settings.ask.library.clone();
    let library = report::open_library(named, &settings.home, libraries, quiet).await?;
    if library.is_empty() {
        return Err(no_library());
    }
    Ok(AskSettings {
        library,
        ..settings.ask.clone()
    })
}

fn no_library() -> Problem {
    Problem::usage("there are no documents to ask")
        .advise("Name a folder with --library DIR, or add one for good: fathom library add DIR")
}

/// What the flags say about settings.
fn flags(args: &AskArgs) -> Vec<FlagValue> {
    let library: &[PathBuf] = &args.library;
    let library = (!library.is_empty()).then(|| FlagValue {
        setting: "ask.library",
        flag: "--library",
        value: json!(library),
    });
    let time = args.max_time.map(|seconds| FlagValue {
        setting: "ask.max_execution_time_s",
        flag: "--max-time",
        value: json!(seconds),
    });
    library.into_iter().chain(time).collect()
}
