//! Searches and pages of the outside world, as a run sees them.

use fathom_evidence::bm25::{self, Bm25};
use fathom_providers::FailureCategory;
use fathom_providers::call::{CallKind, ChainAnswer};
use fathom_providers::pages::{DeadLink, ReadPage};
use fathom_providers::search::{self, SearchAnswer};
use fathom_workflow::EffectCall;

use super::SearchTask;
use super::merge::hit_key;
use super::query::{Hit, SearchRecord};
use crate::calls::{RecordedFailure, retries, terms};
use crate::plan::{Query, SourceKind};
use crate::reasoner::Ctx;
use crate::services::WebServices;
use crate::source::Work;

pub(crate) async fn search(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    web: &WebServices,
    query: &Query,
    call: &EffectCall,
) -> Result<SearchRecord, RecordedFailure> {
    let asked = asked(task, query);
    let asked = asked.map_err(|fault| RecordedFailure::once(FailureCategory::Validation, fault))?;
    let sink = retries(call);
    let terms = terms(ctx, &*web.clock, CallKind::Search, &sink);
    let served = if task.settings.fresh {
        web.search.search_anew(&asked, &terms).await
    } else {
        web.search.search(&asked, &terms).await
    };
    let served = served.map_err(|exhausted| RecordedFailure::from(&exhausted))?;
    Ok(SearchRecord {
        provider: provider(&served),
        hits: hits(query, served.value),
        lost: None,
    })
}

/// Who answered, as the run's log tells it. The report itself does not say, so that a kept answer changes nothing in it.
fn provider(served: &ChainAnswer<SearchAnswer>) -> String {
    if served.value.from_cache {
        format!("{} (cached)", served.by)
    } else {
        served.by.to_string()
    }
}

/// The kinds for which a provider is configured.
pub(crate) fn kinds(web: &WebServices) -> Vec<SourceKind> {
    [
        SourceKind::Web,
        SourceKind::Academic,
        SourceKind::News,
        SourceKind::Code,
    ]
    .into_iter()
    .filter(|kind| search_kind(*kind).is_some_and(|kind| web.search.ready(kind).next().is_some()))
    .collect()
}

fn asked(task: &SearchTask<'_>, query: &Query) -> Result<search::SearchQuery, search::QueryError> {
    let kind = search_kind(query.kind).unwrap_or(search::SearchKind::Web);
    let asked = search::SearchQuery::parse(kind, &query.text, task.question.asked_on)?;
    let asked = asked.with_max_results(task.settings.max_results_per_query)?;
    match task.settings.filters {
        Some(filters) => filters.put(asked),
        None => Ok(asked),
    }
}

fn search_kind(kind: SourceKind) -> Option<search::SearchKind> {
    match kind {
        SourceKind::Web => Some(search::SearchKind::Web),
        SourceKind::Academic => Some(search::SearchKind::Academic),
        SourceKind::News => Some(search::SearchKind::News),
        SourceKind::Code => Some(search::SearchKind::Code),
        SourceKind::Local => None,
    }
}

/// Hits with how well their own words fit the query, the best 1.
fn hits(query: &Query, found: SearchAnswer) -> Vec<Hit> {
    let words = |hit: &search::SearchHit| {
        let text = hit.abstract_text.as_deref().unwrap_or(&hit.snippet);
        format!("{}. {text}", hit.title)
    };
    let texts: Vec<String> = found.hits.iter().map(words).collect();
    let index = Bm25::build(
        &texts,
        fathom_evidence::Language::ENGLISH,
        &bm25::Bm25Settings::default(),
    );
    let scores = index.scores(&query.text);
    let best = scores.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    found
        .hits
        .into_iter()
        .zip(scores)
        .map(|(hit, score)| of_provider(query.kind, hit, f64::from(score / best)))
        .collect()
}

fn of_provider(kind: SourceKind, hit: search::SearchHit, relevance: f64) -> Hit {
    let about = Work {
        title: hit.title,
        authors: hit.authors,
        published: hit.published.map(|published| published.to_string()),
        venue: hit.venue,
        doi: hit.doi.map(|doi| doi.as_str().to_owned()),
        citations: hit.citations,
        retracted: hit.retracted,
    };
    Hit {
        kind,
        key: hit_key(kind, &hit.url, &about),
        location: hit.url,
        about,
        snippet: hit.snippet,
        text: hit.full_text.or(hit.abstract_text),
        open_copy: hit.pdf_url,
        relevance,
        passages: Vec::new(),
    }
}

/// Reads a page; says in a sentence why not.
pub(crate) async fn page(
    ctx: &Ctx,
    web: &WebServices,
    url: &str,
    call: &EffectCall,
) -> Result<ReadPage, RecordedFailure> {
    let sink = retries(call);
    let terms = terms(ctx, &*web.clock, CallKind::Page, &sink);
    let read = web.pages.read(url, &terms).await;
    read.map_err(|failure| {
        let message = match DeadLink::from_failure(&failure) {
            Some(dead) => dead.to_string(),
            None => failure.to_string(),
        };
        RecordedFailure {
            category: failure.category,
            severity: failure.severity,
            attempts: failure.attempts,
            message,
            // One page is not worth a wait of the whole run.
            wake_at: None,
        }
    })
}
