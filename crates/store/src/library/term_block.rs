//! Sorted keys with values, many in one row: the dictionaries of a segment.
//!
//! A row a term would cost more than the term. Rows hold some kilobytes of keys in order, and are found by their first.

use std::borrow::Cow;

use rusqlite::{Connection, OptionalExtension as _, Statement, params};

use super::bytes::{ByteReader, put_bytes};

/// A block is full with so many bytes. A longer value makes a longer block. Six blocks fill a page of the database.
const BLOCK_BYTES: usize = 5 << 10;

/// What a dictionary holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DictionaryKind {
    /// Terms, each after its language, with their postings.
    Terms = 0,
    /// Words as they are written, with 1 where they stand in a text and not in a heading alone.
    Forms = 1,
    /// Pieces of words, each after its language, with the number of passages that have them.
    Pieces = 2,
    /// Names of terms without their postings, as [`super::names`] packs them.
    Names = 3,
}

/// Writes one dictionary of one segment; keys come in order.
pub(super) struct DictionaryWriter<'c> {
    insert: Statement<'c>,
    segment: i64,
    kind: DictionaryKind,
    first: Vec<u8>,
    open: Vec<u8>,
}

impl<'c> DictionaryWriter<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        segment: i64,
        kind: DictionaryKind,
    ) -> rusqlite::Result<Self> {
        let insert =
            "INSERT INTO dictionaries (segment, kind, first, body) VALUES (?1, ?2, ?3, ?4)";
        Ok(Self {
            insert: connection.prepare(insert)?,
            segment,
            kind,
            first: Vec::new(),
            open: Vec::new(),
        })
    }

    pub(super) fn push(&mut self, key: &[u8], value: &[u8]) -> rusqlite::Result<()> {
        if self.open.is_empty() {
            self.first = key.to_vec();
        }
        put_bytes(&mut self.open, key);
        put_bytes(&mut self.open, value);
        if self.open.len() >= BLOCK_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> rusqlite::Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> rusqlite::Result<()> {
        if !self.open.is_empty() {
            let body = match self.kind {
                DictionaryKind::Forms => lz4_flex::compress_prepend_size(&self.open),
                DictionaryKind::Terms | DictionaryKind::Pieces | DictionaryKind::Names => {
                    std::mem::take(&mut self.open)
                }
            };
            let row = params![self.segment, self.kind as u8, self.first, body];
            self.insert.execute(row)?;
            self.open.clear();
        }
        Ok(())
    }
}

/// The entries of a block as they were written; none where it is damaged. Words in order are alike and pack well; postings do
/// not, and are read often.
pub(super) fn unpacked(kind: DictionaryKind, body: &[u8]) -> Cow<'_, [u8]> {
    match kind {
        DictionaryKind::Forms => {
            let unpacked = lz4_flex::decompress_size_prepended(body);
            unpacked.unwrap_or_default().into()
        }
        DictionaryKind::Terms | DictionaryKind::Pieces | DictionaryKind::Names => body.into(),
    }
}

/// The value of a key in one segment.
pub(super) fn value<T>(
    connection: &Connection,
    segment: i64,
    kind: DictionaryKind,
    key: &[u8],
    read: impl FnOnce(&[u8]) -> T,
) -> rusqlite::Result<Option<T>> {
    let mut wanted = connection.prepare_cached(
        "SELECT body FROM dictionaries WHERE segment = ?1 AND kind = ?2 AND first <= ?3
         ORDER BY first DESC LIMIT 1",
    )?;
    let found = wanted.query_row(params![segment, kind as u8, key], |row| {
        let body = unpacked(kind, row.get_ref(0)?.as_blob()?);
        let found = entries(&body).find(|(other, _)| *other >= key);
        let value = found.filter(|(other, _)| *other == key);
        Ok(value.map(|(_, value)| read(value)))
    });
    Ok(found.optional()?.flatten())
}

/// Hands over the keys from one on, with their values, until it is told to stop.
pub(super) fn scan(
    connection: &Connection,
    segment: i64,
    kind: DictionaryKind,
    from: &[u8],
    mut take: impl FnMut(&[u8], &[u8]) -> bool,
) -> rusqlite::Result<()> {
    // The block before may hold the first of them.
    let mut blocks = connection.prepare_cached(
        "SELECT body FROM dictionaries WHERE segment = ?1 AND kind = ?2 AND first >= coalesce(
             (SELECT max(first) FROM dictionaries WHERE segment = ?1 AND kind = ?2 AND first <= ?3),
             ?3)
         ORDER BY first",
    )?;
    let mut rows = blocks.query(params![segment, kind as u8, from])?;
    while let Some(row) = rows.next()? {
        let body = unpacked(kind, row.get_ref(0)?.as_blob()?);
        for (key, value) in entries(&body).filter(|(key, _)| *key >= from) {
            if !take(key, value) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The keys and values of a block.
pub(super) fn entries(body: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut reader = ByteReader::new(body);
    std::iter::from_fn(move || Some((reader.bytes()?, reader.bytes()?)))
}
