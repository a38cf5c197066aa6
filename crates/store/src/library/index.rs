//! Ranks documents by their best passage.

use fathom_evidence::Language;
use fathom_evidence::locate::{LocateSettings, PassageIndex};

use super::read::IndexedText;

/// Passages looked at for each document that is wanted: long documents have several good ones.
const PASSAGES_EACH: usize = 8;

const SNIPPET_CHARS: usize = 300;

/// The passages of all documents.
pub(super) struct DocumentIndex {
    pool: PassageIndex,
    /// Of each passage, the number of its document.
    owners: Vec<usize>,
}

pub(super) struct PassageHit {
    pub(super) document: usize,
    pub(super) snippet: String,
    pub(super) relevance: f64,
}

impl DocumentIndex {
    pub(super) fn new(texts: Vec<(String, IndexedText)>) -> Self {
        let language = most_common(texts.iter().map(|(_, text)| text.language));
        let mut owners = Vec::new();
        let mut entries = Vec::new();
        for (number, (_, text)) in texts.into_iter().enumerate() {
            owners.extend(text.entries.iter().map(|_| number));
            entries.extend(text.entries);
        }
        Self {
            pool: PassageIndex::new(entries, language, &LocateSettings::default()),
            owners,
        }
    }

    pub(super) fn search(&self, query: &str, limit: usize) -> Vec<PassageHit> {
        let looked_at = limit.saturating_mul(PASSAGES_EACH).max(1);
        let settings = LocateSettings {
            per_query_top_n: looked_at,
            top_k: looked_at,
            cover_decay: Some(1.0),
            ..LocateSettings::default()
        };
        let located = self.pool.locate(query, &settings);
        let best = located.candidates.first().map_or(1.0, |first| first.score);
        let mut hits: Vec<PassageHit> = Vec::new();
        for candidate in located.candidates {
            let owner = self.owners.get(candidate.place);
            let entry = self.pool.entries().get(candidate.place);
            let (Some(&document), Some(entry)) = (owner, entry) else {
                continue;
            };
            if hits.len() < limit && hits.iter().all(|hit| hit.document != document) {
                hits.push(PassageHit {
                    document,
                    snippet: snippet(&entry.text),
                    relevance: f64::from(candidate.score / best.max(f32::MIN_POSITIVE)),
                });
            }
        }
        hits
    }
}

fn snippet(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SNIPPET_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// The language of most documents; of equal ones the first.
fn most_common(languages: impl Iterator<Item = Language>) -> Language {
    let mut counts: Vec<(Language, usize)> = Vec::new();
    for language in languages {
        match counts.iter_mut().find(|(known, _)| *known == language) {
            Some((_, count)) => *count += 1,
            None => counts.push((language, 1)),
        }
    }
    let most = counts.iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(Language::ENGLISH, |(language, _)| *language)
}
