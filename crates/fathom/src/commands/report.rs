//! `fathom report`: from a question to a report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_research::{Question, State};
use fathom_workflow::{NewRun, SystemClock};
use serde_json::json;

use crate::cli::{self, ReviewGate};
use crate::commands::library;
use crate::exit::{Exit, Problem, Result};
use crate::own_library::OwnLibraries;
use crate::settings::{FlagValue, Settings};
use crate::wiring::{self, Engine};
use crate::{follow, render, screen};

/// Files of a library that could not be read and are named; the rest are counted.
const SKIPPED_NAMED: usize = 5;

pub async fn run(
    args: cli::ReportArgs,
    settings: impl FnOnce(Vec<FlagValue>) -> Result<Settings>,
) -> Result<Exit> {
    let mut settings = settings(flags(&args))?;
    let question = question(&args, &settings)?;
    check_output(&args.output)?;
    let libraries = Arc::new(OwnLibraries::default());
    open_library(&mut settings, &libraries, args.output.quiet).await?;
    let scope = settings.report.scope();
    let services = wiring::services(&settings, libraries, scope.web)?;
    if services.kinds(scope).is_empty() {
        return Err(Problem::usage("there is nothing to search")
            .advise("Give --library DIR, or set a key; see: fathom doctor"));
    }
    let store = wiring::store(&settings.store).await?;
    let engine = wiring::engine(store, services, settings.lease)?;
    expire(&engine, &settings).await;

    let new = NewRun {
        time_limit: Some(settings.report.time_limit()),
        keep: args.keep,
        ..NewRun::titled(question.text())
    };
    let id = new.id;
    let now = fathom_workflow::Clock::now(&SystemClock);
    let state = State::new(question, settings.report, now);
    let execution = engine.start(new, state).await?;
    if !args.output.quiet {
        screen::tell(&format!("Run {id}"));
    }
    follow::follow(&engine, execution, &args.output).await
}

/// What the flags say about settings.
fn flags(args: &cli::ReportArgs) -> Vec<FlagValue> {
    let mut flags = Vec::new();
    let mut flag = |setting, flag, value| {
        flags.push(FlagValue {
            setting,
            flag,
            value,
        });
    };
    if let Some(depth) = args.depth {
        flag("report.depth", "--depth", json!(depth));
    }
    if let Some(style) = args.style {
        flag("report.style", "--style", json!(style));
    }
    if let Some(words) = args.length {
        flag("report.target_length", "--length", json!(words));
    }
    if let Some(style) = args.citation_style {
        flag("report.citation_style", "--citation-style", json!(style));
    }
    if let Some(seconds) = args.max_time {
        flag("report.max_execution_time_s", "--max-time", json!(seconds));
    }
    if !args.library.is_empty() {
        flag("report.library", "--library", json!(args.library));
    }
    if args.web {
        flag("report.web", "--web", json!(true));
    }
    if args.fresh {
        flag("report.fresh", "--fresh", json!(true));
    }
    for review in &args.review {
        let gate = match review {
            ReviewGate::Plan => "report.people.hitl_after_planning",
            ReviewGate::Final => "report.people.hitl_before_output",
            ReviewGate::Critical => "report.people.hitl_on_critical",
        };
        flag(gate, "--review", json!(true));
    }
    if !args.stop.is_empty() {
        flag("report.people.breakpoints", "--stop", json!(args.stop));
    }
    flags
}

fn question(args: &cli::ReportArgs, settings: &Settings) -> Result<Question> {
    let today = jiff::Zoned::now().date();
    let mut question = Question::parse(&args.question, today).map_err(Problem::usage)?;
    question.depth = settings.depth;
    question.style = settings.style;
    Ok(match &args.context {
        Some(context) => question.with_context(context),
        None => question,
    })
}

/// Refuses what could only fail after all the work is done.
fn check_output(output: &cli::OutputArgs) -> Result<()> {
    render::chosen(output.format, output.out.as_deref())?;
    let folder = output.out.as_deref().and_then(Path::parent);
    match folder.filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(Problem::usage(format!(
            "the folder {} does not exist",
            folder.display()
        ))
        .advise("Create it first, or choose another --out")),
        None => Ok(()),
    }
}

/// Reads the library: the one that is named, else the folders that were added. The settings of the run keep it.
async fn open_library(
    settings: &mut Settings,
    libraries: &OwnLibraries,
    quiet: bool,
) -> Result<()> {
    let mut roots = settings.report.library.clone();
    if roots.is_empty() {
        roots = library::folders(&settings.home)?;
    }
    // A run may be resumed from another folder.
    let absolute = roots
        .iter()
        .map(std::path::absolute)
        .collect::<std::io::Result<_>>();
    let roots: Vec<PathBuf> = absolute.map_err(Problem::failed)?;
    settings.report.library.clone_from(&roots);
    if roots.is_empty() {
        return Ok(());
    }
    let library = libraries.get(&roots);
    let folder = library.folder().await.map_err(Problem::usage)?;
    if !quiet {
        tell_skipped(folder.skipped());
    }
    if folder.documents().is_empty() {
        return Err(Problem::usage("the library has no document that can be read").advise(
            "Give a folder with HTML, PDF, DOCX, Markdown, plain text, JSON or CSV files: --library DIR",
        ));
    }
    Ok(())
}

fn tell_skipped(skipped: &[fathom_store::library::SkippedFile]) {
    for one in skipped.iter().take(SKIPPED_NAMED) {
        let line = format!("Skipped {}: {}", one.name, one.why);
        screen::tell(&screen::harmless(&line));
    }
    if skipped.len() > SKIPPED_NAMED {
        let more = skipped.len() - SKIPPED_NAMED;
        screen::tell(&format!("Skipped {more} more files that cannot be read."));
    }
}

/// Removes old runs. That it fails is no reason not to begin a new one.
async fn expire(engine: &Engine, settings: &Settings) {
    if let Err(error) = engine.expire(settings.ttl).await {
        tracing::warn!(%error, "old runs could not be removed");
    }
}
