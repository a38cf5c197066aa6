//! Finds the files of a library: bounded, in a stable order, and never outside its folders.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{LibraryError, LibraryLimits, SkippedFile};

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
    /// When it was last written to, since 1970.
    pub(super) changed_ns: i64,
}

#[derive(Default)]
pub(super) struct FoundFiles {
    /// By name.
    pub(super) files: Vec<LibraryFile>,
    pub(super) skipped: Vec<SkippedFile>,
}

impl LibraryRoot {
    /// Folders and files as they are on the disk, each once; one inside another is part of that.
    pub(super) fn named<P: AsRef<Path>>(given: &[P]) -> Result<Vec<Self>, LibraryError> {
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

fn real_path(path: &Path) -> Result<PathBuf, LibraryError> {
    let real = path.canonicalize().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => LibraryError::Missing {
            path: path.to_owned(),
        },
        _ => LibraryError::Unreadable {
            path: path.to_owned(),
            source,
        },
    })?;
    if real.is_dir() || real.is_file() {
        return Ok(real);
    }
    Err(LibraryError::NotAFile {
        path: path.to_owned(),
    })
}

/// The own name of a folder or file; with a number where another has it.
fn prefix(path: &Path, taken: &mut BTreeSet<String>) -> String {
    let name = |path: Option<&OsStr>| readable(path.unwrap_or_default());
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

/// The files of these folders. Those of `called` bear the name that it has for their path.
pub(super) fn files(
    roots: &[LibraryRoot],
    called: &BTreeMap<PathBuf, String>,
    limits: &LibraryLimits,
) -> Result<FoundFiles, LibraryError> {
    let mut walk = FolderWalk {
        limits,
        called,
        found: FoundFiles::default(),
        bytes: 0,
        left_out: 0,
    };
    for root in roots {
        if let Ok(about) = fs::metadata(&root.path)
            && about.is_file()
        {
            walk.file(&root.prefix, root.path.clone(), &about);
            continue;
        }
        let listed = fs::read_dir(&root.path).map_err(|source| LibraryError::Unreadable {
            path: root.path.clone(),
            source,
        })?;
        walk.folder(root, listed, &root.prefix, 1);
    }
    Ok(walk.done())
}

struct FolderWalk<'l> {
    limits: &'l LibraryLimits,
    called: &'l BTreeMap<PathBuf, String>,
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
        entries.sort_by_cached_key(fs::DirEntry::file_name);
        for entry in entries {
            let own = readable(&entry.file_name());
            if !own.starts_with('.') {
                self.entry(root, &entry, &format!("{prefix}{own}"), depth);
            }
        }
    }

    fn entry(&mut self, root: &LibraryRoot, entry: &fs::DirEntry, name: &str, depth: usize) {
        let path = entry.path();
        // Of a link this tells about the link itself.
        let about = match entry.metadata() {
            Ok(about) => about,
            Err(error) => return self.skip(name.to_owned(), explain(&error)),
        };
        if about.is_dir() {
            if depth >= self.limits.depth {
                let why = format!("it lies more than {} folders deep", self.limits.depth);
                return self.skip(name.to_owned(), why);
            }
            return match fs::read_dir(&path) {
                Ok(listed) => self.folder(root, listed, &format!("{name}/"), depth + 1),
                Err(error) => self.skip(name.to_owned(), explain(&error)),
            };
        }
        if about.is_file() {
            self.file(name, path, &about);
        } else if about.is_symlink() {
            match linked_file(root, &path) {
                Ok(Some((path, about))) => self.file(name, path, &about),
                Ok(None) => {}
                Err(why) => self.skip(name.to_owned(), why),
            }
        }
    }

    fn file(&mut self, name: &str, path: PathBuf, about: &fs::Metadata) {
        let together = self.bytes.saturating_add(about.len());
        if self.found.files.len() >= self.limits.files || together > self.limits.bytes {
            self.left_out += 1;
            return;
        }
        self.bytes = together;
        let name = self.called.get(&path).map_or(name, String::as_str);
        self.found.files.push(LibraryFile {
            name: name.to_owned(),
            path,
            bytes: about.len(),
            changed_ns: changed_ns(about),
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

/// Where the file really lies that a link leads to; nothing for what is no file. A link is followed to a file inside the same
/// folder and never to a folder, so that no walk goes in circles or leaves the library.
fn linked_file(root: &LibraryRoot, path: &Path) -> Result<Option<(PathBuf, fs::Metadata)>, String> {
    let real = path.canonicalize().map_err(|error| explain(&error))?;
    if !real.starts_with(&root.path) {
        return Err("it is a link that leads out of the library".to_owned());
    }
    let about = fs::metadata(&real).map_err(|error| explain(&error))?;
    Ok(about.is_file().then_some((real, about)))
}

/// A file's own name as text. Bytes that are none are written as numbers, so that no two files get the same name.
fn readable(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

fn changed_ns(about: &fs::Metadata) -> i64 {
    let changed = about.modified().ok();
    let since = changed.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos() as i64)
}

pub(super) fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "it may not be read: check its permissions".to_owned(),
        io::ErrorKind::NotFound => "it is gone, or a link that leads nowhere".to_owned(),
        _ => error.to_string(),
    }
}
