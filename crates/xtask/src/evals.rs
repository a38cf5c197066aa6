//! `cargo xtask prove`, `bench` and `eval`: run as a release build, with the server they need. What
//! they measure is theirs.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};

use crate::arguments::Verb;
use crate::cargo::{cargo, root, show};
use crate::service::TestServer;

pub fn run(verb: Verb, area: &str, rest: &[String]) -> Result<()> {
    let mut command = match (verb, area) {
        // It measures the program itself, which cargo builds for the benchmarks of its own package alone.
        (Verb::Bench, "report") => cargo("bench -p fathom --bench report --")?,
        // Its peers take minutes to build, and nothing else needs them.
        (Verb::Bench, "evidence" | "library") => built("--features fathom-evals/peers")?,
        _ => built("")?,
    };
    if area != "report" {
        command.args([verb.word(), area]);
    }
    command.args(rest);
    // Kept until the command has ended: the server ends with it.
    let postgres = (area == "engine")
        .then(TestServer::find_or_start)
        .transpose()?;
    if let Some(postgres) = &postgres {
        postgres.pass_to(&mut command);
    }
    show(&mut command).with_context(|| format!("`{} {area}` failed, see above", verb.word()))
}

/// The program of the measures, built. What it measures is built with it: built alone, either would have other features of
/// the crates they share, which takes minutes to build anew whenever one is built after the other.
fn built(features: &str) -> Result<Command> {
    let parts = "-p fathom -p fathom-evals --bins --example toy-workflow";
    show(&mut cargo(&format!("build --release {parts} {features}"))?)?;
    let own = env::current_exe().context("this program cannot find itself")?;
    let target = own.ancestors().nth(2).unwrap_or(&own);
    let mut command = Command::new(target.join("release/fathom-evals"));
    command.current_dir(root()?);
    Ok(command)
}
