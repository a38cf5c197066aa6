//! The gate at which a person looks at the answers: a run parks here, survives restarts, and goes on with the judgements
//! that the person's answers make.

use std::time::Duration;

use fathom_render::appraisal::{AppraisalReview, ReviewResult};
use fathom_workflow::interrupt::Verdict;
use fathom_workflow::{InvalidInput, NodeResult};
use serde_json::{Value, json};

use super::super::definition::GivenAnswer;
use super::super::outcome::appraisal;
use super::super::review::given_at_review;
use super::super::state::{ReviewedAppraisal, State, Update};
use super::{OpenDocuments, domain};
use crate::reasoner::Ctx;
use crate::skills::gates::{self, GateTask};

const REASON: &str = "the answers are ready; look at them before the appraisal goes out";

pub(crate) async fn review(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let task = GateTask {
        reason: REASON.to_owned(),
        show: json!({ "appraisal": appraisal(state, ctx.now()) }),
        within: Duration::from_secs(state.input.review_within_s),
        on_timeout: if state.input.auto_approve_on_timeout {
            Verdict::Approve
        } else {
            Verdict::Reject
        },
    };
    let edit = |edits: Option<&Value>| {
        let edits = edits.ok_or_else(|| {
            InvalidInput::new("name the answers to change; nothing is done with feedback alone")
        })?;
        given_at_review(state, edits).map(Some)
    };
    let decision = gates::ask(&task, ctx, edit).await?;
    let answers = signed(decision.edited.unwrap_or_default(), decision.by.as_deref());
    let result = match decision.verdict {
        Verdict::Approve => ReviewResult::Approved,
        Verdict::Skip => ReviewResult::Skipped,
        Verdict::Reject => ReviewResult::Rejected,
        Verdict::Modify => ReviewResult::Changed {
            answers: answers.len(),
        },
    };
    let review = AppraisalReview {
        result,
        by: decision.by,
        at: decision.at,
        remark: decision.feedback,
    };
    let opened = OpenDocuments::open(state, ctx).await?;
    let state = state.clone();
    let working =
        tokio::task::spawn_blocking(move || judged_again(state, &opened, review, answers));
    Ok(Update::Reviewed(Box::new(working.await?)))
}

/// Answers that name nobody are those of the person who decided.
fn signed(mut answers: Vec<GivenAnswer>, by: Option<&str>) -> Vec<GivenAnswer> {
    for answer in &mut answers {
        if answer.by.trim().is_empty() {
            answer.by = by.unwrap_or("a reviewer").to_owned();
        }
    }
    answers
}

/// Every domain anew, in order, since an answer can open questions of a later one. No model is asked again.
fn judged_again(
    mut state: State,
    opened: &OpenDocuments,
    review: AppraisalReview,
    answers: Vec<GivenAnswer>,
) -> ReviewedAppraisal {
    if !answers.is_empty() {
        state.reviewed_answers.clone_from(&answers);
        for nth in 0..state.domains.len() {
            let (Some(one), Some(asked)) = (state.domains.get(nth), state.asked.get(nth)) else {
                break;
            };
            let anew = domain::judged(&state, opened, asked, one.domain);
            state.domains.splice(nth..=nth, [anew]);
        }
    }
    ReviewedAppraisal {
        review,
        answers,
        domains: state.domains,
    }
}
