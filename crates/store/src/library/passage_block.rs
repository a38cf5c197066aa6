//! Passages as they are kept: some of one document together, packed.

use std::collections::BTreeMap;

use fathom_evidence::passage::PassageId;
use rusqlite::{Connection, OptionalExtension as _};

use super::bytes::{ByteReader, put_bytes, put_number};

/// Passages are put together until they have this many bytes. Larger ones pack better and take longer to unpack.
const BLOCK_BYTES: usize = 12 << 10;

/// A document has fewer passages than this.
const PASSAGES_MAX: i64 = 1 << 24;

/// Between two headings of a passage.
const HEADING_END: char = '\u{1f}';

/// A passage with all that a search tells of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeptPassage {
    pub(super) id: PassageId,
    /// The headings above it, outermost first.
    pub(super) sections: Vec<String>,
    pub(super) page: Option<u32>,
    pub(super) text: String,
}

/// Where a passage is kept: the number of its text and its own number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PassagePlace {
    pub(super) text: i64,
    pub(super) number: u32,
}

impl PassagePlace {
    /// Rises with the text and then with the passage, so that a block is found by its first passage.
    pub(super) fn key(self) -> i64 {
        self.text * PASSAGES_MAX + i64::from(self.number)
    }

    /// The place whose key this is.
    pub(super) fn from_key(key: i64) -> Self {
        Self {
            text: key / PASSAGES_MAX,
            number: (key % PASSAGES_MAX) as u32,
        }
    }
}

/// The packed blocks of a document, each with the number of its first passage.
pub(super) fn pack(passages: &[KeptPassage]) -> Vec<(u32, Vec<u8>)> {
    let (mut blocks, mut open, mut first) = (Vec::new(), Vec::new(), 0);
    for (number, passage) in (0_u32..).zip(passages) {
        put_bytes(&mut open, passage.id.as_str().as_bytes());
        let sections = passage.sections.join(&HEADING_END.to_string());
        put_bytes(&mut open, sections.as_bytes());
        put_number(
            &mut open,
            passage.page.map_or(0, |page| u64::from(page) + 1),
        );
        put_bytes(&mut open, passage.text.as_bytes());
        if open.len() >= BLOCK_BYTES {
            blocks.push((first, lz4_flex::compress_prepend_size(&open)));
            open.clear();
            first = number + 1;
        }
    }
    if !open.is_empty() {
        blocks.push((first, lz4_flex::compress_prepend_size(&open)));
    }
    blocks
}

/// The passages of a block; fewer where its bytes are damaged.
pub(super) fn unpack(packed: &[u8]) -> Vec<KeptPassage> {
    let Ok(bytes) = lz4_flex::decompress_size_prepended(packed) else {
        return Vec::new();
    };
    let mut reader = ByteReader::new(&bytes);
    let next = || {
        let id = PassageId::from_saved(reader.text()?);
        let sections = reader.text()?;
        let sections = sections.split(HEADING_END).filter(|one| !one.is_empty());
        Some(KeptPassage {
            id,
            sections: sections.map(str::to_owned).collect(),
            page: match reader.number()? {
                0 => None,
                page => u32::try_from(page - 1).ok(),
            },
            text: reader.text()?.to_owned(),
        })
    };
    std::iter::from_fn(next).collect()
}

/// Gives passages by their places, and unpacks each block once.
pub(super) struct PassageReader<'c> {
    connection: &'c Connection,
    /// By the key of the first passage.
    blocks: BTreeMap<i64, Vec<KeptPassage>>,
}

impl<'c> PassageReader<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            blocks: BTreeMap::new(),
        }
    }

    /// The passage; nothing where its text is no longer kept.
    pub(super) fn get(&mut self, place: PassagePlace) -> rusqlite::Result<Option<&KeptPassage>> {
        if self.loaded(place).is_none() {
            self.load(place)?;
        }
        Ok(self.loaded(place))
    }

    fn loaded(&self, place: PassagePlace) -> Option<&KeptPassage> {
        let (first, block) = self.blocks.range(..=place.key()).next_back()?;
        block.get((place.key() - first) as usize)
    }

    fn load(&mut self, place: PassagePlace) -> rusqlite::Result<()> {
        let mut wanted = self.connection.prepare_cached(
            "SELECT id, body FROM blocks WHERE id <= ?1 AND id >= ?2 ORDER BY id DESC LIMIT 1",
        )?;
        let first = PassagePlace { number: 0, ..place };
        let found = wanted.query_row([place.key(), first.key()], |row| {
            Ok((row.get(0)?, unpack(row.get_ref(1)?.as_blob()?)))
        });
        self.blocks.extend(found.optional()?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_come_out_of_their_blocks_as_they_went_in() {
        let passage = |nth: u32| KeptPassage {
            id: PassageId::from_saved(&format!("p{nth}-0")),
            sections: vec!["Trees".to_owned(), format!("Part {nth}")],
            page: nth.is_multiple_of(2).then_some(nth),
            text: "Street trees cool the air. ".repeat(40),
        };
        let given: Vec<KeptPassage> = (0..40).map(passage).collect();
        let blocks = pack(&given);
        assert!(blocks.len() > 1);
        let mut read = Vec::new();
        for (first, block) in &blocks {
            assert_eq!(*first as usize, read.len());
            read.extend(unpack(block));
        }
        assert_eq!(read, given);
        assert!(unpack(b"damaged bytes").is_empty());
    }
}
