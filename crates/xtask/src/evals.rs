//! `cargo xtask prove`, `bench` and `eval`: the evaluations, run as a release build with the
//! services they need. What they measure is theirs.

use anyhow::{Context, Result};

use crate::arguments::Verb;
use crate::cargo::{cargo, show};
use crate::service::Postgres;

pub fn run(verb: Verb, area: &str, rest: &[String]) -> Result<()> {
    let postgres = match verb {
        Verb::Prove | Verb::Bench => Some(Postgres::at_hand()?),
        Verb::Eval => None,
    };
    let mut command = cargo("run --release -p fathom-evals --")?;
    command.args([verb.word(), area]).args(rest);
    if let Some(postgres) = &postgres {
        postgres.tell(&mut command);
    }
    show(&mut command).with_context(|| format!("`{} {area}` failed, see above", verb.word()))
}
