//! Finding PostgreSQL's server programs, which most systems keep out of the search path.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::install::{WHAT_TO_INSTALL, install};

const NEEDED: [&str; 5] = ["initdb", "postgres", "pg_ctl", "pg_isready", "createdb"];

/// Folders that hold one folder per version: parent, start of the version's folder, programs in it.
const VERSIONED: [(&str, &str, &str); 5] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql", "bin"),
    ("/usr/local/opt", "postgresql", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
];
const PLAIN: [&str; 3] = [
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/usr/local/pgsql/bin",
];

/// One folder with every program a cluster needs, all of one version.
#[derive(Debug)]
pub(super) struct Programs(PathBuf);

impl Programs {
    pub(super) fn find_or_install() -> Result<Self> {
        if let Some(programs) = Self::find() {
            return Ok(programs);
        }
        install()?;
        Self::find().context(WHAT_TO_INSTALL)
    }

    pub(super) fn path(&self, program: &str) -> PathBuf {
        self.0.join(program)
    }

    fn find() -> Option<Self> {
        first_complete(
            search_path()
                .chain(configured())
                .chain(versioned())
                .chain(PLAIN.map(PathBuf::from)),
        )
    }
}

pub(super) fn find_in_path(program: &str) -> Option<PathBuf> {
    search_path()
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

fn first_complete(folders: impl Iterator<Item = PathBuf>) -> Option<Programs> {
    let mut complete =
        folders.filter(|folder| NEEDED.iter().all(|program| folder.join(program).is_file()));
    complete.next().map(Programs)
}

fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect::<Vec<_>>()
        .into_iter()
}

fn configured() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| PathBuf::from(folder.trim()))
}

fn versioned() -> impl Iterator<Item = PathBuf> {
    VERSIONED.iter().flat_map(|(parent, start, programs)| {
        newest_first(Path::new(parent), start)
            .into_iter()
            .map(move |folder| folder.join(programs))
    })
}

fn newest_first(parent: &Path, start: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(start)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(version(name)));
    names.into_iter().map(|name| parent.join(name)).collect()
}

/// The numbers in a folder's name: 9.6 sorts below 15, and a name without a number last.
fn version(name: &str) -> Vec<u32> {
    name.split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_tried_first() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["9.6", "15", "17", "README"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }

        let found = newest_first(parent.path(), "");

        assert_eq!(
            found,
            ["17", "15", "9.6", "README"].map(|name| parent.path().join(name))
        );
    }

    #[test]
    fn a_folder_with_clients_only_is_passed_over() {
        let clients = tempfile::tempdir().unwrap();
        fs::write(clients.path().join("createdb"), "").unwrap();
        let complete = tempfile::tempdir().unwrap();
        for program in NEEDED {
            fs::write(complete.path().join(program), "").unwrap();
        }

        let found =
            first_complete([clients.path().to_owned(), complete.path().to_owned()].into_iter());

        assert_eq!(found.unwrap().0, complete.path());
    }
}
