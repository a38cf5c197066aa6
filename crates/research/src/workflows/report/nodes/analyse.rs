//! Weighs what was read: locates evidence for every sub-question, has it analysed, and decides whether to search on.

use std::collections::BTreeSet;
use std::sync::Arc;

use fathom_evidence::question::AnswerKind;
use fathom_workflow::event::Level;
use fathom_workflow::{NodeError, NodeResult};
use tokio::task::spawn_blocking;

use super::{Notes, language};
use crate::analysis::{Analysis, Evidence, Gap};
use crate::degradation::JudgedPart;
use crate::library::WordMention;
use crate::plan::{Plan, Query, SourceKind};
use crate::reasoner::{AnalyseTask, Ctx, TaskPassage, brief, judge};
use crate::skills::effort::{Effort, Schedule};
use crate::skills::locate::excerpt::{self, Excerpts, QuestionWords, Sentence};
use crate::skills::locate::{self, LocateTask, Located, Reading};
use crate::skills::stop::{StopReason, StopSignals, stop_signals};
use crate::skills::trusted_words::{self, TrustedWords};
use crate::skills::{budget, mentions, rank, relevance};
use crate::source::SourceId;
use crate::workflows::report::state::{
    Analysed, ReportState, SearchOutcome, SearchRound, StateChange,
};

/// Gaps that become queries in one round.
const GAPS_SEARCHED: usize = 3;

/// Passages that a model judges, the best by code's ranking.
const PASSAGES_JUDGED: usize = 24;

/// A passage with a lower score is beside the point.
const RELEVANT_FROM: f64 = 0.3;

/// Up to so many gaps are minor, and are not searched for.
const GAPS_MINOR: usize = 2;

pub(crate) async fn analyse(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let plan = state.plan.as_ref();
    let plan = plan.ok_or_else(|| NodeError::new("there is no plan to work by"))?;
    let mut notes = Notes::new(ctx);
    let mut located = located(state, ctx, plan).await?;
    let mentions = word_mentions(state, ctx, &mut notes).await?;
    let words = QuestionWords::new(state.question.text(), language(state), &mentions);
    let excerpts = excerpts(state, ctx, &located.sentences, &words, &mut notes).await?;
    let effort = Schedule::at_step(ctx, state.settings.model_patience())
        .await?
        .effort();
    let order = order(
        state,
        ctx,
        &mut located.evidence,
        &excerpts,
        (effort, &mut notes),
    )
    .await?;
    let passages = TaskPassage::of_evidence(&state.sources, &located.evidence, &order);
    let task = AnalyseTask {
        caps: state.settings.caps,
        question: &state.question,
        plan,
        evidence: &located.evidence,
        passages: &passages,
        order: &order,
        contradictions: &located.contradictions,
        excerpts: &excerpts,
        mentions: &mentions,
        language: language(state),
    };
    let quotes = brief::analyse(&task);
    let mut analysis = match effort {
        Effort::Lean | Effort::Nothing => quotes.clone(),
        Effort::Full => {
            let analysts = &ctx.deps().reasoners.analysts;
            let judged = judge(analysts, |analyst| analyst.analyse(ctx, &task)).await?;
            notes.take(judged, JudgedPart::Analysis)
        }
    };
    // Whoever analyses, the answer can always be quoted.
    analysis.answer = quotes.answer;
    analysis.order = order;
    mentions::tell_spelling(
        &mut analysis,
        state.question.text(),
        language(state),
        &mentions,
    );
    let new_evidence = count_new(state, &located.evidence);
    let mut round = round(state, ctx, plan, &analysis, new_evidence);
    let queries = match round.stop {
        None => gap_queries(state, ctx, &analysis.gaps, &located.evidence),
        Some(_) => Vec::new(),
    };
    if queries.is_empty() {
        // Every gap was searched for already, in these very words.
        round.stop = round.stop.or(Some(StopReason::AlreadyAsked));
    }
    ctx.log(Level::Info, told(&round));
    Ok(notes.update(StateChange::Analysed(Analysed {
        evidence: Arc::new(located.evidence),
        analysis: Arc::new(analysis),
        round,
        queries,
        retry_log: located.retry_log,
    })))
}

/// The places of the evidence in the order in which a model is shown it: what code takes for the answer first. A model that
/// has the time judges each passage, and what is beside the point for it goes.
async fn order(
    state: &ReportState,
    ctx: &Ctx,
    evidence: &mut [Evidence],
    excerpts: &Excerpts,
    (effort, notes): (Effort, &mut Notes),
) -> Result<Vec<usize>, NodeError> {
    let best = excerpts.answer.iter().chain(&excerpts.further);
    let mut order: Vec<usize> = Vec::new();
    let mut seen = BTreeSet::new();
    for at in best.map(|one| one.evidence).chain(0..evidence.len()) {
        let place = evidence.get(at).map(|piece| (piece.source, piece.span));
        if place.is_some_and(|place| seen.insert(place)) {
            order.push(at);
        }
    }
    if effort != Effort::Full {
        return Ok(order);
    }
    let shown = TaskPassage::of_evidence(&state.sources, evidence, &order);
    let budget = state.settings.budget(state.started_at);
    let limits = (PASSAGES_JUDGED, state.settings.max_concurrency);
    let judged = relevance::judge(ctx, budget, state.question.text(), &shown, limits).await?;
    notes.failures(judged.failures);
    let mut scored: Vec<(usize, f64)> = Vec::new();
    for (at, opinion) in order.iter().copied().zip(judged.opinions) {
        let Some(piece) = evidence.get_mut(at) else {
            continue;
        };
        if let Some(opinion) = opinion {
            piece.confidence = opinion.score;
        }
        scored.push((at, piece.confidence));
    }
    scored.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let good = scored.iter().filter(|(_, score)| *score >= RELEVANT_FROM);
    let good: Vec<usize> = good.map(|(at, _)| *at).collect();
    Ok(if good.is_empty() { order } else { good })
}

async fn located(state: &ReportState, ctx: &Ctx, plan: &Arc<Plan>) -> Result<Located, NodeError> {
    let opened = ctx
        .deps()
        .documents
        .open_all(ctx, &state.sources, state.settings.max_concurrency)
        .await?;
    let (sources, queries) = (state.sources.clone(), state.queries.clone());
    let (plan, settings) = (Arc::clone(plan), state.settings.evidence);
    let language = language(state);
    let work = move || {
        let readings = opened
            .into_iter()
            .map(|(id, document)| Reading::new(id, document));
        let readings: Vec<Reading> = readings.collect();
        locate::locate(&LocateTask {
            plan: &plan,
            queries: &queries,
            sources: &sources,
            readings: &readings,
            settings: &settings,
            language,
        })
    };
    Ok(spawn_blocking(work).await?)
}

/// The sentences that answer best, by their words and, where there is an encoder, their meaning.
async fn excerpts(
    state: &ReportState,
    ctx: &Ctx,
    sentences: &[Sentence],
    words: &QuestionWords,
    notes: &mut Notes,
) -> Result<Excerpts, NodeError> {
    let text = state.question.text();
    let most = state.settings.max_encoded_passages;
    let meaning =
        rank::sentence_scores(ctx, most, text, sentences, |why| notes.degraded(why)).await?;
    let kind = AnswerKind::read(text, language(state));
    let meaning = meaning.as_deref();
    Ok(excerpt::best(
        sentences,
        meaning,
        words,
        kind,
        language(state),
    ))
}

/// How often the words of the question occur in the own documents.
async fn word_mentions(
    state: &ReportState,
    ctx: &Ctx,
    notes: &mut Notes,
) -> Result<Vec<WordMention>, NodeError> {
    let counted = mentions::of_question(
        ctx,
        state.settings.scope(),
        state.question.text(),
        language(state),
        &state.sources,
    )
    .await?;
    Ok(counted.unwrap_or_else(|failure| {
        notes.failures(vec![failure]);
        Vec::new()
    }))
}

fn count_new(state: &ReportState, evidence: &[Evidence]) -> usize {
    let key = |piece: &Evidence| {
        (
            piece.answers,
            piece.source,
            piece.span.start,
            piece.span.end,
        )
    };
    let known: BTreeSet<_> = state.evidence.iter().map(key).collect();
    evidence
        .iter()
        .filter(|piece| !known.contains(&key(piece)))
        .count()
}

fn round(
    state: &ReportState,
    ctx: &Ctx,
    plan: &Plan,
    analysis: &Analysis,
    new_evidence: usize,
) -> SearchRound {
    let rounds = u32::try_from(state.rounds.len() + 1).unwrap_or(u32::MAX);
    let most = state.depth().bounds().iterations;
    let weights = &state.settings.completeness_weights;
    let signals = stop_signals(analysis, plan.sub_questions.len(), rounds, most, weights);
    let nothing_new = new_evidence == 0
        && state
            .rounds
            .last()
            .is_some_and(|last| last.new_evidence == 0);
    let stop = if signals.completeness >= state.settings.complete_from {
        Some(StopReason::Complete)
    } else if analysis.sufficient && signals.coverage >= 1.0 {
        Some(StopReason::Sufficient)
    } else if analysis.gaps.len() <= GAPS_MINOR && !analysis.findings.is_empty() {
        Some(StopReason::NoGaps)
    } else if let Some(used_up) = budget::used_up(&state.settings.budget(state.started_at), ctx) {
        Some(used_up)
    } else if failed_searches(state) >= state.settings.max_search_errors as usize {
        Some(StopReason::SearchErrors)
    } else if nothing_new {
        Some(StopReason::NothingNew)
    } else if rounds > state.settings.max_gap_searches {
        Some(StopReason::GapSearches)
    } else if rounds >= most {
        Some(StopReason::Iterations)
    } else {
        None
    };
    SearchRound {
        signals,
        new_evidence,
        stop,
    }
}

fn failed_searches(state: &ReportState) -> usize {
    let outcomes = state
        .queries
        .iter()
        .filter_map(|asked| asked.outcome.as_ref());
    outcomes
        .filter(|outcome| matches!(outcome, SearchOutcome::Failed { .. }))
        .count()
}

fn told(round: &SearchRound) -> String {
    let StopSignals {
        iteration,
        coverage,
        confidence,
        gaps,
        completeness,
    } = round.signals;
    let then = round.stop.map_or("searching on", StopReason::sentence);
    format!(
        "completeness {completeness:.2} (rounds {iteration:.2}, coverage {coverage:.2}, confidence {confidence:.2}, \
         gaps {gaps:.2}), {} new pieces of evidence: {then}",
        round.new_evidence
    )
}

/// The gravest gaps as urgent queries, in trusted words that were not tried before, put to the own documents and to the web.
fn gap_queries(state: &ReportState, ctx: &Ctx, gaps: &[Gap], evidence: &[Evidence]) -> Vec<Query> {
    let Some(plan) = state.plan.as_deref() else {
        return Vec::new();
    };
    let source = |id: SourceId| {
        let at = (id.0 as usize).checked_sub(1)?;
        state
            .sources
            .get(at)
            .map(|source| trusted_words::site(source))
    };
    let question = &state.question;
    let trusted = TrustedWords::new(question, plan, evidence, source, language(state));
    let mut tried: BTreeSet<String> = state
        .queries
        .iter()
        .map(|asked| asked.query.text.to_lowercase())
        .collect();
    let kinds = ctx.deps().kinds(state.settings.scope());
    // What the plan asked of scholarly works is best answered by them.
    let outside = if is_scholarly(state) && kinds.contains(&SourceKind::Academic) {
        SourceKind::Academic
    } else {
        SourceKind::Web
    };
    let broad = kinds
        .iter()
        .filter(|kind| **kind == outside || **kind == SourceKind::Local);
    let mut broad: Vec<SourceKind> = broad.copied().collect();
    if broad.is_empty() {
        broad.extend(kinds.first());
    }
    let mut queries = Vec::new();
    let mut gaps_left = GAPS_SEARCHED;
    for gap in gaps {
        // What it was to find goes on into prompts that choose searches, so it is told in the plan's words.
        let asked = plan.sub_question(gap.answers);
        let asked = asked.map_or(question.text(), |sub| sub.text.as_str());
        let text = trusted.hold(&gap.query).unwrap_or_else(|| asked.to_owned());
        if gaps_left == 0 || !tried.insert(text.to_lowercase()) {
            continue;
        }
        gaps_left -= 1;
        queries.extend(broad.iter().map(|kind| Query {
            terms: Vec::new(),
            text: text.clone(),
            intent: asked.to_owned(),
            kind: *kind,
            priority: 1,
            serves: gap.answers,
        }));
    }
    queries
}

/// Whether the plan turned to scholarly works at least as often as to the rest of the web.
fn is_scholarly(state: &ReportState) -> bool {
    let queries = state.plan.iter().flat_map(|plan| &plan.queries);
    let (mut academic, mut others) = (0, 0);
    for query in queries {
        match query.kind {
            SourceKind::Academic => academic += 1,
            SourceKind::Web | SourceKind::News | SourceKind::Code => others += 1,
            SourceKind::Local => {}
        }
    }
    academic > 0 && academic >= others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::SubQuestionId;
    use crate::question::Question;
    use crate::settings::Settings;

    fn state(kinds: &[SourceKind]) -> ReportState {
        let question =
            Question::parse("Do street trees cool towns?", jiff::civil::date(2026, 1, 1));
        let start = jiff::Timestamp::UNIX_EPOCH;
        let mut state = ReportState::new(question.unwrap(), Settings::default(), start);
        let query = |kind: &SourceKind| Query {
            terms: Vec::new(),
            text: "street trees".to_owned(),
            intent: String::new(),
            kind: *kind,
            priority: 1,
            serves: SubQuestionId(0),
        };
        state.plan = Some(Arc::new(Plan {
            queries: kinds.iter().map(query).collect(),
            ..Plan::default()
        }));
        state
    }

    #[test]
    fn a_question_is_scholarly_where_its_plan_turns_to_works_first() {
        let (web, academic) = (SourceKind::Web, SourceKind::Academic);
        assert!(is_scholarly(&state(&[academic, web])));
        assert!(is_scholarly(&state(&[academic, SourceKind::Local])));
        assert!(!is_scholarly(&state(&[academic, web, web])));
        assert!(!is_scholarly(&state(&[web])));
        assert!(!is_scholarly(&state(&[])));
    }
}
