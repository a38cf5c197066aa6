//! What a person may change at the review of an appraisal, and whether a change fits.

use fathom_workflow::{InvalidInput, read_input};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::definition::GivenAnswer;
use super::state::State;
use crate::rob2::{Effect, SignalAnswer, question};

/// The edits of a person: some of the answers.
#[derive(Serialize, Deserialize)]
struct AnswerEdits {
    #[serde(default)]
    answers: Vec<AnswerEdit>,
}

/// An answer as a person edits it.
#[derive(Serialize, Deserialize)]
struct AnswerEdit {
    question: String,
    /// What the question asks; shown, and passed over when it comes back.
    #[serde(default)]
    asks: String,
    answer: SignalAnswer,
    #[serde(default)]
    why: String,
    #[serde(default)]
    by: String,
}

/// The answers as they stand, to be edited; nothing before all domains are judged.
pub(super) fn editable(state: &State) -> Option<Value> {
    let ready = state.input.review && state.domains.len() == crate::rob2::Domain::ALL.len();
    let all = state.domains.iter().flat_map(|domain| &domain.answers);
    let answers = all.map(|one| {
        let (answer, why) = (one.answer, &one.rationale);
        json!({ "question": one.id, "asks": one.question, "answer": answer, "why": why })
    });
    ready.then(|| json!({ "answers": answers.collect::<Vec<_>>() }))
}

/// The answers that the edits change. One that says what stands there already is no change.
pub(super) fn given_at_review(
    state: &State,
    edits: &Value,
) -> Result<Vec<GivenAnswer>, InvalidInput> {
    let AnswerEdits { answers } = read_input(edits.clone())?;
    let mut changed = Vec::new();
    for (nth, edit) in answers.into_iter().enumerate() {
        let given = GivenAnswer {
            question: edit.question,
            answer: edit.answer,
            by: edit.by,
            why: edit.why,
        };
        given.check(nth, state.input.effect)?;
        let all = state.domains.iter().flat_map(|domain| &domain.answers);
        let before = all.clone().find(|one| one.id == given.question);
        let same_why = before.is_some_and(|one| one.rationale == given.why.trim());
        if before.is_some_and(|one| one.answer == given.answer) {
            // A reason of one's own confirms an answer.
            if !same_why && !given.why.trim().is_empty() {
                changed.push(given);
            }
        } else {
            // The reason for the old answer is none for the new one.
            let why = if same_why { String::new() } else { given.why };
            changed.push(GivenAnswer { why, ..given });
        }
    }
    if changed.is_empty() {
        let why = "every answer is as it stands; approve it instead";
        return Err(InvalidInput::at("answers", why));
    }
    Ok(changed)
}

impl GivenAnswer {
    /// Whether it answers a question of the tool in a way that the question takes.
    pub(super) fn check(&self, nth: usize, effect: Effect) -> Result<(), InvalidInput> {
        let at = |field: &str| format!("answers[{nth}].{field}");
        let Some(asked) = question(&self.question, effect) else {
            let why = format!("there is no question {} for this effect", self.question);
            return Err(InvalidInput::at(at("question"), why));
        };
        if !asked.options.contains(&self.answer) {
            let why = format!("{} does not take the answer {}", asked.id, self.answer);
            return Err(InvalidInput::at(at("answer"), why));
        }
        Ok(())
    }
}
