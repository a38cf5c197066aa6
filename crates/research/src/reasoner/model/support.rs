//! A model's opinion on whether passages bear sentences out.
//!
//! It is shown the sentences and their passages, and nothing else. A sentence that it forgets, or gives two verdicts,
//! counts as one that it could not check. So does one that it finds supported or contradicted by words that do not stand
//! in the passages: an opinion counts with its proof alone.

use fathom_evidence::quote::{self, QuoteSettings};
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

/// A shorter quote proves nothing, unless it is the whole passage.
const QUOTE_WORDS_MIN: usize = 4;

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
    #[serde(default)]
    #[schemars(length(max = 300))]
    quote: String,
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
    Ok(held(&reply.verdicts, task.sentences))
}

fn shown(cited: &CitedSentence, most: usize) -> Value {
    let passages = cited.passages.iter();
    let passages: Vec<String> = passages.map(|text| prompt::plain(text, most)).collect();
    json!({
        "sentence": prompt::plain(&cited.sentence, SENTENCE_CHARS),
        "passages": passages,
    })
}

fn held(verdicts: &[ReplyVerdict], sentences: &[CitedSentence]) -> Vec<Opinion> {
    let one = |(number, sentence): (u32, &CitedSentence)| {
        let mut own = verdicts.iter().filter(|verdict| verdict.number == number);
        match (own.next(), own.next()) {
            (Some(verdict), None) => opinion(verdict, &sentence.passages),
            (None, _) => unable("the model gave no verdict on it"),
            (Some(_), Some(_)) => unable("the model gave several verdicts on it"),
        }
    };
    (1..).zip(sentences).map(one).collect()
}

fn opinion(verdict: &ReplyVerdict, passages: &[String]) -> Opinion {
    let why = prompt::plain(&verdict.because, WHY_CHARS);
    let judgement = match verdict.verdict {
        Verdict::Supported | Verdict::Contradicted if !is_proven(&verdict.quote, passages) => {
            return unable("the model quoted no words of the passages for its verdict");
        }
        Verdict::Supported => Judgement::Supported,
        Verdict::Contradicted => Judgement::Contradicted,
        Verdict::NotSupported => Judgement::NotSupported,
        Verdict::CouldNotCheck => Judgement::CouldNotCheck { why: why.clone() },
    };
    Opinion { judgement, why }
}

/// Whether a quote stands in one of the passages, and is long enough to say something.
fn is_proven(quote: &str, passages: &[String]) -> bool {
    let settings = QuoteSettings {
        quote_ignore_case: true,
        ..QuoteSettings::default()
    };
    let quote = quote.trim().trim_matches(['“', '”', '"']);
    let long = quote.split_whitespace().count() >= QUOTE_WORDS_MIN;
    let mut passages = passages.iter();
    passages
        .any(|text| (long || text.trim() == quote) && quote::find(text, quote, &settings).is_some())
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

    const PASSAGE: &str = "Mortality did not differ between the groups of the trial.";

    fn verdict(number: u32, quote: &str, verdict: Verdict) -> ReplyVerdict {
        ReplyVerdict {
            number,
            quote: quote.to_owned(),
            because: "it says so".to_owned(),
            verdict,
        }
    }

    fn judgements(verdicts: &[ReplyVerdict], count: usize) -> Vec<Judgement> {
        let sentence = CitedSentence {
            sentence: "As many died in one group as in the other.".to_owned(),
            passages: vec![PASSAGE.to_owned()],
        };
        let held = held(verdicts, &vec![sentence; count]);
        held.into_iter().map(|held| held.judgement).collect()
    }

    #[test]
    fn a_sentence_without_a_verdict_or_with_two_could_not_be_checked() {
        let verdicts = [
            verdict(1, PASSAGE, Verdict::Supported),
            verdict(3, PASSAGE, Verdict::Supported),
            verdict(3, PASSAGE, Verdict::Contradicted),
            verdict(9, PASSAGE, Verdict::NotSupported),
        ];
        let [first, second, third] = judgements(&verdicts, 3).try_into().unwrap();
        assert_eq!(first, Judgement::Supported);
        assert!(matches!(second, Judgement::CouldNotCheck { .. }));
        assert!(matches!(third, Judgement::CouldNotCheck { .. }));
    }

    #[test]
    fn a_verdict_counts_only_with_words_that_stand_in_the_passages() {
        for given in [Verdict::Supported, Verdict::Contradicted] {
            for quote in [
                "",
                "the groups",
                "Mortality fell in both groups of the trial",
            ] {
                let [held] = judgements(&[verdict(1, quote, given)], 1)
                    .try_into()
                    .unwrap();
                assert!(matches!(held, Judgement::CouldNotCheck { .. }), "{quote}");
            }
        }
        let quote = "“mortality did not differ between the groups”";
        assert_eq!(
            judgements(&[verdict(1, quote, Verdict::Supported)], 1),
            [Judgement::Supported]
        );
        assert_eq!(
            judgements(&[verdict(1, "", Verdict::NotSupported)], 1),
            [Judgement::NotSupported]
        );
    }
}
