//! What a chunk of a chat completion adds to the answer. A whole reply is read as one large chunk.

use serde_json::Value;

use super::super::completion::FinishReason;
use super::super::content::{filled, json_text, text};
use super::super::gather::PartialCompletion;
use super::super::tokens;
use crate::lenient::count;

/// Tool calls looked at in one chunk.
const CALLS_MAX: usize = 256;

pub(in super::super) fn take(gathered: &mut PartialCompletion, chunk: &Value) {
    if let Some(model) = filled(&chunk["model"]) {
        model.clone_into(&mut gathered.model);
    }
    usage(gathered, &chunk["usage"]);
    let choice = &chunk["choices"][0];
    let said = if choice["delta"].is_object() {
        &choice["delta"]
    } else {
        &choice["message"]
    };
    gathered.text.push_str(&text(&said["content"]));
    // Thoughts come under either name.
    let thought = filled(&said["reasoning_content"]).or_else(|| filled(&said["reasoning"]));
    gathered.thought_tokens += thought.map_or(0, tokens::estimate);
    calls(gathered, said);
    if let Some(reason) = filled(&choice["finish_reason"])
        && gathered.finish != Some(FinishReason::Refused)
    {
        gathered.finish = Some(finish(reason));
    }
    if let Some(refusal) = filled(&said["refusal"]) {
        gathered.text.push_str(refusal);
        gathered.finish = Some(FinishReason::Refused);
    }
}

fn finish(reason: &str) -> FinishReason {
    match reason {
        "stop" | "eos" | "stop_sequence" | "end_turn" => FinishReason::Stop,
        "length" | "max_tokens" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "content_filter" | "refusal" | "safety" => FinishReason::Refused,
        _ => FinishReason::Unsaid,
    }
}

fn usage(gathered: &mut PartialCompletion, usage: &Value) {
    gathered.input = count(&usage["prompt_tokens"]).or(gathered.input);
    gathered.output = count(&usage["completion_tokens"]).or(gathered.output);
    let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
    gathered.cached = cached.unwrap_or(gathered.cached);
}

fn calls(gathered: &mut PartialCompletion, said: &Value) {
    let calls = said["tool_calls"].as_array().into_iter().flatten();
    for call in calls.take(CALLS_MAX) {
        let id = call["id"].as_str().unwrap_or_default();
        let name = call["function"]["name"].as_str().unwrap_or_default();
        let arguments = json_text(&call["function"]["arguments"]);
        gathered.add_call(count(&call["index"]), id, name, &arguments);
    }
}
