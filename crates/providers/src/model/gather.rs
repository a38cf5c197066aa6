//! An answer in the making: what the pieces of a stream, or one whole reply, add up to.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::completion::{Completion, FinishReason, TokenUsage};
use super::request::{ModelRequest, ToolCall};
use super::tokens;
use crate::Secret;

/// Tool calls in one answer at most: more are left out.
const CALLS_MAX: usize = 128;

#[derive(Default)]
pub(super) struct PartialCompletion {
    pub(super) text: String,
    pub(super) finish: Option<FinishReason>,
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) cached: u64,
    pub(super) model: String,
    /// Tokens of thoughts that were sent along: they are paid for, and not kept.
    pub(super) thought_tokens: u64,
    /// The endpoint said that the answer is complete.
    pub(super) done: bool,
    calls: BTreeMap<u64, ToolCall>,
}

impl PartialCompletion {
    /// Adds to the tool call of this number; without one, to the last, or to a new one if it brings its own id.
    pub(super) fn add_call(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) {
        let last = self.calls.keys().next_back().copied();
        let index = index.unwrap_or(match last {
            None => 0,
            Some(last) if id.is_empty() => last,
            Some(last) => last.saturating_add(1),
        });
        if self.calls.len() >= CALLS_MAX && !self.calls.contains_key(&index) {
            return;
        }
        let call = self.calls.entry(index).or_insert_with(|| ToolCall {
            id: String::new(),
            name: String::new(),
            arguments: String::new(),
        });
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        // Some repeat the name with every piece.
        if call.name != name {
            call.name.push_str(name);
        }
        call.arguments.push_str(arguments);
    }

    pub(super) fn has_call(&self, index: Option<u64>) -> bool {
        index.is_some_and(|index| self.calls.contains_key(&index))
    }

    /// The whole answer; none if there is nothing in it.
    pub(super) fn completion(
        mut self,
        request: &ModelRequest,
        key: Option<&Secret>,
    ) -> Option<Completion> {
        let finish = match self.finish.unwrap_or(FinishReason::Unsaid) {
            FinishReason::Stop | FinishReason::Unsaid if !self.calls.is_empty() => {
                FinishReason::ToolCalls
            }
            finish => finish,
        };
        let is_empty = self.text.trim().is_empty() && self.calls.is_empty();
        if is_empty && !matches!(finish, FinishReason::Length | FinishReason::Refused) {
            return None;
        }
        let number = |(place, mut call): (usize, ToolCall)| {
            if call.id.is_empty() {
                call.id = format!("call_{place}");
            }
            if call.arguments.trim().is_empty() {
                call.arguments = "{}".to_owned();
            }
            for part in [&mut call.id, &mut call.name, &mut call.arguments] {
                strike(key, part);
            }
            call
        };
        let calls: Vec<ToolCall> = self.calls.into_values().enumerate().map(number).collect();
        let written = || {
            let called: u64 = calls.iter().map(ToolCall::estimate_tokens).sum();
            tokens::estimate(&self.text) + called + self.thought_tokens
        };
        let usage = TokenUsage {
            input: self.input.unwrap_or_else(|| request.estimate_tokens()),
            output: self.output.unwrap_or_else(written),
            cached: self.cached,
            estimated: self.input.is_none() || self.output.is_none(),
        };
        strike(key, &mut self.text);
        strike(key, &mut self.model);
        Some(Completion {
            text: self.text,
            tool_calls: calls,
            finish,
            usage,
            model: self.model,
            cost: None,
        })
    }
}

/// A proxy may repeat the request's headers in its answer.
fn strike(key: Option<&Secret>, text: &mut String) {
    if let Some(Cow::Owned(struck)) = key.map(|key| key.strike(text)) {
        *text = struck;
    }
}
