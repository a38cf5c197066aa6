//! Installing PostgreSQL where that is allowed: a Debian-like system, as root or with a `sudo` that
//! asks no password.
//!
//! Debian's package may start a server of its own on the usual port; it is left alone.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::account::is_root;
use super::programs::find_in_path;
use super::run::run;

pub(super) const WHAT_TO_INSTALL: &str = "PostgreSQL's server programs were not found and cannot be installed from \
     here: install them (`apt-get install postgresql` on Debian or Ubuntu, `brew install postgresql` on macOS, \
     elsewhere your system's PostgreSQL server package), then run this again.";

pub(super) fn install() -> Result<()> {
    let Some(apt_get) = find_in_path("apt-get") else {
        bail!(WHAT_TO_INSTALL)
    };
    let needs_sudo = !is_root()?;
    if needs_sudo && !sudo_asks_no_password() {
        bail!(WHAT_TO_INSTALL);
    }
    let packages = ["install", "-y", "--no-install-recommends", "postgresql"];
    run(&mut as_root(&apt_get, needs_sudo, &["update"]))
        .and_then(|()| run(&mut as_root(&apt_get, needs_sudo, &packages)))
        .context("PostgreSQL cannot be installed with `apt-get`: mend what it says, or install PostgreSQL by hand")
}

fn as_root(apt_get: &Path, needs_sudo: bool, arguments: &[&str]) -> Command {
    let mut command = if needs_sudo {
        Command::new("sudo")
    } else {
        Command::new("env")
    };
    if needs_sudo {
        command.args(["-n", "env"]);
    }
    // The set-up questions of other packages must not wait for an answer.
    command.arg("DEBIAN_FRONTEND=noninteractive").arg(apt_get);
    // A fresh machine may still be busy with its own updates.
    command
        .args(["-o", "DPkg::Lock::Timeout=120"])
        .args(arguments)
        .stdin(Stdio::null());
    command
}

fn sudo_asks_no_password() -> bool {
    let quiet = Command::new("sudo")
        .args(["-n", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}
