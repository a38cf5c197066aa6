//! Makes the plan, has it checked, and gives the reasoner one chance to repair it. A slow model only gives other words to
//! search with.

use std::sync::Arc;

use fathom_render::report::EXTRACTIVE;
use fathom_workflow::{NodeError, NodeResult};

use super::{Notes, language};
use crate::degradation::JudgedPart;
use crate::plan::{Plan, PlanFault, Query, SourceKind, SubQuestionId};
use crate::question::{AskedDepth, Depth};
use crate::reasoner::{Ctx, PlanTask, RephraseTask, brief, judge, judge_if_able};
use crate::skills::effort::{Effort, Schedule};
use crate::workflows::report::state::{State, StateChange};

pub(crate) async fn plan(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let mut notes = Notes::new(ctx);
    let kinds = ctx.deps().kinds(state.settings.scope());
    if kinds.is_empty() {
        return Err(NodeError::new(
            "there is nothing to search: name a library, or configure a search provider",
        ));
    }
    let searches = rephrased(state, ctx, &mut notes).await?;
    let mut plan = match Schedule::at_step(ctx, state.settings.model_patience())
        .await?
        .effort()
    {
        Effort::Full => repaired(state, ctx, &kinds, &mut notes).await?,
        effort @ (Effort::Lean | Effort::Nothing) => {
            notes.less_by_model(effort, JudgedPart::Plan);
            notes.reasoner(EXTRACTIVE);
            let plan = brief::plan(&task(state, &kinds, &[]));
            within(with_depth(plan, state), state, &kinds)
        }
    };
    add_searches(&mut plan, searches, &kinds);
    Ok(notes.update(StateChange::Planned(Arc::new(plan))))
}

/// A plan that keeps the rules, asked for twice at most.
async fn repaired(
    state: &State,
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
async fn rephrased(state: &State, ctx: &Ctx, notes: &mut Notes) -> Result<Vec<String>, NodeError> {
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
            judged.value.searches()
        }
        Err(failures) => {
            notes.failures(failures);
            Vec::new()
        }
    })
}

/// Searches of the own documents in other words, beside the plan's.
fn add_searches(plan: &mut Plan, searches: Vec<String>, kinds: &[SourceKind]) {
    if !kinds.contains(&SourceKind::Local) {
        return;
    }
    let Some(intent) = plan.sub_questions.first().map(|sub| sub.text.clone()) else {
        return;
    };
    for text in searches {
        let known = |query: &Query| query.text == text && query.kind == SourceKind::Local;
        if !plan.queries.iter().any(known) {
            plan.queries.push(Query {
                text,
                intent: intent.clone(),
                kind: SourceKind::Local,
                priority: 1,
                serves: SubQuestionId(0),
            });
        }
    }
}

fn task<'a>(state: &'a State, kinds: &'a [SourceKind], faults: &'a [PlanFault]) -> PlanTask<'a> {
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
    state: &State,
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
    let plan = within(with_depth(plan, state), state, kinds);
    let faults = plan.faults(takes_apart);
    Ok((plan, faults))
}

/// The plan with how far to go, where the question leaves that open and its maker did not say.
fn with_depth(mut plan: Plan, state: &State) -> Plan {
    plan.depth = match state.question.depth {
        AskedDepth::Exactly(_) => None,
        AskedDepth::Auto => plan.depth.or(Some(Depth::Standard)),
    };
    plan
}

/// Mends the plan, and leaves out queries that nobody can answer and those beyond the depth's bound.
fn within(plan: Plan, state: &State, kinds: &[SourceKind]) -> Plan {
    let depth = state.question.depth.or(plan.depth);
    let local_only = kinds == [SourceKind::Local];
    let mut plan = plan.mended(depth, local_only);
    let fallback = kinds.first().copied().unwrap_or(SourceKind::Local);
    for query in &mut plan.queries {
        if !kinds.contains(&query.kind) {
            query.kind = fallback;
        }
    }
    plan.queries.sort_by_key(|query| query.priority);
    let mut plan = plan.mended(depth, local_only);
    plan.queries.truncate(depth.bounds().queries);
    plan
}
