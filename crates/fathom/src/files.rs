//! Writing files so that a failure leaves the old one: first beside it, then in its place.

use std::io::Write;
use std::path::Path;

use crate::exit::{Problem, Result};

/// Writes a whole file, or leaves what was there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    put(path, bytes).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            std::io::ErrorKind::StorageFull => "the disk is full".to_owned(),
            _ => error.to_string(),
        };
        Problem::failed(format!("{} cannot be written: {why}", path.display()))
    })
}

fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let special = std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
    if special {
        // A device or pipe cannot be replaced, only written to.
        return std::fs::write(path, bytes);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut beside = tempfile::Builder::new()
        .prefix(".fathom-")
        .tempfile_in(folder)?;
    beside.write_all(bytes)?;
    beside.as_file().sync_all()?;
    readable_by_others(beside.as_file())?;
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Temporary files are private; a report is a file like any other.
#[cfg(unix)]
fn readable_by_others(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_others(_: &std::fs::File) -> std::io::Result<()> {
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
    fn a_missing_folder_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let refused = write(&folder.path().join("no/report.md"), b"x").unwrap_err();
        assert!(refused.to_string().contains("there is no such folder"));
    }
}
