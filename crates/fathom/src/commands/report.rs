//! `fathom report`: from a question to a report.

use std::path::{Path, PathBuf};

use fathom_research::Question;
use fathom_research::workflows::report::{self, ReportInput};
use fathom_store::library::{DocumentLibrary, LibraryCounts};
use fathom_workflow::NewRun;
use jiff::Timestamp;
use serde_json::json;

use crate::Register;
use crate::cli::{self, ReviewGate};
use crate::commands::RunsContext;
use crate::exit::{Exit, Problem, Result};
use crate::library_list::LibraryList;
use crate::own_library::OwnLibraries;
use crate::settings::{FlagValue, Settings};
use crate::{deliver, follow, reading, screen};

/// Files of a library that could not be read and are named; the rest are counted.
const SKIPPED_NAMED: usize = 5;

pub async fn run(
    args: cli::ReportArgs,
    settings: impl FnOnce(Vec<FlagValue>) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    let asked_at = Timestamp::now();
    let settings = settings(flags(&args))?;
    // Refused before a library is read for it.
    Question::parse(&args.question, jiff::Zoned::now().date()).map_err(Problem::usage)?;
    tell_idle_filters(&args, &settings);
    deliver::check_output(fathom_render::report::KIND, &args.output)?;
    let context = RunsContext::open(settings, register).await?;
    let RunsContext {
        mut settings,
        host,
        libraries,
    } = context;
    let named = std::mem::take(&mut settings.report.library);
    settings.report.library =
        open_library(named, &settings.home, &libraries, args.output.quiet).await?;
    // That old runs cannot be removed is no reason not to start a new one.
    if let Err(error) = host.expire(settings.ttl).await {
        tracing::warn!(%error, "old runs could not be removed");
    }
    let input = ReportInput {
        question: args.question,
        context: args.context,
        domain: args.domain,
        date: args.date,
        depth: settings.depth,
        style: settings.style,
        settings: settings.report,
        // Reading the library is part of the time that a person waits.
        asked_at: Some(asked_at),
    };
    let new = NewRun {
        keep: args.keep,
        ..NewRun::untitled()
    };
    let people = &input.settings.people;
    let asks = people.hitl_after_planning
        || people.hitl_before_output
        || people.hitl_on_critical
        || !people.breakpoints.is_empty();
    if asks && !host.store().is_durable() {
        screen::tell(follow::DECISION_LOST);
    }
    let run = host.start(report::NAME, new, json!(input)).await?;
    if !args.output.quiet {
        screen::tell(&format!("Run {run}"));
    }
    follow::follow_since(Some(asked_at), &host, run, &args.output).await
}

/// A filter of results of the web says nothing of own documents, and a person should know.
fn tell_idle_filters(args: &cli::ReportArgs, settings: &Settings) {
    let given = [
        (args.years.is_some(), "--years"),
        (args.since.is_some(), "--since"),
        (args.language.is_some(), "--language"),
    ];
    if settings.report.scope().web {
        return;
    }
    for (_, flag) in given.into_iter().filter(|(given, _)| *given) {
        screen::tell(&format!(
            "{flag} narrows what is searched on the web; your own documents are all searched."
        ));
    }
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
    if let Some(style) = &args.citation_style {
        flag("report.citation_style", "--citation-style", json!(style));
    }
    if let Some(seconds) = args.max_time {
        flag("report.max_execution_time_s", "--max-time", json!(seconds));
    }
    if let Some((from, to)) = args.years {
        flag("report.filters.year_from", "--years", json!(from));
        flag("report.filters.year_to", "--years", json!(to));
    }
    if let Some(day) = args.since {
        flag("report.filters.news_since", "--since", json!(day));
    }
    if let Some(language) = &args.language {
        flag("report.filters.language", "--language", json!(language));
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

/// Reads the library: the one that is named, else the folders that were added. Gives the folders for the run to keep.
pub(super) async fn open_library(
    named: Vec<PathBuf>,
    home: &Path,
    libraries: &OwnLibraries,
    quiet: bool,
) -> Result<Vec<PathBuf>> {
    let list = LibraryList::load(home)?;
    let roots = list.resolve(&named);
    // A run may be resumed from another folder.
    let absolute = roots
        .iter()
        .map(std::path::absolute)
        .collect::<std::io::Result<_>>();
    let roots: Vec<PathBuf> = absolute.map_err(Problem::failed)?;
    if roots.is_empty() {
        return Ok(roots);
    }
    let library = libraries.get(&roots);
    let documents = reading::shown(&library, quiet).await?;
    let counts = documents.counts().map_err(Problem::failed)?;
    if !quiet {
        tell_skipped(&documents, &counts)?;
    }
    if counts.documents == 0 {
        return Err(Problem::usage("the library has no document that can be read").advise(
            "Give a folder with HTML, PDF, DOCX, EPUB, Markdown, plain text, JSON, CSV or source files: --library DIR",
        ));
    }
    Ok(roots)
}

fn tell_skipped(documents: &DocumentLibrary, counts: &LibraryCounts) -> Result<()> {
    let skipped = documents.skipped().map_err(Problem::failed)?;
    let (files, read) = (counts.skipped, counts.documents);
    if files > read && read > 0 {
        let all = files + read;
        screen::tell(&format!(
            "Most of the library cannot be read: {files} of {all} files are left out."
        ));
    }
    for one in skipped.iter().take(SKIPPED_NAMED) {
        let line = format!("Skipped {}: {}", one.name, one.why);
        screen::tell(&screen::harmless(&line));
    }
    if skipped.len() > SKIPPED_NAMED {
        let named: usize = skipped
            .iter()
            .take(SKIPPED_NAMED)
            .map(|one| one.files)
            .sum();
        let more = screen::counted((files - named) as u64, "more file");
        screen::tell(&format!("Skipped {more} that cannot be read."));
    }
    Ok(())
}
