//! What the workflow `appraise` reaches without a model: evidence found on public sets, and a folder of trials appraised by
//! the program as a reviewer would have it done.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use fathom_evidence::extract::{self, FormatHint};
use fathom_render::appraisal::{Appraisal, Domain};
use serde::Deserialize;
use wait4::Wait4;

use crate::evidence;
use crate::evidence::sets::{lines, read};
use crate::figure::Figure;

/// The splits that a folder of trials is made of: 93 reports.
const SPLITS: [&str; 2] = ["test", "validation"];

/// `eval appraise --data DIR [--binary PATH]`
pub fn eval(rest: &[&str]) -> Result<()> {
    let mut data = std::env::var_os("FATHOM_DATA").map(PathBuf::from);
    let mut binary = std::env::current_exe()?.with_file_name("fathom");
    for pair in rest.chunks(2) {
        match *pair {
            ["--data", folder] => data = Some(folder.into()),
            ["--binary", path] => binary = path.into(),
            _ => bail!("\"{}\" is not known here", pair.join(" ")),
        }
    }
    let data = data.context("where are the sets? Give --data DIR, or set FATHOM_DATA")?;
    let named = data.to_string_lossy();
    evidence::eval(&["--data", &named, "--only", "evidence-inference,robbr"])?;
    folder(&data, &binary)
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

/// Appraises a folder of reports and holds every quote against its report.
fn folder(data: &Path, binary: &Path) -> Result<()> {
    let place = tempfile::tempdir()?;
    let trials = place.path().join("trials");
    std::fs::create_dir(&trials)?;
    let written = write_trials(data, &trials)?;
    let mut output = tempfile::tempfile()?;
    let mut command = Command::new(binary);
    command
        .args(["appraise", "--json", "--quiet", "--out"])
        .arg(place.path().join("out"))
        .arg(&trials)
        .env("FATHOM_HOME", place.path().join("home"))
        .stdin(Stdio::null())
        .stdout(output.try_clone()?);
    let child = command
        .spawn()
        .with_context(|| format!("{} cannot be started", binary.display()))?;
    let ended = child.wait4()?;
    let mut text = String::new();
    std::io::Seek::rewind(&mut output)?;
    output.read_to_string(&mut text)?;
    let appraisals: Vec<Appraisal> = lines(&text)?;
    if appraisals.len() != written {
        bail!(
            "{written} trials were given and {} appraised",
            appraisals.len()
        );
    }
    let appraised = appraisals.iter().filter(|one| one.refused.is_none());
    let domains = appraised.clone().count() * Domain::ALL.len();
    let settled = appraised
        .flat_map(|one| &one.domains)
        .filter(|one| one.settled().is_some());
    let (quotes, standing) = quotes(&appraisals)?;
    let cpu = ended.rusage.utime + ended.rusage.stime;
    Figure::named("appraise_folder")
        .with("trials", written)
        .with(
            "refused",
            appraisals
                .iter()
                .filter(|one| one.refused.is_some())
                .count(),
        )
        .number(
            "domains_settled",
            settled.count() as f64 / domains.max(1) as f64,
        )
        .with("quotes", quotes)
        .with("quotes_that_stand", standing)
        .number("cpu_s", cpu.as_secs_f64())
        .with("peak_mb", ended.rusage.maxrss >> 20)
        .print();
    Ok(())
}

fn write_trials(data: &Path, folder: &Path) -> Result<usize> {
    let prompts: Vec<TrialSplit> = read(data, "evidence_inference/prompts.jsonl")?;
    let asked = prompts
        .iter()
        .filter(|one| SPLITS.contains(&one.split.as_str()));
    let wanted: BTreeSet<&str> = asked.map(|one| one.pmcid.as_str()).collect();
    let file = std::fs::File::open(data.join("evidence_inference/articles.jsonl.gz"))?;
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text)?;
    let mut written = 0;
    for trial in lines::<TrialText>(&text)? {
        if wanted.contains(trial.pmcid.as_str()) {
            std::fs::write(folder.join(format!("{}.txt", trial.pmcid)), trial.text)?;
            written += 1;
        }
    }
    Ok(written)
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
