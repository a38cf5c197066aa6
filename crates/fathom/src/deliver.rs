//! Hands over what a finished run brought: to a file, to a terminal, or to whatever reads standard output.

use std::io::IsTerminal;
use std::path::PathBuf;

use fathom_render::appraisal::{self, Appraisal};
use fathom_render::markdown::{markdown, opening_lines};
use fathom_render::report::ReportStatus;
use fathom_render::{Answer, FormOptions, Report, answer};
use fathom_workflow::record::{Status, StepMeta};
use fathom_workflow::{Host, RunId};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cli::{OutputArgs, ReportFormat};
use crate::exit::{Exit, Problem, Result};
use crate::{answer_screen, files, paint, render, screen};

/// What a run brought.
pub enum Deliverable {
    /// A report, which has many forms.
    Report(Box<Report>),
    /// A short answer with its sources.
    Answer {
        /// The answer itself.
        answer: Box<Answer>,
        /// The folders that its sources lie in.
        roots: Vec<PathBuf>,
    },
    /// The risk of bias of a trial.
    Appraisal(Box<Appraisal>),
    /// What another workflow made, as JSON.
    Json(Value),
}

/// What a run has brought, if it has brought anything yet.
pub async fn outcome(host: &Host, run: RunId) -> Result<Option<Deliverable>> {
    let kind = host.workflow_of(run).await?.outcome_kind();
    let outcome = host.outcome(run).await?;
    if kind == fathom_render::report::KIND {
        let report = read("report", run, outcome)?;
        return Ok(report.map(Deliverable::Report));
    }
    if kind == answer::KIND {
        let Some(answer) = read("answer", run, outcome)? else {
            return Ok(None);
        };
        let roots = library_of(host, run).await?;
        return Ok(Some(Deliverable::Answer { answer, roots }));
    }
    if kind == appraisal::KIND {
        let appraisal = read("appraisal", run, outcome)?;
        return Ok(appraisal.map(Deliverable::Appraisal));
    }
    let ended = host.header(run).await?.head.status == Status::Completed;
    let outcome = outcome.or(ended.then_some(Value::Null));
    Ok(outcome.map(Deliverable::Json))
}

fn read<T: DeserializeOwned>(
    what: &str,
    run: RunId,
    outcome: Option<Value>,
) -> Result<Option<Box<T>>> {
    let read = outcome.map(serde_json::from_value).transpose();
    read.map_err(|error| {
        Problem::failed(format!("the {what} of run {run} cannot be read: {error}"))
    })
}

/// The folders that a run was to look into, as its settings name them.
async fn library_of(host: &Host, run: RunId) -> Result<Vec<PathBuf>> {
    let state = host.view(run, None).await?.state;
    let named = state.pointer("/settings/library").cloned();
    let named = named.map(serde_json::from_value).transpose();
    Ok(named.unwrap_or_default().unwrap_or_default())
}

/// Steps read from the store at a time.
const PAGE: usize = 256;

/// What every recorded step was, without what it brought.
pub async fn steps(host: &Host, run: RunId) -> Result<Vec<StepMeta>> {
    let last = host.header(run).await?.head.step;
    let mut steps: Vec<StepMeta> = Vec::new();
    let mut from = 0;
    while from <= last {
        let page = host.store().steps(run, from, PAGE).await?;
        let Some(last) = page.last() else { break };
        from = last.meta.step + 1;
        steps.extend(page.into_iter().map(|record| record.meta));
    }
    Ok(steps)
}

/// Refuses what could only fail after all the work is done: a form that the outcome does not have, and a folder that is
/// not there.
pub fn check_output(kind: &str, output: &OutputArgs) -> Result<()> {
    render::chosen(kind, output.format, output.out.as_deref())?;
    output.out.as_deref().map_or(Ok(()), files::check_parent)
}

/// The same for a run that exists.
pub async fn check_output_of(host: &Host, run: RunId, output: &OutputArgs) -> Result<()> {
    check_output(host.workflow_of(run).await?.outcome_kind(), output)
}

impl Deliverable {
    fn kind(&self) -> &'static str {
        match self {
            Self::Report(_) => fathom_render::report::KIND,
            Self::Answer { .. } => answer::KIND,
            Self::Appraisal(_) => appraisal::KIND,
            Self::Json(_) => fathom_workflow::JSON_OUTCOME,
        }
    }

    /// What its run is told as, and the code to end with: a report may say itself that it is not a full one, and a run
    /// that was to answer may have ended without an answer.
    pub fn ending(&self) -> (&'static str, Exit) {
        match self {
            Self::Report(report) if report.is_partial() => ("partial", Exit::Partial),
            Self::Answer { answer, .. } if !answer.is_answer() => ("failed", Exit::Failed),
            Self::Appraisal(appraisal) if appraisal.is_partial() => ("partial", Exit::Partial),
            Self::Report(_) | Self::Answer { .. } | Self::Appraisal(_) | Self::Json(_) => {
                ("complete", Exit::Complete)
            }
        }
    }

    /// The bytes of a file. What has no form of its own is JSON.
    pub fn bytes(&self, format: ReportFormat, options: &FormOptions) -> Result<Vec<u8>> {
        match self {
            Self::Report(report) => render::render(report, format, options),
            Self::Answer { answer, .. } => render::render_answer(answer, format),
            Self::Appraisal(appraisal) => render::render_appraisal(appraisal, format),
            Self::Json(value) => render::pretty_json(value),
        }
    }

    /// Prints it: painted for a person, raw for a program. Gives the number of lines that a person was shown.
    pub fn print(&self, format: ReportFormat, options: &FormOptions) -> Result<Option<usize>> {
        match (self, format) {
            (Self::Report(report), ReportFormat::Md) if std::io::stdout().is_terminal() => {
                let options = FormOptions {
                    method: options.proofs,
                    ..*options
                };
                let painted = painted(&markdown(report, &options), screen::stdout_is_coloured());
                screen::print(&painted)?;
                Ok(Some(painted.lines().count()))
            }
            (Self::Answer { answer, roots }, ReportFormat::Md)
                if std::io::stdout().is_terminal() =>
            {
                screen::print(&answer_screen::painted(answer, roots))?;
                Ok(None)
            }
            (Self::Appraisal(one), ReportFormat::Md) if std::io::stdout().is_terminal() => {
                let coloured = screen::stdout_is_coloured();
                let table = appraisal::table(std::slice::from_ref(one), coloured);
                let details = appraisal::details(one, coloured);
                screen::print(&format!("{table}\n{details}"))?;
                Ok(None)
            }
            _ => screen::print_bytes(&self.bytes(format, options)?).map(|()| None),
        }
    }

    /// Writes or prints it. When that fails it is still in the store, and the message says how to get it.
    pub fn deliver(&self, run: RunId, output: &OutputArgs) -> Result<()> {
        let format = render::chosen(self.kind(), output.format, output.out.as_deref())?;
        let options = FormOptions {
            proofs: output.proofs,
            // How a report came about is for a file; what is merely shown ends with what it says.
            method: output.proofs || output.out.is_some() || output.format.is_some(),
        };
        let mut out_of_sight = false;
        if let Some(path) = &output.out {
            let bytes = self.bytes(format, &options)?;
            files::write(path, &bytes).map_err(|problem| {
                problem.advise(format!(
                    "It is kept. Write it elsewhere: fathom runs export {run} --out FILE"
                ))
            })?;
            out_of_sight = true;
        } else if !output.json {
            let shown = self.print(format, &options)?;
            out_of_sight = shown.is_some_and(|lines| lines + ENDING_LINES > screen::height());
        }
        if !output.quiet {
            if let Self::Report(report) = self {
                if out_of_sight {
                    let answer = painted(&opening_lines(report), screen::stderr_is_coloured());
                    screen::tell(&format!("\n{answer}"));
                } else if let ReportStatus::Partial { reason } = &report.status {
                    let reason = screen::harmless(reason);
                    screen::tell(&format!("This report is partial: {reason}"));
                }
            }
            screen::tell(&self.how_to_see_more(run, output));
        }
        Ok(())
    }

    /// The last lines: where the report is, and how to get it in another form.
    fn how_to_see_more(&self, run: RunId, output: &OutputArgs) -> String {
        match (self, &output.out) {
            (_, Some(path)) => format!("Wrote {}.\nRun {run}", path.display()),
            (Self::Json(_), None) => format!("Run {run}"),
            (Self::Appraisal(_), None) => format!(
                "To keep it as a page (or .docx, .csv, .svg, .json, .md):\n  fathom runs export {run} --out appraisal.html"
            ),
            (Self::Answer { .. }, None) => format!("Ask on: fathom ask -i --resume {run}"),
            (Self::Report(_), None) => format!(
                "To keep it as a page (or .docx, .md, .json):\n  fathom runs export {run} --out report.html"
            ),
        }
    }
}

/// Lines that follow a report in a terminal.
const ENDING_LINES: usize = 3;

fn painted(markdown: &str, coloured: bool) -> String {
    paint::paint(markdown, screen::width(), coloured)
}
