//! Finds the passages that bear on each question: by rules over sections and phrases, by words, and by meaning where an
//! encoder is set up. In a retry only the failed questions are located again.

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_evidence::locate::{
    LocateQuestion, LocateSettings, PassageCandidate, PassageEntry, PassageIndex, rerank,
};
use fathom_evidence::validate::retry::RetrySettings;
use fathom_workflow::{NodeError, NodeResult};

use super::super::locator;
use super::super::state::{DocumentRole, LocatedPassage, State, Update};
use super::{OpenDocument, OpenDocuments};
use crate::reasoner::Ctx;
use crate::rob2::{Domain, SignallingQuestion, questions};
use crate::skills::rank::passage_scores;

/// So many of the best by words are ranked by meaning too.
const MEANING_POOL: usize = 20;

pub(crate) async fn locate(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let opened = Arc::new(OpenDocuments::open(state, ctx).await?);
    let index = build(Arc::clone(&opened), false).await?;
    let with_protocol = match &opened.protocol {
        Some(_) => Some(build(Arc::clone(&opened), true).await?),
        None => None,
    };
    let again = state.failed_questions();
    let all = Domain::ALL.into_iter();
    let all = all.flat_map(|domain| questions(domain, state.input.effect));
    let wanted = all.filter(|one| again.is_none_or(|ids| ids.iter().any(|id| id == one.id)));
    let (mut passages, mut notes) = (BTreeMap::new(), Vec::new());
    for question in wanted {
        let index = match (&with_protocol, question.domain) {
            (Some(both), Domain::D5) => both,
            _ => &index,
        };
        let text = query(question, state.input.outcome.as_deref());
        let settings = &state.retry.settings;
        let found = by_words(index, question, &text, settings);
        let (found, note) = by_meaning(ctx, index, &text, found, settings.top_k).await?;
        notes.extend(note);
        let located = found.iter().filter_map(|one| located(index, &opened, one));
        passages.insert(question.id.to_owned(), located.collect());
    }
    notes.dedup();
    Ok(Update::Located { passages, notes })
}

async fn build(
    opened: Arc<OpenDocuments>,
    with_protocol: bool,
) -> Result<Arc<PassageIndex>, NodeError> {
    let built = tokio::task::spawn_blocking(move || {
        let wanted = |one: &&OpenDocument| with_protocol || one.role == DocumentRole::Article;
        let entries = opened.all().filter(wanted).flat_map(|one| {
            PassageEntry::from_document(one.role.source(), &one.document, &one.article.passages)
        });
        let index = PassageIndex::new(entries.collect(), opened.article.document.language());
        Arc::new(match locator::rules() {
            Some(rules) => index.with_rules(rules),
            None => index,
        })
    });
    Ok(built.await?)
}

/// The question, with the outcome where it is about one.
fn query(question: &SignallingQuestion, outcome: Option<&str>) -> String {
    match (question.domain, outcome) {
        (Domain::D3 | Domain::D4 | Domain::D5, Some(outcome)) => {
            format!("{} {outcome}", question.text)
        }
        _ => question.text.to_owned(),
    }
}

fn by_words(
    index: &PassageIndex,
    question: &SignallingQuestion,
    text: &str,
    settings: &RetrySettings,
) -> Vec<PassageCandidate> {
    let asked = LocateQuestion {
        text,
        kind: Some(locator::kind(question.id)),
    };
    let settings = LocateSettings {
        per_query_top_n: settings.per_query_top_n,
        top_k: settings.top_k.max(MEANING_POOL),
        use_structure: settings.use_structure,
        cover: false,
    };
    index.locate(asked, &settings)
}

/// The best by words and meaning together; by words alone where there is no encoder, or it fails.
async fn by_meaning(
    ctx: &Ctx,
    index: &PassageIndex,
    text: &str,
    mut found: Vec<PassageCandidate>,
    top_k: usize,
) -> Result<(Vec<PassageCandidate>, Option<String>), NodeError> {
    let entry = |one: &PassageCandidate| index.entries().get(one.place);
    let texts = found
        .iter()
        .map(|one| entry(one).map_or("", |entry| &entry.text));
    let texts: Vec<&str> = texts.collect();
    let note = match passage_scores(ctx, MEANING_POOL, text, &texts).await? {
        Ok(Some(scored)) => {
            let words: Vec<f32> = found.iter().map(|one| one.score).collect();
            let order = rerank(&words, &scored.scores).into_iter();
            found = order.filter_map(|at| found.get(at).cloned()).collect();
            None
        }
        Ok(None) => None,
        Err(_) => {
            let told = "The encoder failed, so passages were found by words and rules alone.";
            Some(told.to_owned())
        }
    };
    found.truncate(top_k);
    Ok((found, note))
}

fn located(
    index: &PassageIndex,
    opened: &OpenDocuments,
    candidate: &PassageCandidate,
) -> Option<LocatedPassage> {
    let entry = index.entries().get(candidate.place)?;
    let named = |one: &&OpenDocument| one.role.source() == entry.key.source;
    let document = opened.all().find(named)?;
    let passage = document.article.passages.get(entry.passage)?;
    let support = candidate.support.iter();
    let phrases = support.clone().flat_map(|one| one.why.phrases.clone());
    let found_by = support.map(|one| format!("{} {}", one.locator, one.rank));
    Some(LocatedPassage {
        document: document.role,
        span: passage.span,
        found_by: found_by.collect(),
        phrases: phrases.collect(),
    })
}
