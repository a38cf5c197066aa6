//! Ranks the passages of all documents.
//!
//! Documents of one language share an index, since words are stemmed by their language. A question is put to every
//! index: to that of its own language in full, to the others by what it names.

use std::collections::{BTreeMap, BTreeSet};

use fathom_evidence::Language;
use fathom_evidence::locate::{LocateSettings, PassageEntry, PassageIndex};
use fathom_evidence::question;
use fathom_evidence::terms::Terms;

use super::read::IndexedText;
use super::{LibraryPassage, WordMention};

/// What a passage in another language than the question's counts.
const OTHER_LANGUAGE: f32 = 0.4;

/// Passages that begin with the same letters and digits, so many of them, are copies.
const COPY_CHARS: usize = 120;

/// Words of fewer letters have too many neighbours for one of them to be what was meant.
const SPELLED_LEAST: usize = 5;
/// From so many letters on a word may have two letters wrong.
const SPELLED_LONG: usize = 8;

/// The passages of all documents, by language.
pub(super) struct DocumentIndex(BTreeMap<Language, LanguageIndex>);

struct LanguageIndex {
    passages: PassageIndex,
    /// Of each passage, the number of its document.
    owners: Vec<usize>,
}

impl DocumentIndex {
    pub(super) fn new(texts: Vec<(String, IndexedText)>) -> Self {
        let mut parts: BTreeMap<Language, (Vec<PassageEntry>, Vec<usize>)> = BTreeMap::new();
        for (number, (_, text)) in texts.into_iter().enumerate() {
            let (entries, owners) = parts.entry(text.language).or_default();
            owners.extend(text.entries.iter().map(|_| number));
            entries.extend(text.entries);
        }
        let index = |(language, (entries, owners))| {
            let passages = PassageIndex::new(entries, language);
            (language, LanguageIndex { passages, owners })
        };
        Self(parts.into_iter().map(index).collect())
    }

    /// The best passages with the numbers of their documents, best first, each text once.
    pub(super) fn search(&self, query: &str, limit: usize) -> Vec<(usize, LibraryPassage)> {
        let asked = question::language(query);
        let telling = self.corrected(&telling(query, asked));
        let mut ranked = limit;
        let found = loop {
            let all = self.ranked(&telling, asked, ranked);
            let (exhausted, mut found) = (all.len() < ranked, all);
            let mut seen = BTreeSet::new();
            found.retain(|(_, _, _, entry)| seen.insert(beginning(&entry.text)));
            found.truncate(limit);
            // Copies must not take the places of what they crowd out. Doubling ends with the passages.
            if exhausted || found.len() == limit {
                break found;
            }
            ranked *= 2;
        };
        let passage = |(_, score, owner, entry): (f32, f32, usize, &PassageEntry)| {
            let passage = LibraryPassage {
                name: entry.key.source.clone(),
                title: entry.title.to_string(),
                sections: entry.sections.clone(),
                passage: entry.key.passage.clone(),
                text: entry.text.clone(),
                score,
            };
            (owner, passage)
        };
        found.into_iter().map(passage).collect()
    }

    /// So many passages of each language, best first: what they rank by over all languages, how well their words fit
    /// among those of their language, and the numbers of their documents.
    fn ranked(
        &self,
        query: &str,
        asked: Language,
        most: usize,
    ) -> Vec<(f32, f32, usize, &PassageEntry)> {
        let settings = LocateSettings {
            per_query_top_n: most,
            top_k: most,
            ..LocateSettings::default()
        };
        let mut found = Vec::new();
        for (language, index) in &self.0 {
            let own = *language == asked;
            let weight = if own { 1.0 } else { OTHER_LANGUAGE };
            let located = index.passages.locate(query, &settings);
            found.extend(located.into_iter().filter_map(|candidate| {
                let owner = *index.owners.get(candidate.place)?;
                let entry = index.passages.entries().get(candidate.place)?;
                let by_words = candidate.by_words() * weight;
                Some((candidate.score * weight, by_words, owner, entry))
            }));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found
    }

    /// A query whose words that occur nowhere are spelled as the documents spell them.
    fn corrected(&self, query: &str) -> String {
        let words = query.split_whitespace().map(|word| {
            let known = self.0.values().any(|index| {
                let words = index.passages.words();
                !words.vocabulary().find(word).is_empty()
            });
            let nearest = if known { None } else { self.nearest(word) };
            nearest.unwrap_or_else(|| word.to_owned())
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Where each word occurs.
    pub(super) fn mentions(&self, words: &[String]) -> Vec<WordMention> {
        words.iter().map(|word| self.mention(word)).collect()
    }

    fn mention(&self, word: &str) -> WordMention {
        let counts = self.0.values().map(|index| {
            let words = index.passages.words();
            let terms = words.vocabulary().find(word);
            terms.iter().map(|term| words.frequency(*term)).max()
        });
        let passages: usize = counts.flatten().sum();
        let as_written = passages > 0
            && self.0.values().any(|index| {
                let entries = index.passages.entries().iter();
                let mut texts = entries.map(|entry| entry.text.as_str());
                texts.any(|text| stands(text, word))
            });
        WordMention {
            word: word.to_owned(),
            passages,
            of: self.0.values().map(|index| index.owners.len()).sum(),
            as_written,
            nearest: (passages == 0).then(|| self.nearest(word)).flatten(),
        }
    }

    /// The word of the documents that is spelled most like one that they do not have.
    fn nearest(&self, word: &str) -> Option<String> {
        let word = word.to_lowercase();
        let letters = word.chars().count();
        let most = match letters {
            ..SPELLED_LEAST => return None,
            SPELLED_LEAST..SPELLED_LONG => 1,
            _ => 2,
        };
        let vocabularies = self
            .0
            .values()
            .map(|index| index.passages.words().vocabulary());
        let near = vocabularies.flat_map(|vocabulary| vocabulary.words());
        let near = near.filter(|other| {
            other.chars().next() == word.chars().next()
                && other.chars().count().abs_diff(letters) <= most
        });
        let measured = near.map(|other| (strsim::osa_distance(&word, other), other));
        let best = measured.filter(|(distance, _)| *distance <= most).min();
        best.map(|(_, other)| other.to_owned())
    }
}

/// The words of a query that tell what it is about; all of them where none does.
fn telling(query: &str, language: Language) -> String {
    let query = question::without_fillers(query, language);
    let telling = Terms::new(language).telling_at(&query);
    let words: Vec<&str> = telling
        .iter()
        .filter_map(|(_, span)| span.of(&query))
        .collect();
    if words.is_empty() {
        query
    } else {
        words.join(" ")
    }
}

/// Whether a text has a word just as it is written, not as a part of a longer one.
fn stands(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|after| after.chars().next());
        let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !inner(before) && !inner(after)
    })
}

fn beginning(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters
        .flat_map(char::to_lowercase)
        .take(COPY_CHARS)
        .collect()
}
