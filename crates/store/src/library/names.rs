//! The terms of languages that write compounds as one word, packed so that all of them can be looked through for some letters.
//!
//! A dictionary finds a term by its beginning only. Which terms have "wasser" somewhere in them is told by running over their names,
//! which lie here without their postings: some megabytes for a million terms, read at the speed of memory.

use fathom_evidence::Language;
use fathom_evidence::terms::has_compounds;
use memchr::{memchr, memmem, memrchr};
use rusqlite::{Connection, Statement, params};

use super::term_block::DictionaryKind;

/// A block is full with so many bytes.
const BLOCK_BYTES: usize = 64 << 10;

/// So many bytes of names are looked through for one word, in all segments together: some millions of terms.
pub(super) const LOOKED_THROUGH_MAX: usize = 64 << 20;

/// Stands before and after every name.
const NAME_END: u8 = b'\n';

/// Bytes of a language's code before a term.
const CODE_BYTES: usize = 2;

/// Writes the names of one segment; keys of terms come in order.
pub(super) struct NameWriter<'c> {
    insert: Statement<'c>,
    segment: i64,
    first: Vec<u8>,
    open: Vec<u8>,
}

impl<'c> NameWriter<'c> {
    pub(super) fn new(connection: &'c Connection, segment: i64) -> rusqlite::Result<Self> {
        let insert =
            "INSERT INTO dictionaries (segment, kind, first, body) VALUES (?1, ?2, ?3, ?4)";
        Ok(Self {
            insert: connection.prepare(insert)?,
            segment,
            first: Vec::new(),
            open: Vec::new(),
        })
    }

    /// Takes the key of a term, and leaves it out where its language has no compounds.
    pub(super) fn push(&mut self, key: &[u8]) -> rusqlite::Result<()> {
        let Some((code, name)) = key.split_at_checked(CODE_BYTES) else {
            return Ok(());
        };
        let language = str::from_utf8(code).ok().and_then(|code| code.parse().ok());
        if !language.is_some_and(has_compounds) {
            return Ok(());
        }
        if !self.open.is_empty()
            && (self.open.len() >= BLOCK_BYTES || !self.first.starts_with(code))
        {
            self.flush()?;
        }
        if self.open.is_empty() {
            self.first = key.to_vec();
            self.open.push(NAME_END);
        }
        self.open.extend_from_slice(name);
        self.open.push(NAME_END);
        Ok(())
    }

    pub(super) fn finish(mut self) -> rusqlite::Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> rusqlite::Result<()> {
        if !self.open.is_empty() {
            let kind = DictionaryKind::Names as u8;
            let row = params![self.segment, kind, self.first, self.open];
            self.insert.execute(row)?;
            self.open.clear();
        }
        Ok(())
    }
}

/// Hands over the names of a language in a segment that have some letters in them, until so many bytes were looked through.
pub(super) fn containing(
    connection: &Connection,
    segment: i64,
    language: Language,
    letters: &str,
    bytes_left: &mut usize,
    take: &mut dyn FnMut(&str),
) -> rusqlite::Result<()> {
    let mut blocks = connection.prepare_cached(
        "SELECT first, body FROM dictionaries WHERE segment = ?1 AND kind = ?2 AND first >= ?3 ORDER BY first",
    )?;
    let code = language.code().as_bytes();
    let mut rows = blocks.query(params![segment, DictionaryKind::Names as u8, code])?;
    let finder = memmem::Finder::new(letters);
    while let Some(row) = rows.next()? {
        let body = row.get_ref(1)?.as_blob()?;
        if *bytes_left < body.len() || !row.get_ref(0)?.as_blob()?.starts_with(code) {
            return Ok(());
        }
        *bytes_left -= body.len();
        let mut from = 0;
        while let Some(at) = body.get(from..).and_then(|rest| finder.find(rest)) {
            let at = from + at;
            let start = memrchr(NAME_END, &body[..at]).map_or(0, |end| end + 1);
            let end = memchr(NAME_END, &body[at..]).map_or(body.len(), |end| at + end);
            if let Ok(name) = str::from_utf8(&body[start..end]) {
                take(name);
            }
            from = end + 1;
        }
    }
    Ok(())
}
