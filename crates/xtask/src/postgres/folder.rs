//! The folder of one cluster, and the removal of folders whose owner died.
//!
//! A folder is in use as long as its owner holds the lock in it. The kernel lets go of the lock when
//! the owner ends, however it ends, so a lock that can be taken marks a leftover.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use tempfile::TempDir;

pub(super) const PREFIX: &str = "fathom-pg-";
const LOCK: &str = "owner.lock";

/// Removed when dropped.
pub(super) struct Folder {
    folder: TempDir,
    _lock: File,
}

impl Folder {
    pub(super) fn create(parent: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(parent)
            .with_context(|| {
                format!(
                    "cannot create a folder for PostgreSQL in {}",
                    parent.display()
                )
            })?;
        let lock = hold_lock(folder.path()).context("cannot lock the new folder for PostgreSQL")?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn data(&self) -> PathBuf {
        data(self.path())
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path().join("server.log")
    }
}

/// Removes the folders of owners that died without cleaning up. A folder with a running server is
/// left alone. What cannot be read or removed belongs to another user and stays.
pub(super) fn remove_leftovers(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let folder = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_ours && has_lost_its_owner(&folder) && !has_running_server(&folder) {
            // Another process may be removing the same leftover.
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// The lock gets its name only once it is held, so that nobody finds it free in between.
fn hold_lock(folder: &Path) -> std::io::Result<File> {
    let unnamed = folder.join("owner.lock.new");
    let lock = File::create(&unnamed)?;
    lock.lock()?;
    fs::rename(unnamed, folder.join(LOCK))?;
    Ok(lock)
}

/// A folder without a lock is being created at this moment.
fn has_lost_its_owner(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

fn has_running_server(folder: &Path) -> bool {
    let Ok(lines) = fs::read_to_string(data(folder).join("postmaster.pid")) else {
        return false;
    };
    lines
        .lines()
        .next()
        .is_some_and(|process| is_alive(process.trim()))
}

fn is_alive(process: &str) -> bool {
    if Path::new("/proc/self").exists() {
        return Path::new("/proc").join(process).exists();
    }
    let status = Command::new("ps")
        .args(["-p", process])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // Where nothing can tell, the folder is safer left alone.
    status.map_or(true, |status| status.success())
}

fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_use_is_not_a_leftover() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(parent.path()).unwrap();

        remove_leftovers(parent.path());

        assert!(folder.path().exists());
    }

    #[test]
    fn a_folder_being_created_is_not_a_leftover() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("fathom-pg-young");
        fs::create_dir(&folder).unwrap();

        remove_leftovers(parent.path());

        assert!(folder.exists());
    }

    #[test]
    fn a_folder_whose_owner_and_server_are_gone_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = abandoned(parent.path(), &process_that_ended());

        remove_leftovers(parent.path());

        assert!(!folder.exists());
    }

    #[test]
    fn a_folder_with_a_running_server_is_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = abandoned(parent.path(), &std::process::id().to_string());

        remove_leftovers(parent.path());

        assert!(folder.exists());
    }

    #[test]
    fn a_folder_of_another_name_is_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("somebody-else");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(LOCK), "").unwrap();

        remove_leftovers(parent.path());

        assert!(folder.exists());
    }

    fn abandoned(parent: &Path, server: &str) -> PathBuf {
        let folder = parent.join("fathom-pg-abandoned");
        fs::create_dir_all(data(&folder)).unwrap();
        fs::write(folder.join(LOCK), "").unwrap();
        fs::write(
            data(&folder).join("postmaster.pid"),
            format!("{server}\n/somewhere\n"),
        )
        .unwrap();
        folder
    }

    fn process_that_ended() -> String {
        let mut process = Command::new("true").spawn().unwrap();
        process.wait().unwrap();
        process.id().to_string()
    }
}
