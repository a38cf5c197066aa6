//! What an event of a Messages stream adds to the answer. A whole message is read too.

use serde_json::Value;

use super::super::completion::{Completion, FinishReason};
use super::super::content::{filled, json_text};
use super::super::gather::PartialCompletion;
use super::super::tokens;
use crate::lenient::count;

/// Blocks looked at in one message.
const BLOCKS_MAX: usize = 10_000;

pub(in super::super) fn take(gathered: &mut PartialCompletion, event: &Value) {
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => head(gathered, &event["message"]),
        "content_block_start" => block(gathered, count(&event["index"]), &event["content_block"]),
        "content_block_delta" => delta(gathered, count(&event["index"]), &event["delta"]),
        "message_delta" => {
            usage(gathered, &event["usage"]);
            stop(gathered, &event["delta"]);
        }
        "message_stop" => gathered.done = true,
        "message" => {
            head(gathered, event);
            let blocks = event["content"].as_array().into_iter().flatten();
            for (index, content) in blocks.take(BLOCKS_MAX).enumerate() {
                block(gathered, Some(index as u64), content);
            }
        }
        // Pings, ends of blocks, and what may yet be invented.
        _ => {}
    }
}

/// The answer's tool is no tool to the caller: its input is the text.
pub(in super::super) fn unwrap_answer(completion: &mut Completion, name: &str) {
    let place = completion
        .tool_calls
        .iter()
        .position(|call| call.name == name);
    let Some(place) = place else { return };
    completion.text = completion.tool_calls.remove(place).arguments;
    if completion.finish == FinishReason::ToolCalls && completion.tool_calls.is_empty() {
        completion.finish = FinishReason::Stop;
    }
}

fn head(gathered: &mut PartialCompletion, message: &Value) {
    if let Some(model) = filled(&message["model"]) {
        model.clone_into(&mut gathered.model);
    }
    usage(gathered, &message["usage"]);
    stop(gathered, message);
}

fn block(gathered: &mut PartialCompletion, index: Option<u64>, block: &Value) {
    match block["type"].as_str().unwrap_or_default() {
        "text" => gathered
            .text
            .push_str(filled(&block["text"]).unwrap_or_default()),
        "thinking" => think(gathered, &block["thinking"]),
        "tool_use" => {
            let id = block["id"].as_str().unwrap_or_default();
            let name = block["name"].as_str().unwrap_or_default();
            // A stream opens with an empty input and sends it in pieces.
            let has_input = block["input"]
                .as_object()
                .is_some_and(|map| !map.is_empty());
            let input = has_input.then(|| json_text(&block["input"]));
            gathered.add_call(index, id, name, &input.unwrap_or_default());
        }
        // Tools that the endpoint runs itself are its own affair.
        _ => {}
    }
}

fn delta(gathered: &mut PartialCompletion, index: Option<u64>, delta: &Value) {
    match delta["type"].as_str().unwrap_or_default() {
        "text_delta" => gathered
            .text
            .push_str(filled(&delta["text"]).unwrap_or_default()),
        "thinking_delta" => think(gathered, &delta["thinking"]),
        "input_json_delta" if gathered.has_call(index) => {
            gathered.add_call(index, "", "", &json_text(&delta["partial_json"]));
        }
        _ => {}
    }
}

fn think(gathered: &mut PartialCompletion, thought: &Value) {
    gathered.thought_tokens += filled(thought).map_or(0, tokens::estimate);
}

fn usage(gathered: &mut PartialCompletion, usage: &Value) {
    if let Some(input) = count(&usage["input_tokens"]) {
        // What came from the cache, or went there, is counted apart.
        let cached = count(&usage["cache_read_input_tokens"]).unwrap_or(0);
        let stored = count(&usage["cache_creation_input_tokens"]).unwrap_or(0);
        gathered.cached = cached;
        gathered.input = Some(input.saturating_add(cached).saturating_add(stored));
    }
    gathered.output = count(&usage["output_tokens"]).or(gathered.output);
}

fn stop(gathered: &mut PartialCompletion, of: &Value) {
    if let Some(reason) = filled(&of["stop_reason"]) {
        gathered.finish = Some(match reason {
            "end_turn" | "stop_sequence" => FinishReason::Stop,
            "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
            "tool_use" => FinishReason::ToolCalls,
            "refusal" => FinishReason::Refused,
            _ => FinishReason::Unsaid,
        });
    }
}
