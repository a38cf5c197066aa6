//! Answer, title, summary and conclusion by a model.

use fathom_providers::model::ModelRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ModelReasoner;
use super::ask::ModelCall;
use super::echo::without_echo;
use super::prompt;
use crate::draft::Frame;
use crate::reasoner::{Ctx, FrameTask, ReasonerError};

const PROMPT: &str = "frame";

/// Characters of a section that are shown after one, two and three cuts.
const SECTION_CHARS: [usize; 4] = [20_000, 4_000, 1_500, 600];

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "frame")]
struct FrameReply {
    /// A reply that was recorded by an earlier version has none.
    #[schemars(required, length(max = 1_500))]
    answer: Option<String>,
    #[schemars(length(max = 150))]
    title: String,
    #[schemars(length(max = 6_000))]
    summary: String,
    #[schemars(length(max = 4_000))]
    conclusion: String,
}

pub(super) async fn frame(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &FrameTask<'_>,
) -> Result<Frame, ReasonerError> {
    let request = |cuts: u8| {
        let most = SECTION_CHARS
            .get(usize::from(cuts))
            .copied()
            .unwrap_or_default();
        let sections: Vec<_> = task
            .sections
            .iter()
            .map(|section| json!({ "title": section.title, "text": cut(&section.text, most) }))
            .collect();
        let input = json!({
            "question": prompt::plain(task.question.text(), 2_000),
            "banned": task.banned_words,
            "degraded": task.degraded,
            "sections": sections,
            // The answer is short and takes its words from the summary's.
            "summary_words": task.words * 5 / 8,
            "conclusion_words": task.words * 3 / 8,
        });
        prompt::request(PROMPT, &input)
    };
    let asking = ModelCall {
        role: ModelRole::Writer,
        key: "frame".to_owned(),
        caps: &task.caps,
    };
    let reply: FrameReply = model.typed(ctx, &asking, request).await?;
    Ok(Frame {
        title: reply.title.trim().to_owned(),
        answer: without_echo(PROMPT, &reply.answer.unwrap_or_default()),
        summary: without_echo(PROMPT, &reply.summary),
        conclusion: without_echo(PROMPT, &reply.conclusion),
    })
}

pub(super) fn cut(text: &str, most_chars: usize) -> &str {
    match text.char_indices().nth(most_chars) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}
