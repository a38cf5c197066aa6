//! Hands over what a finished run brought: to a file, to a terminal, or to whatever reads standard output.

use std::io::IsTerminal;

use fathom_render::Report;
use fathom_render::markdown::{MarkdownOptions, markdown};
use fathom_render::report::ReportStatus;
use fathom_research::workflows::report;
use fathom_workflow::record::Status;
use fathom_workflow::{Host, RunId};
use serde_json::Value;

use crate::cli::{OutputArgs, ReportFormat};
use crate::exit::{Problem, Result};
use crate::{files, paint, render, screen};

/// What a run brought.
pub enum Deliverable {
    /// A report, which has many forms.
    Report(Box<Report>),
    /// What another workflow made, as JSON.
    Json(Value),
}

/// What a run has brought, if it has brought anything yet.
pub async fn outcome(host: &Host, run: RunId) -> Result<Option<Deliverable>> {
    let view = host.view(run, None).await?;
    if view.run.about.workflow != report::NAME {
        let outcome = host.outcome(run).await?;
        let ended = view.run.head.status == Status::Completed;
        return Ok(outcome
            .or(ended.then_some(Value::Null))
            .map(Deliverable::Json));
    }
    let stored = view.state.get("report").cloned().unwrap_or_default();
    let report: Option<Report> = serde_json::from_value(stored).map_err(Problem::failed)?;
    Ok(report.map(|report| Deliverable::Report(Box::new(report))))
}

impl Deliverable {
    /// Whether it says itself that it is not a full one.
    pub fn is_partial(&self) -> bool {
        match self {
            Self::Report(report) => report.is_partial(),
            Self::Json(_) => false,
        }
    }

    /// The bytes of a file. What is no report is always JSON.
    pub fn bytes(&self, format: ReportFormat) -> Result<Vec<u8>> {
        match self {
            Self::Report(report) => render::render(report, format),
            Self::Json(value) => {
                let mut bytes = serde_json::to_vec_pretty(value).map_err(Problem::failed)?;
                bytes.push(b'\n');
                Ok(bytes)
            }
        }
    }

    /// Prints it: painted for a person, raw for a program.
    pub fn print(&self, format: ReportFormat) -> Result<()> {
        match (self, format) {
            (Self::Report(report), ReportFormat::Md) if std::io::stdout().is_terminal() => {
                let text = markdown(report, &MarkdownOptions::default());
                let painted = paint::paint(&text, screen::width(), screen::stdout_is_coloured());
                screen::print(&painted)
            }
            _ => screen::print_bytes(&self.bytes(format)?),
        }
    }

    /// Writes or prints it. When that fails it is still in the store, and the message says how to get it.
    pub fn deliver(&self, run: RunId, output: &OutputArgs) -> Result<()> {
        let format = render::chosen(output.format, output.out.as_deref())?;
        if let Some(path) = &output.out {
            let bytes = self.bytes(format)?;
            files::write(path, &bytes).map_err(|problem| {
                problem.advise(format!(
                    "It is kept. Write it elsewhere: fathom runs export {run} --out FILE"
                ))
            })?;
            if !output.quiet {
                screen::tell(&format!("Wrote {}.", path.display()));
            }
        } else if !output.json {
            self.print(format)?;
        }
        if !output.quiet {
            screen::tell(&self.last_words(run));
        }
        Ok(())
    }

    fn last_words(&self, run: RunId) -> String {
        if let Self::Report(report) = self
            && let ReportStatus::Partial { reason } = &report.status
        {
            let reason = screen::harmless(reason);
            return format!("This report is partial: {reason}\nRun {run}");
        }
        format!("Run {run}")
    }
}
