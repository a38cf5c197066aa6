//! Hits of many queries as sources: each work or page once, the best of them numbered.
//!
//! Takes the known sources and the hits in any order; gives the same sources for every order. Hits of one DOI, of one
//! address in its normal form, or of nearly the same text are one source; two DOIs never are. A known source keeps its
//! number and takes in what new hits say of it. Reading the sources is left to `read`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fathom_evidence::duplicate::NearDuplicates;
use fathom_providers::{Doi, PublicationDate};
use jiff::ToSpan;
use jiff::civil::Date;

use super::address;
use super::query::{Hit, HitPassage};
use crate::plan::{QueryId, SourceKind};
use crate::source::{FoundPassage, Source, SourceId, Work};

/// Sources found by several queries gain this share for each further one.
const FOUND_AGAIN: f64 = 0.15;

/// Texts that share at least this part of their pairs of words are copies.
const COPY_OVERLAP: f64 = 0.8;
/// Likewise the words of their titles, to which sites add their names.
const TITLE_OVERLAP: f64 = 0.5;
/// Texts of fewer words, about two sentences, say too little to be called copies.
const COPY_WORDS: usize = 25;

/// A source to be read, with the text that a search gave of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) source: Source,
    /// The longest that was told.
    pub(crate) text: Option<String>,
    /// Where a copy lies that can be read freely, as the most trusted says.
    pub(crate) open_copy: Option<String>,
    /// The keys of its hits, by which they may have been read already.
    pub(crate) keys: BTreeSet<String>,
}

/// The new sources and those found again. In all there are at most so many, the known ones counted.
pub(crate) fn merge(
    known: &[Arc<Source>],
    hits: Vec<(QueryId, Hit)>,
    most: usize,
    today: Date,
) -> Vec<Candidate> {
    let mut groups = certain(known, in_order(hits));
    join_copies(&mut groups);
    let mut again = Vec::new();
    let mut fresh = Vec::new();
    for group in groups {
        let is_known = group.known.is_some();
        let Some(mut candidate) = group.candidate() else {
            continue;
        };
        candidate.source.quality = quality(&candidate.source, today);
        if is_known {
            again.push(candidate);
        } else {
            fresh.push(candidate);
        }
    }
    fresh.sort_by(|a, b| {
        let (a, b) = (&a.source, &b.source);
        let best = worth(b).total_cmp(&worth(a));
        best.then_with(|| (&a.location, &a.key).cmp(&(&b.location, &b.key)))
    });
    fresh.truncate(most.saturating_sub(known.len()));
    for (candidate, id) in fresh.iter_mut().zip(known.len() + 1..) {
        candidate.source.id = SourceId(u32::try_from(id).unwrap_or(u32::MAX));
    }
    again.extend(fresh);
    again
}

/// Whose word on a work counts first: registers of works, then news and code, then web search.
fn trust(kind: SourceKind) -> u8 {
    match kind {
        SourceKind::Academic => 0,
        SourceKind::News => 1,
        SourceKind::Code => 2,
        SourceKind::Web => 3,
        SourceKind::Local => 4,
    }
}

/// By trust, then by relevance, then by all the rest.
fn in_order(hits: Vec<(QueryId, Hit)>) -> Vec<(QueryId, Hit)> {
    let mut keyed: Vec<_> = hits
        .into_iter()
        .map(|(query, hit)| {
            // A hit holds plain data only, which can always be written.
            let rest = serde_json::to_string(&hit).unwrap_or_default();
            ((trust(hit.kind), rest, query), hit)
        })
        .collect();
    keyed.sort_by(|((trust, rest, query), hit), (other, other_hit)| {
        let better = other_hit.relevance.total_cmp(&hit.relevance);
        let first = trust.cmp(&other.0).then(better);
        first.then_with(|| (rest, query).cmp(&(&other.1, &other.2)))
    });
    keyed
        .into_iter()
        .map(|((_, _, query), hit)| (query, hit))
        .collect()
}

/// Hits that are one source, and the known source that they are.
#[derive(Default)]
struct HitGroup {
    known: Option<Arc<Source>>,
    key: String,
    doi: Option<Doi>,
    hits: Vec<(QueryId, Hit)>,
}

/// Groups by DOI; what has none is grouped by address, and goes to the one DOI that is known for its address. Known
/// sources come first, then works with a DOI, then all others.
fn certain(known: &[Arc<Source>], hits: Vec<(QueryId, Hit)>) -> Vec<HitGroup> {
    let mut dois: BTreeMap<String, BTreeSet<Doi>> = BTreeMap::new();
    let known_places = known
        .iter()
        .map(|source| (source.kind, &source.location, &source.about));
    let hit_places = hits
        .iter()
        .map(|(_, hit)| (hit.kind, &hit.location, &hit.about));
    for (kind, location, about) in known_places.chain(hit_places) {
        let at_address = dois.entry(address::normal(kind, location)).or_default();
        at_address.extend(doi(kind, location, about));
    }
    let identity = |kind, location: &str, about: &Work| {
        let address = address::normal(kind, location);
        let only = dois.get(&address).filter(|dois| dois.len() == 1);
        let doi = doi(kind, location, about).or_else(|| only?.first().cloned());
        (doi.is_none(), source_key(doi.as_ref(), address), doi)
    };
    let mut groups = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for source in known {
        let (_, key, doi) = identity(source.kind, &source.location, &source.about);
        // The first of two that turned out to be one since takes the hits of both.
        numbers.entry(key).or_insert(groups.len());
        numbers.entry(source.key.clone()).or_insert(groups.len());
        groups.push(HitGroup {
            known: Some(Arc::clone(source)),
            key: source.key.clone(),
            doi,
            hits: Vec::new(),
        });
    }
    let mut fresh: BTreeMap<(bool, String), HitGroup> = BTreeMap::new();
    for (query, hit) in hits {
        let (nameless, key, doi) = identity(hit.kind, &hit.location, &hit.about);
        let group = match numbers.get(&key).and_then(|at| groups.get_mut(*at)) {
            Some(group) => group,
            None => fresh.entry((nameless, key.clone())).or_default(),
        };
        if group.known.is_none() {
            (group.key, group.doi) = (key, doi);
        }
        group.hits.push((query, hit));
    }
    groups.extend(fresh.into_values());
    groups
}

/// The DOI that is told, or that stands in the address. A person's own documents are what they are called.
fn doi(kind: SourceKind, location: &str, about: &Work) -> Option<Doi> {
    let told = about.doi.as_deref().and_then(Doi::told);
    match kind {
        SourceKind::Local => None,
        SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code => {
            told.or_else(|| Doi::from_url(location))
        }
    }
}

/// What makes two hits one source.
fn source_key(doi: Option<&Doi>, address: String) -> String {
    doi.map_or(address, |doi| format!("doi:{doi}"))
}

/// The key of one hit, by what it says of itself.
pub(super) fn hit_key(kind: SourceKind, location: &str, about: &Work) -> String {
    source_key(
        doi(kind, location, about).as_ref(),
        address::normal(kind, location),
    )
}

/// Joins groups of nearly the same text to the first that they copy, unless two DOIs or two known sources would come
/// together. A copy of a copy is not joined, or a row of small changes would make one source of all.
fn join_copies(groups: &mut [HitGroup]) {
    let mut texts = NearDuplicates::new(COPY_OVERLAP);
    // The place and the title of each text that was looked at.
    let mut looked_at: Vec<(usize, String)> = Vec::new();
    for at in 0..groups.len() {
        let (earlier, rest) = groups.split_at_mut(at);
        let Some(group) = rest.first_mut() else { break };
        let (title, body) = group.longest();
        if body.split_whitespace().count() < COPY_WORDS {
            continue;
        }
        let title = title.to_owned();
        let mut copied = texts.insert(&body).into_iter();
        let original = copied.find_map(|nth| {
            let (number, titled) = looked_at.get(nth)?;
            let first = earlier.get(*number)?;
            (first.may_hold(group) && is_title_alike(titled, &title)).then_some(*number)
        });
        looked_at.push((at, title));
        if let Some(first) = original.and_then(|number| earlier.get_mut(number)) {
            first.doi = first.doi.take().or(group.doi.take());
            first.hits.append(&mut group.hits);
        }
    }
}

/// Whether two titles are of one text: the same numbers, since reports of two years differ in one, and half of the words.
fn is_title_alike(one: &str, other: &str) -> bool {
    let words = |title: &str| -> BTreeSet<String> {
        let words = title.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (one, other) = (words(one), words(other));
    let has_digit = |word: &&String| word.bytes().any(|byte| byte.is_ascii_digit());
    let numbers = one.iter().filter(has_digit);
    let shared = one.intersection(&other).count() as f64;
    numbers.eq(other.iter().filter(has_digit))
        && shared >= TITLE_OVERLAP * one.union(&other).count() as f64
}

impl HitGroup {
    /// The longest text of the group with its title before it, and that title. A person's own documents give none: which
    /// of them are copies is judged when they are read.
    fn longest(&self) -> (&str, String) {
        let known = self.known.as_deref();
        let known = known.map(|source| (source.kind, &source.about, source.snippet.as_str()));
        let hits = self.hits.iter().map(|(_, hit)| {
            let text = hit.text.as_deref().unwrap_or(&hit.snippet);
            (hit.kind, &hit.about, text)
        });
        let texts = known
            .into_iter()
            .chain(hits)
            .filter(|(kind, ..)| *kind != SourceKind::Local)
            .map(|(_, about, text)| (text.len(), about.title.as_str(), text));
        let longest = texts.max().map(|(_, title, text)| (title, text));
        longest.map_or(("", String::new()), |(title, text)| {
            (title, format!("{title} {text}"))
        })
    }

    /// Whether a later group may be joined to this one. One that was joined itself holds no hits any more.
    fn may_hold(&self, later: &Self) -> bool {
        let stands = self.known.is_some() || !self.hits.is_empty();
        stands && later.known.is_none() && (self.doi.is_none() || later.doi.is_none())
    }

    /// The source that the hits tell of, in the order of trust. Of each fact the first that was told is kept, with these
    /// exceptions: texts are the longest, citations the highest count, and a work is retracted if anybody says so.
    /// Nothing where there is no hit.
    fn candidate(self) -> Option<Candidate> {
        let mut hits = self.hits;
        hits.sort_by_key(|(_, hit)| trust(hit.kind));
        let (_, first) = hits.first()?;
        let is_new = self.known.is_none();
        let mut source = match self.known {
            Some(known) => Source::clone(&known),
            None => unread(self.key, first),
        };
        let dates: Vec<String> = hits
            .iter()
            .filter_map(|(_, hit)| hit.about.published.clone())
            .collect();
        let mut keys = BTreeSet::from([source.key.clone()]);
        let mut text: Option<String> = None;
        let mut open_copy = None;
        for (query, hit) in hits {
            open_copy = open_copy.or(hit.open_copy);
            source.about.take_in(hit.about);
            source.relevance = source.relevance.max(hit.relevance.clamp(0.0, 1.0));
            source.passages.extend(
                hit.passages
                    .into_iter()
                    .map(|HitPassage { rank, passage }| FoundPassage {
                        query,
                        rank,
                        passage,
                    }),
            );
            if let Err(at) = source.found_by.binary_search(&query) {
                source.found_by.insert(at, query);
            }
            if is_new && hit.snippet.chars().count() > source.snippet.chars().count() {
                source.snippet = hit.snippet;
            }
            let length = |text: &Option<String>| text.as_ref().map(|text| text.chars().count());
            if length(&hit.text) > length(&text) {
                text = hit.text;
            }
            keys.insert(hit.key);
        }
        if is_new {
            source.about.doi = self.doi.map(|doi| doi.as_str().to_owned());
            source.about.published = most_exact(dates);
        }
        Some(Candidate {
            source,
            text,
            open_copy,
            keys,
        })
    }
}

/// A new source at the place of its first hit.
fn unread(key: String, first: &Hit) -> Source {
    Source {
        id: SourceId(0),
        kind: first.kind,
        location: address::clean(first.kind, &first.location),
        key,
        about: Work::default(),
        found_by: Vec::new(),
        relevance: 0.0,
        passages: Vec::new(),
        quality: 0.0,
        snapshot: None,
        snippet: String::new(),
        unread: None,
    }
}

/// The most exact date of the year that is told first: a search engine may give the day on which it came by.
fn most_exact(dates: Vec<String>) -> Option<String> {
    let year = dates.first()?.get(..4)?.to_owned();
    let agreeing = dates.into_iter().filter(|date| date.starts_with(&year));
    // Of equals the first. A date is written from the year on, so the longer one says more.
    agreeing.rev().max_by_key(String::len)
}

fn worth(source: &Source) -> f64 {
    let again = source.found_by.len().saturating_sub(1) as f64;
    source.relevance * (1.0 + FOUND_AGAIN * again) + 0.1 * source.quality
}

/// What speaks for a source whatever is asked, from 0 to 1: a snippet of more than 100 characters 0.3, a text 0.2, a
/// thousandth for each citation up to 0.3, published within three years 0.2.
pub(crate) fn quality(source: &Source, today: Date) -> f64 {
    let published = source.about.published.as_deref();
    let published = published.and_then(|date| date.parse::<PublicationDate>().ok());
    let since = today.saturating_sub(3.years());
    let part = |holds: bool, share: f64| if holds { share } else { 0.0 };
    part(source.snippet.chars().count() > 100, 0.3)
        + part(source.snapshot.is_some(), 0.2)
        + (source.about.citations.unwrap_or(0) as f64 / 1_000.0).min(0.3)
        + part(published.is_some_and(|date| date.last_day() >= since), 0.2)
}

#[cfg(test)]
mod tests;
