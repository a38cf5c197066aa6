//! Answers the questions of one domain and judges it by the published algorithm.

use fathom_render::appraisal::DomainAppraisal;
use fathom_workflow::NodeResult;

use super::super::answer::{AnswerRules, possible};
use super::super::opinion;
use super::super::outcome::PHRASE_RULES;
use super::super::state::{State, Update};
use super::OpenDocuments;
use crate::reasoner::Ctx;
use crate::rob2::{Answers, Domain, judge, questions};

pub(crate) async fn d1(state: &State, ctx: &Ctx) -> NodeResult<State> {
    appraise(state, ctx, Domain::D1).await
}

pub(crate) async fn d2(state: &State, ctx: &Ctx) -> NodeResult<State> {
    appraise(state, ctx, Domain::D2).await
}

pub(crate) async fn d3(state: &State, ctx: &Ctx) -> NodeResult<State> {
    appraise(state, ctx, Domain::D3).await
}

pub(crate) async fn d4(state: &State, ctx: &Ctx) -> NodeResult<State> {
    appraise(state, ctx, Domain::D4).await
}

pub(crate) async fn d5(state: &State, ctx: &Ctx) -> NodeResult<State> {
    appraise(state, ctx, Domain::D5).await
}

async fn appraise(state: &State, ctx: &Ctx, domain: Domain) -> NodeResult<State> {
    let opened = OpenDocuments::open(state, ctx).await?;
    let asked = opinion::ask(state, ctx, domain, &opened).await?;
    let state = state.clone();
    let (appraiser, notes) = (asked.by.clone(), asked.notes.clone());
    let working = tokio::task::spawn_blocking(move || {
        let effect = state.input.effect;
        let rules = AnswerRules::new(&state, &opened, &asked);
        let mut answers = earlier(&state);
        let mut answered = Vec::new();
        for question in questions(domain, effect) {
            let one = rules.answer(question, &answers);
            answers.set(question.id, one.answer);
            answered.push(one);
        }
        let judged = judge(domain, effect, &answers);
        DomainAppraisal {
            domain,
            judgement: judged.judgement,
            path: judged.path,
            possible: possible(domain, effect, &answers, &answered),
            answers: answered,
        }
    });
    Ok(Update::Judged {
        domain: working.await?,
        appraiser: appraiser.unwrap_or_else(|| PHRASE_RULES.to_owned()),
        notes,
    })
}

/// The answers of the domains that were judged before.
fn earlier(state: &State) -> Answers {
    let all = state.domains.iter().flat_map(|domain| &domain.answers);
    all.map(|one| (one.id.as_str(), one.answer)).collect()
}
