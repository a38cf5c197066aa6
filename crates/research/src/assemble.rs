//! Puts a report together: the text with its citations numbered in reading order, the sources they lead to, the
//! figures, and how it came about.

mod renumber;

use crate::analysis::Strengths;
use crate::budget::{self, COST_PICOS, FETCHES_FAILED, TOKENS};
use crate::citations::{CheckedClaim, CitationCheck};
use crate::critique::Critique;
use crate::degraded;
use crate::draft::Draft;
use crate::reasoner::Ctx;
use crate::report::{Confidence, Figures, Provenance, Report, Status};
use crate::source::Source;
use crate::state::State;

use renumber::Numbers;

/// Errors that a report shows; the run keeps them all.
const ERRORS_SHOWN: usize = 5;

/// What differs between a full report and a partial one.
pub(crate) struct Parts<'a> {
    pub(crate) draft: Draft,
    pub(crate) check: Option<&'a CitationCheck>,
    pub(crate) critique: Option<&'a Critique>,
    pub(crate) status: Status,
    pub(crate) confidence: Confidence,
    pub(crate) caveats: Vec<String>,
}

pub(crate) fn assemble(state: &State, ctx: &Ctx, parts: Parts<'_>) -> Report {
    let analysis = state.analysis.as_deref();
    let mut contradictions = analysis.map_or_else(Vec::new, |found| found.contradictions.clone());
    let mut draft = parts.draft;
    let mut numbers = Numbers::new(state.sources.len());
    numbers.meet_draft(&draft);
    for contradiction in &contradictions {
        numbers.meet(contradiction.left.source);
        numbers.meet(contradiction.right.source);
    }
    let sources: Vec<Source> = numbers
        .old_in_order()
        .filter_map(|old| state.sources.get((old.0 as usize).checked_sub(1)?))
        .zip(1..)
        .map(|(source, new)| Source {
            id: crate::source::SourceId(new),
            ..Source::clone(source)
        })
        .collect();
    numbers.draft(&mut draft);
    for contradiction in &mut contradictions {
        for side in [&mut contradiction.left, &mut contradiction.right] {
            side.source = numbers.new_of(side.source).unwrap_or(side.source);
        }
    }
    let claims = parts
        .check
        .map_or_else(Vec::new, |check| renumbered(&check.claims, &numbers));
    let figures = figures(state, ctx, &parts.check, &draft, sources.len());
    Report {
        question: state.question.clone(),
        status: parts.status,
        confidence: parts.confidence,
        title: draft.title,
        summary: draft.summary,
        sections: draft.sections,
        conclusion: draft.conclusion,
        sources,
        citation_style: state.settings.citation_style,
        claims,
        contradictions,
        gaps: analysis.map_or_else(Vec::new, |found| found.gaps.clone()),
        figures,
        caveats: parts.caveats,
        critique: parts.critique.cloned(),
        provenance: provenance(state, ctx),
        finished_at: ctx.now(),
    }
}

fn renumbered(claims: &[CheckedClaim], numbers: &Numbers) -> Vec<CheckedClaim> {
    let mut claims = claims.to_vec();
    for claim in &mut claims {
        claim.cites = claim
            .cites
            .iter()
            .filter_map(|id| numbers.new_of(*id))
            .collect();
        claim
            .proofs
            .retain_mut(|proof| match numbers.new_of(proof.source) {
                Some(new) => {
                    proof.source = new;
                    true
                }
                None => false,
            });
        renumber::support(&mut claim.support, numbers);
    }
    claims
}

fn figures(
    state: &State,
    ctx: &Ctx,
    check: &Option<&CitationCheck>,
    draft: &Draft,
    sources_cited: usize,
) -> Figures {
    let worked = budget::time_worked(state, ctx).as_millis();
    let tokens = ctx.spent(TOKENS);
    let cost = ctx.spent(COST_PICOS) / 1_000_000;
    Figures {
        findings: state
            .analysis
            .as_deref()
            .map_or_else(Default::default, |analysis| {
                Strengths::of(&analysis.findings)
            }),
        claims: check.map_or_else(Default::default, CitationCheck::counts),
        sources_found: state.sources.len(),
        sources_read: state
            .sources
            .iter()
            .filter(|source| source.snapshot.is_some())
            .count(),
        sources_cited,
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

fn provenance(state: &State, ctx: &Ctx) -> Provenance {
    let plan = state.plan.as_deref();
    let names = |plan: &crate::plan::Plan| {
        plan.sub_questions
            .iter()
            .map(|sub| sub.text.clone())
            .collect()
    };
    let shown = state.errors.len().saturating_sub(ERRORS_SHOWN);
    Provenance {
        depth: state.depth(),
        sub_questions: plan.map_or_else(Vec::new, names),
        queries: queries(state),
        reasoners: state.reasoners.clone(),
        rounds: state.rounds.clone(),
        drafts: state.draft.as_ref().map_or(0, |draft| draft.version),
        steps: ctx.step(),
        degraded: degraded::told(&state.degraded),
        errors: state.errors.get(shown..).unwrap_or_default().to_vec(),
    }
}

/// What was searched for, each wording once: a gap may be searched for in words that were used before.
fn queries(state: &State) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for asked in &state.queries {
        if !texts.contains(&asked.query.text) {
            texts.push(asked.query.text.clone());
        }
    }
    texts
}
