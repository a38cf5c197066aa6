//! The write-ahead log that a crash left behind: is everything in it that was committed?
//!
//! SQLite takes the first broken frame for the end of the log, as a power cut in the middle of a commit
//! would leave it, and silently goes on without the commits behind it. But the index beside the log
//! (`-shm`) names the last committed frame, and is written only after that frame was synced. So a
//! log that breaks off before it has lost commits. Where the index is gone too, nobody can tell.
//!
//! The two formats: <https://sqlite.org/fileformat2.html#walformat>, <https://sqlite.org/walformat.html>.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fathom_workflow::Error;

/// Another process may begin the log anew between our looks at its two files; not twice in a row.
const PAUSE: Duration = Duration::from_millis(20);

const READ_AHEAD: usize = 1 << 20;

/// Refuses a database whose log has lost commits. Must be asked before SQLite sees the file, because
/// SQLite makes a new index.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let log = beside(path, "-wal");
    if look(path, &log)?.is_none() {
        return Ok(());
    }
    std::thread::sleep(PAUSE);
    match look(path, &log)? {
        None => Ok(()),
        Some(why) => Err(Error::StoreDamaged {
            what: log.display().to_string(),
            why,
        }),
    }
}

fn look(path: &Path, log: &Path) -> Result<Option<String>, Error> {
    // The index first: while another process writes, the log is then the longer one.
    let index = read_file(&beside(path, "-shm"), |file| WalIndex::read(file))?;
    let Some(index) = index.flatten().filter(|index| index.frames > 0) else {
        return Ok(None);
    };
    let committed = index.frames;
    let good = read_file(log, |file| good_frames(file, &index))?;
    Ok(match good {
        None => Some(format!("it is missing, with {committed} committed frames")),
        Some(IntactFrames::OtherLog) => None,
        Some(IntactFrames::NoHeader) => Some("its header is damaged".into()),
        Some(IntactFrames::Frames(good)) if good >= committed => None,
        Some(IntactFrames::Frames(good)) => Some(format!(
            "of {committed} committed frames it has {good} before it breaks off"
        )),
    })
}

/// The part of the index that says what was committed.
struct WalIndex {
    frames: u32,
    salts: [u8; 8],
}

/// Both numbers of a checksum.
type WalChecksum = (u32, u32);

impl WalIndex {
    const LENGTH: usize = 48;

    /// `None` if it is not whole, or of a version that is not known here.
    fn read(file: &mut dyn Read) -> std::io::Result<Option<Self>> {
        let (mut first, mut second) = ([0; Self::LENGTH], [0; Self::LENGTH]);
        file.read_exact(&mut first)?;
        file.read_exact(&mut second)?;
        let number = |at: usize| u32::from_ne_bytes(four(&first, at));
        let summed = checksum(NATIVE_IS_BIG, (0, 0), &first[..40]);
        let is_whole = first == second
            && number(0) == 3_007_000
            && first[12] == 1
            && summed == (number(40), number(44));
        Ok(is_whole.then(|| Self {
            frames: number(16),
            salts: eight(&first, 32),
        }))
    }
}

const NATIVE_IS_BIG: bool = cfg!(target_endian = "big");

enum IntactFrames {
    /// So many frames, up to the last committed one.
    Frames(u32),
    NoHeader,
    /// The index is older than the log, as a power cut may leave it.
    OtherLog,
}

/// Counts the whole frames of the log that `index` belongs to.
fn good_frames(file: &mut dyn Read, index: &WalIndex) -> std::io::Result<IntactFrames> {
    let mut header = [0; 32];
    if !fill(file, &mut header)? {
        return Ok(IntactFrames::NoHeader);
    }
    let number = |at: usize| u32::from_be_bytes(four(&header, at));
    let big = match number(0) {
        0x377f_0682 => false,
        0x377f_0683 => true,
        _ => return Ok(IntactFrames::NoHeader),
    };
    let mut sum = checksum(big, (0, 0), &header[..24]);
    if sum != (number(24), number(28)) {
        return Ok(IntactFrames::NoHeader);
    }
    if eight(&header, 16) != index.salts {
        return Ok(IntactFrames::OtherLog);
    }
    let mut frame = vec![0; 24 + number(8) as usize];
    for good in 0..index.frames {
        if !fill(file, &mut frame)? {
            return Ok(IntactFrames::Frames(good));
        }
        sum = checksum(big, checksum(big, sum, &frame[..8]), &frame[24..]);
        let told = [16, 20].map(|at| u32::from_be_bytes(four(&frame, at)));
        if eight(&frame, 8) != index.salts || told != [sum.0, sum.1] {
            return Ok(IntactFrames::Frames(good));
        }
    }
    Ok(IntactFrames::Frames(index.frames))
}

/// SQLite's checksum of `bytes`, carried on from `sum`.
fn checksum(big: bool, mut sum: WalChecksum, bytes: &[u8]) -> WalChecksum {
    let word = |bytes: [u8; 4]| {
        if big {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    };
    for pair in bytes.chunks_exact(8) {
        sum.0 = sum.0.wrapping_add(word(four(pair, 0))).wrapping_add(sum.1);
        sum.1 = sum.1.wrapping_add(word(four(pair, 4))).wrapping_add(sum.0);
    }
    sum
}

/// Whether there was enough to fill it.
fn fill(file: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// What `read` finds in a file; `None` if there is no such file, or it is too short.
fn read_file<T>(
    path: &Path,
    read: impl FnOnce(&mut dyn Read) -> std::io::Result<T>,
) -> Result<Option<T>, Error> {
    let found =
        File::open(path).and_then(|file| read(&mut BufReader::with_capacity(READ_AHEAD, file)));
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::UnexpectedEof) => {
            Ok(None)
        }
        Err(error) => Err(Error::StoreGone {
            why: format!("{} cannot be read: {error}", path.display()),
        }),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn four(bytes: &[u8], at: usize) -> [u8; 4] {
    [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
}

fn eight(bytes: &[u8], at: usize) -> [u8; 8] {
    let (a, b) = (four(bytes, at), four(bytes, at + 4));
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
}
