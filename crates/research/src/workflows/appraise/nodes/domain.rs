//! Answers the questions of one domain and judges it by the published algorithm.

use fathom_render::appraisal::DomainAppraisal;
use fathom_workflow::NodeResult;

use super::super::answer::{AnswerRules, PeopleHeard, possible};
use super::super::opinion::{self, AskedModel};
use super::super::state::{State, Update};
use super::OpenDocuments;
use crate::reasoner::Ctx;
use crate::rob2::{Answers, Domain, judge, question, questions};

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
    let (state, said) = (state.clone(), asked.clone());
    let working = tokio::task::spawn_blocking(move || judged(&state, &opened, &said, domain));
    Ok(Update::Judged {
        domain: working.await?,
        asked,
    })
}

/// A domain, judged by what the state knows and what a model said of it.
pub(super) fn judged(
    state: &State,
    opened: &OpenDocuments,
    asked: &AskedModel,
    domain: Domain,
) -> DomainAppraisal {
    let of_domain =
        |id: &str| question(id, state.input.effect).is_some_and(|one| one.domain == domain);
    let by_people = state
        .given_answers()
        .any(|given| of_domain(&given.question));
    let before =
        by_people.then(|| answered(state, opened, asked, domain, PeopleHeard::No).judgement);
    DomainAppraisal {
        replaced: before,
        ..answered(state, opened, asked, domain, PeopleHeard::Yes)
    }
}

fn answered(
    state: &State,
    opened: &OpenDocuments,
    asked: &AskedModel,
    domain: Domain,
    people: PeopleHeard,
) -> DomainAppraisal {
    let effect = state.input.effect;
    let rules = AnswerRules::new(state, opened, asked, people);
    let mut answers = earlier(state, domain);
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
        replaced: None,
        answers: answered,
    }
}

/// The answers of the domains before this one.
fn earlier(state: &State, domain: Domain) -> Answers {
    let before = state.domains.iter().take_while(|one| one.domain != domain);
    let all = before.flat_map(|domain| &domain.answers);
    all.map(|one| (one.id.as_str(), one.answer)).collect()
}
