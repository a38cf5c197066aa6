//! Ranks the passages of an index for a query.
//!
//! Passages of one language are weighed together, since words are stemmed by their language. A query is put to every language: to
//! its own in full, to the others by what it names. All passages are scored by their words with a share of their neighbours'; the
//! best are then scored by the pieces of their words too, which their texts tell. Where passages have vectors, those nearest to the
//! query in meaning are joined with them by rank.

use std::collections::{BTreeSet, HashMap};

use fathom_evidence::bm25::{self, Bm25Settings, question_terms};
use fathom_evidence::fusion;
use fathom_evidence::locate::{NEIGHBOUR_SHARE, PIECES_SHARE, SENTENCE_BYTES, TITLE_WEIGHT};
use fathom_evidence::terms::{PieceQuery, Terms, compounds_among, has_compounds};
use fathom_evidence::{Language, best, question};
use rusqlite::{Connection, OptionalExtension as _};

use super::LibraryPassage;
use super::passage_block::PassageReader;
use super::segment::LanguageSums;
use super::snapshot::Snapshot;
use super::vectors::{QueryVector, Similarities};
use super::words::Dictionaries;

/// What a passage in another language than the question's counts.
const OTHER_LANGUAGE: f32 = 0.4;

/// What a word counts that documents may use for one of the query's.
const MEANT_SHARE: f32 = 0.5;

/// So many passages are scored by pieces at least: the best by their words are rarely further down.
const CANDIDATES_LEAST: usize = 120;

/// Passages that begin with the same letters and digits, so many of them, are copies.
const COPY_CHARS: usize = 120;

/// One search at one moment.
pub(super) struct Search<'s> {
    connection: &'s Connection,
    snapshot: &'s Snapshot,
    dictionaries: Dictionaries<'s>,
    passages: PassageReader<'s>,
    titles: HashMap<i64, Option<String>>,
    /// How near the passages are to the query, where it came with a vector.
    similarities: Option<Similarities>,
}

/// The words of a query.
struct QueryWords {
    /// Those that tell what it is about, as the documents spell them.
    own: String,
    /// What documents may say for its words, and pairs of its words that they write as one.
    meant: String,
}

/// A passage with its scores.
#[derive(Clone, Copy, Debug)]
struct RankedPassage {
    /// By rank, comparable over all languages and with meaning.
    rank_score: f32,
    /// How well its words fit, comparable within the search.
    by_words: f32,
    passage: usize,
}

impl<'s> Search<'s> {
    pub(super) fn new(connection: &'s Connection, snapshot: &'s Snapshot) -> Self {
        Self {
            connection,
            snapshot,
            dictionaries: Dictionaries {
                connection,
                snapshot,
            },
            passages: PassageReader::new(connection),
            titles: HashMap::new(),
            similarities: None,
        }
    }

    /// The best passages, best first, each text once.
    pub(super) fn best(
        &mut self,
        query: &str,
        terms: &str,
        vector: Option<&QueryVector>,
        limit: usize,
    ) -> rusqlite::Result<Vec<LibraryPassage>> {
        let similarities =
            vector.map(|vector| Similarities::read(self.connection, self.snapshot, vector));
        self.similarities = similarities.transpose()?.filter(|found| found.known > 0);
        let asked = question::language(query);
        let mut meant = self.dictionaries.written_together(query)?.join(" ");
        for words in question::document_words(query, asked)
            .into_iter()
            .chain([terms])
        {
            meant.push(' ');
            meant.push_str(words);
        }
        let words = QueryWords {
            own: self.dictionaries.corrected(&telling(query, asked))?,
            meant,
        };
        let mut wanted = limit.saturating_mul(2).max(CANDIDATES_LEAST);
        loop {
            let ranked = self.ranked(&words, asked, wanted)?;
            let exhausted = ranked.len() < wanted;
            let found = self.without_copies(ranked, limit)?;
            // Copies must not take the places of what they crowd out. Doubling ends with the passages.
            if exhausted || found.len() == limit {
                return Ok(found);
            }
            wanted *= 2;
        }
    }

    /// So many passages of each language and so many by their meaning, best first over all.
    fn ranked(
        &mut self,
        words: &QueryWords,
        asked: Language,
        most: usize,
    ) -> rusqlite::Result<Vec<RankedPassage>> {
        let near = self.similarities.as_ref().map(|near| near.best(most));
        let near = near.unwrap_or_default();
        let mut all = Vec::new();
        for (language, sums) in &self.snapshot.languages {
            let weight = if *language == asked {
                1.0
            } else {
                OTHER_LANGUAGE
            };
            let found = self.ranked_in(*language, sums, words, most)?;
            all.extend(
                (1_u32..)
                    .zip(found)
                    .map(|(rank, (passage, score))| RankedPassage {
                        rank_score: weight / (fusion::K + rank as f32),
                        by_words: weight * score,
                        passage,
                    }),
            );
        }
        self.add_meaning(&mut all, &near);
        all.sort_by(|a, b| b.rank_score.total_cmp(&a.rank_score));
        Ok(all)
    }

    /// Joins the passages that are near in meaning with those that the words found. Where few passages have a vector, the nearest
    /// of them may be far away: meaning counts by the share of passages that have one.
    fn add_meaning(&self, all: &mut Vec<RankedPassage>, near: &[usize]) {
        let Some(similarities) = &self.similarities else {
            return;
        };
        let share = similarities.known as f32 / self.snapshot.passages().max(1) as f32;
        let places = all.iter().enumerate().map(|(at, one)| (one.passage, at));
        let places: HashMap<usize, usize> = places.collect();
        for (rank, passage) in (1_u32..).zip(near) {
            let by_meaning = share / (fusion::K + rank as f32);
            match places.get(passage).and_then(|at| all.get_mut(*at)) {
                Some(known) => known.rank_score += by_meaning,
                None => all.push(RankedPassage {
                    rank_score: by_meaning,
                    by_words: 0.0,
                    passage: *passage,
                }),
            }
        }
    }

    /// The best passages of one language with their scores.
    fn ranked_in(
        &mut self,
        language: Language,
        sums: &LanguageSums,
        words: &QueryWords,
        most: usize,
    ) -> rusqlite::Result<Vec<(usize, f32)>> {
        let mut own = self.word_scores(language, sums, words)?;
        let highest = own.iter().copied().fold(0.0, f32::max);
        if highest <= 0.0 {
            return Ok(Vec::new());
        }
        own.iter_mut().for_each(|score| *score /= highest);
        let candidates = best(&self.borrowed(&own), most);
        let beside = |passage: usize| {
            let range = self.snapshot.text(passage).map(|text| text.range());
            let within = move |other: &usize| range.as_ref().is_some_and(|r| r.contains(other));
            let neighbours = [passage.checked_sub(1), Some(passage + 1)];
            neighbours.into_iter().flatten().filter(within)
        };
        let places: Vec<usize> = candidates.iter().map(|hit| hit.doc).collect();
        let near = places.iter().flat_map(|one| beside(*one).chain([*one]));
        let near: BTreeSet<usize> = near.collect();
        let pieces = self.piece_scores(language, sums, words, near)?;
        let highest = pieces.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        let both = |passage: usize| {
            let words = own.get(passage).copied().unwrap_or_default();
            let pieces = pieces.get(&passage).copied().unwrap_or_default();
            words + PIECES_SHARE * pieces / highest
        };
        let scored = places.into_iter().map(|passage| {
            let borrowed: f32 = beside(passage).map(both).sum();
            (passage, both(passage) + NEIGHBOUR_SHARE * borrowed)
        });
        let mut scored: Vec<(usize, f32)> = scored.collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(scored)
    }

    /// BM25 of every passage.
    fn word_scores(
        &self,
        language: Language,
        sums: &LanguageSums,
        words: &QueryWords,
    ) -> rusqlite::Result<Vec<f32>> {
        let passages = sums.passages.max(1);
        let settings = if sums.bytes / passages < SENTENCE_BYTES as u64 {
            Bm25Settings::SENTENCES
        } else {
            Bm25Settings::default()
        };
        let Bm25Settings { bm25_k1, bm25_b } = settings;
        let mean = (sums.words as f32 / passages as f32).max(f32::MIN_POSITIVE);
        let mut scores = vec![0.0_f32; self.snapshot.lengths.len()];
        for (term, weight) in self.terms(language, words)? {
            let postings = self.dictionaries.postings(language, &term)?;
            let found: usize = postings.iter().map(|one| one.list().passages()).sum();
            let rarity = bm25::rarity(found.max(passages as usize), found);
            let most = weight * rarity * (bm25_k1 + 1.0);
            for one in &postings {
                one.list().each(|passage, count| {
                    let at = (one.first + passage) as usize;
                    if let (Some(score), Some(length)) =
                        (scores.get_mut(at), self.snapshot.lengths.get(at))
                    {
                        let length = f32::from(*length) / mean;
                        let norm = bm25_k1 * (1.0 - bm25_b + bm25_b * length);
                        *score += most * count as f32 / (count as f32 + norm);
                    }
                });
            }
        }
        for gone in &self.snapshot.gone {
            if let Some(scores) = scores.get_mut(gone.clone()) {
                scores.fill(0.0);
            }
        }
        Ok(scores)
    }

    /// The terms of a query with their weights.
    fn terms(
        &self,
        language: Language,
        words: &QueryWords,
    ) -> rusqlite::Result<Vec<(String, f32)>> {
        let mut terms = question_terms(&words.own, language);
        let meant = question_terms(&words.meant, language).into_iter();
        let mut further: Vec<(String, f32)> = meant
            .map(|(term, weight)| (term, MEANT_SHARE * weight))
            .collect();
        if has_compounds(language) {
            let known = self.dictionaries.terms_of(language);
            further.extend(compounds_among(&words.own, language, &known)?);
        }
        for (term, weight) in further {
            if terms.iter().all(|(other, _)| *other != term) {
                terms.push((term, weight));
            }
        }
        Ok(terms)
    }

    /// Each score with a share of those beside it, within one text.
    fn borrowed(&self, own: &[f32]) -> Vec<f32> {
        let mut scores = own.to_vec();
        for text in &self.snapshot.texts {
            let (Some(own), Some(scores)) = (own.get(text.range()), scores.get_mut(text.range()))
            else {
                continue;
            };
            for at in 1..own.len() {
                scores[at] += NEIGHBOUR_SHARE * own[at - 1];
                scores[at - 1] += NEIGHBOUR_SHARE * own[at];
            }
        }
        scores
    }

    fn piece_scores(
        &mut self,
        language: Language,
        sums: &LanguageSums,
        words: &QueryWords,
        passages: BTreeSet<usize>,
    ) -> rusqlite::Result<HashMap<usize, f32>> {
        let all = sums.passages.max(1);
        let (mean, mut failed) = (sums.pieces as f32 / all as f32, None);
        let query = format!("{} {}", words.own, words.meant);
        let mut query = PieceQuery::new(&query, language, all as usize, mean, |piece| {
            let found = self.dictionaries.piece_passages(language, piece);
            found.unwrap_or_else(|error| {
                failed = Some(error);
                0
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let mut scores = HashMap::new();
        for passage in passages {
            let Some(place) = self.snapshot.place(passage) else {
                continue;
            };
            let title = self.title(place.text)?.unwrap_or_default();
            let Some(kept) = self.passages.get(place)? else {
                continue;
            };
            let sections = kept.sections.iter().map(|one| (one.as_str(), 1.0));
            let parts = [(title.as_str(), TITLE_WEIGHT), (kept.text.as_str(), 1.0)];
            scores.insert(passage, query.score(parts.into_iter().chain(sections)));
        }
        Ok(scores)
    }

    /// What a document calls itself.
    fn title(&mut self, text: i64) -> rusqlite::Result<Option<String>> {
        if let Some(title) = self.titles.get(&text) {
            return Ok(title.clone());
        }
        let wanted = "SELECT title FROM texts WHERE id = ?1";
        let mut wanted = self.connection.prepare_cached(wanted)?;
        let title: Option<Option<String>> =
            wanted.query_row([text], |row| row.get(0)).optional()?;
        let title = title.flatten();
        self.titles.insert(text, title.clone());
        Ok(title)
    }

    /// The first passages with what is told of them, without those whose text stands before them or whose document is gone.
    fn without_copies(
        &mut self,
        ranked: Vec<RankedPassage>,
        limit: usize,
    ) -> rusqlite::Result<Vec<LibraryPassage>> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for one in ranked {
            if found.len() == limit {
                break;
            }
            let Some(place) = self.snapshot.place(one.passage) else {
                continue;
            };
            let title = self.title(place.text)?;
            let Some(name) = name(self.connection, place.text)? else {
                continue;
            };
            let Some(kept) = self.passages.get(place)? else {
                continue;
            };
            if seen.insert(beginning(&kept.text)) {
                found.push(LibraryPassage {
                    title: title.unwrap_or_else(|| super::stem(&name)),
                    name,
                    sections: kept.sections.clone(),
                    passage: kept.id.clone(),
                    page: kept.page,
                    text: kept.text.clone(),
                    score: one.by_words,
                    similarity: self
                        .similarities
                        .as_ref()
                        .and_then(|near| near.get(one.passage)),
                });
            }
        }
        Ok(found)
    }
}

/// The first of the files that have a text.
fn name(connection: &Connection, text: i64) -> rusqlite::Result<Option<String>> {
    let wanted = "SELECT min(name) FROM files WHERE text = ?1";
    let mut wanted = connection.prepare_cached(wanted)?;
    wanted.query_row([text], |row| row.get(0))
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

fn beginning(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters
        .flat_map(char::to_lowercase)
        .take(COPY_CHARS)
        .collect()
}
