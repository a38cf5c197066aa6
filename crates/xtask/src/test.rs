//! `cargo xtask test`: everything that has to hold before a change goes in, in order, up to the
//! first failure.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::cargo::{cargo, show, succeeds};
use crate::clients;
use crate::dependencies;
use crate::service::TestServer;
use crate::step::{seconds, step};

/// What is tested besides the default build.
const FEATURES: &str = "--features fathom/otel";

pub fn everything() -> Result<()> {
    let start = Instant::now();
    step("format", "run `cargo fmt --all`", || {
        show(&mut cargo("fmt --all --check")?)
    })?;
    step(
        "dependencies",
        "replace them, or change the policy in crates/xtask/src/dependencies.rs with a reason",
        dependencies::check,
    )?;
    step("clippy", "mend the warnings above", || {
        show(&mut cargo(
            "clippy --workspace --all-targets --all-features -- -D warnings",
        )?)
    })?;
    with_postgres(|postgres| {
        tests(postgres, &[])?;
        doc_tests(postgres)
    })?;
    step(
        "clients",
        "mend what the client above met; `cargo xtask clients` runs them alone",
        clients::run,
    )?;
    println!("everything: ok, {}", seconds(start.elapsed()));
    Ok(())
}

/// Only the tests whose name contains one of the words.
pub fn matching(filter: &[String]) -> Result<()> {
    with_postgres(|postgres| tests(postgres, filter))
}

fn with_postgres(act: impl FnOnce(&TestServer) -> Result<()>) -> Result<()> {
    let postgres = step(
        "postgres",
        "the tests need a PostgreSQL server",
        TestServer::find_or_start,
    )?;
    act(&postgres)
}

fn tests(postgres: &TestServer, filter: &[String]) -> Result<()> {
    step(
        "tests",
        "mend the tests named above, or check the filter if none ran",
        || {
            let mut command = test_runner()?;
            command.args(filter);
            postgres.pass_to(&mut command);
            show(&mut command)
        },
    )
}

/// Ready to take the words of a filter as its last arguments.
fn test_runner() -> Result<Command> {
    if succeeds("nextest --version")? {
        cargo(&format!("nextest run --workspace {FEATURES} --"))
    } else {
        cargo(&format!(
            "test --workspace {FEATURES} --lib --bins --tests --examples --"
        ))
    }
}

fn doc_tests(postgres: &TestServer) -> Result<()> {
    step("doc tests", "mend the examples named above", || {
        let mut command = cargo(&format!("test --workspace {FEATURES} --doc"))?;
        postgres.pass_to(&mut command);
        show(&mut command)
    })
}
