//! Calling the cargo that called us, at the root of the workspace.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// `line` is the command as one would type it after `cargo`.
pub fn cargo(line: &str) -> Result<Command> {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(line.split_whitespace()).current_dir(root()?);
    for (name, _) in env::vars_os().filter(|(name, _)| tells_of_us(name)) {
        command.env_remove(name);
    }
    Ok(command)
}

/// Whether cargo set this variable to tell of this very package. Build scripts that watch such variables would run
/// again, and all that rests on them be built anew, whenever one changes between `cargo xtask` and plain `cargo`.
fn tells_of_us(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

/// Runs a command whose output the reader wants to see as it comes.
pub fn show(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .context("cannot run cargo: is it in the search path?")?;
    if !status.success() {
        bail!("cargo ended with {status}");
    }
    Ok(())
}

/// Whether a command succeeds; what it prints is dropped.
pub fn succeeds(line: &str) -> Result<bool> {
    let mut command = cargo(line)?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = command
        .status()
        .context("cannot run cargo: is it in the search path?")?;
    Ok(status.success())
}

/// Asked at run time: one build may serve several checkouts.
pub fn root() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR").context("call this as `cargo xtask`")?;
    let root = PathBuf::from(package).ancestors().nth(2).map(PathBuf::from);
    root.context("the package `xtask` is expected in `crates/xtask` of the workspace")
}
