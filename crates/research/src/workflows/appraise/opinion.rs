//! What a model says of a domain's questions: first from the validated passages, then, for what it left open, from the
//! whole of the methods and results.

use std::collections::BTreeSet;

use fathom_providers::FailureCategory;
use fathom_workflow::NodeError;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::article::ReportPart;
use super::nodes::OpenDocuments;
use super::state::{DocumentRole, State};
use crate::calls::RecordedFailure;
use crate::reasoner::{AppraiseTask, Ctx, SignalOpinion, judge_if_able, overcome};
use crate::rob2::{Domain, SignalAnswer, SignallingQuestion, questions};

/// Passages of the report that a second look shows, in reading order.
const SECOND_LOOK_CHARS: usize = 24_000;

const SHORTENED: &str = "Passages were shortened, because the prompt was too long for the model.";

/// What a model said of a domain. It is kept, so that nobody is asked again when a person answers otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AskedModel {
    /// Its name; nothing where there is none, or it failed.
    pub by: Option<String>,
    /// What it said, a question at a time.
    pub opinions: Vec<SignalOpinion>,
    /// What could not be done, in sentences.
    pub notes: Vec<String>,
    /// The failures that asking it met.
    #[serde(default)]
    pub errors: Vec<AppraiseError>,
}

/// A failure that the run lived through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppraiseError {
    /// The node that was at work.
    pub node: String,
    /// How often the call was tried, over all providers.
    pub attempt: u32,
    /// What kind of failure it was.
    pub category: FailureCategory,
    /// What happened, in a sentence.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

impl AskedModel {
    fn log(&mut self, ctx: &Ctx, failures: Vec<RecordedFailure>) {
        let entries = failures.into_iter().map(|failure| AppraiseError {
            node: ctx.node().to_owned(),
            attempt: failure.attempts,
            category: failure.category,
            message: failure.message,
            at: ctx.now(),
        });
        self.errors.extend(entries);
    }
}

/// Asks a model about a domain, where there is one.
pub(super) async fn ask(
    state: &State,
    ctx: &Ctx,
    domain: Domain,
    opened: &OpenDocuments,
) -> Result<AskedModel, NodeError> {
    let mut asked = AskedModel::default();
    if ctx.deps().reasoners.appraisers.is_empty() {
        return Ok(asked);
    }
    let all = questions(domain, state.input.effect);
    let first = validated(state, opened, all);
    look(state, ctx, &mut asked, "first", all, first).await?;
    let open: Vec<SignallingQuestion> = all
        .iter()
        .filter(|one| {
            let said = asked.opinions.iter().find(|opinion| opinion.id == one.id);
            said.is_none_or(|opinion| opinion.answer == SignalAnswer::NoInformation)
        })
        .copied()
        .collect();
    if asked.by.is_some() && !open.is_empty() {
        let whole = methods_and_results(opened);
        look(state, ctx, &mut asked, "second", &open, whole).await?;
    }
    let cut = overcome(ctx);
    if !cut.is_empty() {
        asked.notes.push(SHORTENED.to_owned());
    }
    asked.log(ctx, cut);
    Ok(asked)
}

async fn look(
    state: &State,
    ctx: &Ctx,
    asked: &mut AskedModel,
    key: &str,
    questions: &[SignallingQuestion],
    passages: Vec<String>,
) -> Result<(), NodeError> {
    if passages.is_empty() {
        return Ok(());
    }
    let key = format!("appraise/{key}");
    let task = AppraiseTask {
        key: &key,
        effect: state.input.effect,
        outcome: state.input.outcome.as_deref(),
        questions,
        passages: &passages,
        caps: &state.input.caps,
    };
    let appraisers = &ctx.deps().reasoners.appraisers;
    let judged = judge_if_able(appraisers, |one| one.answer_signals(ctx, &task)).await?;
    match judged {
        Ok(judged) => {
            asked.by = Some(judged.by);
            asked.log(ctx, judged.failures);
            for opinion in judged.value {
                asked.opinions.retain(|one| one.id != opinion.id);
                asked.opinions.push(opinion);
            }
        }
        Err(failures) => {
            let why = failures
                .last()
                .map_or("the reason is unknown", |one| one.message.as_str());
            asked.notes.push(format!("The model could not be asked about a domain, so rules answered what they can prove: {why}"));
            asked.log(ctx, failures);
        }
    }
    Ok(())
}

/// The accepted passages of the questions, each once, in the order of the questions.
fn validated(
    state: &State,
    opened: &OpenDocuments,
    questions: &[SignallingQuestion],
) -> Vec<String> {
    let mut met = BTreeSet::new();
    let mut passages = Vec::new();
    for question in questions {
        let own = state
            .evidence
            .iter()
            .filter(|one| one.accepted && one.candidate.question == question.id);
        for evidence in own {
            let candidate = &evidence.candidate;
            let known = opened
                .all()
                .any(|one| one.role.source() == candidate.source);
            if known && met.insert((candidate.source.clone(), candidate.span)) {
                passages.push(candidate.passage.clone());
            }
        }
    }
    passages
}

fn methods_and_results(opened: &OpenDocuments) -> Vec<String> {
    let mut passages = Vec::new();
    let mut chars = 0;
    let Some(report) = opened.get(DocumentRole::Article) else {
        return passages;
    };
    for passage in &report.article.passages {
        let first = report.article.within(passage.span).next();
        let part = first
            .and_then(|at| report.article.sentences.get(at))
            .map(|one| one.part);
        let telling = !matches!(
            part,
            Some(ReportPart::Introduction | ReportPart::Discussion) | None
        );
        let text = passage.text(&report.document).unwrap_or_default();
        if telling && chars + text.len() <= SECOND_LOOK_CHARS {
            chars += text.len();
            passages.push(text.to_owned());
        }
    }
    passages
}
