//! The segments of an index as a reader sees them at one moment: what is small enough to be held in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use fathom_evidence::Language;
use rusqlite::Connection;

use super::bytes::ByteReader;
use super::index_file::Fact;
use super::passage_block::PassagePlace;
use super::segment::{LanguageSums, SegmentText};

/// All segments, their passages numbered through.
#[derive(Default)]
pub(super) struct Snapshot {
    pub(super) generation: i64,
    pub(super) segments: Vec<LoadedSegment>,
    /// The texts in the order of their passages.
    pub(super) texts: Vec<LoadedText>,
    /// Of each passage, its length in terms.
    pub(super) lengths: Vec<u16>,
    pub(super) languages: BTreeMap<Language, LanguageSums>,
    /// Passages of texts that are gone.
    pub(super) gone: Vec<Range<usize>>,
    /// The number of the first passage of each text that is not gone.
    pub(super) first_passages: HashMap<i64, u32>,
}

pub(super) struct LoadedSegment {
    pub(super) id: i64,
    /// The number of its first passage.
    pub(super) first: u32,
    pub(super) passages: u32,
    pub(super) texts: Vec<SegmentText>,
    pub(super) languages: BTreeMap<Language, LanguageSums>,
}

#[derive(Clone, Copy)]
pub(super) struct LoadedText {
    pub(super) id: i64,
    /// The number of its first passage.
    pub(super) first: u32,
    pub(super) passages: u32,
}

impl LoadedText {
    pub(super) fn range(&self) -> Range<usize> {
        self.first as usize..(self.first + self.passages) as usize
    }
}

impl Snapshot {
    pub(super) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut snapshot = Self {
            generation: Fact::Generation.get(connection)?,
            ..Self::default()
        };
        let gone = gone_texts(connection)?;
        let wanted = "SELECT id, texts, lengths, languages FROM segments ORDER BY id";
        let mut segments = connection.prepare_cached(wanted)?;
        let mut rows = segments.query([])?;
        while let Some(row) = rows.next()? {
            let languages: String = row.get(3)?;
            let languages = serde_json::from_str(&languages).unwrap_or_default();
            snapshot.add(
                row.get(0)?,
                row.get_ref(1)?.as_blob()?,
                row.get_ref(2)?.as_blob()?,
                languages,
                &gone,
            );
        }
        Ok(snapshot)
    }

    fn add(
        &mut self,
        id: i64,
        texts: &[u8],
        lengths: &[u8],
        languages: BTreeMap<Language, LanguageSums>,
        gone: &HashSet<i64>,
    ) {
        let first = self.lengths.len() as u32;
        let (pairs, _) = lengths.as_chunks::<2>();
        self.lengths
            .extend(pairs.iter().map(|pair| u16::from_le_bytes(*pair)));
        let mut reader = ByteReader::new(texts);
        let mut segment = LoadedSegment {
            id,
            first,
            passages: self.lengths.len() as u32 - first,
            texts: Vec::new(),
            languages,
        };
        let mut next = first;
        while let Some((id, passages)) = reader.number().zip(reader.number()) {
            let id = id as i64;
            let text = LoadedText {
                id,
                first: next,
                passages: passages as u32,
            };
            next += text.passages;
            if gone.contains(&id) {
                self.gone.push(text.range());
            } else {
                self.first_passages.insert(id, text.first);
            }
            self.texts.push(text);
            segment.texts.push(SegmentText {
                id,
                passages: text.passages,
            });
        }
        for (language, sums) in &segment.languages {
            self.languages.entry(*language).or_default().add(sums);
        }
        self.segments.push(segment);
    }

    /// How many passages can be found.
    pub(super) fn passages(&self) -> usize {
        let gone: usize = self.gone.iter().map(Range::len).sum();
        self.lengths.len() - gone
    }

    pub(super) fn is_gone(&self, passage: usize) -> bool {
        let after = self.gone.partition_point(|range| range.end <= passage);
        self.gone
            .get(after)
            .is_some_and(|range| range.contains(&passage))
    }

    /// The number of a text's first passage; nothing for a text that is gone.
    pub(super) fn first_passage(&self, text: i64) -> Option<u32> {
        self.first_passages.get(&text).copied()
    }

    /// The text that a passage belongs to.
    pub(super) fn text(&self, passage: usize) -> Option<LoadedText> {
        let after = self
            .texts
            .partition_point(|text| text.range().end <= passage);
        self.texts.get(after).copied()
    }

    /// Where a passage is kept.
    pub(super) fn place(&self, passage: usize) -> Option<PassagePlace> {
        let text = self.text(passage)?;
        Some(PassagePlace {
            text: text.id,
            number: passage as u32 - text.first,
        })
    }
}

pub(super) fn gone_texts(connection: &Connection) -> rusqlite::Result<HashSet<i64>> {
    let mut gone = connection.prepare_cached("SELECT text FROM gone")?;
    let gone = gone.query_map([], |row| row.get(0))?;
    gone.collect()
}
