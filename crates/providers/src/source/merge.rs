//! From findings to sources: first what is certainly one, then what is one to all appearances.

use std::collections::{BTreeMap, BTreeSet};

use super::alike::{self, Text};
use super::{Finding, Key, Sighting, Source, address};
use crate::Doi;
use crate::PublicationDate;
use crate::search::{SearchEngine, SearchHit, SearchKind};

/// More are not merged in one go: the first in the order of sources are.
pub const FINDINGS_MAX: usize = 20_000;

/// Whose word on a work counts first.
const TRUST: [SearchEngine; 13] = [
    SearchEngine::Crossref,
    SearchEngine::Pubmed,
    SearchEngine::Openalex,
    SearchEngine::SemanticScholar,
    SearchEngine::Arxiv,
    SearchEngine::Newsapi,
    SearchEngine::Gdelt,
    SearchEngine::Wikipedia,
    SearchEngine::Github,
    SearchEngine::Tavily,
    SearchEngine::Brave,
    SearchEngine::Serper,
    SearchEngine::Searxng,
];

/// The sources behind the findings, by key. The order of the findings does not matter, nor does it if one comes twice.
pub fn merge(findings: &[Finding]) -> Vec<Source> {
    let findings = in_order(findings);
    let groups: Vec<Group> = certain(&findings).into_iter().collect();
    let mut sources: Vec<Source> = apparent(groups, &findings)
        .into_iter()
        .map(|(key, mut places)| {
            places.sort_unstable();
            let of_group = places.iter().filter_map(|place| findings.get(*place));
            source(key, of_group.copied().collect())
        })
        .collect();
    sources.sort_by(|one, other| one.key.cmp(&other.key));
    sources
}

/// Findings that are one source, by their places in the order.
type Group = (Key, Vec<usize>);

/// By trust, then by rank, then by all the rest; each once.
fn in_order(findings: &[Finding]) -> Vec<&Finding> {
    let mut keyed: Vec<(Order, &Finding)> = findings
        .iter()
        .map(|finding| (order(finding), finding))
        .collect();
    keyed.sort_by(|one, other| one.0.cmp(&other.0));
    keyed.dedup_by(|one, other| one.0 == other.0);
    keyed.truncate(FINDINGS_MAX);
    keyed.into_iter().map(|(_, finding)| finding).collect()
}

type Order = (usize, u32, String);

fn order(finding: &Finding) -> Order {
    // A finding holds plain data only, which can always be written.
    let rest = serde_json::to_string(finding).unwrap_or_default();
    (trust(&finding.hit), finding.hit.rank, rest)
}

fn trust(hit: &SearchHit) -> usize {
    let engine = hit.provider.as_str().parse::<SearchEngine>().ok();
    let place = TRUST.iter().position(|known| Some(*known) == engine);
    place.unwrap_or(TRUST.len())
}

/// Groups by DOI; what has none is grouped by address, and goes to the one DOI that is known for its address.
fn certain(findings: &[&Finding]) -> BTreeMap<Key, Vec<usize>> {
    let named: Vec<(Option<Doi>, String)> = findings
        .iter()
        .map(|finding| (doi(&finding.hit), address::normalised(&finding.hit.url)))
        .collect();
    let mut known: BTreeMap<&str, BTreeSet<&Doi>> = BTreeMap::new();
    for (doi, address) in &named {
        known.entry(address).or_default().extend(doi);
    }
    let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (place, (doi, address)) in named.iter().enumerate() {
        let dois = known.get(address.as_str());
        let only = dois
            .filter(|dois| dois.len() == 1)
            .and_then(BTreeSet::first);
        let key = match doi.as_ref().or(only.copied()) {
            Some(doi) => Key::Doi(doi.clone()),
            None => Key::Address(address.clone()),
        };
        groups.entry(key).or_default().push(place);
    }
    groups
}

fn doi(hit: &SearchHit) -> Option<Doi> {
    hit.doi.clone().or_else(|| Doi::from_url(&hit.url))
}

/// Joins groups of nearly the same text, the most alike first, unless two DOIs would come together.
fn apparent(groups: Vec<Group>, findings: &[&Finding]) -> Vec<Group> {
    let bodies: Vec<(&str, String)> = groups
        .iter()
        .map(|(_, places)| text(places.iter().filter_map(|place| findings.get(*place))))
        .collect();
    let texts: Vec<Text<'_>> = bodies
        .iter()
        .map(|(title, body)| Text { title, body })
        .collect();
    let pairs = alike::pairs(&texts);
    let known: BTreeSet<(usize, usize)> = pairs.iter().map(|pair| (pair.one, pair.other)).collect();
    let mut joined = Joined::new(&groups);
    for pair in pairs {
        // Those that stand for the groups must be alike too, or a row of small changes would make one of all.
        let (first, second) = joined.roots_of(pair.one, pair.other);
        if known.contains(&(first, second)) {
            joined.join(first, second);
        }
    }
    let mut together: BTreeMap<usize, Group> = BTreeMap::new();
    for (nth, (key, places)) in groups.into_iter().enumerate() {
        // The groups come by key, so the first of those joined has the smallest: a DOI, if there is one.
        let empty = || (key, Vec::new());
        let group = together.entry(joined.root(nth)).or_insert_with(empty);
        group.1.extend(places);
    }
    together.into_values().collect()
}

/// The longest text of a group, and the title that goes with it.
fn text<'a>(findings: impl Iterator<Item = &'a &'a Finding>) -> (&'a str, String) {
    let body = |hit: &SearchHit| {
        let told = [hit.full_text.as_deref(), hit.abstract_text.as_deref()];
        let told = told.into_iter().flatten().next().unwrap_or(&hit.snippet);
        format!("{} {told}", hit.title)
    };
    let texts = findings.map(|finding| (finding.hit.title.as_str(), body(&finding.hit)));
    texts
        .max_by(|one, other| {
            let length = one.1.len().cmp(&other.1.len());
            length.then_with(|| one.cmp(other))
        })
        .unwrap_or_default()
}

/// Which groups were joined. The smallest place stands for all of them.
struct Joined {
    roots: Vec<usize>,
    dois: Vec<Option<Doi>>,
}

impl Joined {
    fn new(groups: &[Group]) -> Self {
        let doi = |(key, _): &Group| match key {
            Key::Doi(doi) => Some(doi.clone()),
            Key::Address(_) => None,
        };
        Self {
            roots: (0..groups.len()).collect(),
            dois: groups.iter().map(doi).collect(),
        }
    }

    fn root(&self, mut at: usize) -> usize {
        // Bounded, since a root is never after what it stands for.
        while let Some(&root) = self.roots.get(at).filter(|root| **root != at) {
            at = root;
        }
        at
    }

    /// Who stands for the two, the smaller first.
    fn roots_of(&self, one: usize, other: usize) -> (usize, usize) {
        let (one, other) = (self.root(one), self.root(other));
        (one.min(other), one.max(other))
    }

    /// Joins two that stand for their groups, unless both have a DOI.
    fn join(&mut self, first: usize, second: usize) {
        if self.dois[first].is_some() && self.dois[second].is_some() {
            return;
        }
        self.roots[second] = first;
        let doi = self.dois[second].take();
        self.dois[first] = self.dois[first].take().or(doi);
    }
}

/// What the findings, in their order, say of their source.
fn source(key: Key, findings: Vec<&Finding>) -> Source {
    let hits: Vec<&SearchHit> = findings.iter().map(|finding| &finding.hit).collect();
    let first =
        |told: fn(&SearchHit) -> Option<&String>| hits.iter().find_map(|hit| told(hit)).cloned();
    let longest = |told: fn(&SearchHit) -> Option<&String>| {
        let texts = hits.iter().filter_map(|hit| told(hit));
        // Of equals the first.
        texts.rev().max_by_key(|text| text.chars().count()).cloned()
    };
    let mut sightings: Vec<Sighting> = findings.iter().map(|finding| sighting(finding)).collect();
    sightings.sort();
    sightings.dedup();
    Source {
        doi: match &key {
            Key::Doi(doi) => Some(doi.clone()),
            Key::Address(_) => None,
        },
        key,
        url: first(|hit| Some(&hit.url))
            .map(|url| address::clean(&url))
            .unwrap_or_default(),
        title: first(|hit| Some(&hit.title)).unwrap_or_default(),
        snippet: longest(|hit| Some(&hit.snippet)).unwrap_or_default(),
        kind: hits.first().map_or(SearchKind::Web, |hit| hit.kind),
        authors: authors(&hits),
        published: published(&hits),
        venue: first(|hit| hit.venue.as_ref()),
        citations: hits.iter().filter_map(|hit| hit.citations).max(),
        abstract_text: longest(|hit| hit.abstract_text.as_ref()),
        full_text: longest(|hit| hit.full_text.as_ref()),
        pdf_url: first(|hit| hit.pdf_url.as_ref()),
        language: first(|hit| hit.language.as_ref()),
        retracted: hits.iter().any(|hit| hit.retracted),
        sightings,
        relevance: None,
    }
}

fn authors(hits: &[&SearchHit]) -> Vec<String> {
    let lists = hits.iter().map(|hit| &hit.authors);
    let told = lists.into_iter().find(|list| !list.is_empty());
    told.cloned().unwrap_or_default()
}

/// The most precise date of the year that is told first: a search engine may give the day on which it came by.
fn published(hits: &[&SearchHit]) -> Option<PublicationDate> {
    let told = || hits.iter().filter_map(|hit| hit.published);
    let year = told().next()?.year();
    // Of equals the first.
    let agreeing = told().rev().filter(|date| date.year() == year);
    agreeing.max_by_key(|date| date.precision())
}

fn sighting(finding: &Finding) -> Sighting {
    Sighting {
        query: finding.query.clone(),
        provider: finding.hit.provider.clone(),
        rank: finding.hit.rank,
        url: finding.hit.url.clone(),
    }
}
