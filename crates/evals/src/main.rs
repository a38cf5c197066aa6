//! Proves, measures and compares: see `USAGE` for what it is asked.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use fathom_evals::proofs::{self, Proof, Setting, Size};
use fathom_evals::{answers, appraise, bench, evidence, providers, service, victim};

const USAGE: &str = "\
usage: fathom-evals prove engine|providers|service [--seed N] [--only T1,T3] [--quick]
       fathom-evals bench engine [--store memory|sqlite|postgresql] [--part one-run|in-flight|long-run]
       fathom-evals bench engine --peer
       fathom-evals bench library [--passages N]
       fathom-evals bench providers [--only PART,PART]
       fathom-evals bench service [--only PART | --peer]
       fathom-evals eval evidence --data DIR [--only PART,PART] [--encoder DIR] [--judge URL]
       fathom-evals eval appraise --data DIR [--binary PATH]
       fathom-evals eval answers --data DIR --libraries DIR [OPTION…] [-- ARGUMENT…]
       fathom-evals eval ask --data DIR --libraries DIR [OPTION…]
       fathom-evals bench evidence --data DIR [--only PART,PART]";

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["prove", "engine", rest @ ..] => prove(proofs::engine(), rest).await,
        ["prove", "providers", rest @ ..] => prove(providers::proofs(), rest).await,
        ["prove", "service", rest @ ..] => prove(service::proofs(), rest).await,
        // Not for people: the process that proofs kill.
        ["victim", rest @ ..] => return victim::live(rest, say).await,
        ["bench", "engine", rest @ ..] => bench::engine(rest).await,
        ["bench", "library", rest @ ..] => bench::library(rest),
        ["bench", "providers", rest @ ..] => providers::bench(rest).await,
        ["bench", "service", rest @ ..] => service::bench(rest).await,
        ["eval", "evidence", rest @ ..] => evidence::eval(rest).await,
        ["eval", "answers", rest @ ..] => answers::eval(rest),
        ["eval", "ask", rest @ ..] => answers::eval_ask(rest),
        ["eval", "appraise", rest @ ..] => appraise::eval(rest),
        ["bench", "evidence", rest @ ..] => evidence::bench(rest),
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs every chosen proof, also after one has failed.
async fn prove(all: Vec<Proof>, rest: &[&str]) -> Result<()> {
    let ProofChoice { setting, only } = ProofChoice::parse(rest)?;
    let mut failed = Vec::new();
    for proof in chosen(all, &only)? {
        let (line, held) = proof.show(setting.clone()).await;
        say(&line);
        if !held {
            failed.push(proof.id);
        }
    }
    if !failed.is_empty() {
        let (failed, seed) = (failed.join(","), setting.seed);
        bail!("failed: {failed}; the same again: --seed {seed} --only {failed}");
    }
    Ok(())
}

struct ProofChoice {
    setting: Setting,
    /// Ids of proofs; empty means all.
    only: Vec<String>,
}

impl ProofChoice {
    fn parse(rest: &[&str]) -> Result<Self> {
        let mut wanted = Self {
            setting: Setting {
                size: Size::Full,
                seed: rand::random(),
            },
            only: Vec::new(),
        };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            match *word {
                "--quick" => wanted.setting.size = Size::Quick,
                "--seed" => {
                    let seed = words.next().context("--seed needs a number")?;
                    wanted.setting.seed = seed.parse().with_context(|| {
                        format!("\"{seed}\" is not a seed: it must be a number")
                    })?;
                }
                "--only" => {
                    let ids = words
                        .next()
                        .context("--only needs ids, as in --only T1,T3")?;
                    wanted.only = ids.split(',').map(|id| id.trim().to_uppercase()).collect();
                }
                other => bail!("\"{other}\" is not known here\n{USAGE}"),
            }
        }
        Ok(wanted)
    }
}

fn chosen(all: Vec<Proof>, only: &[String]) -> Result<Vec<Proof>> {
    if let Some(unknown) = only
        .iter()
        .find(|id| all.iter().all(|proof| proof.id != **id))
    {
        let known: Vec<&str> = all.iter().map(|proof| proof.id).collect();
        bail!(
            "there is no proof {unknown}; there are {}",
            known.join(", ")
        );
    }
    let wanted = |proof: &Proof| only.is_empty() || only.iter().any(|id| id == proof.id);
    Ok(all.into_iter().filter(wanted).collect())
}

#[expect(
    clippy::print_stdout,
    reason = "the lines are what this program is for"
)]
fn say(line: &str) {
    println!("{line}");
}
