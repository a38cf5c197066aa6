//! Language models: one typed question in, one typed answer out, whoever serves it.
//!
//! [`Models`] is the door: it knows which model serves which [`Role`], asks through the call layer, falls over to
//! the next endpoint, and turns answers into Rust types. A `Model` makes one attempt at one endpoint.
//!
//! `request.rs` and `completion.rs` are what goes in and comes out, and can be stored; `settings.rs` who is asked.
//! `openai.rs` and `anthropic.rs` speak the two wire forms over `answer.rs`, `sse.rs` and `gather.rs`; `form.rs` and
//! `learn.rs` find out what an endpoint understands. `typed.rs` asks for a type with a schema from `schema.rs`, read by `json.rs`.
//! When to try again is left to `call`, and what to ask to others.

mod answer;
mod anthropic;
mod ask;
mod completion;
mod content;
mod embed;
mod error;
mod form;
mod gather;
mod json;
mod learn;
mod openai;
mod price;
mod request;
mod schema;
mod settings;
mod sse;
mod tokens;
mod typed;

pub use ask::Models;
pub use completion::{Completion, Finish, Usage};
pub use embed::{Embedded, Embedder};
pub use error::{Error, ErrorBody, ErrorResponse, Spent};
pub use json::{Unfit, read as read_json, without as without_thoughts};
pub use price::{Cost, Price};
pub use request::{Format, Message, Request, Tool, ToolCall};
pub use schema::strict as strict_schema;
pub use settings::{Api, Endpoint, Role, RoleSettings, Settings};
pub use tokens::estimate as estimate_tokens;
pub use typed::Typed;

use async_trait::async_trait;

use crate::call::{Attempt, Fault};

/// One model at one endpoint.
#[async_trait]
trait Model: Send + Sync {
    /// Makes one attempt. The pieces of the answer go to `progress` as they come.
    async fn complete(
        &self,
        request: &Request,
        attempt: &Attempt,
        progress: Option<&dyn Progress>,
    ) -> Result<Completion, Fault>;

    /// An answer showed that the schema was not kept to, so that it is asked for in another way from now on.
    fn schema_was_ignored(&self) {}
}

/// Who watches an answer come. It is called between awaits, so it must be quick.
pub trait Progress: Send + Sync {
    /// An answer begins; the pieces of an attempt before it are void.
    fn begin(&self) {}

    fn text(&self, piece: &str);
}
