//! What the evidence crate reaches on public sets, and how fast it is beside its peers.
//!
//! The sets are read from a folder and never copied. Each figure is one JSON line; a part whose set
//! cannot be read gives none, and the others are measured all the same.

mod citations;
mod conflicts;
mod judged;
mod pages;
mod pdfs;
#[cfg(feature = "peers")]
mod ranking_race;
mod scifact;
mod sentences;
pub(crate) mod sets;
mod trials;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// One set, measured: its name, and what prints its figures from the folder of sets.
type EvidencePart = (&'static str, fn(&Path) -> Result<()>);

/// Every set, in the order in which they are measured.
const PARTS: &[EvidencePart] = &[
    ("pages", pages::measure),
    ("pdfs", pdfs::measure),
    ("words", words::measure),
    ("citations", citations::measure),
    ("conflicts", conflicts::measure),
    ("scifact", scifact::measure),
    ("wice", sentences::wice),
    ("scifact-claims", sentences::claims),
    ("musique", sentences::musique),
    ("evidence-inference", trials::evidence_inference),
    ("robbr", trials::robbr),
];

/// Every comparison of speed. The peers are built only where they are asked for.
#[cfg(feature = "peers")]
const RACES: &[EvidencePart] = &[("ranking", ranking_race::race)];
#[cfg(not(feature = "peers"))]
const RACES: &[EvidencePart] = &[];

/// `eval evidence --data DIR [--only PART,PART] [--encoder DIR]`, or with `--judge URL` a model as judge of citations alone
pub async fn eval(rest: &[&str]) -> Result<()> {
    let wanted = SetChoice::parse(rest)?;
    match wanted.judge {
        Some(url) => citations::judge::measure(&wanted.data, url).await,
        None => eval_sets(&wanted),
    }
}

/// The sets that `eval appraise` is about.
pub(crate) fn eval_trials(data: &Path) -> Result<()> {
    eval_sets(&SetChoice {
        data: data.to_owned(),
        only: vec!["evidence-inference", "robbr"],
        encoder: None,
        judge: None,
    })
}

fn eval_sets(wanted: &SetChoice<'_>) -> Result<()> {
    measure(PARTS, wanted)?;
    match &wanted.encoder {
        Some(folder) => scifact::measure_encoder(&wanted.data, folder),
        None => Ok(()),
    }
}

/// `bench evidence --data DIR [--only PART,PART]`
pub fn bench(rest: &[&str]) -> Result<()> {
    if RACES.is_empty() {
        bail!("built without the peers: run `cargo xtask bench evidence`");
    }
    measure(RACES, &SetChoice::parse(rest)?)
}

fn measure(parts: &[EvidencePart], wanted: &SetChoice<'_>) -> Result<()> {
    let known: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = wanted.only.iter().find(|name| !known.contains(name)) {
        bail!(
            "there is no part \"{unknown}\"; there are {}",
            known.join(", ")
        );
    }
    let mut missed = Vec::new();
    for (name, part) in parts {
        if (wanted.only.is_empty() || wanted.only.contains(name))
            && let Err(error) = part(&wanted.data)
        {
            missed.push(format!("{name} was not measured: {error:#}"));
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    bail!(missed.join("\n"))
}

struct SetChoice<'a> {
    data: PathBuf,
    /// Names of parts; empty means all.
    only: Vec<&'a str>,
    /// A folder with `model.onnx` and `vocab.txt`, to be measured too.
    encoder: Option<PathBuf>,
    /// An endpoint whose model is asked instead of code, such as `http://127.0.0.1:8091/v1`.
    judge: Option<&'a str>,
}

impl<'a> SetChoice<'a> {
    fn parse(rest: &[&'a str]) -> Result<Self> {
        let mut data = std::env::var_os("FATHOM_DATA").map(PathBuf::from);
        let (mut only, mut encoder, mut judge) = (Vec::new(), None, None);
        for pair in rest.chunks(2) {
            match *pair {
                ["--data", folder] => data = Some(folder.into()),
                ["--encoder", folder] => encoder = Some(folder.into()),
                ["--judge", url] => judge = Some(url),
                ["--only", names] => only = names.split(',').map(str::trim).collect(),
                _ => bail!("\"{}\" is not known here", pair.join(" ")),
            }
        }
        let data = data.context("where are the sets? Give --data DIR, or set FATHOM_DATA")?;
        if !data.is_dir() {
            bail!("{} is no folder", data.display());
        }
        Ok(Self {
            data,
            only,
            encoder,
            judge,
        })
    }
}
