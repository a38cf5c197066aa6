//! Reads files that may not be there, and writes them so that a failure leaves the old one: first beside it, then in its place.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::exit::{Problem, Result};

/// The bytes of a file; nothing where there is none.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let path = path.display();
            Err(Problem::failed(format!("{path} cannot be read: {error}")))
        }
    }
}

/// Refuses what `--out` names where the folder that it would lie in is not there.
pub fn check_parent(out: &Path) -> Result<()> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => {
            let why = format!("the folder {} does not exist", folder.display());
            Err(Problem::usage(why).advise("Create it first, or choose another --out"))
        }
        None => Ok(()),
    }
}

/// Writes a whole file, or leaves what was there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut writing = AtomicFile::begin(path)?;
    writing.add(bytes)?;
    writing.finish()
}

/// A file that is being written, piece by piece; if it is not finished, the old one stays.
pub struct AtomicFile {
    path: PathBuf,
    place: WriteTarget,
}

enum WriteTarget {
    Beside(NamedTempFile),
    /// A device or pipe cannot be replaced, only written to.
    There(File),
}

impl AtomicFile {
    pub fn begin(path: &Path) -> Result<Self> {
        let place = WriteTarget::open(path).map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            place,
        })
    }

    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.place {
            WriteTarget::Beside(file) => file.write_all(bytes),
            WriteTarget::There(file) => file.write_all(bytes),
        };
        written.map_err(|error| unwritable(&self.path, &error))
    }

    pub fn finish(self) -> Result<()> {
        let finished = match self.place {
            WriteTarget::Beside(file) => put(file, &self.path),
            WriteTarget::There(_) => Ok(()),
        };
        finished.map_err(|error| unwritable(&self.path, &error))
    }
}

impl WriteTarget {
    fn open(path: &Path) -> io::Result<Self> {
        let special =
            std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        if special {
            return File::options().write(true).open(path).map(Self::There);
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let beside = tempfile::Builder::new()
            .prefix(".fathom-")
            .tempfile_in(folder)?;
        Ok(Self::Beside(beside))
    }
}

fn put(beside: NamedTempFile, path: &Path) -> io::Result<()> {
    beside.as_file().sync_all()?;
    readable_by_others(beside.as_file())?;
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    Problem::failed(format!("{} cannot be written: {why}", path.display()))
}

/// Temporary files are private; a report is a file like any other.
#[cfg(unix)]
fn readable_by_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_others(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.md");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        write(&path, b"old").unwrap();
        let mut writing = AtomicFile::begin(&path).unwrap();
        writing.add(b"new").unwrap();
        drop(writing);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let refused = write(&folder.path().join("no/report.md"), b"x").unwrap_err();
        assert!(refused.to_string().contains("there is no such folder"));
    }
}
