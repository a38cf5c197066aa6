//! From what a provider says of a result to a [`SearchHit`]: cleaned, bounded, ranked; or left out and counted.

use std::borrow::Cow;

use url::Url;

use serde_json::Value;

use super::hit::{
    ABSTRACT_CHARS_MAX, AUTHORS_MAX, NAME_CHARS_MAX, SNIPPET_CHARS_MAX, SearchHit, TEXT_CHARS_MAX,
    TITLE_CHARS_MAX, URL_CHARS_MAX,
};
use super::{DroppedHits, SearchAnswer, SearchEngine, SearchKind, SearchQuery};
use crate::call::ProviderName;
use crate::plain::{bounded, plain};
use crate::{Doi, PublicationDate};

/// One result as the provider tells it; what its answer holds is not copied before it is cleaned.
#[derive(Default)]
pub(super) struct HitDraft<'a> {
    pub(super) url: Option<Cow<'a, str>>,
    pub(super) title: Option<Cow<'a, str>>,
    pub(super) snippet: Option<Cow<'a, str>>,
    pub(super) authors: Vec<Cow<'a, str>>,
    /// The date in the provider's words.
    pub(super) date: Option<Cow<'a, str>>,
    /// The date, where the provider tells it in numbers.
    pub(super) published: Option<PublicationDate>,
    pub(super) venue: Option<Cow<'a, str>>,
    pub(super) citations: Option<u64>,
    pub(super) doi: Option<Doi>,
    pub(super) abstract_text: Option<Cow<'a, str>>,
    pub(super) full_text: Option<Cow<'a, str>>,
    pub(super) pdf_url: Option<Cow<'a, str>>,
    pub(super) score: Option<&'a Value>,
    pub(super) language: Option<Cow<'a, str>>,
    pub(super) retracted: bool,
    /// The texts are code, in which `<b>` is no markup.
    pub(super) is_code: bool,
}

pub(super) struct HitCollector<'q> {
    query: &'q SearchQuery,
    engine: SearchEngine,
    provider: ProviderName,
    place: u32,
    hits: Vec<SearchHit>,
    dropped: DroppedHits,
}

impl<'q> HitCollector<'q> {
    pub(super) fn new(query: &'q SearchQuery, engine: SearchEngine) -> Self {
        Self {
            query,
            engine,
            provider: ProviderName::new(engine.as_str()),
            place: 0,
            hits: Vec::new(),
            dropped: DroppedHits::default(),
        }
    }

    /// Numbers of the answer that were none count as scores that could not be read.
    pub(super) fn bad_numbers(&mut self, count: u32) {
        self.dropped.scores += count;
    }

    /// Reads a date; one that cannot be read is counted.
    fn date(&mut self, told: Option<&str>) -> Option<PublicationDate> {
        let told = told.map(str::trim).filter(|told| !told.is_empty())?;
        let date = PublicationDate::parse(told, self.query.today());
        self.dropped.dates += u32::from(date.is_none());
        date
    }

    /// Reads a score; what is no number from zero up is counted.
    fn score(&mut self, told: Option<&Value>) -> Option<f64> {
        let number = match told? {
            Value::Null => return None,
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let score = number.filter(|number| number.is_finite() && *number >= 0.0);
        self.dropped.scores += u32::from(score.is_none());
        score
    }

    pub(super) fn add(&mut self, mut draft: HitDraft<'_>) {
        self.place = self.place.saturating_add(1);
        draft.published = self.date(draft.date.as_deref()).or(draft.published);
        let score = self.score(draft.score);
        let Some(url) = draft.url.as_deref().and_then(address) else {
            self.dropped.no_address += 1;
            return;
        };
        let clean = if draft.is_code { bounded } else { plain };
        let title = draft
            .title
            .as_deref()
            .map(|text| clean(text, TITLE_CHARS_MAX));
        let Some(title) = title.filter(|title| !title.is_empty()) else {
            self.dropped.no_title += 1;
            return;
        };
        if self.is_out_of_range(draft.published) {
            self.dropped.out_of_range += 1;
        } else if self.hits.iter().any(|hit| hit.url == url) {
            self.dropped.repeated += 1;
        } else if self.hits.len() >= self.query.max_results() {
            self.dropped.surplus += 1;
        } else {
            let hit = self.hit(url, title, score, draft);
            self.hits.push(hit);
        }
    }

    pub(super) fn finish(self) -> SearchAnswer {
        SearchAnswer {
            hits: self.hits,
            dropped: self.dropped,
            from_cache: false,
        }
    }

    fn hit(
        &self,
        url: String,
        title: String,
        score: Option<f64>,
        draft: HitDraft<'_>,
    ) -> SearchHit {
        let clean = if draft.is_code { bounded } else { plain };
        let some = |text: Option<Cow<'_, str>>, most: usize| {
            let text = text.map(|text| clean(&text, most));
            text.filter(|text| !text.is_empty())
        };
        let abstract_text = some(draft.abstract_text, ABSTRACT_CHARS_MAX);
        let abstract_text = abstract_text.as_deref().map(without_heading);
        let snippet = draft.snippet.or_else(|| abstract_text.map(Cow::Borrowed));
        let authors = draft.authors.into_iter().take(AUTHORS_MAX);
        SearchHit {
            doi: draft.doi.or_else(|| Doi::from_url(&url)),
            url,
            title,
            snippet: some(snippet, SNIPPET_CHARS_MAX).unwrap_or_default(),
            kind: self.engine.kind(),
            provider: self.provider.clone(),
            rank: self.place,
            authors: authors
                .filter_map(|author| some(Some(author), NAME_CHARS_MAX))
                .collect(),
            published: draft.published,
            venue: some(draft.venue, NAME_CHARS_MAX),
            citations: draft.citations,
            abstract_text: abstract_text.map(str::to_owned),
            full_text: some(draft.full_text, TEXT_CHARS_MAX),
            pdf_url: draft.pdf_url.as_deref().and_then(address),
            score,
            language: some(draft.language, NAME_CHARS_MAX),
            retracted: draft.retracted,
        }
    }

    /// Not every provider keeps to the years and days that it is asked for. An unknown date is no reason to drop.
    fn is_out_of_range(&self, published: Option<PublicationDate>) -> bool {
        let Some(published) = published else {
            return false;
        };
        let (from, to) = self.query.years();
        let year = published.year();
        let years = from.is_some_and(|from| year < from) || to.is_some_and(|to| year > to);
        match self.engine.kind() {
            SearchKind::Academic => years,
            SearchKind::News => self
                .query
                .since()
                .is_some_and(|since| published.last_day() < since),
            SearchKind::Web | SearchKind::Code | SearchKind::Encyclopaedia => false,
        }
    }
}

/// Registers often put the word before an abstract.
fn without_heading(text: &str) -> &str {
    let rest = text
        .strip_prefix("Abstract")
        .or_else(|| text.strip_prefix("ABSTRACT"));
    let rest = rest.map(|rest| rest.trim_start_matches([':', '.', ' ']));
    let begins = |rest: &&str| rest.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
    rest.filter(begins).unwrap_or(text)
}

/// The address in the one form that the URL parser gives it, if it is one that can be fetched.
fn address(raw: &str) -> Option<String> {
    let raw = raw.trim();
    let url = Url::parse(raw).ok()?;
    let fits = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.as_str().len() <= URL_CHARS_MAX;
    fits.then(|| url.into())
}
