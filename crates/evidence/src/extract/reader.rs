//! Who reads a document: this process, or one apart from it.
//!
//! The library that reads PDFs is the largest surface for hostile input, and an exhausted stack or memory ends the
//! process it happens in. So whoever opens files of strangers gets a [`DocumentReader`] handed, and the program decides where
//! it works. Reading takes time: callers put it on a blocking thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{DocumentFormat, ExtractLimits, FormatHint, format, read_within};
use crate::{Document, Error};

/// Who turns the bytes of a file into a document: this process, or another that may crash in its place.
pub trait DocumentReader: Send + Sync {
    /// Reads one file. It may take seconds: call it from a blocking thread.
    fn read(
        &self,
        bytes: &[u8],
        hint: &FormatHint<'_>,
        limits: &ExtractLimits,
    ) -> Result<Document, Error>;
}

/// Tells a reader that nobody waits for its answer any more: held by who waits, it sets its flag when it is dropped.
#[derive(Debug, Default)]
pub struct CancelOnDrop(Arc<AtomicBool>);

impl CancelOnDrop {
    /// The flag, for [`FormatHint::cancelled`] of a reading on another thread.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads in the process that asks. Panics and plain limits are caught; a PDF that makes its parser ask for more memory
/// than there is, or nests without end inside packed streams, ends the process. For files of strangers there is a reader
/// with a child process in the `store` crate.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcessReader;

impl DocumentReader for InProcessReader {
    fn read(
        &self,
        bytes: &[u8],
        hint: &FormatHint<'_>,
        limits: &ExtractLimits,
    ) -> Result<Document, Error> {
        read_within(bytes, hint, limits)
    }
}

/// Whether these are the bytes of a PDF, whatever is said about them.
pub fn is_pdf(bytes: &[u8]) -> bool {
    matches!(format::of_bytes(bytes), Ok(Some(DocumentFormat::Pdf)))
}
