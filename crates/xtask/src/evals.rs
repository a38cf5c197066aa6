//! `cargo xtask prove`, `bench` and `eval`: run as a release build, with the server they need. What
//! they measure is theirs.

use anyhow::{Context, Result};

use crate::arguments::Verb;
use crate::cargo::{cargo, show};
use crate::service::TestServer;

pub fn run(verb: Verb, area: &str, rest: &[String]) -> Result<()> {
    let names_results = |word: &String| word == "--binary" || word == "--rescore";
    if ["answers", "appraise", "ask"].contains(&area) && !rest.iter().any(names_results) {
        show(&mut cargo("build --release -p fathom")?)?;
    }
    if area == "service" {
        show(&mut cargo(
            "build --release -p fathom --bin fathom --example toy-workflow",
        )?)?;
    }
    let mut command = match (verb, area) {
        // It measures the program itself, which cargo builds for the benchmarks of its own package alone.
        (Verb::Bench, "report") => cargo("bench -p fathom --bench report --")?,
        // Its peers take minutes to build, and nothing else needs them.
        (Verb::Bench, "evidence" | "library") => {
            cargo("run --release -p fathom-evals --features peers --")?
        }
        _ => cargo("run --release -p fathom-evals --")?,
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
