//! Finds the files of a library: bounded, in a stable order, and never outside its folders.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{LibraryLimits, OpenLibraryError, SkippedFile};

/// A folder or a single file of the library, by its real path.
pub(super) struct LibraryRoot {
    path: PathBuf,
    /// Stands before the names of a folder's files, empty where it is the only one; the whole name of a single file.
    prefix: String,
}

/// A file that may hold a document.
pub(super) struct LibraryFile {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

#[derive(Default)]
pub(super) struct FoundFiles {
    /// By name.
    pub(super) files: Vec<LibraryFile>,
    pub(super) skipped: Vec<SkippedFile>,
}

impl LibraryRoot {
    /// Folders and files as they are on the disk, each once; one inside another is part of that.
    pub(super) fn named<P: AsRef<Path>>(given: &[P]) -> Result<Vec<Self>, OpenLibraryError> {
        let real = given.iter().map(|path| real_path(path.as_ref()));
        let real: BTreeSet<PathBuf> = real.collect::<Result<_, _>>()?;
        let inside = |path: &PathBuf| {
            real.iter()
                .any(|other| other != path && path.starts_with(other))
        };
        let outermost: Vec<&PathBuf> = real.iter().filter(|path| !inside(path)).collect();
        let mut taken = BTreeSet::new();
        let alone = outermost.len() == 1;
        let root = |path: &PathBuf| Self {
            prefix: if alone && path.is_dir() {
                String::new()
            } else {
                prefix(path, &mut taken)
            },
            path: path.clone(),
        };
        Ok(outermost.into_iter().map(root).collect())
    }
}

fn real_path(path: &Path) -> Result<PathBuf, OpenLibraryError> {
    let real = path.canonicalize().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => OpenLibraryError::Missing {
            path: path.to_owned(),
        },
        _ => OpenLibraryError::Unreadable {
            path: path.to_owned(),
            source,
        },
    })?;
    if real.is_dir() || real.is_file() {
        return Ok(real);
    }
    Err(OpenLibraryError::NotAFile {
        path: path.to_owned(),
    })
}

/// The own name of a folder or file; with a number where another has it.
fn prefix(path: &Path, taken: &mut BTreeSet<String>) -> String {
    let name = |path: Option<&OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
    let (own, ending) = match path.extension() {
        _ if path.is_dir() => (name(path.file_name()), "/".to_owned()),
        Some(ending) => (name(path.file_stem()), format!(".{}", name(Some(ending)))),
        None => (name(path.file_name()), String::new()),
    };
    let mut prefix = format!("{own}{ending}");
    let mut nth = 1_usize;
    while !taken.insert(prefix.clone()) {
        nth += 1;
        prefix = format!("{own}-{nth}{ending}");
    }
    prefix
}

pub(super) fn files(
    roots: &[LibraryRoot],
    limits: &LibraryLimits,
) -> Result<FoundFiles, OpenLibraryError> {
    let mut walk = FolderWalk {
        limits,
        found: FoundFiles::default(),
        bytes: 0,
        left_out: 0,
    };
    for root in roots {
        if let Ok(about) = fs::metadata(&root.path)
            && about.is_file()
        {
            walk.file(&root.prefix, root.path.clone(), about.len());
            continue;
        }
        let listed = fs::read_dir(&root.path).map_err(|source| OpenLibraryError::Unreadable {
            path: root.path.clone(),
            source,
        })?;
        walk.folder(root, listed, &root.prefix, 1);
    }
    Ok(walk.done())
}

struct FolderWalk<'l> {
    limits: &'l LibraryLimits,
    found: FoundFiles,
    bytes: u64,
    /// Files beyond the limits, which are counted rather than named.
    left_out: usize,
}

impl FolderWalk<'_> {
    fn folder(&mut self, root: &LibraryRoot, listed: fs::ReadDir, prefix: &str, depth: usize) {
        let mut entries: Vec<fs::DirEntry> = Vec::new();
        for entry in listed {
            match entry {
                Ok(entry) => entries.push(entry),
                Err(error) => self.skip(prefix.to_owned(), explain(&error)),
            }
        }
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let own = entry.file_name();
            let own = own.to_string_lossy();
            if !own.starts_with('.') {
                self.entry(root, &entry.path(), &format!("{prefix}{own}"), depth);
            }
        }
    }

    fn entry(&mut self, root: &LibraryRoot, path: &Path, name: &str, depth: usize) {
        let kind = match fs::symlink_metadata(path) {
            Ok(kind) => kind,
            Err(error) => return self.skip(name.to_owned(), explain(&error)),
        };
        if kind.is_dir() {
            if depth >= self.limits.depth {
                let why = format!("it lies more than {} folders deep", self.limits.depth);
                return self.skip(name.to_owned(), why);
            }
            return match fs::read_dir(path) {
                Ok(listed) => self.folder(root, listed, &format!("{name}/"), depth + 1),
                Err(error) => self.skip(name.to_owned(), explain(&error)),
            };
        }
        match real_file(root, path) {
            Ok(Some((path, bytes))) => self.file(name, path, bytes),
            Ok(None) => {}
            Err(why) => self.skip(name.to_owned(), why),
        }
    }

    fn file(&mut self, name: &str, path: PathBuf, bytes: u64) {
        let together = self.bytes.saturating_add(bytes);
        if self.found.files.len() >= self.limits.files || together > self.limits.bytes {
            self.left_out += 1;
            return;
        }
        self.bytes = together;
        self.found.files.push(LibraryFile {
            name: name.to_owned(),
            path,
            bytes,
        });
    }

    fn skip(&mut self, name: String, why: String) {
        self.found.skipped.push(SkippedFile {
            name,
            why,
            files: 1,
        });
    }

    fn done(mut self) -> FoundFiles {
        if self.left_out > 0 {
            let (files, bytes) = (self.limits.files, self.limits.bytes >> 20);
            let why = format!(
                "the library is larger than {files} files or {bytes} MiB: split it into smaller ones"
            );
            self.found.skipped.push(SkippedFile {
                name: format!("{} more files", self.left_out),
                why,
                files: self.left_out,
            });
        }
        let mut found = self.found;
        found.files.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }
}

/// Where a file really lies, and its size; nothing for what is no file. A link is followed to a file inside the same
/// folder and never to a folder, so that no walk goes in circles or leaves the library.
fn real_file(root: &LibraryRoot, path: &Path) -> Result<Option<(PathBuf, u64)>, String> {
    let real = path.canonicalize().map_err(|error| explain(&error))?;
    if !real.starts_with(&root.path) {
        return Err("it is a link that leads out of the library".to_owned());
    }
    let about = fs::metadata(&real).map_err(|error| explain(&error))?;
    Ok(about.is_file().then_some((real, about.len())))
}

pub(super) fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "nobody lets us read it: check who may".to_owned(),
        io::ErrorKind::NotFound => "it is gone, or a link that leads nowhere".to_owned(),
        _ => error.to_string(),
    }
}
