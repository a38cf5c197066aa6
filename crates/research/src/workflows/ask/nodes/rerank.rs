//! Puts what all searches found in one order: by their ranks, and by meaning where there is an encoder.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use fathom_evidence::fusion::{Ranking, fuse};
use fathom_evidence::passage::PassageId;
use fathom_workflow::NodeResult;

use super::StageTimer;
use crate::library::LocalPassage;
use crate::reasoner::Ctx;
use crate::skills::{definitions, rank};
use crate::workflows::ask::state::{AskChange, AskState, Retrieval};

/// Passages that are kept in order; the answer is chosen from their sentences.
const RANKED_MOST: usize = 20;

/// What all queries in other words count together beside the question itself. Counted one by one, four of them
/// outvote it.
const OTHER_WORDS_WEIGHT: f32 = 0.25;

/// Two passages that begin with the same letters and digits, so many of them, say the same.
const COPY_CHARS: usize = 120;

pub(crate) async fn rerank(state: &AskState, ctx: &Ctx) -> NodeResult<AskState> {
    let mut timer = StageTimer::start();
    let candidates = fused(&state.retrievals);
    let most = state.settings.max_encoded_passages;
    let question = state.text();
    let candidates_by_words = &candidates;
    let order = ctx.effect("order", |call| async move {
        let mut by_meaning = candidates_by_words.clone();
        rank::by_meaning(ctx, &call, most, question, &mut by_meaning).await?;
        Ok::<_, crate::RecordedFailure>(places(candidates_by_words, &by_meaning))
    });
    let ordered: Vec<LocalPassage> = match order.await? {
        Ok(order) => {
            let at = |place: &usize| candidates.get(*place).cloned();
            order.iter().filter_map(at).collect()
        }
        Err(failure) => {
            timer.caveat(failure.message);
            candidates
        }
    };
    let ranked = without_copies(definitions::definitions_first(question, ordered));
    timer
        .finish(ctx, AskChange::Reranked(Arc::new(ranked)))
        .await
}

type PassageAddress = (String, PassageId);

fn place(passage: &LocalPassage) -> PassageAddress {
    (passage.name.clone(), passage.passage.clone())
}

/// All passages once, best first. One search keeps its own order and scores; of several the ranks are joined, and the
/// scores follow them.
fn fused(retrievals: &[Arc<Retrieval>]) -> Vec<LocalPassage> {
    let lists: Vec<&Vec<LocalPassage>> = retrievals.iter().flat_map(|one| &one.found).collect();
    if let [only] = lists.as_slice() {
        return (*only).clone();
    }
    let mut known: HashMap<PassageAddress, &LocalPassage> = HashMap::new();
    let mut rankings = Vec::new();
    let other_weight = OTHER_WORDS_WEIGHT / (lists.len().max(2) - 1) as f32;
    for (nth, list) in lists.iter().enumerate() {
        for passage in *list {
            known.entry(place(passage)).or_insert(passage);
        }
        rankings.push(Ranking {
            locator: nth.to_string(),
            weight: if nth == 0 { 1.0 } else { other_weight },
            found: list.iter().map(|one| (place(one), one.score, ())).collect(),
        });
    }
    let fused = fuse(rankings).into_iter();
    let passages = fused.filter_map(|one| {
        Some(LocalPassage {
            score: one.score,
            ..(*known.get(&one.item)?).clone()
        })
    });
    passages.collect()
}

/// Where each of the ordered passages stands among the others.
fn places(all: &[LocalPassage], ordered: &[LocalPassage]) -> Vec<usize> {
    let at: HashMap<PassageAddress, usize> = all.iter().map(place).zip(0..).collect();
    let places = ordered.iter().filter_map(|one| at.get(&place(one)));
    places.copied().collect()
}

/// The first passages, each text once.
fn without_copies(ordered: Vec<LocalPassage>) -> Vec<LocalPassage> {
    let mut seen = BTreeSet::new();
    let beginning = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters
            .flat_map(char::to_lowercase)
            .take(COPY_CHARS)
            .collect()
    };
    let fresh = ordered
        .into_iter()
        .filter(|one| seen.insert(beginning(&one.text)));
    fresh.take(RANKED_MOST).collect()
}
