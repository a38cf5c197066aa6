//! Decides whether what was found suffices; if it does not, turns what is missing into queries.

use std::collections::BTreeSet;
use std::sync::Arc;

use fathom_evidence::question::AnswerKind;
use fathom_evidence::validate::retry::RetrySettings;
use fathom_render::report::method::StopReason;
use fathom_workflow::{NodeError, NodeResult};
use tokio::task::spawn_blocking;

use super::{Turn, planned};
use crate::analysis::{Analysis, Evidence, Gap};
use crate::degradation::JudgedPart;
use crate::library::WordMention;
use crate::plan::{Query, QueryId, SourceKind};
use crate::reasoner::{
    AnalyseTask, Ctx, RefineAction, RefineTask, TaskPassage, judge, judge_if_able,
};
use crate::skills::locate::excerpt::{self, Excerpts, QuestionWords};
use crate::skills::locate::{self, LocateTask, Located, Reading};
use crate::skills::mentions::{of_question, tell_spelling};
use crate::skills::search::SearchOutcome;
use crate::skills::{budget, rank};
use crate::workflows::answer::compact;
use crate::workflows::answer::state::{AnswerChange, AnswerState, Reflection};

/// Gaps that become queries in one round.
const GAPS_SEARCHED: usize = 3;

/// Failed queries that are put in other words in one round.
const FAILED_REPHRASED: usize = 3;

pub(crate) async fn reflect(state: &AnswerState, ctx: &Ctx) -> NodeResult<AnswerState> {
    let mut turn = Turn::start(ctx);
    let located = located(state, ctx).await?;
    let mentions = mentions(state, ctx, &mut turn).await?;
    let words = QuestionWords::new(state.task.text(), state.language(), &mentions);
    let excerpts = excerpts(state, ctx, &located, &words, &mut turn).await?;
    let order: Vec<usize> = (0..located.evidence.len()).collect();
    let passages = TaskPassage::of_evidence(&state.search_results, &located.evidence, &order);
    let task = AnalyseTask {
        caps: state.settings.caps(),
        question: &state.task,
        plan: planned(state)?,
        evidence: &located.evidence,
        passages: &passages,
        order: &order,
        contradictions: &located.contradictions,
        excerpts: &excerpts,
        mentions: &mentions,
        language: state.language(),
    };
    let judged = judge(&ctx.deps().reasoners.analysts, |analyst| {
        analyst.analyse(ctx, &task)
    })
    .await?;
    let (mut analysis, model) = turn.take(judged, JudgedPart::Analysis);
    tell_spelling(
        &mut analysis,
        state.task.text(),
        state.language(),
        &mentions,
    );
    let new_evidence = count_new(state, &located.evidence);
    let mut stop = stop(state, ctx, &analysis, new_evidence);
    let mut new_queries = Vec::new();
    if stop.is_none() {
        new_queries = gap_queries(state, ctx, &analysis.gaps);
        new_queries.extend(in_other_words(state, ctx).await?);
        if new_queries.is_empty() {
            stop = Some(StopReason::NothingNew);
        }
    }
    let mut evidence = located.evidence;
    let known = state.reflections.last().map_or(0, |last| last.results);
    let compaction = compact::wanted(state, turn.tokens_left(state))
        .and_then(|reason| compact::compact(state, known, &mut evidence, reason));
    let gaps = analysis.gaps.iter().map(|gap| gap.missing.clone());
    let reflection = Reflection {
        sufficient: analysis.sufficient,
        confidence: analysis.confidence,
        gaps: gaps.collect(),
        new_queries,
        new_evidence,
        results: state.search_results.len(),
        queries: state.plan_queries.len(),
        stop,
        model,
        token_count: ctx.spent(budget::TOKENS),
        timestamp: ctx.now(),
    };
    let change = AnswerChange::Reflected {
        evidence: Arc::new(evidence),
        analysis: Arc::new(analysis),
        reflection,
        compaction,
    };
    turn.finish(state, state.search_results.len(), change).await
}

/// The passages that bear on the task, in everything that was read.
pub(super) async fn located(state: &AnswerState, ctx: &Ctx) -> Result<Located, NodeError> {
    let documents = &ctx.deps().documents;
    let at_once = state.settings.max_concurrency;
    let opened = documents
        .open_all(ctx, &state.search_results, at_once)
        .await?;
    let plan = Arc::clone(planned(state)?);
    let (sources, queries) = (state.search_results.clone(), state.plan_queries.clone());
    let language = state.language();
    let work = move || {
        let readings = opened.into_iter();
        let readings = readings.map(|(id, document)| Reading::new(id, document));
        let readings: Vec<Reading> = readings.collect();
        locate::locate(&LocateTask {
            plan: &plan,
            queries: &queries,
            sources: &sources,
            readings: &readings,
            settings: &RetrySettings::default(),
            language,
        })
    };
    Ok(spawn_blocking(work).await?)
}

/// How often the words of the task occur in the own documents.
pub(super) async fn mentions(
    state: &AnswerState,
    ctx: &Ctx,
    turn: &mut Turn<'_>,
) -> Result<Vec<WordMention>, NodeError> {
    let (scope, text) = (state.settings.scope(), state.task.text());
    let counted = of_question(ctx, scope, text, state.language(), &state.search_results).await?;
    Ok(counted.unwrap_or_else(|failure| {
        turn.failures(vec![failure]);
        Vec::new()
    }))
}

/// The sentences that answer best, by their words and, where there is an encoder, their meaning.
pub(super) async fn excerpts(
    state: &AnswerState,
    ctx: &Ctx,
    located: &Located,
    words: &QuestionWords,
    turn: &mut Turn<'_>,
) -> Result<Excerpts, NodeError> {
    let (text, language) = (state.task.text(), state.language());
    let sentences = &located.sentences;
    let most = state.settings.max_encoded_passages;
    let meaning =
        rank::sentence_scores(ctx, most, text, sentences, |why| turn.degraded(why)).await?;
    let kind = AnswerKind::read(text, language);
    let meaning = meaning.as_deref();
    Ok(excerpt::best(sentences, meaning, words, kind, language))
}

fn count_new(state: &AnswerState, evidence: &[Evidence]) -> usize {
    let known: BTreeSet<_> = state.evidence.iter().map(|one| one.source).collect();
    let new = evidence.iter().filter(|one| !known.contains(&one.source));
    new.count()
}

/// Why no further round follows. That it suffices comes first.
fn stop(
    state: &AnswerState,
    ctx: &Ctx,
    analysis: &Analysis,
    new_evidence: usize,
) -> Option<StopReason> {
    let settings = &state.settings;
    let before = state.reflections.last();
    let nothing_new = new_evidence == 0 && before.is_some_and(|last| last.new_evidence == 0);
    let failed = state
        .plan_queries
        .iter()
        .filter(|asked| matches!(asked.outcome, Some(SearchOutcome::Failed { .. })));
    if analysis.sufficient {
        Some(StopReason::Sufficient)
    } else if state.iteration >= state.max_iters {
        Some(StopReason::Iterations)
    } else if let Some(used_up) =
        budget::used_up(&settings.budget(state.task.depth, state.started_at), ctx)
    {
        Some(used_up)
    } else if failed.count() >= settings.max_search_errors {
        Some(StopReason::SearchErrors)
    } else if nothing_new {
        Some(StopReason::NothingNew)
    } else {
        None
    }
}

/// The gravest gaps as queries, each with its intent, in words that were not tried before.
fn gap_queries(state: &AnswerState, ctx: &Ctx, gaps: &[Gap]) -> Vec<Query> {
    let tried = tried(state);
    let kinds = ctx.deps().kinds(state.settings.scope());
    let broad = kinds
        .iter()
        .filter(|kind| matches!(kind, SourceKind::Web | SourceKind::Local));
    let mut broad: Vec<SourceKind> = broad.copied().collect();
    if broad.is_empty() {
        broad.extend(kinds.first());
    }
    let fresh = gaps
        .iter()
        .filter(|gap| !tried.contains(&gap.query.to_lowercase()));
    let query = |gap: &Gap, kind: SourceKind| Query {
        terms: Vec::new(),
        text: gap.query.clone(),
        intent: gap.missing.clone(),
        kind,
        priority: 1,
        serves: gap.answers,
    };
    let queries = fresh.take(GAPS_SEARCHED);
    queries
        .flat_map(|gap| broad.iter().map(move |kind| query(gap, *kind)))
        .collect()
}

/// The queries of the last round that nobody answered, in other words.
async fn in_other_words(state: &AnswerState, ctx: &Ctx) -> Result<Vec<Query>, NodeError> {
    let first = state.reflections.last().map_or(0, |last| last.queries);
    let numbered = (0..).map(QueryId).zip(&state.plan_queries).skip(first);
    let failed =
        numbered.filter(|(_, asked)| matches!(asked.outcome, Some(SearchOutcome::Failed { .. })));
    let tried_texts: Vec<String> = state
        .plan_queries
        .iter()
        .map(|one| one.query.text.clone())
        .collect();
    let tried = tried(state);
    let kinds = ctx.deps().kinds(state.settings.scope());
    let mut queries: Vec<Query> = Vec::new();
    for (place, asked) in failed.take(FAILED_REPHRASED) {
        let task = RefineTask {
            question: &state.task,
            query: &asked.query,
            place,
            turn: 1,
            caps: state.settings.caps(),
            tried: &tried_texts,
            kinds: &kinds,
            results: &[],
            history: &[],
            searches_left: 1,
            reads_left: 0,
        };
        let refiners = &ctx.deps().reasoners.refiners;
        let judged = judge_if_able(refiners, |refiner| refiner.refine_query(ctx, &task)).await?;
        if let Ok(judged) = judged
            && let RefineAction::Search(query) = judged.value
            && !tried.contains(&query.text.to_lowercase())
        {
            queries.push(query);
        }
    }
    Ok(queries)
}

fn tried(state: &AnswerState) -> BTreeSet<String> {
    let asked = state.plan_queries.iter();
    asked.map(|asked| asked.query.text.to_lowercase()).collect()
}
