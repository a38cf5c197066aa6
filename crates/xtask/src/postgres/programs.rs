//! PostgreSQL's server programs: found where distributions put them, or installed, and run under an
//! account that PostgreSQL accepts.
//!
//! PostgreSQL refuses to run as root, so root hands the work to `postgres` or `nobody`; everybody
//! else runs the server as themselves.

use std::env;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

const NEEDED: [&str; 3] = ["initdb", "postgres", "pg_ctl"];

/// Holds one folder per version on Debian and its kin, which keep these programs out of the search path.
const DEBIAN_VERSIONS: &str = "/usr/lib/postgresql";

const SERVER_ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

const WHAT_TO_INSTALL: &str = "PostgreSQL's server programs were not found and cannot be installed from \
     here: install them (`apt-get install postgresql` on Debian or Ubuntu, `brew install postgresql` on macOS, \
     elsewhere your system's PostgreSQL server package), then run this again.";

/// Runs as root, by itself or by `sudo`. The set-up questions of other packages must not wait for an
/// answer, and a fresh machine may still be busy with its own updates.
const INSTALL: &str = "
    export DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=120 update &&
    apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends postgresql";

/// One folder with every program a cluster needs, all of one version, and who runs them.
pub(super) struct ServerPrograms {
    folder: PathBuf,
    /// User and group; `None` is the account of this process.
    account: Option<(u32, u32)>,
}

impl ServerPrograms {
    pub(super) fn find_or_install() -> Result<Self> {
        let is_root = id(&["-u"]) == Some(0);
        let folder = match find() {
            Some(folder) => folder,
            None => {
                install(is_root)?;
                find().context(WHAT_TO_INSTALL)?
            }
        };
        let account = if is_root {
            let known = SERVER_ACCOUNTS.iter().find_map(|name| look_up(name));
            Some(known.context("PostgreSQL refuses to run as root: create an account `postgres`")?)
        } else {
            None
        };
        Ok(Self { folder, account })
    }

    pub(super) fn path(&self, program: &str) -> PathBuf {
        self.folder.join(program)
    }

    /// Makes the server's account the owner of a path.
    pub(super) fn own(&self, path: &Path) -> Result<()> {
        let Some((user, group)) = self.account else {
            return Ok(());
        };
        chown(path, Some(user), Some(group))
            .with_context(|| format!("cannot hand {} to the server's account", path.display()))
    }

    /// One of PostgreSQL's programs, to be run as [`ServerPrograms::account_command`] does.
    pub(super) fn command(&self, program: &str, folder: &Path) -> Command {
        self.account_command(&self.path(program), folder)
    }

    /// A command that runs as the server's account, inside `folder`, in its own process group: an
    /// interrupt at the terminal must not reach the server before the tests that use it.
    pub(super) fn account_command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        // The caller's folder and home may be closed to the account.
        command.current_dir(folder).env("HOME", folder);
        for (name, _) in env::vars_os() {
            // PGHOST, PGOPTIONS and their like would point the programs at another server.
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command.process_group(0).stdin(Stdio::null());
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command
    }
}

/// Runs a program to its end. The error of one that fails holds what it wrote.
pub(super) fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output();
    let output = output.with_context(|| format!("cannot run `{program}`"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = [output.stdout, output.stderr].concat();
    let complaint = String::from_utf8_lossy(&complaint);
    bail!(
        "`{program}` failed ({}):\n{}",
        output.status,
        complaint.trim()
    )
}

/// The folder of the programs: the search path's, else Debian's newest.
fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_complete = |folder: &PathBuf| NEEDED.iter().all(|it| folder.join(it).is_file());
    env::split_paths(&path)
        .chain(newest_first(Path::new(DEBIAN_VERSIONS)))
        .find(is_complete)
}

fn newest_first(versions: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(versions).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut numbers: Vec<u32> = names.filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    let folder = |number: u32| versions.join(number.to_string()).join("bin");
    numbers.into_iter().map(folder).collect()
}

/// Debian's package may start a server of its own on the usual port; it is left alone.
fn install(is_root: bool) -> Result<()> {
    let may_sudo = || run(Command::new("sudo").args(["-n", "true"])).is_ok();
    let mut command = if is_root {
        Command::new("sh")
    } else if may_sudo() {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "sh"]);
        sudo
    } else {
        bail!(WHAT_TO_INSTALL)
    };
    run(command.args(["-c", INSTALL]).stdin(Stdio::null())).context(WHAT_TO_INSTALL)
}

fn look_up(name: &str) -> Option<(u32, u32)> {
    Some((id(&["-u", name])?, id(&["-g", name])?))
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_tried_first() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["9", "15", "17", "README"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        let found = newest_first(parent.path());
        let expected = ["17", "15", "9"].map(|name| parent.path().join(name).join("bin"));
        assert_eq!(found, expected);
    }
}
