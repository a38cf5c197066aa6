//! Makes the plan, has it checked, and gives the reasoner one chance to repair it. A slow model only gives other words to
//! search with.

use std::sync::Arc;

use fathom_render::report::EXTRACTIVE;
use fathom_workflow::{NodeError, NodeResult};

use super::{Notes, language};
use crate::degradation::JudgedPart;
use crate::plan::{Plan, PlanFault, Query, SourceKind, SubQuestionId};
use crate::reasoner::{Ctx, PlanTask, RephraseTask, Rephrased, brief, judge, judge_if_able};
use crate::services::NOTHING_TO_SEARCH;
use crate::skills::effort::{Effort, Schedule};
use crate::workflows::report::state::{ReportState, StateChange};

pub(crate) async fn plan(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let mut notes = Notes::new(ctx);
    let kinds = ctx.deps().kinds(state.settings.scope());
    if kinds.is_empty() {
        return Err(NodeError::new(NOTHING_TO_SEARCH));
    }
    let rephrased = rephrased(state, ctx, &mut notes).await?;
    let mut plan = match Schedule::at_step(ctx, state.settings.model_patience())
        .await?
        .effort()
    {
        Effort::Full => repaired(state, ctx, &kinds, &mut notes).await?,
        effort @ (Effort::Lean | Effort::Nothing) => {
            notes.less_by_model(effort, JudgedPart::Plan);
            notes.reasoner(EXTRACTIVE);
            let plan = brief::plan(&task(state, &kinds, &[]));
            plan.fitted(state.question.depth, &kinds, None)
        }
    };
    if let Some(rephrased) = rephrased {
        let asked = brief::as_query(state.question.text());
        add_searches(&mut plan, asked, rephrased, &kinds);
    }
    Ok(notes.update(StateChange::Planned(Arc::new(plan))))
}

/// A plan that keeps the rules, asked for twice at most.
async fn repaired(
    state: &ReportState,
    ctx: &Ctx,
    kinds: &[SourceKind],
    notes: &mut Notes,
) -> Result<Plan, NodeError> {
    let (first, faults) = planned(state, ctx, kinds, &[], notes).await?;
    let (plan, faults) = if faults.is_empty() {
        (first, faults)
    } else {
        planned(state, ctx, kinds, &faults, notes).await?
    };
    match faults.first() {
        Some(fault) => Err(NodeError::new(format!("no plan could be made: {fault}"))),
        None => Ok(plan),
    }
}

/// The question in the words that documents use; nothing where no model knows them. This first and short call also
/// measures how quick the model is.
async fn rephrased(
    state: &ReportState,
    ctx: &Ctx,
    notes: &mut Notes,
) -> Result<Option<Rephrased>, NodeError> {
    let task = RephraseTask {
        budget: state.settings.budget(state.started_at),
        question: state.question.text(),
        turns: &[],
        language: language(state),
    };
    let rephrasers = &ctx.deps().reasoners.rephrasers;
    let judged = judge_if_able(rephrasers, |model| model.rephrase(ctx, &task)).await?;
    Ok(match judged {
        Ok(judged) => {
            notes.reasoner(&judged.by);
            notes.failures(judged.failures);
            Some(judged.value)
        }
        Err(failures) => {
            notes.failures(failures);
            None
        }
    })
}

/// Searches of the own documents in other words, beside the plan's. The question itself is searched with the terms.
fn add_searches(plan: &mut Plan, asked: &str, rephrased: Rephrased, kinds: &[SourceKind]) {
    if !kinds.contains(&SourceKind::Local) {
        return;
    }
    let Some(intent) = plan.sub_questions.first().map(|sub| sub.text.clone()) else {
        return;
    };
    let own = (!rephrased.terms.is_empty()).then(|| asked.to_owned());
    for text in own.into_iter().chain(rephrased.searches()) {
        let known = |query: &Query| query.text == text && query.kind == SourceKind::Local;
        if !plan.queries.iter().any(known) {
            plan.queries.push(Query {
                text,
                terms: Vec::new(),
                intent: intent.clone(),
                kind: SourceKind::Local,
                priority: 1,
                serves: SubQuestionId(0),
            });
        }
    }
    let own = |query: &&mut Query| query.text == asked && query.kind == SourceKind::Local;
    if let Some(query) = plan.queries.iter_mut().find(own) {
        query.terms = rephrased.terms;
    }
}

fn task<'a>(
    state: &'a ReportState,
    kinds: &'a [SourceKind],
    faults: &'a [PlanFault],
) -> PlanTask<'a> {
    PlanTask {
        question: &state.question,
        caps: state.settings.caps,
        kinds,
        feedback: state.feedback.as_deref(),
        faults,
    }
}

/// A plan, and the rules that it breaks.
async fn planned(
    state: &ReportState,
    ctx: &Ctx,
    kinds: &[SourceKind],
    faults: &[PlanFault],
    notes: &mut Notes,
) -> Result<(Plan, Vec<PlanFault>), NodeError> {
    let task = task(state, kinds, faults);
    let judged = judge(&ctx.deps().reasoners.planners, |planner| {
        planner.plan(ctx, &task)
    })
    .await?;
    let takes_apart = judged.by != EXTRACTIVE;
    let plan = notes.take(judged, JudgedPart::Plan);
    let plan = plan.fitted(state.question.depth, kinds, None);
    let faults = plan.faults(takes_apart);
    Ok((plan, faults))
}
