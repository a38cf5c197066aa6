//! Proofs that live as tests in the crates of providers and of the program: run here, judged by their own assertions, told in one line.

use std::process::Stdio;

use anyhow::{Context, Result, bail};
use futures::future::BoxFuture;
use tokio::process::Command;

use crate::proofs::{Proof, Setting, Size};

/// Cases of each property at the full size.
const FULL_CASES: &str = "20000";

pub(super) fn proofs() -> Vec<Proof> {
    vec![
        Proof {
            id: "T16",
            what: "every fault ends as the golden table says",
            run: |setting| run("T16", &["golden::"], setting),
        },
        Proof {
            id: "T17",
            what: "waits are as long as servers ask",
            run: |setting| run("T17", &["hints::", "hint::"], setting),
        },
        Proof {
            id: "T18",
            what: "an outage of ten minutes with 50 runs",
            run: |setting| run("T18", &["outage::", "breaker::"], setting),
        },
        Proof {
            id: "T21",
            what: "forbidden addresses are refused without a dial",
            run: |setting| run("T21", &["guard::", "properties::"], setting),
        },
        Proof {
            id: "T22",
            what: "bombs, endless bodies and 200 pages at once",
            run: |setting| run("T22", &["bodies::", "faults::", "hostile"], setting),
        },
        Proof {
            id: "T23",
            what: "orders of pages to a model that obeys",
            run: |setting| Box::pin(figures("T23", "fathom", &["injection::"], setting)),
        },
    ]
}

fn run(
    id: &'static str,
    filters: &'static [&'static str],
    setting: Setting,
) -> BoxFuture<'static, Result<String>> {
    Box::pin(figures(id, "fathom-providers", filters, setting))
}

/// Runs the tests whose names contain one of the words; gives the lines that they print under the proof's name.
async fn figures(id: &str, package: &str, filters: &[&str], setting: Setting) -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["test", "--release", "-p", package, "--lib", "--tests"])
        .args(["--", "--nocapture"])
        .args(filters)
        .env("FATHOM_SEED", setting.seed.to_string())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    if setting.size == Size::Full {
        command.env("PROPTEST_CASES", FULL_CASES);
        command.env("FATHOM_PROOF_SIZE", "full");
    }
    // Where cargo has run us from.
    if let Some(folder) = std::env::var_os("CARGO_MANIFEST_DIR") {
        command.current_dir(folder);
    }
    let output = command.output().await.context("cannot run cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!(
            "{}",
            complaint(&said, &String::from_utf8_lossy(&output.stderr))
        );
    }
    let lines: Vec<&str> = said.lines().filter_map(|line| figure(id, line)).collect();
    if lines.is_empty() {
        bail!("no test printed a figure of {id}");
    }
    Ok(lines.join("; "))
}

/// What a line says of the proof. The line may begin with the name of the test that prints it.
fn figure<'a>(id: &str, line: &'a str) -> Option<&'a str> {
    let (before, said) = line.split_once(id)?;
    let begins = before.is_empty() || before.ends_with("... ");
    begins.then(|| said.trim_start_matches([':', ' ']))
}

fn complaint(said: &str, erred: &str) -> String {
    let failed = |line: &&str| line.ends_with("FAILED") || line.contains("panicked at");
    let tests: Vec<&str> = said.lines().chain(erred.lines()).filter(failed).collect();
    match tests[..] {
        [] => {
            let last: Vec<&str> = erred.lines().rev().take(5).collect();
            last.into_iter().rev().collect::<Vec<_>>().join(" | ")
        }
        _ => tests.join(" | "),
    }
}
