//! The libraries that a person has named, and where the index of any set of folders lies.
//!
//! `library.toml` in the data folder lists the folders and files of each library. Folders that are only given on the command line
//! have an index too, under a name made from their paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::exit::{Problem, Result};
use crate::files;

const FILE: &str = "library.toml";

/// The library that is searched when none is named.
pub const DEFAULT: &str = "default";

/// Where indexes lie in the data folder, those of unnamed folders one further down.
const INDEXES: &str = "libraries";
const UNNAMED: &str = "unnamed";

const NAME_MAX: usize = 64;

/// The libraries by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LibraryList {
    /// Of the library that is searched when none is named.
    #[serde(default)]
    folders: Vec<PathBuf>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    named: BTreeMap<String, NamedLibrary>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct NamedLibrary {
    folders: Vec<PathBuf>,
}

impl LibraryList {
    /// As it stands in the data folder.
    pub fn load(home: &Path) -> Result<Self> {
        let path = home.join(FILE);
        let Some(text) = files::read_if_there(&path)? else {
            return Ok(Self::default());
        };
        toml::from_slice(&text).map_err(|error| {
            let problem = Problem::failed(format!(
                "{} is damaged: {}",
                path.display(),
                error.message()
            ));
            problem.advise("Repair it, or delete it and add your folders again.")
        })
    }

    pub fn save(&self, home: &Path) -> Result<()> {
        fathom_store::create_private_folder(home).map_err(|error| {
            Problem::failed(format!("{} cannot be made: {error}", home.display()))
        })?;
        let text = toml::to_string_pretty(self).map_err(Problem::failed)?;
        files::write(&home.join(FILE), text.as_bytes())
    }

    /// Every library that has a folder, the default one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let default = (!self.folders.is_empty()).then_some(DEFAULT);
        let named = self.named.keys().map(String::as_str);
        default.into_iter().chain(named)
    }

    /// The folders and files of a library; none for one that does not exist.
    pub fn folders(&self, name: &str) -> &[PathBuf] {
        match name {
            DEFAULT => &self.folders,
            name => self.named.get(name).map_or(&[], |named| &named.folders),
        }
    }

    /// Changes the folders of a library, which is made where there is none and goes with its last folder.
    pub fn change(&mut self, name: &str, change: impl FnOnce(&mut Vec<PathBuf>)) {
        match name {
            DEFAULT => change(&mut self.folders),
            name => {
                let named = self.named.entry(name.to_owned()).or_default();
                change(&mut named.folders);
                if named.folders.is_empty() {
                    self.named.remove(name);
                }
            }
        }
    }

    /// The folders that are meant: those of the libraries that are named, the paths that are given, and those of the default
    /// library where nothing is.
    pub fn resolve(&self, given: &[PathBuf]) -> Vec<PathBuf> {
        if given.is_empty() {
            return self.folders.clone();
        }
        let mut roots = Vec::new();
        for path in given {
            let named = path.to_str().map(|name| self.folders(name));
            match named {
                Some(folders) if !folders.is_empty() => roots.extend_from_slice(folders),
                _ => roots.push(path.clone()),
            }
        }
        roots
    }

    /// Where the index of these folders lies.
    pub fn index_folder(&self, home: &Path, roots: &[PathBuf]) -> PathBuf {
        let set = |paths: &[PathBuf]| -> BTreeSet<PathBuf> {
            let real = |path: &PathBuf| path.canonicalize().or_else(|_| std::path::absolute(path));
            let real = paths.iter().map(|path| real(path).unwrap_or(path.clone()));
            real.collect()
        };
        let wanted = set(roots);
        if let Some(name) = self.names().find(|name| set(self.folders(name)) == wanted) {
            return home.join(INDEXES).join(name);
        }
        let mut hasher = Sha256::new();
        for path in &wanted {
            hasher.update(path.as_os_str().as_encoded_bytes());
            hasher.update([0]);
        }
        let hash = hasher.finalize();
        let hash: String = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
        unnamed_folder(home).join(hash)
    }
}

/// Where the indexes lie of folders that are no library of a name.
pub fn unnamed_folder(home: &Path) -> PathBuf {
    home.join(INDEXES).join(UNNAMED)
}

/// The folder of a named library, with its index.
pub fn named_folder(home: &Path, name: &str) -> PathBuf {
    home.join(INDEXES).join(name)
}

/// A name for a library: letters, digits, `-` and `_`.
pub fn library_name(name: &str) -> std::result::Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut parts = Path::new(name).components();
    let one = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    );
    if one && name.len() <= NAME_MAX && name.chars().all(plain) && name != UNNAMED {
        return Ok(name.to_owned());
    }
    Err("a library's name has letters, digits, - and _".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_its_folders_and_a_path_for_itself() {
        let mut list = LibraryList::default();
        list.change(DEFAULT, |folders| folders.push("/papers".into()));
        list.change("law", |folders| folders.push("/statutes".into()));
        let resolved = |given: &[&str]| {
            let given: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
            list.resolve(&given)
        };
        assert_eq!(resolved(&[]), [Path::new("/papers")]);
        assert_eq!(resolved(&["law"]), [Path::new("/statutes")]);
        assert_eq!(
            resolved(&["law", "./law"]),
            [Path::new("/statutes"), Path::new("./law")]
        );
        assert_eq!(list.names().collect::<Vec<_>>(), [DEFAULT, "law"]);
        list.change("law", Vec::clear);
        assert_eq!(list.names().collect::<Vec<_>>(), [DEFAULT]);
    }

    #[test]
    fn the_same_folders_have_one_index_whatever_they_are_called() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let mut list = LibraryList::default();
        list.change("law", |folders| folders.push(home.to_owned()));
        let named = list.index_folder(home, &[home.join(".")]);
        assert_eq!(named, named_folder(home, "law"));
        let one = list.index_folder(home, &["/nowhere/a".into(), "/nowhere/b".into()]);
        let other = list.index_folder(home, &["/nowhere/b".into(), "/nowhere/a".into()]);
        assert_eq!(one, other);
        assert!(one.starts_with(home.join("libraries/unnamed")));
    }

    #[test]
    fn a_name_is_no_path() {
        assert!(library_name("law-2026").is_ok());
        for name in ["", ".", "..", "a/b", "a b", "unnamed", &"x".repeat(65)] {
            assert!(library_name(name).is_err(), "{name}");
        }
    }
}
