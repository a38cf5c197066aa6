//! Hands a finished report over: to a file, to a terminal, or to whatever reads standard output.

use std::io::IsTerminal;

use fathom_render::Report;
use fathom_render::markdown::{MarkdownOptions, markdown};
use fathom_render::report::ReportStatus;
use fathom_workflow::RunId;

use crate::cli::{OutputArgs, ReportFormat};
use crate::exit::Result;
use crate::{files, paint, render, screen};

/// Writes or prints the report. When that fails the report is still in the store, and the message says how to get it.
pub fn deliver(run: RunId, report: &Report, output: &OutputArgs) -> Result<()> {
    let format = render::chosen(output.format, output.out.as_deref())?;
    if let Some(path) = &output.out {
        let bytes = render::render(report, format)?;
        files::write(path, &bytes).map_err(|problem| {
            problem.advise(format!(
                "The report is kept. Write it elsewhere: fathom runs export {run} --out FILE"
            ))
        })?;
        if !output.quiet {
            screen::tell(&format!("Wrote {}.", path.display()));
        }
    } else if !output.json {
        print(report, format)?;
    }
    if !output.quiet {
        screen::tell(&last_words(run, report));
    }
    Ok(())
}

/// Prints a report: painted for a person, raw for a program.
pub fn print(report: &Report, format: ReportFormat) -> Result<()> {
    match format {
        ReportFormat::Md if std::io::stdout().is_terminal() => {
            let text = markdown(report, &MarkdownOptions::default());
            let painted = paint::paint(&text, screen::width(), screen::stdout_is_coloured());
            screen::print(&painted)
        }
        _ => screen::print_bytes(&render::render(report, format)?),
    }
}

fn last_words(run: RunId, report: &Report) -> String {
    match &report.status {
        ReportStatus::Complete => format!("Run {run}"),
        ReportStatus::Partial { reason } => {
            let reason = screen::harmless(reason);
            format!("This report is partial: {reason}\nRun {run}")
        }
    }
}
