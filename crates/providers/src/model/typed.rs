//! Asks a model for a value of a Rust type: schema, answer, mending, one more try with the reader's words.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ask::{Models, is_worth_another};
use super::completion::{Completion, Finish};
use super::error::{Error, Spent};
use super::json::{self, Unfit};
use super::request::{Format, Message, Request};
use super::schema;
use super::settings::Role;
use crate::call::{Provider, Terms};
use crate::error::Failure;

/// The question, and once more.
const ASKS_MAX: u32 = 2;

/// Of an answer that did not fit, so much is shown to the model again.
const SHOWN_MAX_CHARS: usize = 4_000;

/// A value, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed<T> {
    pub value: T,
    pub by: Provider,
    /// Who was asked in vain before.
    pub tried: Vec<Failure>,
    pub spent: Spent,
    /// The model as the endpoint names it.
    pub model: String,
    /// The answer had small faults of writing, or its end was missing.
    pub mended: bool,
}

impl Models {
    /// Asks for a value. The request's own format and tools are not used.
    pub async fn ask_typed<T: DeserializeOwned + JsonSchema>(
        &self,
        role: Role,
        request: &Request,
        terms: &Terms<'_>,
    ) -> Result<Typed<T>, Error> {
        let schema = Arc::new(schema::strict::<T>());
        let mut asked = Request {
            tools: Vec::new(),
            format: Format::Schema {
                name: schema::name::<T>(),
                schema: schema.clone(),
            },
            ..request.clone()
        };
        let mut spent = Spent::default();
        let mut asks = 0;
        // Bounded by `ASKS_MAX`.
        loop {
            asks += 1;
            let last = asks >= ASKS_MAX;
            let served = match self.once(role, &asked, terms, None).await {
                Ok(served) => served,
                Err(exhausted) if !last && is_worth_another(&exhausted) => continue,
                Err(exhausted) => return Err(Error::Call { exhausted, spent }),
            };
            let completion = served.value;
            spent.add(&completion);
            if completion.finish == Finish::Refused {
                return Err(Error::Refused {
                    by: served.by,
                    spent,
                });
            }
            let why = match json::read_noting(&completion.text) {
                Ok((value, mended)) => {
                    return Ok(Typed {
                        value,
                        by: served.by,
                        tried: served.tried,
                        spent,
                        model: completion.model,
                        mended,
                    });
                }
                Err(why) => why,
            };
            if ignores(&schema, &completion) {
                self.schema_was_ignored(&served.by);
            }
            if last {
                return Err(Error::Unreadable {
                    by: served.by,
                    why,
                    cut_off: completion.finish == Finish::Length,
                    spent,
                });
            }
            asked = self.put_again(role, asked, &completion, &why);
        }
    }

    /// The question for the second time: with more room if the answer was cut off, else with what was wrong.
    fn put_again(
        &self,
        role: Role,
        asked: Request,
        completion: &Completion,
        why: &Unfit,
    ) -> Request {
        if completion.finish == Finish::Length
            && let Some(more) = self.more_tokens(role, &asked)
        {
            return Request {
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
            messages.push(Message::Assistant {
                text: shown,
                tool_calls: Vec::new(),
            });
        }
        messages.push(Message::User { text: words });
        Request { messages, ..asked }
    }
}

/// Whether the answer could not have come from an endpoint that keeps to the schema.
fn ignores(schema: &Value, completion: &Completion) -> bool {
    let ended = matches!(completion.finish, Finish::Stop | Finish::Unsaid);
    let keeps = json::plain(&completion.text).is_some_and(|value| schema::keeps_to(schema, &value));
    ended && !keeps
}
