//! Language models: one typed question in, one typed answer out, whoever serves it.
//!
//! [`Models`] is the door: it knows which model serves which [`ModelRole`], asks through the call layer, falls over to
//! the next endpoint, and turns answers into Rust types. `client.rs` makes one attempt at one endpoint.
//!
//! `request.rs` and `completion.rs` are what goes in and comes out, and can be stored; `settings.rs` who is asked.
//! `openai.rs` and `anthropic.rs` speak the two wire forms over `answer.rs`, `sse.rs` and `gather.rs`; `form.rs` and
//! `learn.rs` find out what an endpoint understands. `typed.rs` asks for a type with a schema from `schema.rs`, read by `json.rs`.
//! When to try again is left to `call`, and what to ask to others.

mod answer;
mod anthropic;
mod ask;
mod client;
mod completion;
mod content;
mod embed;
mod error;
mod form;
mod gather;
mod inference;
mod json;
mod learn;
mod list;
mod openai;
mod price;
mod request;
mod schema;
mod settings;
mod sse;
mod tokens;
mod typed;

pub use ask::Models;
pub use completion::{Completion, FinishReason, TokenUsage};
pub use embed::{EmbeddedTexts, Embedder};
pub use error::{ErrorBody, ErrorResponse, ModelError, ModelSpending};
pub use inference::{InferenceServer, SparseVector};
pub use json::{UnusableJson, without as without_thoughts};
pub use list::list_models;
pub use price::{ModelCost, ModelPrices, TokenPrice};
pub use request::{
    AnswerFormat, ChatMessage, ModelRequest, TextListener, ToolCall, ToolDefinition,
};
pub use settings::{ModelApi, ModelEndpoint, ModelRole, ModelSettings, RoleSettings};
pub use typed::{ASKS_MAX, TypedAnswer};
