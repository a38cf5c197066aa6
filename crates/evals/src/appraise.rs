//! What the workflow `appraise` reaches: evidence found on public sets, a folder of trials appraised by the program as a
//! reviewer would have it done, a long PDF, and a few trials with a language model.

mod pdf;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use fathom_evidence::extract::{self, FormatHint};
use fathom_render::appraisal::{AnsweredBy, Appraisal, Domain};
use serde::Deserialize;
use wait4::Wait4;

use crate::evidence;
use crate::evidence::sets::{lines, read};
use crate::figure::Figure;

/// The splits that a folder of trials is made of: 93 reports.
const SPLITS: [&str; 2] = ["test", "validation"];

/// Pages of the long PDF.
const PDF_PAGES: usize = 20;

const USAGE: &str = "\
usage: eval appraise --data DIR [OPTION…]

  --data DIR      folder of the public sets [FATHOM_DATA]
  --binary PATH   the program [`fathom` beside this one]
  --model N       appraise the N shortest trials with the model that OPENAI_BASE_URL and FATHOM_MODEL name, and nothing else";

struct AppraiseOptions {
    data: PathBuf,
    binary: PathBuf,
    with_model: Option<usize>,
}

impl AppraiseOptions {
    fn parse(rest: &[&str]) -> Result<Self> {
        let mut data = std::env::var_os("FATHOM_DATA").map(PathBuf::from);
        let mut binary = std::env::current_exe()?.with_file_name("fathom");
        let mut with_model = None;
        for pair in rest.chunks(2) {
            match *pair {
                ["--data", folder] => data = Some(folder.into()),
                ["--binary", path] => binary = path.into(),
                ["--model", trials] => with_model = Some(trials.parse().context(USAGE)?),
                _ => bail!("\"{}\" is not known here\n{USAGE}", pair.join(" ")),
            }
        }
        let data = data.context("where are the sets? Give --data DIR, or set FATHOM_DATA")?;
        Ok(Self {
            data,
            binary,
            with_model,
        })
    }
}

/// `eval appraise --data DIR …`
pub fn eval(rest: &[&str]) -> Result<()> {
    let options = AppraiseOptions::parse(rest)?;
    if let Some(most) = options.with_model {
        return with_model(&options, most);
    }
    evidence::eval_trials(&options.data)?;
    folder(&options)?;
    long_pdf(&options)
}

#[derive(Deserialize)]
struct TrialText {
    pmcid: String,
    text: String,
}

#[derive(Deserialize)]
struct TrialSplit {
    pmcid: String,
    split: String,
}

/// The reports of the splits, in the order of the set.
fn trials(data: &Path) -> Result<Vec<TrialText>> {
    let prompts: Vec<TrialSplit> = read(data, "evidence_inference/prompts.jsonl")?;
    let asked = prompts
        .iter()
        .filter(|one| SPLITS.contains(&one.split.as_str()));
    let wanted: BTreeSet<&str> = asked.map(|one| one.pmcid.as_str()).collect();
    let file = std::fs::File::open(data.join("evidence_inference/articles.jsonl.gz"))?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    let all = lines::<TrialText>(&text)?.into_iter();
    Ok(all
        .filter(|trial| wanted.contains(trial.pmcid.as_str()))
        .collect())
}

/// Appraises a folder of reports and holds every quote against its report.
fn folder(options: &AppraiseOptions) -> Result<()> {
    let place = tempfile::tempdir()?;
    let trials = trials(&options.data)?;
    let ended = Reviewer::new(options, place.path())?.appraise(&trials)?;
    let appraised = ended.appraisals.iter().filter(|one| one.refused.is_none());
    let domains = appraised.clone().count() * Domain::ALL.len();
    let settled = appraised
        .clone()
        .flat_map(|one| &one.domains)
        .filter(|one| one.settled().is_some());
    let answers = || {
        appraised
            .clone()
            .flat_map(|one| &one.domains)
            .flat_map(|one| &one.answers)
    };
    let asked = answers().filter(|one| one.by != AnsweredBy::Closed).count();
    let answered = answers().filter(|one| one.by == AnsweredBy::Rules).count();
    let (quotes, standing) = quotes(&ended.appraisals)?;
    Figure::named("appraise_folder")
        .with("trials", trials.len())
        .with("refused", trials.len() - appraised.count())
        .number("questions_answered", share(answered, asked))
        .number("domains_settled", share(settled.count(), domains))
        .with("quotes", quotes)
        .with("quotes_that_stand", standing)
        .number("cpu_s", ended.cpu.as_secs_f64())
        .with("peak_mb", ended.peak_mb)
        .print();
    Ok(())
}

/// Appraises one report of many pages.
fn long_pdf(options: &AppraiseOptions) -> Result<()> {
    let place = tempfile::tempdir()?;
    let trials = trials(&options.data)?;
    let longest = trials.iter().max_by_key(|trial| trial.text.len());
    let longest = longest.context("there is no trial")?;
    let file = place.path().join("long.pdf");
    std::fs::write(&file, pdf::pdf(&longest.text, PDF_PAGES))?;
    let ended = Reviewer::new(options, place.path())?.run(&file)?;
    Figure::named("appraise_pdf")
        .with("pages", PDF_PAGES)
        .with(
            "refused",
            ended
                .appraisals
                .iter()
                .filter(|one| one.refused.is_some())
                .count(),
        )
        .number("s", ended.took.as_secs_f64())
        .number("cpu_s", ended.cpu.as_secs_f64())
        .with("peak_mb", ended.peak_mb)
        .print();
    Ok(())
}

/// Appraises the shortest trials with a model: every quote must stand, and every judgement must have a rule path.
fn with_model(options: &AppraiseOptions, most: usize) -> Result<()> {
    let mut trials = trials(&options.data)?;
    trials.sort_by_key(|trial| trial.text.len());
    let mut left = most;
    for trial in trials {
        if left == 0 {
            break;
        }
        let place = tempfile::tempdir()?;
        let ended = Reviewer::new(options, place.path())?.appraise(std::slice::from_ref(&trial))?;
        let Some(appraisal) = ended.appraisals.iter().find(|one| one.refused.is_none()) else {
            continue;
        };
        left -= 1;
        let answers = appraisal.domains.iter().flat_map(|domain| &domain.answers);
        let by_model = answers.filter(|one| matches!(one.by, AnsweredBy::Model(_)));
        let pathless = appraisal
            .domains
            .iter()
            .filter(|one| one.path.rules.is_empty());
        let (quotes, standing) = quotes(&ended.appraisals)?;
        Figure::named("appraise_model")
            .with("trial", trial.pmcid.as_str())
            .with("appraiser", appraisal.appraiser.as_str())
            .with("answers_by_model", by_model.count())
            .with("quotes", quotes)
            .with("quotes_that_stand", standing)
            .with("judgements_without_a_path", pathless.count())
            .number("s", ended.took.as_secs_f64())
            .print();
    }
    Ok(())
}

/// Runs the program as a reviewer would, in a data folder of its own.
struct Reviewer<'a> {
    binary: &'a Path,
    with_model: bool,
    place: &'a Path,
}

/// What a run of the program brought and cost.
struct Ended {
    appraisals: Vec<Appraisal>,
    took: Duration,
    cpu: Duration,
    peak_mb: u64,
}

impl<'a> Reviewer<'a> {
    fn new(options: &'a AppraiseOptions, place: &'a Path) -> Result<Self> {
        std::fs::create_dir_all(place.join("trials"))?;
        Ok(Self {
            binary: &options.binary,
            with_model: options.with_model.is_some(),
            place,
        })
    }

    /// Appraises these reports as a folder of text files.
    fn appraise(&self, trials: &[TrialText]) -> Result<Ended> {
        let folder = self.place.join("trials");
        for trial in trials {
            std::fs::write(folder.join(format!("{}.txt", trial.pmcid)), &trial.text)?;
        }
        let ended = self.run(&folder)?;
        let (given, appraised) = (trials.len(), ended.appraisals.len());
        if appraised != given {
            bail!("{given} trials were given and {appraised} appraised");
        }
        Ok(ended)
    }

    fn run(&self, reports: &Path) -> Result<Ended> {
        let mut output = tempfile::tempfile()?;
        let mut command = Command::new(self.binary);
        command
            .args(["appraise", "--json", "--quiet", "--out"])
            .arg(self.place.join("out"))
            .arg(reports)
            .env("FATHOM_HOME", self.place.join("home"))
            .stdin(Stdio::null())
            .stdout(output.try_clone()?);
        if !self.with_model {
            command
                .env_remove("OPENAI_BASE_URL")
                .env_remove("OPENAI_API_KEY");
        }
        let began = Instant::now();
        let child = command
            .spawn()
            .with_context(|| format!("{} cannot be started", self.binary.display()))?;
        let ended = child.wait4()?;
        let took = began.elapsed();
        let mut text = String::new();
        std::io::Seek::rewind(&mut output)?;
        output.read_to_string(&mut text)?;
        Ok(Ended {
            appraisals: lines(&text)?,
            took,
            cpu: ended.rusage.utime + ended.rusage.stime,
            peak_mb: ended.rusage.maxrss >> 20,
        })
    }
}

fn share(some: usize, all: usize) -> f64 {
    some as f64 / all.max(1) as f64
}

/// How many quotes there are, and how many stand where they are said to.
fn quotes(appraisals: &[Appraisal]) -> Result<(usize, usize)> {
    let (mut all, mut standing) = (0, 0);
    for appraisal in appraisals.iter().filter(|one| one.refused.is_none()) {
        let bytes = std::fs::read(&appraisal.study.file)?;
        let hint = FormatHint {
            file_name: Some(&appraisal.study.file),
            ..FormatHint::default()
        };
        let document = extract::read(&bytes, &hint)?;
        let answers = appraisal.domains.iter().flat_map(|domain| &domain.answers);
        let facts = appraisal.facts.iter().map(|fact| &fact.quote);
        for quote in answers.flat_map(|one| &one.quotes).chain(facts) {
            all += 1;
            standing += usize::from(document.at(quote.span) == Some(quote.text.as_str()));
        }
    }
    Ok((all, standing))
}
