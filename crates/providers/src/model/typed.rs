//! Asks a model for a value of a Rust type: schema, answer, mending, one more try with the reader's words.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ask::{Models, is_worth_another};
use super::completion::{Completion, FinishReason};
use super::error::{ModelError, ModelSpending};
use super::json::{self, UnusableJson};
use super::request::{AnswerFormat, ChatMessage, ModelRequest};
use super::schema;
use super::settings::ModelRole;
use crate::call::{CallContext, ProviderName};
use crate::error::CallFailure;

/// The question, and once more.
pub const ASKS_MAX: u32 = 2;

/// Of an answer that did not fit, so much is shown to the model again.
const SHOWN_MAX_CHARS: usize = 4_000;

/// A value, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedAnswer<T> {
    /// What the model answered.
    pub value: T,
    /// Who answered.
    pub by: ProviderName,
    /// Who was asked in vain before.
    pub tried: Vec<CallFailure>,
    /// With answers that could not be used.
    pub spent: ModelSpending,
    /// The model as the endpoint names it.
    pub model: String,
    /// The answer had small faults of writing, or its end was missing.
    pub mended: bool,
}

impl Models {
    /// Asks for a value. The request's own format and tools are not used.
    pub async fn ask_typed<T: DeserializeOwned + JsonSchema + 'static>(
        &self,
        role: ModelRole,
        request: &ModelRequest,
        context: &CallContext<'_>,
    ) -> Result<TypedAnswer<T>, ModelError> {
        let schema = schema::strict::<T>();
        let mut asked = ModelRequest {
            tools: Vec::new(),
            format: AnswerFormat::Schema {
                name: schema::name::<T>(),
                schema: Arc::clone(&schema),
            },
            ..request.clone()
        };
        let mut spent = ModelSpending::default();
        let mut asks = 0;
        // Bounded by `ASKS_MAX`.
        loop {
            asks += 1;
            let last = asks >= ASKS_MAX;
            let served = match self.once(role, &asked, context).await {
                Ok(served) => served,
                Err(exhausted) if !last && is_worth_another(&exhausted) => continue,
                Err(exhausted) => return Err(ModelError::Call { exhausted, spent }),
            };
            spent.add(&served.value);
            let why = match json::read_noting(&served.value.text) {
                _ if served.value.finish == FinishReason::Refused => {
                    let by = served.by;
                    return Err(ModelError::Refused { by, spent });
                }
                Ok((value, mended)) => {
                    return Ok(TypedAnswer {
                        value,
                        by: served.by,
                        tried: served.tried,
                        spent,
                        model: served.value.model,
                        mended,
                    });
                }
                Err(why) => why,
            };
            if ignores(&schema, &served.value) {
                self.schema_was_ignored(&served.by);
            }
            if last {
                return Err(ModelError::Unreadable {
                    by: served.by,
                    why,
                    cut_off: served.value.finish == FinishReason::Length,
                    spent,
                });
            }
            asked = self.put_again(role, asked, &served.value, &why);
        }
    }

    /// The question for the second time: with more room if the answer was cut off, else with what was wrong.
    fn put_again(
        &self,
        role: ModelRole,
        asked: ModelRequest,
        completion: &Completion,
        why: &UnusableJson,
    ) -> ModelRequest {
        if completion.finish == FinishReason::Length
            && let Some(more) = self.more_tokens(role, &asked)
        {
            return ModelRequest {
                max_tokens: Some(more),
                ..asked
            };
        }
        let shown: String = completion.text.chars().take(SHOWN_MAX_CHARS).collect();
        let words = format!(
            "That answer cannot be used: {why}. Answer again with only the JSON, complete and in the form asked for."
        );
        let mut messages = asked.messages;
        // Some refuse an empty message.
        if !shown.trim().is_empty() {
            messages.push(ChatMessage::Assistant {
                text: shown,
                tool_calls: Vec::new(),
            });
        }
        messages.push(ChatMessage::User { text: words });
        ModelRequest { messages, ..asked }
    }
}

/// Whether the answer could not have come from an endpoint that keeps to the schema.
fn ignores(schema: &Value, completion: &Completion) -> bool {
    let ended = matches!(completion.finish, FinishReason::Stop | FinishReason::Unsaid);
    let keeps = json::plain(&completion.text).is_some_and(|value| schema::keeps_to(schema, &value));
    ended && !keeps
}
