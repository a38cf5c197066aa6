//! Answers in a folder, a file each, within a bound: the oldest goes first.
//!
//! Several processes may share the folder. A file is put in its place whole; one that cannot be read, or is damaged,
//! is as good as none.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::CachedAnswer;

const DEFAULT_MAX_BYTES: u64 = 64 * 1024 * 1024;
const FILES_MAX: usize = 2_000;

/// One answer may fill this share of the whole.
const SHARE: u64 = 16;

/// What a file that is not yet in its place ends with.
const UNFINISHED: &str = "part";

/// A folder with one file for each answer.
#[derive(Clone, Debug)]
pub struct FolderSearchCache {
    folder: PathBuf,
    max_bytes: u64,
}

impl FolderSearchCache {
    /// The folder is made when there is something to keep.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }

    /// Holds at most so many bytes.
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    fn read(&self, name: &str) -> io::Result<CachedAnswer> {
        let path = self.folder.join(name);
        if path.metadata()?.len() > self.max_bytes / SHARE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    fn write(&self, name: &str, answer: &CachedAnswer) -> io::Result<()> {
        let bytes = serde_json::to_vec(answer)?;
        if bytes.len() as u64 > self.max_bytes / SHARE {
            return Ok(());
        }
        std::fs::create_dir_all(&self.folder)?;
        let unfinished = self.folder.join(own_name());
        let placed = std::fs::write(&unfinished, bytes)
            .and_then(|()| std::fs::rename(&unfinished, self.folder.join(name)));
        if placed.is_err() {
            // What is left of it goes with the oldest, if it cannot be removed now.
            let _ = std::fs::remove_file(&unfinished);
        }
        placed?;
        make_room(&self.folder, self.max_bytes)
    }

    /// What is kept under this name, fresh or not. A cache that fails is one that has nothing.
    pub async fn get(&self, name: &str) -> Option<CachedAnswer> {
        let (own, name) = (self.clone(), name.to_owned());
        let read = tokio::task::spawn_blocking(move || own.read(&name)).await;
        read.ok()?.ok()
    }

    /// Keeps it in place of what was there.
    pub async fn put(&self, name: &str, answer: CachedAnswer) {
        let (own, name) = (self.clone(), name.to_owned());
        let written = tokio::task::spawn_blocking(move || own.write(&name, &answer)).await;
        if let Ok(Err(error)) = written {
            tracing::debug!(%error, "an answer could not be kept");
        }
    }
}

/// A name that no other writer has, on whatever machine it is.
fn own_name() -> String {
    format!("{:032x}.{UNFINISHED}", rand::random::<u128>())
}

/// Removes the oldest files until the rest keep the bounds. Another process may be doing the same.
fn make_room(folder: &Path, max_bytes: u64) -> io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if let Ok(about) = entry.metadata() {
            files.push((about.modified()?, about.len(), entry.path()));
        }
    }
    files.sort_unstable();
    let mut count = files.len();
    let mut bytes: u64 = files.iter().map(|(_, size, _)| size).sum();
    for (_, size, path) in files {
        if count <= FILES_MAX && bytes <= max_bytes {
            break;
        }
        if std::fs::remove_file(path).is_ok() {
            count -= 1;
            bytes -= size;
        }
    }
    Ok(())
}
