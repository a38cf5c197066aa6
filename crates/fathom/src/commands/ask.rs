//! `fathom ask`: a question over one's own documents, and the talk that may follow it.

mod talk;

use fathom_research::Question;
use fathom_research::workflows::ask::{self, AskInput, AskSettings, AskedTurn};
use fathom_workflow::{Host, NewRun, RunId};
use serde_json::json;

use crate::Register;
use crate::cli::AskArgs;
use crate::commands::{RunsContext, report};
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValues, Settings};
use crate::{deliver, follow};

pub async fn run(
    args: AskArgs,
    settings: impl FnOnce(FlagValues) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    let settings = settings(flags(&args))?;
    if let Some(question) = &args.question {
        // Refused before a library is read for it.
        Question::parse_short(question, jiff::Zoned::now().date()).map_err(Problem::usage)?;
    }
    deliver::check_output(fathom_render::answer::KIND, &args.output)?;
    let context = RunsContext::open_to_start(settings, register).await?;
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
    let settings = context.settings.ask.clone();
    let library = report::open_library(settings.library, context, quiet).await?;
    if library.is_empty() {
        return Err(no_library());
    }
    Ok(AskSettings {
        library,
        ..settings
    })
}

fn no_library() -> Problem {
    Problem::usage("there are no documents to ask")
        .advise("Name a folder with --library DIR, or add one for good: fathom library add DIR")
}

/// What the flags say about settings.
fn flags(args: &AskArgs) -> FlagValues {
    FlagValues::default()
        .table("ask")
        .flag("library", "--library", &args.library)
        .flag("max_execution_time_s", "--max-time", args.max_time)
}
