//! `fathom appraise`: the risk of bias of trials, one or a folder of them, with every form in a folder.

mod batch;
mod compare;
mod output;

use std::path::{Path, PathBuf};

use fathom_render::appraisal::{Appraisal, details, table};
use fathom_research::workflows::appraise::GivenAnswer;
use fathom_workflow::Host;
use serde::Deserialize;
use serde_json::json;

use self::output::AppraisalOutput;
use crate::Register;
use crate::cli::{AppraiseArgs, AppraiseCommand};
use crate::commands::RunsContext;
use crate::exit::{Exit, Problem, Result};
use crate::settings::{FlagValues, Settings};
use crate::{edits, follow, screen};

/// Endings of files that a folder is searched for.
const ENDINGS: [&str; 8] = [
    "pdf", "html", "htm", "xhtml", "txt", "md", "markdown", "docx",
];

/// Files that lie beside trials and are none.
const NOT_TRIALS: [&str; 1] = ["readme"];

pub async fn run(
    args: AppraiseArgs,
    settings: impl FnOnce(FlagValues) -> Result<Settings>,
    register: Register,
) -> Result<Exit> {
    if let Some(AppraiseCommand::Compare { left, right, json }) = &args.command {
        return compare::run(left, right, *json);
    }
    let trials = trials(&args.files)?;
    if trials.len() > 1 && args.protocol.is_some() {
        return Err(Problem::usage("a protocol belongs to one trial")
            .advise("Appraise that trial alone: fathom appraise FILE --protocol FILE"));
    }
    let answers = args.answers.as_deref().map(given_answers).transpose()?;
    let output = args.out.as_deref().map(AppraisalOutput::open).transpose()?;
    let context = RunsContext::open(settings(FlagValues::default())?, register).await?;
    let batch = batch::Batch {
        host: &context.host,
        args: &args,
        answers: answers.unwrap_or_default(),
        caps: context.settings.appraise_caps,
        kept_in: output.as_ref().and_then(AppraisalOutput::folder),
    };
    let (mut appraisals, waiting) = match batch.appraise(&trials).await? {
        batch::BatchEnd::Done {
            appraisals,
            waiting,
        } => (appraisals, waiting),
        batch::BatchEnd::Stopped(exit) => return Ok(exit),
    };
    apart(&mut appraisals);
    if !appraisals.is_empty() {
        show(&args, &appraisals)?;
        if let Some(output) = &output {
            let written = output.write(&appraisals)?;
            if !args.quiet {
                screen::tell(&written);
            }
        }
    }
    if !waiting.is_empty() {
        tell_waiting(&waiting, &context.host, output.is_some());
        return Ok(Exit::Waiting);
    }
    // A protocol or register entry that lies beside reports is no report that failed.
    let beside = |one: &Appraisal| one.is_plan && appraisals.iter().any(|other| !other.is_plan);
    let partial = appraisals
        .iter()
        .any(|one| one.is_partial() && !beside(one));
    Ok(if partial {
        Exit::Partial
    } else {
        Exit::Complete
    })
}

/// How to decide on the trials that wait for a person.
fn tell_waiting(waiting: &[batch::WaitingTrial], host: &Host, with_folder: bool) {
    if !host.store().is_durable() {
        return screen::tell(follow::DECISION_LOST);
    }
    for batch::WaitingTrial { name, run } in waiting {
        let name = screen::harmless(name);
        screen::tell(&format!(
            "{name} is waiting for your review. See it with: fathom runs show {run}\n\
             Decide with: fathom runs review {run} approve (or modify --edits FILE, reject, skip)"
        ));
    }
    if with_folder {
        screen::tell("When all are decided, the same command writes the files.");
    }
}

/// The files that were named, and those of the folders that were named, in order.
fn trials(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut trials = Vec::new();
    for path in named {
        if !path.exists() {
            let why = format!("there is no file or folder {}", path.display());
            return Err(
                Problem::usage(why).advise("Check the path; a name with spaces needs quotes")
            );
        }
        if !path.is_dir() {
            // `trials/*.md` names a README too, and nobody means it.
            if named.len() == 1 || !lies_beside(path) {
                trials.push(path.clone());
            }
            continue;
        }
        let unreadable = |error: std::io::Error| {
            Problem::usage(format!("{} cannot be read: {error}", path.display()))
        };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if is_trial(&file) {
                inside.push(file);
            }
        }
        inside.sort();
        trials.extend(inside);
    }
    if trials.is_empty() {
        return Err(Problem::usage("there is no report to appraise")
            .advise("Name PDF, HTML, Word, Markdown or text files, or a folder that holds some"));
    }
    Ok(trials)
}

fn is_trial(file: &Path) -> bool {
    let ending = lower(file.extension());
    file.is_file() && ENDINGS.contains(&ending.as_str()) && !lies_beside(file)
}

fn lies_beside(file: &Path) -> bool {
    NOT_TRIALS.contains(&lower(file.file_stem()).as_str())
}

fn lower(part: Option<&std::ffi::OsStr>) -> String {
    part.map_or_else(String::new, |part| part.to_string_lossy().to_lowercase())
}

/// A person's answer, and the trial it is for.
#[derive(Clone, Debug, Deserialize)]
struct AnswerEntry {
    /// The file's name without its ending; every trial where it is left out.
    study: Option<String>,
    #[serde(flatten)]
    given: GivenAnswer,
}

/// Reads answers from JSON or TOML: a list called `answers`.
fn given_answers(path: &Path) -> Result<Vec<AnswerEntry>> {
    let value = edits::read(path)?;
    let list = value.get("answers").cloned().unwrap_or_default();
    serde_json::from_value(list).map_err(|error| {
        Problem::usage(format!("the answers in {} cannot be read: {error}", path.display())).advise(
            "Write them as TOML: [[answers]] with question = \"4.3\", answer = \"N\", by = \"…\", why = \"…\", and study = \"…\" where \
             there are several trials",
        )
    })
}

/// Two trials of one name get the names of their files besides, so that tables tell them apart.
fn apart(appraisals: &mut [Appraisal]) {
    let labels: Vec<String> = appraisals
        .iter()
        .map(|one| one.study.label.clone())
        .collect();
    for appraisal in appraisals {
        let study = &mut appraisal.study;
        let same = labels.iter().filter(|label| **label == study.label).count();
        if same > 1 {
            let stem = Path::new(&study.file).file_stem().unwrap_or_default();
            study.label = format!("{} ({})", study.label, stem.to_string_lossy());
        }
    }
}

fn show(args: &AppraiseArgs, appraisals: &[Appraisal]) -> Result<()> {
    if args.json {
        for appraisal in appraisals {
            screen::print_line(&json!(appraisal).to_string())?;
        }
    } else {
        let coloured = screen::stdout_is_coloured();
        screen::print(&table(appraisals, coloured))?;
        if let [only] = appraisals {
            screen::print(&format!("\n{}", details(only, coloured)))?;
        }
    }
    Ok(())
}
