//! Hits of many queries as sources: each once, the best of them numbered.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;

use super::query::Hit;
use crate::plan::QueryId;
use crate::source::{Source, SourceId};

/// Sources found by several queries gain this share for each further one.
const FOUND_AGAIN: f64 = 0.15;

/// A source to be read, with the text that a search gave of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) source: Source,
    pub(crate) text: Option<String>,
}

/// The new sources and those found again. In all there are at most so many, the known ones counted.
pub(crate) fn merged(
    known: &[Arc<Source>],
    hits: Vec<(QueryId, Hit)>,
    most: usize,
    today: Date,
) -> Vec<Candidate> {
    let mut changed: BTreeMap<SourceId, Source> = BTreeMap::new();
    let mut fresh: Vec<Candidate> = Vec::new();
    for (query, hit) in hits {
        let (key, relevance) = (hit.key.clone(), hit.relevance);
        let same = |source: &Source| source.key == key;
        if let Some(source) = known.iter().find(|source| same(source)) {
            let source = changed
                .entry(source.id)
                .or_insert_with(|| Source::clone(source));
            found_by(source, query, relevance);
            continue;
        }
        let at = match fresh.iter().position(|candidate| same(&candidate.source)) {
            Some(at) => at,
            None => {
                fresh.push(first(hit));
                fresh.len() - 1
            }
        };
        if let Some(candidate) = fresh.get_mut(at) {
            found_by(&mut candidate.source, query, relevance);
        }
    }
    for candidate in &mut fresh {
        candidate.source.quality = quality(&candidate.source, today);
    }
    fresh.sort_by(|a, b| {
        let (a, b) = (&a.source, &b.source);
        worth(b)
            .total_cmp(&worth(a))
            .then_with(|| a.location.cmp(&b.location))
    });
    fresh.truncate(most.saturating_sub(known.len()));
    let first = known.len() + 1;
    for (candidate, id) in fresh.iter_mut().zip(first..) {
        candidate.source.found_by.sort_unstable();
        candidate.source.id = SourceId(u32::try_from(id).unwrap_or(u32::MAX));
    }
    let again = changed
        .into_values()
        .map(|source| Candidate { source, text: None });
    again.chain(fresh).collect()
}

fn first(hit: Hit) -> Candidate {
    let source = Source {
        id: SourceId(0),
        kind: hit.kind,
        location: hit.location,
        key: hit.key,
        about: hit.about,
        found_by: Vec::new(),
        relevance: 0.0,
        quality: 0.0,
        snapshot: None,
        snippet: hit.snippet,
        unread: None,
    };
    Candidate {
        source,
        text: hit.text,
    }
}

fn found_by(source: &mut Source, query: QueryId, relevance: f64) {
    if !source.found_by.contains(&query) {
        source.found_by.push(query);
    }
    source.relevance = source.relevance.max(relevance.clamp(0.0, 1.0));
}

fn worth(source: &Source) -> f64 {
    let again = source.found_by.len().saturating_sub(1) as f64;
    source.relevance * (1.0 + FOUND_AGAIN * again) + 0.1 * source.quality
}

/// What speaks for a source whatever is asked: a snippet of substance, a text, citations, recency.
pub(crate) fn quality(source: &Source, today: Date) -> f64 {
    let cited = source.about.citations.unwrap_or(0) as f64 / 1_000.0;
    let recent = source
        .about
        .year()
        .is_some_and(|year| today.year() - year <= 3);
    let mut quality = cited.min(0.3);
    if source.snippet.chars().count() > 100 {
        quality += 0.3;
    }
    if source.snapshot.is_some() {
        quality += 0.2;
    }
    if recent {
        quality += 0.2;
    }
    quality
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::plan::SourceKind;
    use crate::source::Work;

    fn hit(location: &str, relevance: f64) -> Hit {
        Hit {
            kind: SourceKind::Local,
            location: location.into(),
            key: location.into(),
            about: Work::default(),
            snippet: String::new(),
            text: None,
            relevance,
        }
    }

    fn merge(known: &[Arc<Source>], hits: &[(u32, Hit)], most: usize) -> Vec<Source> {
        let hits = hits
            .iter()
            .map(|(query, hit)| (QueryId(*query), hit.clone()))
            .collect();
        let merged = merged(known, hits, most, date(2026, 11, 16));
        merged
            .into_iter()
            .map(|candidate| candidate.source)
            .collect()
    }

    #[test]
    fn a_document_found_twice_is_one_source_that_remembers_both_queries() {
        let hits = [(0, hit("a", 0.4)), (1, hit("a", 0.9)), (1, hit("b", 1.0))];
        let sources = merge(&[], &hits, 10);
        let shape: Vec<_> = sources
            .iter()
            .map(|s| (s.id.0, &*s.location, s.found_by.len()))
            .collect();
        assert_eq!(shape, [(1, "a", 2), (2, "b", 1)]);
        assert_eq!(sources[0].relevance, 0.9);
    }

    #[test]
    fn only_the_best_are_numbered_and_known_ones_keep_their_number() {
        let known: Vec<Arc<Source>> = merge(&[], &[(0, hit("a", 0.5))], 10)
            .into_iter()
            .map(Arc::new)
            .collect();
        let hits = [(1, hit("c", 0.2)), (1, hit("b", 0.8)), (2, hit("a", 0.7))];
        let sources = merge(&known, &hits, 2);
        let shape: Vec<_> = sources.iter().map(|s| (s.id.0, &*s.location)).collect();
        assert_eq!(shape, [(1, "a"), (2, "b")]);
        assert_eq!(sources[0].found_by, [QueryId(0), QueryId(2)]);
    }

    #[test]
    fn the_order_in_which_queries_answer_does_not_matter() {
        let hits = [(0, hit("a", 0.5)), (1, hit("b", 0.5)), (2, hit("c", 0.5))];
        let mut turned = hits.to_vec();
        turned.reverse();
        assert_eq!(merge(&[], &hits, 2), merge(&[], &turned, 2));
    }
}
