//! Joins small segments, so that a search asks few of them, and drops from them what is gone.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::LibraryError;
use super::bytes::{ByteReader, put_number};
use super::index_file::{Fact, IndexFile};
use super::names::NameWriter;
use super::postings::{PostingList, Postings};
use super::segment::{LanguageSums, SegmentRow};
use super::snapshot::{LoadedSegment, Snapshot};
use super::term_block::{self, DictionaryKind, DictionaryWriter};

/// A search asks no more segments than this, besides small ones.
const SEGMENTS_MAX: usize = 6;

/// So many of the smallest are joined at once.
const JOINED: usize = 4;

/// A segment with a lower share of all passages is small. Small ones are joined among themselves as soon as there are enough, so
/// that an update of a few files writes no large one anew.
const SMALL_SHARE: f64 = 0.02;

/// A segment of which this share is gone is written anew.
const GONE_SHARE: f64 = 0.25;

/// Joins until there are few segments. The caller holds the writer's lock; readers see the old ones until it is done.
pub(super) fn join_small(file: &IndexFile) -> Result<(), LibraryError> {
    let mut connection = file.connect()?;
    loop {
        let snapshot = file.told(Snapshot::load(&connection))?;
        let chosen = chosen(&snapshot);
        if chosen.is_empty() {
            return file.told(give_back(&connection));
        }
        let reading = file.connect()?;
        file.told(join(&mut connection, &reading, &snapshot, &chosen))?;
    }
}

/// Gives back to the system the pages that joined segments and texts that are gone have left.
fn give_back(connection: &Connection) -> rusqlite::Result<()> {
    let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut pages = vacuum.query([])?;
    // Each step frees one.
    while pages.next()?.is_some() {}
    Ok(())
}

/// The segments to be joined or to be written anew; none where all is well.
fn chosen(snapshot: &Snapshot) -> Vec<&LoadedSegment> {
    let gone = |segment: &LoadedSegment| {
        let range = segment.first as usize..(segment.first + segment.passages) as usize;
        let gone = snapshot
            .gone
            .iter()
            .filter(|gone| range.contains(&gone.start));
        let gone: usize = gone.map(ExactSizeIterator::len).sum();
        gone as f64 > GONE_SHARE * f64::from(segment.passages)
    };
    if let Some(poor) = snapshot.segments.iter().find(|segment| gone(segment)) {
        return vec![poor];
    }
    let least = SMALL_SHARE * snapshot.lengths.len() as f64;
    let segments = snapshot.segments.iter();
    let (small, large): (Vec<_>, Vec<_>) =
        segments.partition(|segment| f64::from(segment.passages) < least);
    let mut chosen = if small.len() >= JOINED {
        small
    } else if large.len() > SEGMENTS_MAX {
        large
    } else {
        return Vec::new();
    };
    chosen.sort_by_key(|segment| segment.passages);
    chosen.truncate(JOINED);
    chosen.sort_by_key(|segment| segment.id);
    chosen
}

fn join(
    connection: &mut Connection,
    reading: &Connection,
    snapshot: &Snapshot,
    chosen: &[&LoadedSegment],
) -> rusqlite::Result<()> {
    let change = connection.transaction()?;
    let (row, renumbered) = joined_row(snapshot, chosen);
    let joined = (!row.texts.is_empty())
        .then(|| row.insert(&change))
        .transpose()?;
    for kind in [
        DictionaryKind::Terms,
        DictionaryKind::Forms,
        DictionaryKind::Pieces,
    ] {
        let Some(joined) = joined else { break };
        let mut writer = DictionaryWriter::new(&change, joined, kind)?;
        let mut names = NameWriter::new(&change, joined)?;
        let cursors = chosen
            .iter()
            .map(|segment| Cursor::new(reading, segment.id, kind));
        let mut cursors: Vec<Cursor<'_>> = cursors.collect::<rusqlite::Result<_>>()?;
        while let Some(key) = cursors.iter().filter_map(Cursor::key).min() {
            let key = key.to_vec();
            let mut values = Vec::new();
            for (nth, cursor) in cursors.iter_mut().enumerate() {
                if cursor.key() == Some(&key) {
                    values.extend(cursor.next()?.map(|value| (nth, value)));
                }
            }
            if let Some(value) = joined_value(kind, &values, &renumbered) {
                writer.push(&key, &value)?;
                if kind == DictionaryKind::Terms {
                    names.push(&key)?;
                }
            }
        }
        writer.finish()?;
        names.finish()?;
    }
    for segment in chosen {
        change.execute("DELETE FROM dictionaries WHERE segment = ?1", [segment.id])?;
        change.execute("DELETE FROM segments WHERE id = ?1", [segment.id])?;
        for text in &segment.texts {
            // A text is in one segment only: no other names it.
            change
                .prepare_cached("DELETE FROM gone WHERE text = ?1")?
                .execute([text.id])?;
        }
    }
    Fact::Generation.raise(&change)?;
    change.commit()
}

/// Of each joined segment, the new number of each passage; nothing for those that are gone.
type NewNumbers = Vec<Vec<Option<u32>>>;

fn joined_row(snapshot: &Snapshot, chosen: &[&LoadedSegment]) -> (SegmentRow, NewNumbers) {
    let (mut row, mut numbers) = (SegmentRow::default(), NewNumbers::new());
    for segment in chosen {
        let mut of_segment = Vec::with_capacity(segment.passages as usize);
        let mut at = segment.first as usize;
        for text in &segment.texts {
            let kept = !snapshot.is_gone(at);
            for passage in at..at + text.passages as usize {
                of_segment.push(kept.then_some(row.lengths.len() as u32));
                row.lengths
                    .extend(snapshot.lengths.get(passage).filter(|_| kept));
            }
            row.texts.extend(kept.then_some(*text));
            at += text.passages as usize;
        }
        let live = of_segment.iter().flatten().count() as f64;
        let share = live / f64::from(segment.passages.max(1));
        for (language, sums) in &segment.languages {
            let left = |sum: u64| (sum as f64 * share).round() as u64;
            row.languages
                .entry(*language)
                .or_default()
                .add(&LanguageSums {
                    passages: left(sums.passages),
                    words: left(sums.words),
                    pieces: left(sums.pieces),
                    bytes: left(sums.bytes),
                });
        }
        numbers.push(of_segment);
    }
    (row, numbers)
}

/// What several segments say of a key, in one; nothing where it is gone from all.
fn joined_value(
    kind: DictionaryKind,
    values: &[(usize, Vec<u8>)],
    numbers: &NewNumbers,
) -> Option<Vec<u8>> {
    match kind {
        DictionaryKind::Terms => {
            let mut list = PostingList::default();
            for (nth, value) in values {
                let numbers = numbers.get(*nth)?;
                Postings::new(value).each(|passage, count| {
                    if let Some(Some(passage)) = numbers.get(passage as usize) {
                        list.push(*passage, count);
                    }
                });
            }
            (!list.is_empty()).then(|| list.encoded())
        }
        DictionaryKind::Forms => {
            let in_text = values.iter().any(|(_, value)| value == &[1]);
            Some(vec![u8::from(in_text)])
        }
        // Written with the terms.
        DictionaryKind::Names => None,
        DictionaryKind::Pieces => {
            let counts = values.iter();
            let counts = counts.filter_map(|(_, value)| ByteReader::new(value).number());
            let mut sum = Vec::new();
            put_number(&mut sum, counts.sum());
            Some(sum)
        }
    }
}

/// Walks through one dictionary of one segment, block by block.
struct Cursor<'c> {
    connection: &'c Connection,
    segment: i64,
    kind: DictionaryKind,
    /// The first key of the block that was read last.
    block: Option<Vec<u8>>,
    entries: VecDeque<(Vec<u8>, Vec<u8>)>,
}

impl<'c> Cursor<'c> {
    fn new(
        connection: &'c Connection,
        segment: i64,
        kind: DictionaryKind,
    ) -> rusqlite::Result<Self> {
        let mut cursor = Self {
            connection,
            segment,
            kind,
            block: None,
            entries: VecDeque::new(),
        };
        cursor.load()?;
        Ok(cursor)
    }

    fn key(&self) -> Option<&[u8]> {
        self.entries.front().map(|(key, _)| key.as_slice())
    }

    /// The value here; then goes on to the next key.
    fn next(&mut self) -> rusqlite::Result<Option<Vec<u8>>> {
        let here = self.entries.pop_front();
        if self.entries.is_empty() {
            self.load()?;
        }
        Ok(here.map(|(_, value)| value))
    }

    fn load(&mut self) -> rusqlite::Result<()> {
        let mut wanted = self.connection.prepare_cached(
            "SELECT first, body FROM dictionaries
             WHERE segment = ?1 AND kind = ?2 AND (?3 IS NULL OR first > ?3) ORDER BY first LIMIT 1",
        )?;
        let row = params![self.segment, self.kind as u8, self.block];
        let found = wanted.query_row(row, |row| {
            let owned = |(key, value): (&[u8], &[u8])| (key.to_vec(), value.to_vec());
            let body = term_block::unpacked(self.kind, row.get_ref(1)?.as_blob()?);
            let entries = term_block::entries(&body).map(owned);
            Ok((row.get(0)?, entries.collect()))
        });
        if let Some((block, entries)) = found.optional()? {
            self.block = Some(block);
            self.entries = entries;
        }
        Ok(())
    }
}
