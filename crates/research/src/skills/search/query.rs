//! Puts one query. What is done where it finds too little is in `refine`.

use std::sync::Arc;

use fathom_evidence::passage::PassageId;
use fathom_evidence::question;
use fathom_providers::FailureCategory;
use fathom_workflow::{EffectCall, NodeError};
use serde::{Deserialize, Serialize};

use super::{SearchOutcome, SearchTask, web};
use crate::calls::{self, RecordedFailure};
use crate::library::{Library, LocalPassage};
use crate::plan::{Query, QueryId, SourceKind};
use crate::reasoner::Ctx;
use crate::skills::read::{ReadDocument, WantedDocument};
use crate::skills::refine::{self, RefineLimits};
use crate::skills::{budget, definitions, rank};
use crate::source::Work;

const SNIPPET_CHARS: usize = 300;

/// What a search found, wherever it looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Hit {
    pub(crate) kind: SourceKind,
    pub(crate) location: String,
    /// The same for all places where this work is found.
    pub(crate) key: String,
    pub(crate) about: Work,
    pub(crate) snippet: String,
    /// The whole text, or an abstract, where the search gave it.
    pub(crate) text: Option<String>,
    /// Where a copy lies that can be read freely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) open_copy: Option<String>,
    /// 0 to 1.
    pub(crate) relevance: f64,
    /// The passages that fit the query, where the search looks into documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) passages: Vec<HitPassage>,
}

/// A passage that fits a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct HitPassage {
    /// Its rank over all documents, from 0.
    pub(crate) rank: u32,
    pub(crate) passage: PassageId,
}

impl Hit {
    /// Whether there is more to it than an address. News engines give the headline alone.
    fn says_something(&self) -> bool {
        self.kind == SourceKind::News || !self.snippet.trim().is_empty() || self.text.is_some()
    }

    /// How many results it counts for: a document of one's own for as many as it has passages that fit.
    fn useful_results(&self) -> usize {
        if self.says_something() {
            self.passages.len().max(1)
        } else {
            0
        }
    }

    /// The document that it leads to.
    pub(crate) fn located(&self) -> WantedDocument<'_> {
        WantedDocument {
            kind: self.kind,
            location: &self.location,
            open_copy: self.open_copy.as_deref(),
            text: self.text.as_deref(),
        }
    }
}

/// A query with what it brought.
pub(crate) struct Answered {
    pub(crate) query: Query,
    pub(crate) outcome: SearchOutcome,
    /// Why the search failed, where it did.
    pub(crate) failure: Option<RecordedFailure>,
    pub(crate) hits: Vec<Hit>,
    /// The same in other words.
    pub(crate) refined: Vec<Answered>,
    /// Results that were read on the way, by their keys.
    pub(crate) read: Vec<(String, Result<ReadDocument, RecordedFailure>)>,
    /// What went wrong in refining it.
    pub(crate) failures: Vec<RecordedFailure>,
    /// Why the encoder gave no opinion on the order, where it failed.
    pub(crate) encoder_lost: Option<String>,
}

impl Answered {
    pub(crate) fn is_poor(&self, task: &SearchTask<'_>) -> bool {
        match self.outcome {
            SearchOutcome::Found { useful, .. } => useful < task.settings.min_useful_results,
            SearchOutcome::Failed { .. } => false,
        }
    }
}

/// Puts a query, and refines it where it finds too little.
pub(crate) async fn put(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    id: QueryId,
    query: &Query,
    limits: RefineLimits,
) -> Result<Answered, NodeError> {
    let first = once(task, ctx, query, format!("search/{}", id.0)).await?;
    if first.is_poor(task) {
        refine::refine(task, ctx, id, first, limits).await
    } else {
        Ok(first)
    }
}

/// What is recorded of a search that was answered.
#[derive(Serialize, Deserialize)]
pub(crate) struct SearchRecord {
    pub(crate) provider: String,
    pub(crate) hits: Vec<Hit>,
    /// Why the encoder gave no opinion on the order, where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lost: Option<String>,
}

pub(crate) async fn once(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    query: &Query,
    key: String,
) -> Result<Answered, NodeError> {
    let search = |call: EffectCall| async move {
        call.spend(budget::QUERIES, 1);
        match (query.kind, ctx.deps().web(task.settings.scope)) {
            (SourceKind::Local, _) => local(task, ctx, query, &call).await,
            (
                SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code,
                Some(web),
            ) => web::search(task, ctx, web, query, &call).await,
            (
                SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code,
                None,
            ) => Err(RecordedFailure::not_set_up(
                "no search provider is configured",
            )),
        }
    };
    let recorded = calls::recorded(ctx, key, search).await?;
    let mut encoder_lost = None;
    let (outcome, failure, hits) = match recorded {
        Ok(SearchRecord {
            provider,
            hits,
            lost,
        }) => {
            encoder_lost = lost;
            let found = SearchOutcome::Found {
                provider,
                hits: hits.len(),
                useful: hits.iter().map(Hit::useful_results).sum(),
            };
            (found, None, hits)
        }
        Err(failure) => {
            let why = failure.message.clone();
            (SearchOutcome::Failed { why }, Some(failure), Vec::new())
        }
    };
    Ok(Answered {
        query: query.clone(),
        outcome,
        failure,
        hits,
        refined: Vec::new(),
        read: Vec::new(),
        failures: Vec::new(),
        encoder_lost,
    })
}

/// Searches the own documents, once more with the abbreviations that they have for what is asked. What fits by its words is put in order by meaning too, where there is an encoder.
async fn local(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    query: &Query,
    call: &EffectCall,
) -> Result<SearchRecord, RecordedFailure> {
    let library = ctx.deps().library(task.settings.scope);
    let library = library.ok_or_else(|| RecordedFailure::not_set_up("no library is configured"))?;
    let terms = query.terms.join(" ");
    let mut found = passages(&library, &query.text, &terms).await?;
    let names = question::other_names(&query.text, found.iter().map(|one| one.text.as_str()));
    if !names.is_empty() {
        let with_names = format!("{} {}", query.text, names.join(" "));
        found = passages(&library, &with_names, &terms).await?;
    }
    let most = task.settings.max_encoded_passages;
    let scored = rank::by_meaning(ctx, call, most, &query.text, &mut found).await;
    Ok(SearchRecord {
        provider: "library".to_owned(),
        hits: by_document(
            definitions::definitions_first(&query.text, found),
            task.max_sources,
        ),
        lost: scored.err().map(|failure| failure.message),
    })
}

async fn passages(
    library: &Arc<dyn Library>,
    question: &str,
    terms: &str,
) -> Result<Vec<LocalPassage>, RecordedFailure> {
    let found = definitions::search(library, question, terms).await;
    found.map_err(|fault| RecordedFailure::once(FailureCategory::Internal, fault))
}

/// One hit for each of the first documents, with its passages in their order.
fn by_document(found: Vec<LocalPassage>, most: usize) -> Vec<Hit> {
    let all = found.len().max(1) as f64;
    let mut hits: Vec<Hit> = Vec::new();
    for (rank, passage) in (0_u32..).zip(found) {
        let id = HitPassage {
            rank,
            passage: passage.passage,
        };
        if let Some(known) = hits.iter_mut().find(|hit| hit.key == passage.name) {
            known.passages.push(id);
        } else if hits.len() < most {
            hits.push(Hit {
                kind: SourceKind::Local,
                key: passage.name.clone(),
                location: passage.name,
                about: Work {
                    title: passage.title,
                    ..Work::default()
                },
                snippet: snippet(&passage.text),
                text: None,
                open_copy: None,
                relevance: 1.0 - f64::from(rank) / all,
                passages: vec![id],
            });
        }
    }
    hits
}

fn snippet(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SNIPPET_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_of_the_news_says_something_without_a_snippet() {
        let hit = |kind: SourceKind, snippet: &str| result(kind, snippet, 0);
        assert!(hit(SourceKind::News, "").says_something());
        assert!(hit(SourceKind::Web, "Trees cool.").says_something());
        assert!(!hit(SourceKind::Web, " ").says_something());
    }

    #[test]
    fn a_long_document_counts_for_each_passage_that_fits() {
        let useful =
            |snippet, passages| result(SourceKind::Local, snippet, passages).useful_results();
        assert_eq!(useful("Trees cool.", 7), 7);
        assert_eq!(useful("Trees cool.", 0), 1);
        assert_eq!(useful("", 0), 0);
    }

    fn result(kind: SourceKind, snippet: &str, passages: usize) -> Hit {
        let passage = |rank: u32| HitPassage {
            rank,
            passage: PassageId::from_saved("p"),
        };
        Hit {
            kind,
            location: "https://example.org/a".to_owned(),
            key: String::new(),
            about: Work::default(),
            snippet: snippet.to_owned(),
            text: None,
            open_copy: None,
            relevance: 0.5,
            passages: (0..).map(passage).take(passages).collect(),
        }
    }
}
