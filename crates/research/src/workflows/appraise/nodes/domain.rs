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
pub(in crate::workflows::appraise) fn judged(
    state: &State,
    opened: &OpenDocuments,
    asked: &AskedModel,
    domain: Domain,
) -> DomainAppraisal {
    let answered = |people: PeopleHeard| {
        let earlier = earlier(state, opened, domain, people);
        answered(state, opened, asked, domain, people, earlier)
    };
    let judged = answered(PeopleHeard::Yes);
    let of_domain =
        |id: &str| question(id, state.input.effect).is_some_and(|one| one.domain == domain);
    let by_people = state
        .given_answers()
        .any(|given| of_domain(&given.question));
    let anybody = state.given_answers().next().is_some();
    let before = anybody.then(|| answered(PeopleHeard::No).judgement);
    DomainAppraisal {
        // An answer to an earlier domain may change what follows from it here.
        replaced: before.filter(|before| by_people || *before != judged.judgement),
        ..judged
    }
}

/// A domain, given the answers of the domains before it.
fn answered(
    state: &State,
    opened: &OpenDocuments,
    asked: &AskedModel,
    domain: Domain,
    people: PeopleHeard,
    mut answers: Answers,
) -> DomainAppraisal {
    let effect = state.input.effect;
    let rules = AnswerRules::new(state, opened, asked, people);
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

/// The answers of the domains before this one. Those without people's are found anew, since what a person answered may
/// have opened or closed the questions after it.
pub(in crate::workflows::appraise) fn earlier(
    state: &State,
    opened: &OpenDocuments,
    domain: Domain,
    people: PeopleHeard,
) -> Answers {
    let before = state.domains.iter().zip(&state.asked);
    let before = before.take_while(|(one, _)| one.domain != domain);
    let mut answers = Answers::default();
    for (one, asked) in before {
        let alone = match people {
            PeopleHeard::Yes => None,
            PeopleHeard::No => {
                let earlier = answers.clone();
                Some(answered(state, opened, asked, one.domain, people, earlier))
            }
        };
        for found in &alone.as_ref().unwrap_or(one).answers {
            answers.set(&found.id, found.answer);
        }
    }
    answers
}
