//! The system account the server runs under, and commands run as that account.
//!
//! PostgreSQL refuses to run as root, so root hands the work to `postgres` or `nobody`; everybody
//! else runs the server as themselves.

use std::env;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

const SERVER_ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// `None` is the account of this process.
pub(super) struct Account(Option<Ids>);

#[derive(Clone, Copy)]
struct Ids {
    user: u32,
    group: u32,
}

impl Account {
    pub(super) fn for_server() -> Result<Self> {
        if !is_root()? {
            return Ok(Self(None));
        }
        match SERVER_ACCOUNTS.iter().find_map(|name| look_up(name)) {
            Some(ids) => Ok(Self(Some(ids))),
            None => bail!(
                "PostgreSQL refuses to run as root and there is no account `postgres` or `nobody`: \
                 create one with `useradd --system postgres`, or run this as an ordinary user"
            ),
        }
    }

    /// Makes the account the owner of a path.
    pub(super) fn own(&self, path: &Path) -> Result<()> {
        let Some(ids) = self.0 else { return Ok(()) };
        chown(path, Some(ids.user), Some(ids.group))
            .with_context(|| format!("cannot hand {} to the server's account", path.display()))
    }

    /// A command that runs as the account, inside `folder`, in its own process group: an interrupt
    /// at the terminal must not reach the server before the tests that use it.
    pub(super) fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        // The caller's folder and home may be closed to the account.
        command.current_dir(folder).env("HOME", folder);
        // The launch is judged by what the log says in English.
        command.env("LC_ALL", "C");
        for (name, _) in env::vars_os() {
            // PGHOST, PGOPTIONS and their like would point the tools at another server.
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command.process_group(0).stdin(Stdio::null());
        if let Some(ids) = self.0 {
            command.uid(ids.user).gid(ids.group);
        }
        command
    }
}

pub(super) fn is_root() -> Result<bool> {
    let user = id(&["-u"]).context("cannot tell the current user: `id -u` failed")?;
    Ok(user == 0)
}

fn look_up(name: &str) -> Option<Ids> {
    Some(Ids {
        user: id(&["-u", name])?,
        group: id(&["-g", name])?,
    })
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    if !output.status.success() {
        return None;
    }
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
