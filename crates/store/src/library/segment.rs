//! A segment: passages that were indexed together, with their dictionaries. It never changes; others join it in a larger one.

use std::collections::BTreeMap;

use fathom_evidence::Language;
use fathom_evidence::locate::TITLE_WEIGHT;
use fathom_evidence::terms::{PassageCounter, WordForm};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::bytes::put_number;
use super::index_file::Fact;
use super::names::NameWriter;
use super::passage_block::KeptPassage;
use super::postings::PostingList;
use super::term_block::{DictionaryKind, DictionaryWriter};

/// Sums over the passages of one language in a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LanguageSums {
    pub(super) passages: u64,
    /// Of their lengths in terms.
    pub(super) words: u64,
    /// Of their lengths in pieces of words.
    pub(super) pieces: u64,
    /// Of their texts.
    pub(super) bytes: u64,
}

impl LanguageSums {
    pub(super) fn add(&mut self, other: &Self) {
        self.passages += other.passages;
        self.words += other.words;
        self.pieces += other.pieces;
        self.bytes += other.bytes;
    }
}

/// What stands in the row of a segment, besides its dictionaries.
#[derive(Default)]
pub(super) struct SegmentRow {
    /// The texts in it, each with its language and the number of its passages, in the order of the passages.
    pub(super) texts: Vec<SegmentText>,
    /// Of each passage, its length in terms.
    pub(super) lengths: Vec<u16>,
    pub(super) languages: BTreeMap<Language, LanguageSums>,
}

/// A text of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentText {
    pub(super) id: i64,
    pub(super) passages: u32,
}

impl SegmentRow {
    /// Adds the row, and gives the segment's number.
    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let segment = Fact::LastSegment.raise(connection)?;
        let mut texts = Vec::new();
        for text in &self.texts {
            put_number(&mut texts, text.id as u64);
            put_number(&mut texts, u64::from(text.passages));
        }
        let lengths: Vec<u8> = self.lengths.iter().flat_map(|n| n.to_le_bytes()).collect();
        let languages = serde_json::to_string(&self.languages)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        let insert = "INSERT INTO segments (id, passages, texts, lengths, languages) VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = params![
            segment,
            self.lengths.len() as i64,
            texts,
            lengths,
            languages
        ];
        connection.execute(insert, row)?;
        Ok(segment)
    }
}

/// The key of a term or a piece: its language before it.
pub(super) fn key(language: Language, term: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(2 + term.len());
    key.extend_from_slice(language.code().as_bytes());
    key.extend_from_slice(term);
    key
}

/// Indexes texts into a new segment.
#[derive(Default)]
pub(super) struct SegmentBuilder {
    row: SegmentRow,
    languages: BTreeMap<Language, LanguageBuilder>,
    bytes: usize,
}

struct LanguageBuilder {
    counter: PassageCounter,
    /// By the number of the term.
    postings: Vec<PostingList>,
}

impl LanguageBuilder {
    fn new(language: Language) -> Self {
        Self {
            counter: PassageCounter::new(language),
            postings: Vec::new(),
        }
    }
}

impl SegmentBuilder {
    /// How many bytes of text were added.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.row.texts.is_empty()
    }

    /// Adds a text. A passage that is plainly in another language than its text is indexed as what it is: pages are often
    /// translated in parts.
    pub(super) fn add(
        &mut self,
        id: i64,
        language: Language,
        title: Option<&str>,
        passages: &[KeptPassage],
    ) {
        self.row.texts.push(SegmentText {
            id,
            passages: passages.len() as u32,
        });
        for passage in passages {
            let own = Language::plainly_of(&passage.text).unwrap_or(language);
            self.add_passage(own, title, passage);
        }
    }

    fn add_passage(&mut self, language: Language, title: Option<&str>, passage: &KeptPassage) {
        let number = self.row.lengths.len() as u32;
        let builder = self.languages.entry(language);
        let LanguageBuilder { counter, postings } =
            builder.or_insert_with(|| LanguageBuilder::new(language));
        if let Some(title) = title {
            counter.add_heading(title, TITLE_WEIGHT as u32);
        }
        for section in &passage.sections {
            counter.add_heading(section, 1);
        }
        counter.add_text(&passage.text);
        let length = counter.finish(|term, count| {
            let at = term as usize;
            if at >= postings.len() {
                postings.resize(at + 1, PostingList::default());
            }
            if let Some(list) = postings.get_mut(at) {
                list.push(number, count);
            }
        });
        let sums = self.row.languages.entry(language).or_default();
        sums.add(&LanguageSums {
            passages: 1,
            words: u64::from(length.words),
            pieces: u64::from(length.pieces),
            bytes: passage.text.len() as u64,
        });
        let length = u16::try_from(length.words).unwrap_or(u16::MAX);
        self.row.lengths.push(length);
        self.bytes += passage.text.len();
    }

    /// Writes the segment, within a transaction of the caller's.
    pub(super) fn write(self, connection: &Connection) -> rusqlite::Result<()> {
        let segment = self.row.insert(connection)?;
        let mut terms = DictionaryWriter::new(connection, segment, DictionaryKind::Terms)?;
        let mut names = NameWriter::new(connection, segment)?;
        let mut pieces = DictionaryWriter::new(connection, segment, DictionaryKind::Pieces)?;
        let mut forms: Vec<WordForm<'_>> = Vec::new();
        for (language, builder) in &self.languages {
            let numbered = (0..).zip(&builder.postings);
            let named = numbered.filter_map(|(id, list)| Some((builder.counter.name(id)?, list)));
            let mut named: Vec<(&str, &PostingList)> = named.collect();
            named.sort_unstable_by_key(|(name, _)| *name);
            for (name, list) in named {
                let key = key(*language, name.as_bytes());
                terms.push(&key, &list.encoded())?;
                names.push(&key)?;
            }
            let mut counted: Vec<_> = builder.counter.pieces().collect();
            counted.sort_unstable();
            for (piece, passages) in counted {
                let mut count = Vec::new();
                put_number(&mut count, u64::from(passages));
                pieces.push(&key(*language, &piece.to_be_bytes()), &count)?;
            }
            forms.extend(builder.counter.forms());
        }
        terms.finish()?;
        names.finish()?;
        pieces.finish()?;
        forms.sort_unstable_by_key(|form| form.word);
        let mut written = DictionaryWriter::new(connection, segment, DictionaryKind::Forms)?;
        // Several languages may have met a word.
        for same in forms.chunk_by(|one, other| one.word == other.word) {
            let word = same.first().map_or("", |form| form.word);
            let in_text = same.iter().any(|form| form.in_text);
            written.push(word.as_bytes(), &[u8::from(in_text)])?;
        }
        written.finish()
    }
}
