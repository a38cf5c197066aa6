//! A model's answers to the signalling questions of a domain. An answer counts with words that stand in a passage; without
//! them it is "no information". The judgement is never the model's.

use fathom_evidence::quote::{self, QuoteSettings};
use fathom_providers::model::ModelRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ModelReasoner;
use super::ask::ModelCall;
use super::prompt;
use crate::reasoner::{AppraiseTask, Ctx, ReasonerError, SignalOpinion};
use crate::rob2::SignalAnswer;

const WHY_CHARS: usize = 300;
const OUTCOME_CHARS: usize = 300;

/// Characters of a passage that are shown whole, and after one, two and three cuts.
const PASSAGE_CHARS: [usize; 4] = [1_200, 800, 500, 300];

/// A shorter quote proves nothing.
const QUOTE_WORDS_MIN: usize = 4;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "appraisal")]
struct AppraiseReply {
    #[schemars(length(max = 7))]
    answers: Vec<ReplyAnswer>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyAnswer {
    #[schemars(length(max = 3))]
    id: String,
    passage: u32,
    #[serde(default)]
    #[schemars(length(max = 400))]
    quote: String,
    #[schemars(length(max = 250))]
    because: String,
    #[schemars(with = "String", extend("enum" = ["Y", "PY", "PN", "N", "NI", "NA"]))]
    answer: SignalAnswer,
}

pub(super) async fn appraise(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &AppraiseTask<'_>,
) -> Result<Vec<SignalOpinion>, ReasonerError> {
    let questions = task.questions.iter().map(|one| {
        let options: Vec<&str> = one.options.iter().map(|answer| answer.code()).collect();
        json!({ "id": one.id, "text": one.text, "options": options.join(", ") })
    });
    let questions: Vec<Value> = questions.collect();
    let outcome = task.outcome.unwrap_or("the primary outcome");
    let request = |cuts: u8| {
        let most = PASSAGE_CHARS.get(usize::from(cuts)).copied();
        let most = most.unwrap_or_default();
        let passages = task.passages.iter();
        let passages: Vec<String> = passages.map(|text| prompt::plain(text, most)).collect();
        prompt::request(
            "appraise",
            &json!({
                "effect": task.effect.word(),
                "outcome": prompt::plain(outcome, OUTCOME_CHARS),
                "questions": questions,
                "passages": passages,
            }),
        )
    };
    let asking = ModelCall {
        role: ModelRole::Analyst,
        key: task.key.to_owned(),
        caps: task.caps,
    };
    let reply: AppraiseReply = model.typed(ctx, &asking, request).await?;
    let asked = task.questions.iter();
    Ok(asked
        .filter_map(|one| {
            let mut own = reply
                .answers
                .iter()
                .filter(|answer| answer.id.trim() == one.id);
            let (answer, None) = (own.next()?, own.next()) else {
                return None;
            };
            one.options
                .contains(&answer.answer)
                .then(|| opinion(answer, task.passages))
        })
        .collect())
}

/// The answer with its proof; "no information" where the words do not stand in the passages.
fn opinion(reply: &ReplyAnswer, passages: &[String]) -> SignalOpinion {
    let why = prompt::plain(&reply.because, WHY_CHARS);
    let quote = reply.quote.trim().trim_matches(['“', '”', '"']);
    let long = quote.split_whitespace().count() >= QUOTE_WORDS_MIN;
    let settings = QuoteSettings::default();
    let stands = |text: &String| quote::find(text, quote, &settings).is_some();
    let proven = long && passages.iter().any(stands);
    let open = matches!(
        reply.answer,
        SignalAnswer::NoInformation | SignalAnswer::NotApplicable
    );
    SignalOpinion {
        id: reply.id.trim().to_owned(),
        answer: if proven || open {
            reply.answer
        } else {
            SignalAnswer::NoInformation
        },
        why: if proven || open {
            why
        } else {
            "The model gave an answer without words of the report that prove it.".to_owned()
        },
        quote: proven.then(|| quote.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_with_words_that_stand_in_a_passage() {
        let passages = ["Sealed opaque envelopes were used throughout.".to_owned()];
        let given = |quote: &str, answer| ReplyAnswer {
            id: "1.2".to_owned(),
            passage: 1,
            quote: quote.to_owned(),
            because: "Envelopes.".to_owned(),
            answer,
        };
        let proven = opinion(
            &given("Sealed opaque envelopes were used", SignalAnswer::Yes),
            &passages,
        );
        assert_eq!(proven.answer, SignalAnswer::Yes);
        assert!(proven.quote.is_some());
        for quote in ["A central telephone service was used", "envelopes", ""] {
            let made_up = opinion(&given(quote, SignalAnswer::Yes), &passages);
            assert_eq!(made_up.answer, SignalAnswer::NoInformation, "{quote}");
            assert_eq!(made_up.quote, None);
        }
    }
}
