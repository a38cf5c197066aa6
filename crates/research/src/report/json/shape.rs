//! The fields, in the order in which they are written. They are apart from the types of a run, so that those may change.

mod review;
mod source;

use fathom_evidence::Span;
use fathom_evidence::citation::{CitationReason, Support};
use jiff::Timestamp;
use serde::Serialize;

use super::SCHEMA_VERSION;
use crate::analysis::{Side, Strengths};
use crate::citations::{CheckedClaim, Counts, Judgement};
use crate::draft::Place;
use crate::plan::SubQuestionId;
use crate::question::{AskedDepth, Depth, Style};
use crate::report::figures::confidence;
use crate::report::{Report, Status, method};
use crate::settings::CitationStyle;
use crate::state::{ErrorEntry, Round};
use review::Review;
use source::{Cited, sources};

#[derive(Serialize)]
pub(super) struct Document<'r> {
    schema_version: u32,
    question: Question<'r>,
    /// `complete` or `partial`.
    status: &'static str,
    /// Why the report is partial.
    reason: Option<&'r str>,
    confidence: &'static str,
    caveats: &'r [String],
    figures: Figures,
    title: &'r str,
    summary: &'r str,
    sections: Vec<Section<'r>>,
    conclusion: &'r str,
    claims: Vec<Claim<'r>>,
    contradictions: Vec<Contradiction<'r>>,
    gaps: Vec<Gap<'r>>,
    citation_style: CitationStyle,
    sources: Vec<Cited<'r>>,
    review: Option<Review<'r>>,
    method: Method<'r>,
    finished_at: Timestamp,
}

#[derive(Serialize)]
struct Question<'r> {
    text: &'r str,
    context: Option<&'r str>,
    domain: &'r [String],
    /// `quick`, `standard` or `comprehensive`; `auto` where the planner was to choose.
    depth: AskedDepth,
    style: Style,
    asked_on: jiff::civil::Date,
}

#[derive(Serialize)]
struct Figures {
    findings: Strengths,
    claims: Counts,
    sources_found: usize,
    sources_read: usize,
    sources_cited: usize,
    fetches_failed: usize,
    queries: usize,
    words: usize,
    time_ms: u64,
    tokens: u64,
    cost_micros: Option<u64>,
}

#[derive(Serialize)]
struct Section<'r> {
    title: &'r str,
    sub_questions: Vec<u32>,
    text: &'r str,
}

#[derive(Serialize)]
struct Claim<'r> {
    number: usize,
    /// `summary`, `conclusion`, or `section` with the number of the section.
    place: &'static str,
    section: Option<usize>,
    text: &'r str,
    /// `supported`, `contradicted`, `not_supported` or `not_checked`.
    verdict: String,
    /// Why it could not be checked.
    why: Option<&'r str>,
    reasons: &'r [CitationReason],
    /// What a model says of its meaning: `supported`, `contradicted`, `not_supported` or `could_not_check`; `null` where
    /// none was asked.
    judged: Option<&'static str>,
    sources: Vec<u32>,
    proofs: Vec<Quote<'r>>,
}

/// Words of a source and where they stand.
#[derive(Serialize)]
struct Quote<'r> {
    source: u32,
    quote: &'r str,
    snapshot: Option<String>,
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct Contradiction<'r> {
    about: &'r str,
    sides: [Quote<'r>; 2],
    /// What weighs for one side; `null` where a person must judge.
    weighed: Option<&'r str>,
}

#[derive(Serialize)]
struct Gap<'r> {
    sub_question: u32,
    missing: &'r str,
    next_query: &'r str,
}

#[derive(Serialize)]
struct Method<'r> {
    /// The depth that was worked at.
    depth: Depth,
    sub_questions: &'r [String],
    queries: &'r [String],
    reasoners: &'r [String],
    rounds: &'r [Round],
    drafts: u32,
    steps: u64,
    degraded: &'r [String],
    errors: &'r [ErrorEntry],
}

impl<'r> Document<'r> {
    pub(super) fn of(report: &'r Report) -> Self {
        let (status, reason) = match &report.status {
            Status::Complete => ("complete", None),
            Status::Partial { reason } => ("partial", Some(reason.as_str())),
        };
        let claims = report.claims.iter().enumerate();
        let gaps = report.gaps.iter().map(|gap| Gap {
            sub_question: number(&gap.answers),
            missing: &gap.missing,
            next_query: &gap.query,
        });
        Self {
            schema_version: SCHEMA_VERSION,
            question: question(report),
            status,
            reason,
            confidence: confidence(report.confidence),
            caveats: &report.caveats,
            figures: figures(report),
            title: &report.title,
            summary: &report.summary,
            sections: sections(report),
            conclusion: &report.conclusion,
            claims: claims.map(|(at, one)| claim(at, one)).collect(),
            contradictions: contradictions(report),
            gaps: gaps.collect(),
            citation_style: report.citation_style,
            sources: sources(report),
            review: report.critique.as_ref().map(Review::of),
            method: method(report),
            finished_at: report.finished_at,
        }
    }
}

fn question(report: &Report) -> Question<'_> {
    let question = &report.question;
    Question {
        text: question.text(),
        context: question.context.as_deref(),
        domain: &question.domain,
        depth: question.depth,
        style: question.style,
        asked_on: question.asked_on,
    }
}

fn figures(report: &Report) -> Figures {
    let figures = &report.figures;
    Figures {
        findings: figures.findings,
        claims: figures.claims,
        sources_found: figures.sources_found,
        sources_read: figures.sources_read,
        sources_cited: figures.sources_cited,
        fetches_failed: figures.fetches_failed,
        queries: figures.queries,
        words: figures.words,
        time_ms: figures.time_ms,
        tokens: figures.tokens,
        cost_micros: figures.cost_micros,
    }
}

fn sections(report: &Report) -> Vec<Section<'_>> {
    let sections = report.sections.iter().map(|section| Section {
        title: &section.title,
        sub_questions: section.answers.iter().map(number).collect(),
        text: &section.text,
    });
    sections.collect()
}

fn number(sub_question: &SubQuestionId) -> u32 {
    sub_question.0.saturating_add(1)
}

/// The name of a place, and the number of the section where it is one.
fn place(place: &Place) -> (&'static str, Option<usize>) {
    match place {
        Place::Title => ("title", None),
        Place::Summary => ("summary", None),
        Place::Section(at) => ("section", Some(at.saturating_add(1))),
        Place::Conclusion => ("conclusion", None),
        Place::Whole => ("whole", None),
    }
}

fn claim(at: usize, claim: &CheckedClaim) -> Claim<'_> {
    let (place, section) = place(&claim.place);
    let why = match &claim.support {
        Support::NotChecked { why } => Some(why.as_str()),
        _ => None,
    };
    let proofs = claim.proofs.iter().map(|proof| {
        let snapshot = Some(proof.snapshot.to_string());
        quote(proof.source.0, &proof.quote, snapshot, proof.span)
    });
    Claim {
        number: at + 1,
        place,
        section,
        text: &claim.text,
        verdict: method::verdict(claim).replace(' ', "_"),
        why,
        reasons: &claim.reasons,
        judged: claim.judged.as_ref().map(|judgement| match judgement {
            Judgement::Supported => "supported",
            Judgement::Contradicted => "contradicted",
            Judgement::NotSupported => "not_supported",
            Judgement::CouldNotCheck { .. } => "could_not_check",
        }),
        sources: claim.cites.iter().map(|source| source.0).collect(),
        proofs: proofs.collect(),
    }
}

fn quote(source: u32, quote: &str, snapshot: Option<String>, span: Span) -> Quote<'_> {
    Quote {
        source,
        quote,
        snapshot,
        start: span.start,
        end: span.end,
    }
}

fn contradictions(report: &Report) -> Vec<Contradiction<'_>> {
    let side = |side: &'_ Side| {
        let snapshot = report
            .source(side.source)
            .and_then(|source| source.snapshot.as_ref());
        snapshot.map(|snapshot| snapshot.text.to_string())
    };
    let told = report.contradictions.iter().map(|pair| Contradiction {
        about: &pair.about,
        sides: [&pair.left, &pair.right]
            .map(|one| quote(one.source.0, &one.quote, side(one), one.span)),
        weighed: pair.weighed.as_deref(),
    });
    told.collect()
}

fn method(report: &Report) -> Method<'_> {
    let provenance = &report.provenance;
    Method {
        depth: provenance.depth,
        sub_questions: &provenance.sub_questions,
        queries: &provenance.queries,
        reasoners: &provenance.reasoners,
        rounds: &provenance.rounds,
        drafts: provenance.drafts,
        steps: provenance.steps,
        degraded: &provenance.degraded,
        errors: &provenance.errors,
    }
}
