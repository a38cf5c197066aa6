//! Searches the documents: at first for the question, the second time in other words too.

use std::sync::Arc;

use fathom_providers::FailureCategory;
use fathom_workflow::{NodeError, NodeResult, fan_out};

use super::{StageTimer, analyse};
use crate::calls::{self, RecordedFailure};
use crate::library::{Library, LibraryFault, LibraryStock, LocalPassage, WordMention};
use crate::reasoner::Ctx;
use crate::skills::{budget, definitions, mentions};
use crate::workflows::ask::expand;
use crate::workflows::ask::state::{AskChange, AskState, Retrieval};

pub(crate) async fn retrieve(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let mut timer = StageTimer::start();
    let library = ctx.deps().library(state.settings.scope());
    let library = library.ok_or_else(|| NodeError::new("no library is configured"))?;
    let first = state.retrievals.first();
    let queries = match first {
        None => first_queries(state),
        Some(first) => {
            let found = first.found.first().map_or(&[][..], Vec::as_slice);
            let by_model = analyse::rephrase(state, ctx).await?;
            let by_model = by_model.map(|rephrased| rephrased.searches());
            let own = expand::expanded(state.text(), state.language(), &first.mentions, found);
            joined(by_model.unwrap_or_default(), own)
        }
    };
    let searched = fan_out(
        queries.iter().enumerate(),
        state.settings.max_concurrency,
        |(nth, query)| search(ctx, &library, format!("search/{nth}"), query),
    );
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for searched in searched.await {
        match searched? {
            Ok(passages) => found.push(passages),
            Err(failure) => {
                found.push(Vec::new());
                failures.push(failure.message);
            }
        }
    }
    if let (Some(failure), true) = (failures.first(), failures.len() == queries.len()) {
        // Nothing could be searched at all. What an earlier search found is still there.
        match first {
            None => return Err(NodeError::new(failure)),
            Some(_) => timer.caveat(failure.clone()),
        }
    }
    let (mentions, stock) = match first {
        Some(_) => (Vec::new(), None),
        None => (
            count_mentions(state, ctx, &library, &mut timer).await?,
            stock(ctx, &library).await?,
        ),
    };
    let retrieval = Retrieval {
        queries,
        found,
        mentions,
        stock,
    };
    timer
        .finish(ctx, AskChange::Retrieved(Arc::new(retrieval)))
        .await
}

/// The question, and the words that a model gave for it.
fn first_queries(state: &AskState) -> Vec<String> {
    let understood = state.understood.iter();
    let others = understood.flat_map(|understood| understood.searches.iter().cloned());
    joined(vec![state.text().to_owned()], others.collect())
}

/// Some queries and others after them, each once, and no more than a search may have.
fn joined(mut queries: Vec<String>, others: Vec<String>) -> Vec<String> {
    for other in others {
        if !queries.contains(&other) {
            queries.push(other);
        }
    }
    queries.truncate(expand::QUERIES_MOST);
    queries
}

async fn search(
    ctx: &Ctx,
    library: &Arc<dyn Library>,
    key: String,
    query: &str,
) -> Result<Result<Vec<LocalPassage>, RecordedFailure>, NodeError> {
    let found = calls::recorded(ctx, key, |call| async move {
        call.spend(budget::QUERIES, 1);
        let found = definitions::search(library, query, "").await;
        found.map_err(failed)
    });
    Ok(found.await?)
}

async fn count_mentions(
    state: &AskState,
    ctx: &Ctx,
    library: &Arc<dyn Library>,
    timer: &mut StageTimer,
) -> Result<Vec<WordMention>, NodeError> {
    let words = mentions::words_counted(state.text(), state.language());
    let counted = mentions::count(ctx, library, &words).await?;
    Ok(counted.unwrap_or_else(|failure| {
        timer.caveat(failure.message);
        Vec::new()
    }))
}

/// How much of the library could be read; nothing where it cannot tell.
async fn stock(ctx: &Ctx, library: &Arc<dyn Library>) -> Result<Option<LibraryStock>, NodeError> {
    let stock = ctx.effect("stock", |_| async { library.stock().await.ok() });
    Ok(stock.await?)
}

fn failed(fault: LibraryFault) -> RecordedFailure {
    RecordedFailure::once(FailureCategory::Internal, fault)
}
