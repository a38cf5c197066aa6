//! A request as the body of a Messages call.

use serde_json::{Map, Value, json};

use super::super::openai;
use super::super::request::{Format, Message, Request, Tool, ToolCall};

/// The interface wants a limit on every request.
const MAX_TOKENS: u32 = 4_096;

pub(super) fn body(model: &str, request: &Request) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let max_tokens = request.max_tokens.unwrap_or(MAX_TOKENS);
    body.insert("max_tokens".into(), max_tokens.into());
    body.insert("messages".into(), messages(request));
    body.insert("stream".into(), true.into());
    if let Some(system) = system(request) {
        body.insert("system".into(), system.into());
    }
    if let Some(temperature) = request.temperature {
        let temperature = openai::rounded(temperature.clamp(0.0, 1.0));
        body.insert("temperature".into(), temperature);
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if let Format::Schema { name, schema } = &request.format {
        // With tools of its own at hand the model may use one of those first.
        let choice = if tools.is_empty() {
            json!({"type": "tool", "name": name})
        } else {
            json!({"type": "any"})
        };
        body.insert("tool_choice".into(), choice);
        let description = "Gives the answer in the form that was asked for.";
        tools.push(json!({"name": name, "description": description, "input_schema": schema}));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    Value::Object(body)
}

/// All instructions in one: the interface knows no system role among its messages.
fn system(request: &Request) -> Option<String> {
    let among = request.messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text.as_str()),
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    let all: Vec<&str> = request.system.as_deref().into_iter().chain(among).collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}

fn messages(request: &Request) -> Value {
    let mut written: Vec<Value> = Vec::new();
    for message in &request.messages {
        let (role, content) = match message {
            Message::System { .. } => continue,
            Message::User { text } => ("user", vec![json!({"type": "text", "text": text})]),
            Message::Tool { call_id, text } => (
                "user",
                vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": text})],
            ),
            Message::Assistant { text, tool_calls } => ("assistant", said(text, tool_calls)),
        };
        // Results of one turn's tools must stand in one message.
        match written.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(parts) = last["content"].as_array_mut() {
                    parts.extend(content);
                }
            }
            _ => written.push(json!({"role": role, "content": content})),
        }
    }
    written.into()
}

fn said(text: &str, tool_calls: &[ToolCall]) -> Vec<Value> {
    // Empty texts are refused.
    let text = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
    let calls = tool_calls.iter().map(|call| {
        let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    });
    text.into_iter().chain(calls).collect()
}

fn tool(tool: &Tool) -> Value {
    let Tool {
        name,
        description,
        parameters,
    } = tool;
    json!({"name": name, "description": description, "input_schema": parameters})
}
