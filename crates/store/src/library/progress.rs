//! How far the reading of a library has come, for whoever shows it meanwhile.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::walk::LibraryFile;

/// Before this much time has passed nobody can tell how long the rest takes.
const TELLS_AFTER: Duration = Duration::from_secs(1);

/// Counts the files that are read.
#[derive(Debug, Default)]
pub struct ReadProgress {
    files: AtomicUsize,
    read: AtomicUsize,
    bytes: AtomicU64,
    bytes_read: AtomicU64,
    begun: OnceLock<Instant>,
}

impl ReadProgress {
    /// How many files there are to read; 0 until they are counted.
    pub fn files(&self) -> usize {
        self.files.load(Ordering::Relaxed)
    }

    /// How many of them were read or skipped.
    pub fn read(&self) -> usize {
        self.read.load(Ordering::Relaxed)
    }

    /// Files a second, and how long the rest takes by the bytes that are left; nothing before that can be told.
    pub fn rate(&self) -> Option<(f64, Duration)> {
        let passed = self.begun.get()?.elapsed();
        let bytes_read = self.bytes_read.load(Ordering::Relaxed);
        if passed < TELLS_AFTER || bytes_read == 0 {
            return None;
        }
        let left = self
            .bytes
            .load(Ordering::Relaxed)
            .saturating_sub(bytes_read);
        let left = passed.mul_f64(left as f64 / bytes_read as f64);
        Some((self.read() as f64 / passed.as_secs_f64(), left))
    }

    pub(super) fn begin(&self, files: &[&LibraryFile]) {
        let bytes = files.iter().map(|file| file.bytes).sum();
        self.bytes.store(bytes, Ordering::Relaxed);
        self.begun.get_or_init(Instant::now);
        self.files.store(files.len(), Ordering::Relaxed);
    }

    pub(super) fn count(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
        self.read.fetch_add(1, Ordering::Relaxed);
    }
}
