//! Indexes of folders that were given on the command line and belong to no named library: deleted when nobody has used them
//! for long, or when their folders are gone.
//!
//! Beside each index a small file names its folders. It is written anew whenever they are searched, so its age tells the last use.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fathom_store::library::DocumentLibrary;
use serde::{Deserialize, Serialize};

use crate::library_list::unnamed_folder;

const FILE: &str = "folders.toml";

#[derive(Serialize, Deserialize)]
struct IndexedFolders {
    folders: Vec<PathBuf>,
}

/// Notes that an index is used now, if it is one without a name. What cannot be noted costs nothing but an index that is made
/// again one day.
pub fn note_use(home: &Path, index: &Path, roots: &[PathBuf]) {
    if index.parent() != Some(&unnamed_folder(home)) {
        return;
    }
    let real = |root: &PathBuf| root.canonicalize().or_else(|_| std::path::absolute(root));
    let folders = roots.iter().filter_map(|root| real(root).ok()).collect();
    let noted = toml::to_string(&IndexedFolders { folders })
        .map_err(std::io::Error::other)
        .and_then(|text| {
            fathom_store::create_private_folder(index)?;
            std::fs::write(index.join(FILE), text)
        });
    if let Err(error) = noted {
        tracing::debug!(%error, "the use of an index was not noted");
    }
}

/// Deletes the indexes that were not used for this time, and those none of whose folders is there any more.
pub fn forget_unused(home: &Path, kept: Duration) {
    let Ok(listed) = std::fs::read_dir(unnamed_folder(home)) else {
        return;
    };
    for entry in listed.flatten() {
        let index = entry.path();
        if !(is_old(&index, kept) || is_gone(&index)) {
            continue;
        }
        match DocumentLibrary::delete(&index) {
            Ok(deleted) => tracing::debug!(index = %index.display(), deleted, "an unused index"),
            Err(error) => tracing::warn!(%error, "an unused index stays"),
        }
    }
}

fn is_old(index: &Path, kept: Duration) -> bool {
    let noted = std::fs::metadata(index.join(FILE));
    let about = noted.or_else(|_| std::fs::metadata(index));
    let used = about.and_then(|about| about.modified());
    // A clock that was turned back makes nothing old.
    used.is_ok_and(|used| {
        let unused = SystemTime::now().duration_since(used);
        unused.is_ok_and(|unused| unused >= kept)
    })
}

fn is_gone(index: &Path) -> bool {
    let noted = std::fs::read_to_string(index.join(FILE)).ok();
    let noted = noted.and_then(|text| toml::from_str::<IndexedFolders>(&text).ok());
    let gone = |folder: &PathBuf| matches!(folder.try_exists(), Ok(false));
    noted.is_some_and(|noted| !noted.folders.is_empty() && noted.folders.iter().all(gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_goes_when_it_is_old_or_its_folders_are_gone_and_stays_otherwise() {
        let home = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let month = Duration::from_secs(30 * 24 * 3_600);
        let index = |name: &str| unnamed_folder(home.path()).join(name);
        note_use(home.path(), &index("used"), &[folder.path().to_owned()]);
        note_use(home.path(), &index("gone"), &["/nowhere/at/all".into()]);
        note_use(home.path(), &index("old"), &[folder.path().to_owned()]);
        let long_ago = SystemTime::now() - 2 * month;
        let noted = index("old").join(FILE);
        let noted = std::fs::File::options().write(true).open(noted).unwrap();
        noted.set_modified(long_ago).unwrap();
        forget_unused(home.path(), month);
        assert!(index("used").is_dir());
        assert!(!index("gone").exists() && !index("old").exists());
        note_use(home.path(), &home.path().join("libraries/law"), &[]);
        assert!(!home.path().join("libraries/law").exists());
    }
}
