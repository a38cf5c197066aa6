//! Puts one query; where it finds too little, puts it again in other words.

use fathom_workflow::NodeError;
use serde::{Deserialize, Serialize};

use super::web;
use crate::budget;
use crate::plan::{Kind, Query, QueryId};
use crate::reasoner::{Ctx, ReformulateTask, judge};
use crate::source::Work;
use crate::state::{SearchOutcome, State};

/// What a search found, wherever it looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hit {
    pub(super) kind: Kind,
    pub(super) location: String,
    /// The same for all places where this work is found.
    pub(super) key: String,
    pub(super) about: Work,
    pub(super) snippet: String,
    /// The whole text, or an abstract, where the search gave it.
    pub(super) text: Option<String>,
    /// 0 to 1.
    pub(super) relevance: f64,
}

/// A query with what it brought.
pub(super) struct Answered {
    pub(super) query: Query,
    pub(super) outcome: SearchOutcome,
    pub(super) hits: Vec<Hit>,
    /// The same in other words.
    pub(super) again: Vec<Answered>,
}

impl Answered {
    fn is_poor(&self, state: &State) -> bool {
        match self.outcome {
            SearchOutcome::Found { useful, .. } => useful < state.settings.min_useful_results,
            SearchOutcome::Failed { .. } => false,
        }
    }
}

/// `rewordings` is how often the budget lets it be put in other words.
pub(super) async fn put(
    state: &State,
    ctx: &Ctx,
    id: QueryId,
    query: &Query,
    rewordings: usize,
) -> Result<Answered, NodeError> {
    let mut first = once(state, ctx, query, format!("search/{}", id.0)).await?;
    let mut tried: Vec<String> = state
        .queries
        .iter()
        .map(|asked| asked.query.text.clone())
        .collect();
    let kinds = ctx.deps().kinds();
    let mut poor = first.is_poor(state);
    let rewordings = u32::try_from(rewordings).unwrap_or(u32::MAX);
    for attempt in 1..=state.settings.max_reformulations.min(rewordings) {
        if !poor {
            break;
        }
        let task = ReformulateTask {
            settings: &state.settings,
            question: &state.question,
            query,
            attempt,
            tried: &tried,
            kinds: &kinds,
        };
        let reworded = judge(ctx, |reasoner| reasoner.reformulate(ctx, &task))
            .await?
            .value;
        let Some(reworded) = reworded.filter(|reworded| !tried.contains(&reworded.text)) else {
            break;
        };
        tried.push(reworded.text.clone());
        let key = format!("search/{}/again/{attempt}", id.0);
        let again = once(state, ctx, &reworded, key).await?;
        poor = again.is_poor(state);
        first.again.push(again);
    }
    Ok(first)
}

/// What is recorded of one search.
#[derive(Serialize, Deserialize)]
pub(super) struct Recorded {
    pub(super) provider: String,
    pub(super) result: Result<Vec<Hit>, String>,
}

impl Recorded {
    pub(super) fn failed(why: String) -> Self {
        Self {
            provider: String::new(),
            result: Err(why),
        }
    }
}

async fn once(state: &State, ctx: &Ctx, query: &Query, key: String) -> Result<Answered, NodeError> {
    let limit = state.settings.max_results_per_query;
    let recorded: Recorded = ctx
        .effect(key, |call| async move {
            call.spend(budget::QUERIES, 1);
            match (query.kind, &ctx.deps().net) {
                (Kind::Local, _) => local(ctx, query, limit).await,
                (Kind::Web | Kind::Academic | Kind::News | Kind::Code, Some(net)) => {
                    web::search(state, ctx, net, query, &call).await
                }
                (Kind::Web | Kind::Academic | Kind::News | Kind::Code, None) => {
                    Recorded::failed("no search provider is set up".to_owned())
                }
            }
        })
        .await?;
    let (outcome, hits) = match recorded.result {
        Ok(hits) => {
            let found = SearchOutcome::Found {
                provider: recorded.provider,
                hits: hits.len(),
                useful: hits
                    .iter()
                    .filter(|hit| !hit.snippet.trim().is_empty())
                    .count(),
            };
            (found, hits)
        }
        Err(why) => (SearchOutcome::Failed { why }, Vec::new()),
    };
    Ok(Answered {
        query: query.clone(),
        outcome,
        hits,
        again: Vec::new(),
    })
}

async fn local(ctx: &Ctx, query: &Query, limit: usize) -> Recorded {
    let result = match &ctx.deps().library {
        Some(library) => library
            .search(&query.text, limit)
            .await
            .map_err(|fault| fault.to_string()),
        None => Err("no library is set up".to_owned()),
    };
    let hits = result.map(|hits| {
        hits.into_iter()
            .map(|hit| Hit {
                kind: Kind::Local,
                key: hit.name.clone(),
                location: hit.name,
                about: Work {
                    title: hit.title,
                    ..Work::default()
                },
                snippet: hit.snippet,
                text: None,
                relevance: hit.relevance,
            })
            .collect()
    });
    Recorded {
        provider: "library".to_owned(),
        result: hits,
    }
}
