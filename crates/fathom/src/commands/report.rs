//! `fathom report`: from a question to a report.

use std::path::PathBuf;

use fathom_research::Question;
use fathom_research::workflows::report::{self, ReportInput};
use fathom_store::library::{DocumentLibrary, LibraryCounts};
use jiff::Timestamp;
use serde_json::json;

use crate::Register;
use crate::cli::{self, ReviewGate};
use crate::commands::RunsContext;
use crate::exit::{Exit, Problem, Result};
use crate::library_list::LibraryList;
use crate::settings::{FlagValues, Settings};
use crate::{deliver, follow, reading, screen};

/// Files of a library that could not be read and are named; the rest are counted.
const SKIPPED_NAMED: usize = 5;

pub async fn run(
    args: cli::ReportArgs,
    settings: impl FnOnce(FlagValues) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    let asked_at = Timestamp::now();
    let settings = settings(flags(&args))?;
    // Refused before a library is read for it.
    Question::parse(&args.question, jiff::Zoned::now().date()).map_err(Problem::usage)?;
    tell_idle_filters(&args, &settings);
    deliver::check_output(fathom_render::report::KIND, &args.output)?;
    let context = RunsContext::open_to_start(settings, register).await?;
    let (settings, host) = (&context.settings, &context.host);
    let mut chosen = settings.report.clone();
    chosen.library = open_library(chosen.library, &context, args.output.quiet).await?;
    let input = ReportInput {
        question: args.question,
        context: args.context,
        domain: args.domain,
        date: args.date,
        depth: settings.depth,
        style: settings.style,
        settings: chosen,
        // Reading the library is part of the time that a person waits.
        asked_at: Some(asked_at),
    };
    let people = &input.settings.people;
    let asks = people.hitl_after_planning
        || people.hitl_before_output
        || people.hitl_on_critical
        || !people.breakpoints.is_empty();
    if asks && !host.store().is_durable() {
        screen::tell(follow::DECISION_LOST);
    }
    let run = context.start(report::NAME, json!(input), args.keep, &args.output);
    follow::follow_since(Some(asked_at), host, run.await?, &args.output).await
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
fn flags(args: &cli::ReportArgs) -> FlagValues {
    let mut flags = FlagValues::default()
        .table("report")
        .flag("depth", "--depth", args.depth)
        .flag("style", "--style", args.style)
        .flag("target_length", "--length", args.length)
        .flag("citation_style", "--citation-style", &args.citation_style)
        .flag("max_execution_time_s", "--max-time", args.max_time)
        .flag("filters.news_since", "--since", args.since)
        .flag("filters.language", "--language", &args.language)
        .flag("library", "--library", &args.library)
        .flag("web", "--web", args.web)
        .flag("fresh", "--fresh", args.fresh)
        .flag("people.breakpoints", "--stop", &args.stop);
    if let Some((from, to)) = args.years {
        flags = flags.set("filters.year_from", "--years", json!(from));
        flags = flags.set("filters.year_to", "--years", json!(to));
    }
    for review in &args.review {
        let gate = match review {
            ReviewGate::Plan => "people.hitl_after_planning",
            ReviewGate::Final => "people.hitl_before_output",
            ReviewGate::Critical => "people.hitl_on_critical",
        };
        flags = flags.flag(gate, "--review", true);
    }
    flags
}

/// Reads the library: the one that is named, else the folders that were added. Gives the folders for the run to keep.
pub(super) async fn open_library(
    named: Vec<PathBuf>,
    context: &RunsContext,
    quiet: bool,
) -> Result<Vec<PathBuf>> {
    let list = LibraryList::load(&context.settings.home)?;
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
    let library = context.libraries.get(&roots);
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
