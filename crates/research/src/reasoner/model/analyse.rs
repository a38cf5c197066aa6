//! An analysis by a model. Its references are checked, and strengths are counted by code.

use fathom_providers::model::ModelRole;
use fathom_render::phrases::Phrases;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ModelReasoner;
use super::ask::ModelCall;
use super::plan::id;
use super::write::ReplyAnswered;
use super::{passages, prompt};
use crate::analysis::{
    Analysis, AnsweredVerdict, Contradiction, Finding, Gap, Side, Strength, Theme,
};
use crate::reasoner::{AnalyseTask, Ctx, ReasonerError};
use crate::skills::cite::MARK;
use crate::skills::compose::{says_no_more, without_markup};
use crate::strength::StrengthScale;

const FINDINGS_MOST: usize = 10;
const THEMES_MOST: usize = 5;
const GAPS_MOST: usize = 7;
const CONTRADICTIONS_MOST: usize = 20;

/// Characters of a side of a pair that are shown.
const QUOTE_CHARS: usize = 400;

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
struct ReplyFinding {
    #[schemars(length(max = 12))]
    evidence: Vec<usize>,
    #[schemars(length(max = 300))]
    statement: String,
    sub_question: u32,
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
    let pairs: Vec<_> = task.contradictions.iter().map(pair).collect();
    let request = |cuts| {
        let input = json!({
            "turns": [],
            "question": prompt::plain(task.question.text(), 2_000),
            "passages": passages::within(task.passages, model.passage_tokens(cuts), cuts),
            "sub_questions": sub_questions,
            "contradictions": pairs,
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

fn pair(found: &Contradiction) -> serde_json::Value {
    let quote = |side: &Side| prompt::plain(&side.quote, QUOTE_CHARS);
    json!({ "left": quote(&found.left), "right": quote(&found.right) })
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
            .then(|| finding(reply, task, &scale))
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
        order: Vec::new(),
        themes: themes
            .filter(|theme| !theme.findings.is_empty())
            .take(THEMES_MOST)
            .collect(),
        gaps: gaps
            .take(GAPS_MOST)
            .map(|gap| Gap {
                answers: id(gap.sub_question),
                missing: without_markup(&gap.missing),
                query: without_markup(&gap.query),
            })
            .collect(),
        contradictions,
        confidence: share(reply.confidence),
        sufficient: reply.sufficient && !findings.is_empty(),
        answered: reply
            .answered
            .map(|answered| answered_verdict(answered, reply.reason, &findings, task)),
        findings,
    }
}

/// What code found and what the model found, each pair once.
fn contradictions(replies: Vec<ReplyContradiction>, task: &AnalyseTask<'_>) -> Vec<Contradiction> {
    let mut all = task.contradictions.to_vec();
    let own = replies
        .into_iter()
        .filter_map(|pair| contradiction(pair, task));
    for pair in own {
        let same = |other: &Contradiction| {
            (&other.left, &other.right) == (&pair.left, &pair.right)
                || (&other.left, &other.right) == (&pair.right, &pair.left)
        };
        match all.iter_mut().find(|other| same(other)) {
            Some(other) => {
                other.about = told(&pair.about, &pair, task).unwrap_or_default();
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
    task: &AnalyseTask<'_>,
) -> AnsweredVerdict {
    let reason = without_markup(&reason.unwrap_or_default());
    let own_words = says_no_more(&reason, task.question.text(), task.language);
    let verdict = AnsweredVerdict {
        answered: answered.into(),
        reason: if own_words { reason } else { String::new() },
    };
    verdict.held_to(findings, task.language)
}

/// A finding that rests on evidence that exists; else nothing.
fn finding(
    reply: ReplyFinding,
    task: &AnalyseTask<'_>,
    scale: &StrengthScale<'_>,
) -> Option<Finding> {
    let mut places: Vec<usize> = reply
        .evidence
        .iter()
        .filter_map(|number| task.order.get(number.checked_sub(1)?).copied())
        .filter(|place| *place < task.evidence.len())
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

/// A pair that the model found. Nobody has proven that its sides contradict each other, so it is marked.
fn contradiction(reply: ReplyContradiction, task: &AnalyseTask<'_>) -> Option<Contradiction> {
    let side = |number: usize| {
        let place = *task.order.get(number.checked_sub(1)?)?;
        let piece = task.evidence.get(place)?;
        Some(Side {
            source: piece.source,
            span: piece.span,
            quote: piece.quote.clone(),
        })
    };
    let (left, right) = (side(reply.left_evidence)?, side(reply.right_evidence)?);
    if left.source == right.source {
        return None;
    }
    let mut pair = Contradiction {
        left,
        right,
        about: String::new(),
        explained: None,
        weighed: None,
    };
    let disagree = Phrases::new(task.language).disagreements;
    let about = told(&reply.about, &pair, task);
    pair.about = format!("{}{MARK}", about.as_deref().unwrap_or(disagree));
    let weighed = reply.weighed.and_then(|why| told(&why, &pair, task));
    pair.weighed = weighed.map(|why| format!("{why}{MARK}"));
    Some(pair)
}

/// What a model says of a pair, where the question and the two quotes have all its words.
fn told(words: &str, pair: &Contradiction, task: &AnalyseTask<'_>) -> Option<String> {
    let known = [task.question.text(), &pair.left.quote, &pair.right.quote].join(" ");
    let words = without_markup(words);
    let fits = !words.is_empty() && says_no_more(&words, &known, task.language);
    fits.then_some(words)
}

fn share(number: f64) -> f64 {
    if number.is_nan() {
        0.0
    } else {
        number.clamp(0.0, 1.0)
    }
}
