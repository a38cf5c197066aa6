//! Sentences by a model, each with the passages that it rests on. Code sets the citations, so that a small model cites too.

use fathom_providers::FailureCategory;
use fathom_providers::model::{ModelRequest, ModelRole};
use fathom_render::report::Answered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ask::{FindParts, ModelCall};
use super::{ModelReasoner, passages, prompt};
use crate::calls::RecordedFailure;
use crate::reasoner::{
    AnswerTask, Ctx, ReasonerError, SentenceKind, WrittenAnswer, WrittenSentence,
};
use crate::skills::compose::without_markup;

/// What is written where nothing else is asked for.
const ANSWER: &str = "Answer the question directly, the most important fact first.";

/// Tokens of a sentence with its numbers and its kind, and of what follows the sentences.
const SENTENCE_TOKENS: u32 = 90;
const END_TOKENS: u32 = 120;

/// What a model calls the language that it is to write in.
const LANGUAGES: &[(&str, &str)] = &[
    ("en", "English"),
    ("de", "German"),
    ("fr", "French"),
    ("es", "Spanish"),
    ("it", "Italian"),
    ("pt", "Portuguese"),
    ("nl", "Dutch"),
];

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "sentences")]
struct SentencesReply {
    #[schemars(length(max = 20))]
    sentences: Vec<ReplySentence>,
    /// An answer that was cut off has neither this nor the next.
    #[serde(default)]
    answered: ReplyAnswered,
    #[serde(default)]
    #[schemars(length(max = 150))]
    missing: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct ReplySentence {
    #[schemars(length(max = 4))]
    evidence: Vec<usize>,
    #[schemars(length(max = 350))]
    text: String,
    #[serde(default)]
    kind: ReplySentenceKind,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReplySentenceKind {
    #[default]
    Fact,
    Disagreement,
    Unknown,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyAnswered {
    Yes,
    #[default]
    Partly,
    No,
}

impl From<ReplyAnswered> for Answered {
    fn from(answered: ReplyAnswered) -> Self {
        match answered {
            ReplyAnswered::Yes => Self::Yes,
            ReplyAnswered::Partly => Self::Partly,
            ReplyAnswered::No => Self::No,
        }
    }
}

pub(super) async fn sentences(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &AnswerTask<'_>,
) -> Result<WrittenAnswer, ReasonerError> {
    if task.passages.is_empty() {
        return Err(ReasonerError::Failed(RecordedFailure::once(
            FailureCategory::Validation,
            "there is no passage to write from",
        )));
    }
    let most = u32::try_from(task.max_sentences).unwrap_or(u32::MAX);
    let code = task.language.code();
    let language = LANGUAGES.iter().find(|(known, _)| *known == code);
    let request = |cuts: u8| {
        let input = json!({
            "turns": passages::turns(task.turns),
            "question": prompt::plain(task.question, 2_000),
            "passages": passages::within(task.passages, model.passage_tokens(cuts), cuts),
            "instructions": task.instructions.unwrap_or(ANSWER),
            "most": most,
            "language": language.map_or("the language of the question", |(_, name)| name),
        });
        Ok(ModelRequest {
            max_tokens: Some(
                most.saturating_mul(SENTENCE_TOKENS)
                    .saturating_add(END_TOKENS),
            ),
            ..prompt::request("write", &input)?
        })
    };
    let asking = ModelCall {
        role: ModelRole::Writer,
        key: task.key.to_owned(),
        caps: &task.budget.caps,
    };
    // An answer is read along; what a report is made of would be no use alone.
    let parts: Option<FindParts> = task.instructions.is_none().then_some(so_far);
    let reply = model.typed_aloud(ctx, &asking, parts, request);
    let reply: SentencesReply = reply.await?;
    Ok(taken(reply, task))
}

/// The sentences that a reply holds so far, each of them whole, those that rest on nothing left out.
fn so_far(text: &str) -> Vec<String> {
    let list = text.split_once("\"sentences\"").map(|(_, rest)| rest);
    let list = list.and_then(|rest| rest.split_once('['));
    let mut rest = list.map_or("", |(_, rest)| rest);
    let mut sentences = Vec::new();
    // Each turn takes a sentence off, so this ends.
    loop {
        rest = rest.trim_start_matches([',', ' ', '\n', '\r', '\t']);
        let mut items = serde_json::Deserializer::from_str(rest).into_iter::<ReplySentence>();
        let Some(Ok(sentence)) = items.next() else {
            return sentences;
        };
        rest = rest.get(items.byte_offset()..).unwrap_or_default();
        if !sentence.evidence.is_empty() {
            // What a citation leaves behind is no space before a full stop.
            sentences.push(without_markup(&sentence.text).replace(" .", "."));
        }
    }
}

/// The reply without passages that do not exist and without what is no sentence.
fn taken(reply: SentencesReply, task: &AnswerTask<'_>) -> WrittenAnswer {
    let known = task.passages.len();
    let sentences = reply.sentences.into_iter().take(task.max_sentences);
    let sentences = sentences.filter_map(|sentence| {
        let places = sentence.evidence.iter();
        let places = places.filter_map(|number| number.checked_sub(1));
        let mut passages: Vec<usize> = places.filter(|place| *place < known).collect();
        passages.sort_unstable();
        passages.dedup();
        let text = one_line(&sentence.text);
        text.contains(char::is_alphanumeric)
            .then_some(WrittenSentence {
                passages,
                text,
                kind: match sentence.kind {
                    ReplySentenceKind::Fact => SentenceKind::Fact,
                    ReplySentenceKind::Disagreement => SentenceKind::Disagreement,
                    ReplySentenceKind::Unknown => SentenceKind::Unknown,
                },
            })
    });
    WrittenAnswer {
        sentences: sentences.collect(),
        answered: reply.answered.into(),
        missing: one_line(&reply.missing),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
