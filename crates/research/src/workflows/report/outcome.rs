//! Puts a report together: the text with its citations numbered in reading order, the sources they lead to, the
//! figures, and how it came about.

mod answer;
mod handed;
mod renumber;

use std::collections::BTreeSet;

use fathom_render::Report;
use fathom_render::phrases::Phrases;
use fathom_render::report::method::{CutShort, ResearchMethod};
use fathom_render::report::{ClaimCounts, Confidence, ReportAnswer, ReportFigures, ReportStatus};

use crate::analysis::strength_counts;
use crate::citations::CitationCheck;
use crate::critique::Critique;
use crate::degradation;
use crate::draft::Draft;
use crate::plan::SubQuestionId;
use crate::reasoner::Ctx;
use crate::skills::budget::{self, COST_PICOS, FETCHES_FAILED, TOKENS};
use crate::source::SourceId;
use crate::workflows::report::nodes::language;
use crate::workflows::report::state::{ReportState, SearchOutcome};

pub(crate) use handed::marked;
use renumber::Numbers;

/// Errors that a report shows; the run keeps them all.
const ERRORS_SHOWN: usize = 5;

/// What differs between a full report and a partial one.
pub(crate) struct Parts<'a> {
    pub(crate) draft: Draft,
    pub(crate) check: Option<&'a CitationCheck>,
    pub(crate) critique: Option<&'a Critique>,
    pub(crate) status: ReportStatus,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) caveats: Vec<String>,
}

pub(crate) fn assemble(state: &ReportState, ctx: &Ctx, parts: Parts<'_>) -> Report {
    let analysis = state.analysis.as_deref();
    let mut contradictions = analysis.map_or_else(Vec::new, |found| found.contradictions.clone());
    let mut draft = parts.draft;
    let answer = answer::answer(state, &draft, parts.check);
    let mut numbers = Numbers::new(state.sources.len());
    numbers.meet_draft(&draft);
    for contradiction in &contradictions {
        numbers.meet(contradiction.left.source);
        numbers.meet(contradiction.right.source);
        let explained = contradiction.explained.iter();
        explained.for_each(|side| numbers.meet(side.source));
    }
    let told = analysis.map_or_else(Vec::new, |found| handed::told_by_model(found));
    told.iter().for_each(|text| numbers.meet_text(text));
    let sources: Vec<_> = numbers
        .old_in_order()
        .filter_map(|old| state.sources.get((old.0 as usize).checked_sub(1)?))
        .zip(1..)
        .map(|(source, new)| handed::source(source, new))
        .collect();
    numbers.draft(&mut draft);
    for contradiction in &mut contradictions {
        let sides = [&mut contradiction.left, &mut contradiction.right].into_iter();
        for side in sides.chain(&mut contradiction.explained) {
            side.source = numbers.new_of(side.source).unwrap_or(side.source);
        }
        contradiction.about = numbers.text(&contradiction.about);
        let weighed = contradiction.weighed.as_deref();
        contradiction.weighed = weighed.map(|why| numbers.text(why));
    }
    let checked = parts.check.map_or(&[][..], |check| &check.claims);
    let claims = (1..).zip(checked);
    let claims = claims
        .map(|(number, claim)| handed::claim(number, claim, &numbers))
        .collect();
    let contradictions = contradictions
        .iter()
        .map(|pair| handed::disagreement(pair, &sources))
        .collect();
    let gaps = analysis.map_or(&[][..], |found| &found.gaps);
    let figures = figures(state, ctx, &parts.check, &draft, sources.len());
    let method = ResearchMethod {
        revisions: std::mem::take(&mut draft.revisions),
        ..method(state, ctx, &numbers)
    };
    Report {
        question: handed::question(&state.question),
        status: parts.status,
        answer: answer.map(|answer| ReportAnswer {
            text: draft.answer,
            ..answer
        }),
        language: language(state),
        confidence: parts.confidence,
        title: draft.title,
        summary: draft.summary,
        sections: draft.sections.into_iter().map(handed::section).collect(),
        conclusion: draft.conclusion,
        sources,
        citation_style: state.settings.citation_style.clone(),
        claims,
        contradictions,
        gaps: gaps
            .iter()
            .map(|gap| handed::gap(gap, state, &numbers))
            .collect(),
        figures,
        caveats: parts.caveats,
        review: parts
            .critique
            .filter(|critique| critique.is_by_model())
            .map(handed::review),
        method,
        finished_at: ctx.now(),
    }
}

/// Says among the caveats which of the cited sources were retracted.
pub(crate) fn tell_retractions(report: &mut Report) {
    let retracted = report.sources.iter().filter(|source| source.retracted);
    let numbers: Vec<String> = retracted
        .map(|source| format!("[{}]", source.number.0))
        .collect();
    if numbers.is_empty() {
        return;
    }
    let words = &Phrases::new(report.language).caveats.retracted;
    let told = words.count(numbers.len());
    let told = told.replace("{numbers}", &numbers.concat());
    report.caveats.push(told);
}

fn figures(
    state: &ReportState,
    ctx: &Ctx,
    check: &Option<&CitationCheck>,
    draft: &Draft,
    sources_cited: usize,
) -> ReportFigures {
    let worked = budget::time_worked(state.started_at, ctx).as_millis();
    let tokens = ctx.spent(TOKENS);
    let cost = ctx.spent(COST_PICOS) / 1_000_000;
    ReportFigures {
        findings: state
            .analysis
            .as_deref()
            .map_or_else(Default::default, |analysis| {
                strength_counts(&analysis.findings)
            }),
        claims: claim_counts(check, draft),
        sources_found: state.sources.len(),
        sources_read: state
            .sources
            .iter()
            .filter(|source| source.snapshot.is_some())
            .count(),
        sources_cited,
        files_skipped: degradation::files_skipped(&state.degraded),
        fetches_failed: usize::try_from(ctx.spent(FETCHES_FAILED)).unwrap_or(usize::MAX),
        queries: state
            .queries
            .iter()
            .filter(|asked| asked.outcome.is_some())
            .count(),
        words: draft.words(),
        time_ms: u64::try_from(worked).unwrap_or(u64::MAX),
        tokens,
        // Without a token there was no model, so nothing was paid.
        cost_micros: (tokens == 0 || cost > 0).then_some(cost),
    }
}

/// What the check counted, with the sentences that went before it.
fn claim_counts(check: &Option<&CitationCheck>, draft: &Draft) -> ClaimCounts {
    let mut counts = check.map_or_else(Default::default, CitationCheck::counts);
    counts.removed += draft.dropped;
    counts
}

fn method(state: &ReportState, ctx: &Ctx, numbers: &Numbers) -> ResearchMethod {
    let plan = state.plan.as_deref();
    let names = |plan: &crate::plan::Plan| {
        plan.sub_questions
            .iter()
            .map(|sub| handed::marked_question(&sub.text, state))
            .collect()
    };
    let before = state.errors.len().saturating_sub(ERRORS_SHOWN);
    let errors = state.errors.iter().skip(before);
    ResearchMethod {
        depth: state.depth().to_string(),
        sub_questions: plan.map_or_else(Vec::new, names),
        queries: queries(state),
        reasoners: state.reasoners.clone(),
        rounds: state.rounds.clone(),
        drafts: state.draft.as_ref().map_or(0, |draft| draft.version),
        steps: ctx.step(),
        degraded: degradation::sentences(&state.degraded, language(state)),
        errors: errors.map(handed::failure).collect(),
        coverage: coverage(state),
        trace: plan.map_or_else(Vec::new, |plan| handed::trace(&plan.trace, state)),
        warnings: plan.map_or_else(Vec::new, |plan| handed::warnings(plan, state)),
        validation_retry_log: state
            .validation_retry_log
            .iter()
            .map(|entry| handed::retry(entry, state))
            .collect(),
        revisions: Vec::new(),
        relaxed: relaxed(state, numbers),
        insufficient_termination: cut_short(state),
    }
}

/// How many results the searches for each sub-question gave.
fn coverage(state: &ReportState) -> Vec<usize> {
    let ids = state.plan.iter().flat_map(|plan| plan.ids());
    let results = |id: SubQuestionId| {
        let asked = state.queries.iter();
        let asked = asked.filter(|asked| asked.query.serves == id);
        asked
            .filter_map(|asked| match asked.outcome {
                Some(SearchOutcome::Found { hits, .. }) => Some(hits),
                Some(SearchOutcome::Failed { .. }) | None => None,
            })
            .sum()
    };
    ids.map(results).collect()
}

/// The cited sources that only relaxed rules accepted something of.
fn relaxed(state: &ReportState, numbers: &Numbers) -> Vec<SourceId> {
    let pieces = state.evidence.iter().filter(|piece| piece.relaxed);
    let sources: BTreeSet<SourceId> = pieces
        .filter_map(|piece| numbers.new_of(piece.source))
        .collect();
    sources.into_iter().collect()
}

/// That searching was cut short, with what the last analysis found missing.
fn cut_short(state: &ReportState) -> Option<CutShort> {
    let reason = state.rounds.last()?.stop?;
    let gaps = state.analysis.iter().flat_map(|analysis| &analysis.gaps);
    reason.is_cut_short().then(|| CutShort {
        reason,
        missing: gaps
            .map(|gap| handed::marked(&gap.missing, state))
            .collect(),
    })
}

/// What was searched for, each wording once: a gap may be searched for in words that were used before.
fn queries(state: &ReportState) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for asked in &state.queries {
        let text = handed::marked_question(&asked.query.text, state);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
