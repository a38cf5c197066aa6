//! A model's opinion on whether passages bear sentences out.
//!
//! It is shown the sentences and their passages, and nothing else. A sentence that it forgets, or gives two verdicts,
//! counts as one that it could not check.

use fathom_providers::model::ModelRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ModelReasoner;
use super::ask::ModelCall;
use super::prompt;
use crate::citations::Judgement;
use crate::reasoner::{CitedSentence, Ctx, Opinion, ReasonerError, SupportTask};

const SENTENCE_CHARS: usize = 1_000;
const WHY_CHARS: usize = 200;

/// Characters of a passage that are shown whole, and after one, two and three cuts.
const PASSAGE_CHARS: [usize; 4] = [1_200, 800, 500, 300];

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "support")]
struct SupportReply {
    #[schemars(length(max = 8))]
    verdicts: Vec<ReplyVerdict>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplyVerdict {
    number: u32,
    #[schemars(length(max = 150))]
    because: String,
    verdict: Verdict,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Supported,
    Contradicted,
    NotSupported,
    CouldNotCheck,
}

pub(super) async fn support(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &SupportTask<'_>,
) -> Result<Vec<Opinion>, ReasonerError> {
    let request = |cuts: u8| {
        let most = PASSAGE_CHARS.get(usize::from(cuts)).copied();
        let most = most.unwrap_or_default();
        let sentences: Vec<Value> = task.sentences.iter().map(|one| shown(one, most)).collect();
        prompt::request(
            "support",
            &json!({ "part": task.part, "sentences": sentences }),
        )
    };
    // Checking must leave what is kept for writing.
    let caps = task.caps.before_reserve();
    let asking = ModelCall {
        role: ModelRole::Reviewer,
        key: format!("support/{}", task.part),
        caps: &caps,
    };
    let reply: SupportReply = model.typed(ctx, &asking, request).await?;
    Ok(held(&reply.verdicts, task.sentences.len()))
}

fn shown(cited: &CitedSentence, most: usize) -> Value {
    let passages = cited.passages.iter();
    let passages: Vec<String> = passages.map(|text| prompt::plain(text, most)).collect();
    json!({
        "sentence": prompt::plain(&cited.sentence, SENTENCE_CHARS),
        "passages": passages,
    })
}

fn held(verdicts: &[ReplyVerdict], count: usize) -> Vec<Opinion> {
    let one = |number: usize| {
        let mut own = verdicts
            .iter()
            .filter(|verdict| usize::try_from(verdict.number) == Ok(number));
        match (own.next(), own.next()) {
            (Some(verdict), None) => opinion(verdict),
            (None, _) => unable("the model gave no verdict on it"),
            (Some(_), Some(_)) => unable("the model gave several verdicts on it"),
        }
    };
    (1..=count).map(one).collect()
}

fn opinion(verdict: &ReplyVerdict) -> Opinion {
    let why = prompt::plain(&verdict.because, WHY_CHARS);
    let judgement = match verdict.verdict {
        Verdict::Supported => Judgement::Supported,
        Verdict::Contradicted => Judgement::Contradicted,
        Verdict::NotSupported => Judgement::NotSupported,
        Verdict::CouldNotCheck => Judgement::CouldNotCheck { why: why.clone() },
    };
    Opinion { judgement, why }
}

fn unable(why: &str) -> Opinion {
    Opinion {
        judgement: Judgement::CouldNotCheck {
            why: why.to_owned(),
        },
        why: why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(number: u32, verdict: Verdict) -> ReplyVerdict {
        ReplyVerdict {
            number,
            because: "it says so".to_owned(),
            verdict,
        }
    }

    #[test]
    fn a_sentence_without_a_verdict_or_with_two_could_not_be_checked() {
        let verdicts = [
            verdict(1, Verdict::Supported),
            verdict(3, Verdict::Supported),
            verdict(3, Verdict::Contradicted),
            verdict(9, Verdict::NotSupported),
        ];
        let judgements: Vec<Judgement> = held(&verdicts, 3)
            .into_iter()
            .map(|held| held.judgement)
            .collect();
        let [first, second, third] = judgements.try_into().unwrap();
        assert_eq!(first, Judgement::Supported);
        assert!(matches!(second, Judgement::CouldNotCheck { .. }));
        assert!(matches!(third, Judgement::CouldNotCheck { .. }));
    }
}
