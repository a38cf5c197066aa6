//! Appraises trials one after the other. What is done is kept beside the output, so that a batch that was stopped goes on
//! where it was; a trial whose file or options changed is appraised again.

use std::path::{Path, PathBuf};

use fathom_render::appraisal::{Appraisal, Judgement};
use fathom_research::rob2::{Effect, OverallRule};
use fathom_research::settings::Caps;
use fathom_research::workflows::appraise::{AppraiseInput, NAME, REVIEW_WITHIN_S};
use fathom_workflow::record::Status;
use fathom_workflow::{BlobHash, Host, NewRun, RunId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::AnswerEntry;
use crate::cli::{AppraiseArgs, EffectArg};
use crate::exit::{Exit, Problem, Result};
use crate::gates::{self, GateAnswer};
use crate::signals::Signals;
use crate::{files, follow, screen};

/// Where the trials of a batch are kept, inside the output folder.
const DONE_FOLDER: &str = "trials";

/// The trials of one command, and what they are appraised by.
pub(super) struct Batch<'a> {
    pub(super) host: &'a Host,
    pub(super) args: &'a AppraiseArgs,
    pub(super) answers: Vec<AnswerEntry>,
    pub(super) caps: Caps,
    /// The folder in which trials that are done are kept.
    pub(super) kept_in: Option<&'a Path>,
}

/// How a batch came to its end.
pub(super) enum BatchEnd {
    /// Every trial has an appraisal, a reason why not, or waits for a person.
    Done {
        appraisals: Vec<Appraisal>,
        waiting: Vec<WaitingTrial>,
    },
    /// The person left before that.
    Stopped(Exit),
}

/// A trial whose answers wait for a person.
pub(super) struct WaitingTrial {
    pub(super) name: String,
    pub(super) run: RunId,
}

/// A trial as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptTrial {
    /// The hash of its file, its options and this program's version.
    made_from: String,
    run: RunId,
    /// Nothing while it waits for a person.
    appraisal: Option<Appraisal>,
}

/// How the work on one trial ended.
enum TrialEnd {
    Appraised(Box<Appraisal>),
    Waiting,
    Stopped(Exit),
}

/// A trial after its turn: as it is kept, and whether it was done before; or the person left.
enum Turn {
    Ended {
        kept: Box<KeptTrial>,
        done_before: bool,
    },
    Stopped(Exit),
}

impl Batch<'_> {
    pub(super) async fn appraise(&self, trials: &[PathBuf]) -> Result<BatchEnd> {
        let mut signals = Signals::listen()?;
        let (mut appraisals, mut waiting) = (Vec::new(), Vec::new());
        for (nth, trial) in (1..).zip(trials) {
            let (kept, done_before) = match self.turn(trial, &mut signals).await? {
                Turn::Ended { kept, done_before } => (kept, done_before),
                Turn::Stopped(exit) => {
                    screen::tell(
                        "Stopped. The same command goes on where it was, with the same --out.",
                    );
                    return Ok(BatchEnd::Stopped(exit));
                }
            };
            if !self.args.quiet && trials.len() > 1 {
                let told = line(trial, kept.appraisal.as_ref(), done_before);
                screen::tell(&format!("[{nth}/{}] {told}", trials.len()));
            }
            match kept.appraisal {
                Some(appraisal) => appraisals.push(appraisal),
                None => waiting.push(WaitingTrial {
                    name: trial.display().to_string(),
                    run: kept.run,
                }),
            }
        }
        Ok(BatchEnd::Done {
            appraisals,
            waiting,
        })
    }

    /// One trial: what an earlier command made of it, or its run, begun or gone on with.
    async fn turn(&self, trial: &Path, signals: &mut Signals) -> Result<Turn> {
        let input = self.input(trial);
        let made_from = made_from(&input);
        let (run, end) = match self.kept(trial, made_from.as_deref()) {
            Some(kept) if kept.appraisal.is_some() => {
                return Ok(Turn::Ended {
                    kept: Box::new(kept),
                    done_before: true,
                });
            }
            Some(kept) if self.host.header(kept.run).await.is_ok() => {
                (kept.run, self.went_on(kept.run, trial, signals).await?)
            }
            _ => {
                let begun = self.host.start(NAME, NewRun::untitled(), json!(input));
                let run = begun.await?;
                (run, self.work(run, trial, signals).await?)
            }
        };
        let appraisal = match end {
            TrialEnd::Appraised(appraisal) => Some(*appraisal),
            TrialEnd::Waiting => None,
            TrialEnd::Stopped(exit) => return Ok(Turn::Stopped(exit)),
        };
        let kept = KeptTrial {
            made_from: made_from.unwrap_or_default(),
            run,
            appraisal,
        };
        self.keep(trial, &kept)?;
        Ok(Turn::Ended {
            kept: Box::new(kept),
            done_before: false,
        })
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
            review: self.args.review,
            review_within_s: REVIEW_WITHIN_S,
            auto_approve_on_timeout: false,
            caps: self.caps,
            validation: Default::default(),
        }
    }

    /// Goes on with a run that an earlier command left waiting.
    async fn went_on(&self, run: RunId, trial: &Path, signals: &mut Signals) -> Result<TrialEnd> {
        match self.host.header(run).await?.head.status {
            Status::Completed => self.appraised(run, trial, None).await,
            Status::Waiting if !self.decided(run, signals).await? => Ok(TrialEnd::Waiting),
            _ => {
                follow::take_up(self.host, run, true).await?;
                self.work(run, trial, signals).await
            }
        }
    }

    /// Works on a run until it ends, waits for a person who is not here, or the person here leaves.
    async fn work(&self, run: RunId, trial: &Path, signals: &mut Signals) -> Result<TrialEnd> {
        loop {
            let ended = tokio::select! {
                ended = self.host.run(run) => ended?,
                signal = signals.next() => {
                    self.host.cancel(run).await.ok();
                    return Ok(TrialEnd::Stopped(signal));
                }
            };
            if ended.status != Status::Waiting {
                return self.appraised(run, trial, ended.reason.as_deref()).await;
            }
            if !self.decided(run, signals).await? {
                return Ok(TrialEnd::Waiting);
            }
            follow::take_up(self.host, run, true).await?;
        }
    }

    /// Asks the person at the terminal, where there is one, for a decision.
    async fn decided(&self, run: RunId, signals: &mut Signals) -> Result<bool> {
        if self.args.quiet || self.args.json || !screen::can_ask() {
            return Ok(false);
        }
        Ok(gates::attend(self.host, run, signals).await? == GateAnswer::Decided)
    }

    async fn appraised(&self, run: RunId, trial: &Path, why: Option<&str>) -> Result<TrialEnd> {
        let outcome = self.host.outcome(run).await?.ok_or_else(|| {
            let why = why.unwrap_or("the reason is unknown");
            Problem::failed(format!("{} was not appraised: {why}", trial.display()))
                .advise(format!("See the run with: fathom runs show {run}"))
        })?;
        let mut appraisal: Appraisal = serde_json::from_value(outcome).map_err(Problem::failed)?;
        // As it was named: a page that is sent on should not tell where somebody keeps their files.
        appraisal.study.file = trial.to_string_lossy().into_owned();
        Ok(TrialEnd::Appraised(Box::new(appraisal)))
    }

    fn place(&self, trial: &Path) -> Option<PathBuf> {
        let name = trial.file_name()?.to_string_lossy().into_owned();
        let folder = self.kept_in?.join(DONE_FOLDER);
        Some(folder.join(format!("{name}.json")))
    }

    /// What an earlier run of the same command made of the same file.
    fn kept(&self, trial: &Path, made_from: Option<&str>) -> Option<KeptTrial> {
        let text = std::fs::read_to_string(self.place(trial)?).ok()?;
        let kept: KeptTrial = serde_json::from_str(&text).ok()?;
        (Some(kept.made_from.as_str()) == made_from).then_some(kept)
    }

    fn keep(&self, trial: &Path, kept: &KeptTrial) -> Result<()> {
        let Some(place) = self.place(trial) else {
            return Ok(());
        };
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(Problem::failed)?;
        }
        let bytes = serde_json::to_vec(kept).map_err(Problem::failed)?;
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

fn line(trial: &Path, appraisal: Option<&Appraisal>, done_before: bool) -> String {
    let Some(appraisal) = appraisal else {
        let name = trial.file_stem().unwrap_or_default().to_string_lossy();
        return format!("{}: waiting for your review", screen::harmless(&name));
    };
    let label = screen::harmless(&appraisal.study.label);
    let word = match (&appraisal.refused, appraisal.settled_overall()) {
        (Some(_), _) if appraisal.is_plan => "a protocol or register entry, not a report",
        (Some(_), _) => "not appraised",
        (None, Some(judgement)) => Judgement::word(judgement),
        (None, None) => "not settled",
    };
    let again = if done_before { " (done before)" } else { "" };
    format!("{label}: {word}{again}")
}
