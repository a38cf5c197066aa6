//! Words over all segments: where they stand, and how the documents spell them.

use std::collections::BTreeSet;

use fathom_evidence::Language;
use fathom_evidence::terms::{self, CompoundTerms, Piece, Terms, has_compounds};
use rusqlite::Connection;

use super::WordMention;
use super::bytes::ByteReader;
use super::names;
use super::postings::Postings;
use super::segment;
use super::snapshot::Snapshot;
use super::term_block::{self, DictionaryKind};

/// Words of fewer letters have too many neighbours for one of them to be what was meant.
const SPELLED_LEAST: usize = 5;

/// A name needs so many: "Paris" is not "pairs". Another word with fewer may have letters in the wrong order, or one too many or too
/// few, but "maven" is not "haven".
const NAME_SPELLED_LEAST: usize = 6;

/// The parts of a word that documents write as two, such as "lifejacket", have so many letters each.
const PART_LEAST: usize = 4;

/// Two words that documents may write as one have so many letters together.
const JOINED_LEAST: usize = 6;

/// From so many letters on a word may have two letters wrong.
const SPELLED_LONG: usize = 8;

/// Dictionaries of all segments at one moment.
pub(super) struct Dictionaries<'d> {
    pub(super) connection: &'d Connection,
    pub(super) snapshot: &'d Snapshot,
}

/// The passages of one segment that have a term.
pub(super) struct SegmentPostings {
    /// The number of the segment's first passage.
    pub(super) first: u32,
    encoded: Vec<u8>,
}

impl SegmentPostings {
    pub(super) fn list(&self) -> Postings<'_> {
        Postings::new(&self.encoded)
    }
}

/// The terms of a language in all segments.
pub(super) struct LanguageTerms<'d> {
    dictionaries: &'d Dictionaries<'d>,
    language: Language,
}

impl CompoundTerms for LanguageTerms<'_> {
    type Error = rusqlite::Error;

    fn containing(&self, letters: &str, take: &mut dyn FnMut(&str)) -> rusqlite::Result<()> {
        let Dictionaries {
            connection,
            snapshot,
        } = self.dictionaries;
        let mut bytes_left = names::LOOKED_THROUGH_MAX;
        for segment in &snapshot.segments {
            let (id, left) = (segment.id, &mut bytes_left);
            names::containing(connection, id, self.language, letters, left, take)?;
        }
        Ok(())
    }

    fn has(&self, term: &str) -> rusqlite::Result<bool> {
        Ok(!self.dictionaries.postings(self.language, term)?.is_empty())
    }
}

impl Dictionaries<'_> {
    /// The passages that have a term of a language.
    pub(super) fn postings(
        &self,
        language: Language,
        term: &str,
    ) -> rusqlite::Result<Vec<SegmentPostings>> {
        let key = segment::key(language, term.as_bytes());
        let mut all = Vec::new();
        for segment in &self.snapshot.segments {
            if !segment.languages.contains_key(&language) {
                continue;
            }
            let kind = DictionaryKind::Terms;
            let found = term_block::value(self.connection, segment.id, kind, &key, <[u8]>::to_vec)?;
            all.extend(found.map(|encoded| SegmentPostings {
                first: segment.first,
                encoded,
            }));
        }
        Ok(all)
    }

    /// In how many passages of a language a piece of a word stands.
    pub(super) fn piece_passages(
        &self,
        language: Language,
        piece: Piece,
    ) -> rusqlite::Result<usize> {
        let key = segment::key(language, &piece.to_be_bytes());
        let mut passages = 0;
        for segment in &self.snapshot.segments {
            let count = |value: &[u8]| ByteReader::new(value).number().unwrap_or_default();
            let kind = DictionaryKind::Pieces;
            let found = term_block::value(self.connection, segment.id, kind, &key, count)?;
            passages += found.unwrap_or_default() as usize;
        }
        Ok(passages)
    }

    /// A query whose words that occur nowhere are spelled as the documents spell them.
    pub(super) fn corrected(&self, query: &str) -> rusqlite::Result<String> {
        let mut words = Vec::new();
        for word in query.split_whitespace() {
            let known = self.passages_with(word)? > 0;
            let nearest = if known { None } else { self.nearest(word)? };
            words.push(nearest.unwrap_or_else(|| word.to_owned()));
        }
        Ok(words.join(" "))
    }

    /// Where each word occurs.
    pub(super) fn mentions(&self, words: &[String]) -> rusqlite::Result<Vec<WordMention>> {
        words.iter().map(|word| self.mention(word)).collect()
    }

    fn mention(&self, word: &str) -> rusqlite::Result<WordMention> {
        let passages = self.passages_with(word)?;
        Ok(WordMention {
            word: word.to_owned(),
            passages,
            of: self.snapshot.passages(),
            as_written: passages > 0 && self.stands(word)?,
            nearest: if passages == 0 {
                self.nearest(word)?
            } else {
                None
            },
        })
    }

    /// How many passages have a word in some form.
    fn passages_with(&self, word: &str) -> rusqlite::Result<usize> {
        let mut sum = 0;
        for language in self.snapshot.languages.keys() {
            let mut most = 0;
            for term in Terms::new(*language).telling(word) {
                most = most.max(self.live(&self.postings(*language, &term)?));
            }
            if most == 0 && has_compounds(*language) {
                most = self.passages_with_compounds(word, *language)?;
            }
            sum += most;
        }
        Ok(sum)
    }

    /// How many passages have a word as a part of a longer one only.
    fn passages_with_compounds(&self, word: &str, language: Language) -> rusqlite::Result<usize> {
        let mut passages: BTreeSet<u32> = BTreeSet::new();
        for term in terms::compounds_with(word, language, &self.terms_of(language))? {
            for one in self.postings(language, &term)? {
                one.list().each(|passage, _| {
                    passages.insert(one.first + passage);
                });
            }
        }
        let live = |passage: &&u32| !self.snapshot.is_gone(**passage as usize);
        Ok(passages.iter().filter(live).count())
    }

    /// The terms of one language.
    pub(super) fn terms_of(&self, language: Language) -> LanguageTerms<'_> {
        LanguageTerms {
            dictionaries: self,
            language,
        }
    }

    /// How many of these passages can be found.
    fn live(&self, postings: &[SegmentPostings]) -> usize {
        if self.snapshot.gone.is_empty() {
            return postings.iter().map(|one| one.list().passages()).sum();
        }
        let mut live = 0;
        for one in postings {
            one.list().each(|passage, _| {
                live += usize::from(!self.snapshot.is_gone((one.first + passage) as usize));
            });
        }
        live
    }

    /// Whether the words stand in texts with just these large and small letters.
    fn stands(&self, written: &str) -> rusqlite::Result<bool> {
        for span in terms::words(written) {
            let word = span.of(written).unwrap_or_default().as_bytes();
            let mut stands = false;
            for segment in &self.snapshot.segments {
                let kind = DictionaryKind::Forms;
                let in_text = |value: &[u8]| value == [1];
                let found = term_block::value(self.connection, segment.id, kind, word, in_text)?;
                stands |= found == Some(true);
            }
            if !stands {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A word as the two that documents have for it: "life jacket" for "lifejacket".
    fn written_apart(&self, word: &str) -> rusqlite::Result<Option<String>> {
        let ends = word.char_indices().map(|(at, _)| at);
        for (one, other) in ends.filter_map(|at| word.split_at_checked(at)) {
            let are_words = [one, other]
                .iter()
                .all(|part| part.chars().count() >= PART_LEAST && terms::is_common_english(part));
            if are_words && self.passages_with(one)? > 0 && self.passages_with(other)? > 0 {
                return Ok(Some(format!("{one} {other}")));
            }
        }
        Ok(None)
    }

    /// Neighbouring words of a query that documents write as one: "readonly" for "read only".
    pub(super) fn written_together(&self, query: &str) -> rusqlite::Result<Vec<String>> {
        let words: Vec<&str> = terms::words(query)
            .filter_map(|span| span.of(query))
            .collect();
        let mut found = Vec::new();
        for pair in words.windows(2) {
            let joined = pair.concat();
            if joined.chars().count() >= JOINED_LEAST && self.passages_with(&joined)? > 0 {
                found.push(joined);
            }
        }
        Ok(found)
    }

    /// The word of the documents that is spelled most like one that they do not have, where that one is probably misspelled. A
    /// word that people know is what it is: "laser" is not "later".
    fn nearest(&self, word: &str) -> rusqlite::Result<Option<String>> {
        let letters = word.chars().count();
        let is_short = letters < NAME_SPELLED_LEAST;
        if is_short && word.starts_with(char::is_uppercase) || terms::is_common_english(word) {
            return Ok(None);
        }
        let word = word.to_lowercase();
        if let Some(parts) = self.written_apart(&word)? {
            return Ok(Some(parts));
        }
        let most = match letters {
            ..SPELLED_LEAST => return Ok(None),
            SPELLED_LEAST..SPELLED_LONG => 1,
            _ => 2,
        };
        let mut near: Vec<(usize, String)> = Vec::new();
        let mut take = |form: &str| {
            if form.chars().count().abs_diff(letters) <= most {
                let form = form.to_lowercase();
                let distance = strsim::osa_distance(&word, &form);
                let is_another = is_short
                    && form.chars().count() == letters
                    && sorted_letters(&form) != sorted_letters(&word);
                if distance <= most && !is_another {
                    near.push((distance, form));
                }
            }
        };
        for initial in initials(&word) {
            for segment in &self.snapshot.segments {
                let begins = |key: &[u8], _: &[u8]| match str::from_utf8(key) {
                    Ok(form) if form.starts_with(&initial) => {
                        take(form);
                        true
                    }
                    _ => false,
                };
                let (kind, from) = (DictionaryKind::Forms, initial.as_bytes());
                term_block::scan(self.connection, segment.id, kind, from, begins)?;
            }
        }
        near.sort_unstable();
        near.dedup();
        for (_, form) in near {
            // Words of documents that are gone are forgotten later than the documents.
            if self.passages_with(&form)? > 0 {
                return Ok(Some(form));
            }
        }
        Ok(None)
    }
}

fn sorted_letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// The first letter of a word, small and large.
fn initials(word: &str) -> Vec<String> {
    let Some(small) = word.chars().next() else {
        return Vec::new();
    };
    let large: String = small.to_uppercase().collect();
    let mut initials = vec![small.to_string(), large];
    initials.dedup();
    initials
}
