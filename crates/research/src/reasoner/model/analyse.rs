//! An analysis by a model. Its references are checked, and strengths are counted by code.

use fathom_evidence::Language;
use fathom_providers::model::ModelRole;
use fathom_render::report::Answered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ModelReasoner;
use super::ask::ModelCall;
use super::plan::id;
use super::{material, prompt};
use crate::analysis::{
    Analysis, AnsweredVerdict, Contradiction, Evidence, Finding, Gap, Side, Strength, Theme,
};
use crate::reasoner::{AnalyseTask, Ctx, ReasonerError};
use crate::strength::StrengthScale;

const FINDINGS_MOST: usize = 10;
const THEMES_MOST: usize = 5;
const GAPS_MOST: usize = 7;
const CONTRADICTIONS_MOST: usize = 20;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "analysis")]
struct AnalysisReply {
    #[schemars(length(max = 10))]
    findings: Vec<ReplyFinding>,
    #[schemars(length(max = 5))]
    themes: Vec<ReplyTheme>,
    #[schemars(length(max = 10))]
    contradictions: Vec<ReplyContradiction>,
    #[schemars(length(max = 7))]
    gaps: Vec<ReplyGap>,
    sufficient: bool,
    /// Neither is in a reply that was recorded by an earlier version.
    #[schemars(required, length(max = 300))]
    reason: Option<String>,
    #[schemars(required)]
    answered: Option<ReplyAnswered>,
    confidence: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReplyAnswered {
    Yes,
    Partly,
    No,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyFinding {
    #[schemars(length(max = 400))]
    statement: String,
    sub_question: u32,
    #[schemars(length(max = 12))]
    evidence: Vec<usize>,
    confidence: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyTheme {
    #[schemars(length(max = 100))]
    label: String,
    #[schemars(length(max = 10))]
    findings: Vec<usize>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyContradiction {
    left_evidence: usize,
    right_evidence: usize,
    #[schemars(length(max = 200))]
    about: String,
    #[schemars(length(max = 300))]
    weighed: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyGap {
    sub_question: u32,
    #[schemars(length(max = 300))]
    missing: String,
    #[schemars(length(max = 200))]
    query: String,
}

pub(super) async fn analyse(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &AnalyseTask<'_>,
) -> Result<Analysis, ReasonerError> {
    let sub_questions: Vec<&str> = task
        .plan
        .sub_questions
        .iter()
        .map(|sub| &*sub.text)
        .collect();
    let request = |cuts| {
        let evidence = material::pieces(task.evidence, task.sources, None, cuts);
        let input = json!({
            "question": prompt::plain(task.question.text(), 2_000),
            "sub_questions": sub_questions,
            "sources": material::sources(&evidence, task.sources),
            "evidence": evidence,
            "contradictions": material::pairs(task.contradictions.iter()),
        });
        prompt::request("analyse", &input)
    };
    let asking = ModelCall {
        role: ModelRole::Analyst,
        key: "analyse".to_owned(),
        caps: &task.caps,
    };
    let reply: AnalysisReply = model.typed(ctx, &asking, request).await?;
    Ok(checked(reply, task))
}

/// The reply with everything left out that refers to nothing.
fn checked(reply: AnalysisReply, task: &AnalyseTask<'_>) -> Analysis {
    let known = |number: u32| task.plan.sub_question(id(number)).is_some();
    let contradictions = contradictions(reply.contradictions, task);
    let scale = StrengthScale::new(task.evidence, &contradictions);
    let mut kept = Vec::new();
    let mut findings = Vec::new();
    for (reply, number) in reply
        .findings
        .into_iter()
        .take(FINDINGS_MOST)
        .zip(1_usize..)
    {
        if let Some(finding) = known(reply.sub_question)
            .then(|| finding(reply, task.evidence, &scale))
            .flatten()
        {
            kept.push(number);
            findings.push(finding);
        }
    }
    let place = |number: &usize| kept.iter().position(|kept| kept == number);
    let themes = reply.themes.into_iter().map(|theme| Theme {
        label: theme.label,
        findings: theme.findings.iter().filter_map(place).collect(),
    });
    let gaps = reply.gaps.into_iter().filter(|gap| known(gap.sub_question));
    Analysis {
        answer: Vec::new(),
        themes: themes
            .filter(|theme| !theme.findings.is_empty())
            .take(THEMES_MOST)
            .collect(),
        gaps: gaps
            .take(GAPS_MOST)
            .map(|gap| Gap {
                answers: id(gap.sub_question),
                missing: gap.missing,
                query: gap.query,
            })
            .collect(),
        contradictions,
        confidence: share(reply.confidence),
        sufficient: reply.sufficient && !findings.is_empty(),
        answered: reply
            .answered
            .map(|answered| answered_verdict(answered, reply.reason, &findings, task.language)),
        findings,
    }
}

/// What code found and what the model found, each pair once.
fn contradictions(replies: Vec<ReplyContradiction>, task: &AnalyseTask<'_>) -> Vec<Contradiction> {
    let mut all = task.contradictions.to_vec();
    let own = replies
        .into_iter()
        .filter_map(|pair| contradiction(pair, task.evidence));
    for pair in own {
        let same = |other: &Contradiction| {
            (&other.left, &other.right) == (&pair.left, &pair.right)
                || (&other.left, &other.right) == (&pair.right, &pair.left)
        };
        match all.iter_mut().find(|other| same(other)) {
            Some(other) => {
                other.about = pair.about;
                other.weighed = pair.weighed.or(other.weighed.take());
            }
            None => all.push(pair),
        }
    }
    all.truncate(CONTRADICTIONS_MOST);
    all
}

/// The model's verdict, held to what it found.
fn answered_verdict(
    answered: ReplyAnswered,
    reason: Option<String>,
    findings: &[Finding],
    language: Language,
) -> AnsweredVerdict {
    let verdict = AnsweredVerdict {
        answered: match answered {
            ReplyAnswered::Yes => Answered::Yes,
            ReplyAnswered::Partly => Answered::Partly,
            ReplyAnswered::No => Answered::No,
        },
        reason: reason.unwrap_or_default().trim().to_owned(),
    };
    verdict.held_to(findings, language)
}

/// A finding that rests on evidence that exists; else nothing.
fn finding(
    reply: ReplyFinding,
    evidence: &[Evidence],
    scale: &StrengthScale<'_>,
) -> Option<Finding> {
    let mut places: Vec<usize> = reply
        .evidence
        .iter()
        .filter_map(|number| number.checked_sub(1))
        .filter(|place| *place < evidence.len())
        .collect();
    places.sort_unstable();
    places.dedup();
    let strength = scale.strength(&places);
    if strength == Strength::Gap {
        return None;
    }
    Some(Finding {
        statement: reply.statement,
        answers: id(reply.sub_question),
        evidence: places,
        strength,
        confidence: share(reply.confidence),
    })
}

fn contradiction(pair: ReplyContradiction, evidence: &[Evidence]) -> Option<Contradiction> {
    let side = |number: usize| {
        let piece = evidence.get(number.checked_sub(1)?)?;
        Some(Side {
            source: piece.source,
            span: piece.span,
            quote: piece.quote.clone(),
        })
    };
    let (left, right) = (side(pair.left_evidence)?, side(pair.right_evidence)?);
    (left.source != right.source).then_some(Contradiction {
        left,
        right,
        about: pair.about,
        explained: None,
        weighed: pair.weighed.filter(|why| !why.trim().is_empty()),
    })
}

fn share(number: f64) -> f64 {
    if number.is_nan() {
        0.0
    } else {
        number.clamp(0.0, 1.0)
    }
}
