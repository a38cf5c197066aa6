//! Appraises trials one after the other. What is done is kept beside the output, so that a batch that was stopped goes on
//! where it was; a trial whose file or options changed is appraised again.

use std::path::{Path, PathBuf};

use fathom_render::appraisal::{Appraisal, Judgement};
use fathom_research::rob2::{Effect, OverallRule};
use fathom_research::workflows::appraise::{AppraiseInput, NAME};
use fathom_workflow::{BlobHash, Host, NewRun, RunId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::AnswerEntry;
use crate::cli::{AppraiseArgs, EffectArg};
use crate::exit::{Exit, Problem, Result};
use crate::signals::Signals;
use crate::{files, screen};

/// Where finished trials of a batch are kept, inside the output folder.
const DONE_FOLDER: &str = "trials";

pub(super) struct Batch<'a> {
    host: &'a Host,
    args: &'a AppraiseArgs,
    answers: Vec<AnswerEntry>,
}

/// How a batch came to its end.
pub(super) enum BatchEnd {
    /// Every trial has an appraisal, or a reason why not.
    Done(Vec<Appraisal>),
    /// The person left before that.
    Stopped(Exit),
}

/// A finished trial as it is kept.
#[derive(Serialize, Deserialize)]
struct DoneTrial {
    /// The hash of its file, its options and this program's version.
    made_from: String,
    run: RunId,
    appraisal: Appraisal,
}

impl<'a> Batch<'a> {
    pub(super) fn new(host: &'a Host, args: &'a AppraiseArgs, answers: Vec<AnswerEntry>) -> Self {
        Self {
            host,
            args,
            answers,
        }
    }

    pub(super) async fn appraise(&self, trials: &[PathBuf]) -> Result<BatchEnd> {
        let mut signals = Signals::listen()?;
        let mut appraisals = Vec::new();
        for (nth, trial) in (1..).zip(trials) {
            let input = self.input(trial);
            let made_from = made_from(&input);
            let kept = self.kept(trial, made_from.as_deref());
            let again = kept.is_some();
            let done = match kept {
                Some(done) => done,
                None => {
                    let new = NewRun::untitled();
                    let run = new.id;
                    tokio::select! {
                        done = self.one(new, input, made_from.unwrap_or_default()) => done?,
                        signal = signals.next() => {
                            self.host.cancel(run).await.ok();
                            screen::tell("Stopped. The same command goes on where it was, with the same --out.");
                            return Ok(BatchEnd::Stopped(signal));
                        }
                    }
                }
            };
            if !again {
                self.keep(trial, &done)?;
            }
            if !self.args.quiet && trials.len() > 1 {
                screen::tell(&line(nth, trials.len(), &done.appraisal, again));
            }
            appraisals.push(done.appraisal);
        }
        Ok(BatchEnd::Done(appraisals))
    }

    fn input(&self, trial: &Path) -> AppraiseInput {
        let stem = trial.file_stem().unwrap_or_default().to_string_lossy();
        let own = |entry: &&AnswerEntry| entry.study.as_ref().is_none_or(|study| *study == stem);
        AppraiseInput {
            document: trial.to_owned(),
            protocol: self.args.protocol.clone(),
            effect: match self.args.effect {
                EffectArg::Assignment => Effect::Assignment,
                EffectArg::Adherence => Effect::Adherence,
            },
            outcome: self.args.outcome.clone(),
            overall_rule: if self.args.strict {
                OverallRule::Strict
            } else {
                OverallRule::Published
            },
            answers: self
                .answers
                .iter()
                .filter(own)
                .map(|entry| entry.given.clone())
                .collect(),
            validation: Default::default(),
        }
    }

    async fn one(&self, new: NewRun, input: AppraiseInput, made_from: String) -> Result<DoneTrial> {
        let document = input.document.clone();
        let run = self.host.start(NAME, new, json!(input)).await?;
        let ended = self.host.run(run).await?;
        let outcome = self.host.outcome(run).await?.ok_or_else(|| {
            let why = ended.reason.as_deref().unwrap_or("the reason is unknown");
            Problem::failed(format!("{} was not appraised: {why}", document.display()))
                .advise(format!("See the run with: fathom runs show {run}"))
        })?;
        let mut appraisal: Appraisal = serde_json::from_value(outcome).map_err(Problem::failed)?;
        // As it was named: a page that is sent on should not tell where somebody keeps their files.
        appraisal.study.file = document.to_string_lossy().into_owned();
        Ok(DoneTrial {
            made_from,
            run,
            appraisal,
        })
    }

    fn place(&self, trial: &Path) -> Option<PathBuf> {
        let name = trial.file_name()?.to_string_lossy().into_owned();
        let folder = self.args.out.as_ref()?.join(DONE_FOLDER);
        Some(folder.join(format!("{name}.json")))
    }

    /// What an earlier run of the same command made of the same file.
    fn kept(&self, trial: &Path, made_from: Option<&str>) -> Option<DoneTrial> {
        let text = std::fs::read_to_string(self.place(trial)?).ok()?;
        let done: DoneTrial = serde_json::from_str(&text).ok()?;
        (Some(done.made_from.as_str()) == made_from).then_some(done)
    }

    fn keep(&self, trial: &Path, done: &DoneTrial) -> Result<()> {
        let Some(place) = self.place(trial) else {
            return Ok(());
        };
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(Problem::failed)?;
        }
        let bytes = serde_json::to_vec(done).map_err(Problem::failed)?;
        files::write(&place, &bytes)
    }
}

/// The same for the same files, options and version; nothing where a file cannot be read.
fn made_from(input: &AppraiseInput) -> Option<String> {
    let mut bytes = std::fs::read(&input.document).ok()?;
    if let Some(protocol) = &input.protocol {
        bytes.extend(std::fs::read(protocol).ok()?);
    }
    bytes.extend(serde_json::to_vec(input).ok()?);
    bytes.extend(env!("CARGO_PKG_VERSION").as_bytes());
    Some(BlobHash::from_content(&bytes).to_string())
}

fn line(nth: usize, of: usize, appraisal: &Appraisal, again: bool) -> String {
    let label = screen::harmless(&appraisal.study.label);
    let word = match (&appraisal.refused, appraisal.settled_overall()) {
        (Some(_), _) => "not appraised",
        (None, Some(judgement)) => Judgement::word(judgement),
        (None, None) => "not settled",
    };
    let again = if again { " (done before)" } else { "" };
    format!("[{nth}/{of}] {label}: {word}{again}")
}
