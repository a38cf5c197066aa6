//! Brings an index up to date with the files: reads what is new or has changed, forgets what is gone.
//!
//! What was read is committed every few seconds, texts, files and postings together: whatever ends the process, the index holds
//! each text once and misses none that it says it has. A file that was moved or copied keeps its text by the hash of its bytes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fathom_evidence::extract::DocumentReader;
use rusqlite::{Connection, params};

use super::index_file::{Fact, IndexFile};
use super::passage_block::{self, PassagePlace};
use super::read::{FileReading, ReadContext, ReadText, TextHash};
use super::segment::SegmentBuilder;
use super::walk::{self, LibraryFile, LibraryRoot};
use super::{LibraryError, LibraryLimits, ReadProgress, SkippedFile, merge};

/// What was read first is committed after this time, so that it can be searched; what follows after twice as long each time, since
/// large commits cost less.
const FIRST_COMMIT: Duration = Duration::from_millis(250);

/// No crash costs more than this time.
const COMMIT_EVERY: Duration = Duration::from_secs(8);

/// Or as soon as there is so much text in memory.
const COMMIT_BYTES: usize = 48 << 20;

/// A file that was written to within this time before it was read may have been written to again within the same tick of
/// the file system's clock: its bytes are compared once more.
const SETTLED_AFTER_NS: i64 = 2_000_000_000;

/// What an update works with.
pub(super) struct UpdateTask<'u> {
    pub(super) file: &'u IndexFile,
    pub(super) roots: &'u [PathBuf],
    /// Names of files that are not called by their path.
    pub(super) called: &'u BTreeMap<PathBuf, String>,
    pub(super) limits: &'u LibraryLimits,
    pub(super) reader: &'u dyn DocumentReader,
    pub(super) progress: &'u ReadProgress,
    pub(super) cancelled: &'u AtomicBool,
}

/// A file as the index knows it.
struct KnownFile {
    name: String,
    bytes: u64,
    changed_ns: i64,
    settled: bool,
    /// Whether it was found in this update.
    is_there: bool,
}

impl KnownFile {
    fn is_unchanged(&self, file: &LibraryFile) -> bool {
        self.bytes == file.bytes && self.changed_ns == file.changed_ns && self.settled
    }
}

impl UpdateTask<'_> {
    /// Does it; the caller holds the writer's lock.
    pub(super) fn run(&self) -> Result<(), LibraryError> {
        let walked = walk::files(&LibraryRoot::named(self.roots)?, self.called, self.limits)?;
        let connection = self.file.connect()?;
        let mut known = self.file.told(known_files(&connection))?;
        let (mut to_read, mut renamed) = (Vec::new(), Vec::new());
        for file in &walked.files {
            match known.get_mut(&path_bytes(&file.path)) {
                Some(known) if known.is_unchanged(file) => {
                    known.is_there = true;
                    renamed.extend((known.name != file.name).then_some(file));
                }
                Some(known) => {
                    known.is_there = true;
                    to_read.push(file);
                }
                None => to_read.push(file),
            }
        }
        self.progress.begin(&to_read);
        let gone = known.iter().filter(|(_, known)| !known.is_there);
        let first = FileChanges {
            renamed,
            gone: gone.map(|(path, _)| path.as_slice()).collect(),
            left_out: &walked.skipped,
        };
        self.file.told(first.commit(&connection))?;
        if !to_read.is_empty() {
            self.read(&connection, &to_read)?;
        }
        if self.cancelled.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.file.told(forget_texts(&connection))?;
        drop(connection);
        merge::join_small(self.file)
    }

    /// Reads files and commits what they hold, every few seconds.
    fn read(&self, connection: &Connection, files: &[&LibraryFile]) -> Result<(), LibraryError> {
        let mut batch = UpdateBatch::new(connection, self.file)?;
        let context = ReadContext {
            limits: self.limits,
            reader: self.reader,
            progress: self.progress,
            cancelled: self.cancelled,
            known: batch.texts.keys().copied().collect(),
        };
        context.each(files, |file, reading| {
            batch.take(file, reading);
            if batch.is_due() {
                return batch.commit();
            }
            Ok(())
        })?;
        batch.commit()
    }
}

/// By the bytes of their paths.
fn known_files(connection: &Connection) -> rusqlite::Result<HashMap<Vec<u8>, KnownFile>> {
    let wanted = "SELECT path, name, bytes, changed_ns, read_ns FROM files";
    let mut files = connection.prepare(wanted)?;
    let rows = files.query_map([], |row| {
        let (changed_ns, read_ns): (i64, i64) = (row.get(3)?, row.get(4)?);
        let known = KnownFile {
            name: row.get(1)?,
            bytes: row.get::<_, i64>(2)? as u64,
            changed_ns,
            settled: changed_ns.saturating_add(SETTLED_AFTER_NS) < read_ns,
            is_there: false,
        };
        Ok((row.get(0)?, known))
    })?;
    rows.collect()
}

/// What changes without anything being read.
struct FileChanges<'f> {
    renamed: Vec<&'f LibraryFile>,
    /// By the bytes of their paths.
    gone: Vec<&'f [u8]>,
    left_out: &'f [SkippedFile],
}

impl FileChanges<'_> {
    fn commit(&self, connection: &Connection) -> rusqlite::Result<()> {
        let change = connection.unchecked_transaction()?;
        for file in &self.renamed {
            let rename = "UPDATE files SET name = ?2 WHERE path = ?1";
            change
                .prepare_cached(rename)?
                .execute(params![path_bytes(&file.path), file.name])?;
        }
        for path in &self.gone {
            let forget = "DELETE FROM files WHERE path = ?1";
            change.prepare_cached(forget)?.execute([path])?;
        }
        let left_out = left_out(&change)?;
        if left_out != self.left_out {
            change.execute("DELETE FROM left_out", [])?;
            for one in self.left_out {
                let add = "INSERT INTO left_out (name, why, files) VALUES (?1, ?2, ?3)";
                change.execute(add, params![one.name, one.why, one.files as i64])?;
            }
        } else if self.renamed.is_empty() && self.gone.is_empty() {
            return Ok(());
        }
        Fact::Generation.raise(&change)?;
        change.commit()
    }
}

pub(super) fn left_out(connection: &Connection) -> rusqlite::Result<Vec<SkippedFile>> {
    let mut rows = connection.prepare_cached("SELECT name, why, files FROM left_out")?;
    let rows = rows.query_map([], |row| {
        Ok(SkippedFile {
            name: row.get(0)?,
            why: row.get(1)?,
            files: row.get::<_, i64>(2)? as usize,
        })
    })?;
    rows.collect()
}

/// What was read and is not committed yet.
struct UpdateBatch<'c> {
    connection: &'c Connection,
    file: &'c IndexFile,
    /// The texts that the index has, and those of this batch.
    texts: HashMap<TextHash, i64>,
    last_text: i64,
    segment: SegmentBuilder,
    new_texts: Vec<NewText>,
    files: Vec<ReadFile>,
    since: Instant,
    commit_after: Duration,
}

struct NewText {
    id: i64,
    hash: TextHash,
    text: Box<ReadText>,
}

struct ReadFile {
    path: Vec<u8>,
    name: String,
    bytes: u64,
    changed_ns: i64,
    read_ns: i64,
    /// Its text, or why there is none.
    text: Result<i64, String>,
}

impl<'c> UpdateBatch<'c> {
    fn new(connection: &'c Connection, file: &'c IndexFile) -> Result<Self, LibraryError> {
        let texts = || -> rusqlite::Result<HashMap<TextHash, i64>> {
            let mut texts = connection.prepare("SELECT hash, id FROM texts")?;
            let rows = texts.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        Ok(Self {
            connection,
            file,
            texts: file.told(texts())?,
            last_text: file.told(Fact::LastText.get(connection))?,
            segment: SegmentBuilder::default(),
            new_texts: Vec::new(),
            files: Vec::new(),
            since: Instant::now(),
            commit_after: FIRST_COMMIT,
        })
    }

    fn take(&mut self, file: &LibraryFile, reading: FileReading) {
        let (text, again) = match reading {
            FileReading::Text(hash, text) => (Ok(self.add(hash, text)), false),
            FileReading::Known(hash) => {
                let known = self.texts.get(&hash).copied();
                (
                    known.ok_or_else(|| "its text is not known".to_owned()),
                    false,
                )
            }
            FileReading::Unreadable(why) => (Err(why), false),
            FileReading::Closed(why) => (Err(why), true),
        };
        self.files.push(ReadFile {
            path: path_bytes(&file.path),
            name: file.name.clone(),
            bytes: file.bytes,
            // One that never is: the file is tried again.
            changed_ns: if again { i64::MIN } else { file.changed_ns },
            read_ns: now_ns(),
            text,
        });
    }

    /// The number of a text, which is indexed unless a file of the same batch had it.
    fn add(&mut self, hash: TextHash, text: Box<ReadText>) -> i64 {
        if let Some(known) = self.texts.get(&hash) {
            return *known;
        }
        self.last_text += 1;
        let id = self.last_text;
        self.texts.insert(hash, id);
        let title = text.title.as_deref();
        self.segment.add(id, text.language, title, &text.passages);
        self.new_texts.push(NewText { id, hash, text });
        id
    }

    fn is_due(&self) -> bool {
        self.segment.bytes() >= COMMIT_BYTES || self.since.elapsed() >= self.commit_after
    }

    fn commit(&mut self) -> Result<(), LibraryError> {
        if self.files.is_empty() {
            return Ok(());
        }
        let segment = std::mem::take(&mut self.segment);
        self.file.told(self.write(segment))?;
        self.commit_after = COMMIT_EVERY.min(2 * self.commit_after);
        self.new_texts.clear();
        self.files.clear();
        self.since = Instant::now();
        Ok(())
    }

    fn write(&self, segment: SegmentBuilder) -> rusqlite::Result<()> {
        let change = self.connection.unchecked_transaction()?;
        for new in &self.new_texts {
            let text = &new.text;
            let bytes: usize = text.passages.iter().map(|one| one.text.len()).sum();
            let add = "INSERT INTO texts (id, hash, title, words, bytes, passages) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let counts = [text.words, bytes, text.passages.len()].map(|n| n as i64);
            let [words, bytes, passages] = counts;
            let row = params![new.id, new.hash, text.title, words, bytes, passages];
            change.prepare_cached(add)?.execute(row)?;
            for (number, body) in passage_block::pack(&text.passages) {
                let place = PassagePlace {
                    text: new.id,
                    number,
                };
                let add = "INSERT INTO blocks (id, body) VALUES (?1, ?2)";
                change
                    .prepare_cached(add)?
                    .execute(params![place.key(), body])?;
            }
        }
        for file in &self.files {
            let add =
                "INSERT OR REPLACE INTO files (path, name, bytes, changed_ns, read_ns, text, why)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let (text, why) = (file.text.as_ref().ok(), file.text.as_ref().err());
            let ReadFile {
                path,
                name,
                changed_ns,
                read_ns,
                ..
            } = file;
            let bytes = file.bytes as i64;
            let row = params![path, name, bytes, changed_ns, read_ns, text, why];
            change.prepare_cached(add)?.execute(row)?;
        }
        if !segment.is_empty() {
            segment.write(&change)?;
        }
        Fact::LastText.set(&change, self.last_text)?;
        Fact::Generation.raise(&change)?;
        change.commit()
    }
}

/// Forgets the texts that no file has any more. All files have been looked at by then, so that one that was moved has its
/// text again.
fn forget_texts(connection: &Connection) -> rusqlite::Result<()> {
    let change = connection.unchecked_transaction()?;
    let wanted =
        "SELECT id FROM texts WHERE NOT EXISTS (SELECT 1 FROM files WHERE files.text = texts.id)";
    let gone: Vec<i64> = {
        let mut gone = change.prepare(wanted)?;
        let ids = gone.query_map([], |row| row.get(0))?;
        ids.collect::<rusqlite::Result<_>>()?
    };
    let complete = Fact::Complete.get(&change)? == 1;
    if gone.is_empty() && complete {
        return Ok(());
    }
    for text in &gone {
        // Segments name it until they are joined with others.
        change
            .prepare_cached("INSERT INTO gone (text) VALUES (?1)")?
            .execute([text])?;
        change
            .prepare_cached("DELETE FROM texts WHERE id = ?1")?
            .execute([text])?;
        let first = PassagePlace {
            text: *text,
            number: 0,
        }
        .key();
        let next = PassagePlace {
            text: text + 1,
            number: 0,
        }
        .key();
        let blocks = "DELETE FROM blocks WHERE id >= ?1 AND id < ?2";
        change.prepare_cached(blocks)?.execute([first, next])?;
        let vectors = "DELETE FROM vectors WHERE block >= ?1 AND block < ?2";
        change.prepare_cached(vectors)?.execute([first, next])?;
    }
    Fact::Complete.set(&change, 1)?;
    Fact::Generation.raise(&change)?;
    change.commit()
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as i64)
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
