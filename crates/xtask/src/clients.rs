//! `cargo xtask clients`: the program as clients in other languages meet it.
//!
//! Real Python clients, in a virtual environment of their own that is made once, in the target folder, run against the
//! built program on loopback. What they promise stands in `crates/fathom/tests/clients`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::{cargo, root, show};

/// Pinned, so that what passed once passes again.
const PACKAGES: [&str; 3] = ["mcp==2.3.0", "openai==3.51.0", "schemathesis==4.32.5"];

/// Where the tests lie.
const TESTS: &str = "crates/fathom/tests/clients";

/// Builds the program and runs the clients.
pub fn build_and_run() -> Result<()> {
    show(&mut cargo("build --package fathom")?)?;
    run()
}

/// Runs the clients against the program that stands beside this one.
pub fn run() -> Result<()> {
    let program = env::current_exe().context("this program cannot find itself")?;
    let binary = program.with_file_name("fathom");
    if !binary.is_file() {
        bail!("{} is not built", binary.display());
    }
    let folder = program.ancestors().nth(2);
    let folder = folder.context("there is no target folder")?.join("clients");
    let python = environment(&folder)?;
    let root = root()?;
    let mut tests = Command::new(python);
    tests
        .args([
            "-W",
            "error::ResourceWarning",
            "-m",
            "unittest",
            "discover",
            "--failfast",
        ])
        .current_dir(root.join(TESTS))
        .env("FATHOM_BINARY", binary)
        .env("FATHOM_EXAMPLES", root.join("examples"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    succeed(&mut tests)
}

/// The interpreter of the virtual environment, which is made anew when the packages change.
fn environment(folder: &Path) -> Result<PathBuf> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    let (installed, wanted) = (venv.join("installed"), PACKAGES.join("\n"));
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    succeed(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&venv),
    )?;
    let mut pip = Command::new(&python);
    succeed(pip.args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    fs::write(&installed, wanted)?;
    Ok(python)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().context("Python 3 is needed")?;
    if !status.success() {
        bail!("{command:?} failed, see above");
    }
    Ok(())
}
