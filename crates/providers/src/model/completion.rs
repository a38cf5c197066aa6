//! What a model gave: plain data that can be stored in a journal.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::price::ModelCost;
use super::request::ToolCall;

/// A model's answer to one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// All text parts together, without separate thoughts.
    pub text: String,
    /// The tools that the model wants to be called, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// Tokens of this answer.
    pub usage: TokenUsage,
    /// The model as the endpoint names it.
    pub model: String,
    /// Unknown where the settings hold no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelCost>,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// It ran into the limit on tokens.
    Length,
    /// It waits for the result of a tool.
    ToolCalls,
    /// The model declined, or a filter stopped it.
    Refused,
    /// The endpoint gave no reason we know.
    Unsaid,
}

/// Tokens that were read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the request, with those read from a cache.
    pub input: u64,
    /// Tokens of the answer, with thoughts.
    pub output: u64,
    /// The part of `input` that the endpoint still had in its cache.
    #[serde(default)]
    pub cached: u64,
    /// Whether some of it was counted by us, because the endpoint did not say.
    #[serde(default)]
    pub estimated: bool,
}

impl AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.estimated = self.estimated || other.estimated;
    }
}
