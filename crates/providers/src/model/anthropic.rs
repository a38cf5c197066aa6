//! Anthropic's Messages, streamed: the body of a request, and what an answer means.
//!
//! An answer in JSON is asked for as the input of a tool that the model must use, and comes back as the
//! completion's text. Models that cannot be made to use a tool get the schema in words, and those that take no
//! temperature get none.

mod read;
mod write;

pub(super) use read::{take, unwrap_answer};
pub(super) use write::body;
