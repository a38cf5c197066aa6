//! A request as the body of a Messages call.

use serde_json::{Map, Value, json};

use super::super::form::{RequestForm, SchemaSupport};
use super::super::openai;
use super::super::request::{AnswerFormat, ChatMessage, ModelRequest, ToolCall};

/// The interface wants a limit on every request.
const MAX_TOKENS: u32 = 4_096;

pub(in super::super) fn body(model: &str, form: RequestForm, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let max_tokens = request.max_tokens.unwrap_or(MAX_TOKENS);
    body.insert("max_tokens".into(), max_tokens.into());
    body.insert("messages".into(), messages(request));
    body.insert("stream".into(), true.into());
    if let Some(system) = form.instructions(request) {
        body.insert("system".into(), system.into());
    }
    if let Some(temperature) = request.temperature.filter(|_| form.temperature) {
        let temperature = openai::rounded(temperature.clamp(0.0, 1.0));
        body.insert("temperature".into(), temperature);
    }
    let own = request.tools.iter();
    let own = own.map(|own| tool(&own.name, &own.description, &own.parameters));
    let mut tools: Vec<Value> = own.collect();
    if let AnswerFormat::Schema { name, schema } = &request.format
        && form.shape < SchemaSupport::Object
    {
        // With tools of its own at hand the model may use one of those first.
        let choice = if tools.is_empty() {
            json!({"type": "tool", "name": name})
        } else {
            json!({"type": "any"})
        };
        body.insert("tool_choice".into(), choice);
        let description = "Gives the answer in the form that was asked for.";
        tools.push(tool(name, description, schema));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    Value::Object(body)
}

fn messages(request: &ModelRequest) -> Value {
    let mut written: Vec<Value> = Vec::new();
    for message in &request.messages {
        let (role, content) = match message {
            ChatMessage::User { text } => ("user", vec![json!({"type": "text", "text": text})]),
            ChatMessage::Tool { call_id, text } => (
                "user",
                vec![json!({"type": "tool_result", "tool_use_id": call_id, "content": text})],
            ),
            ChatMessage::Assistant { text, tool_calls } => ("assistant", said(text, tool_calls)),
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

fn tool(name: &str, description: &str, schema: &Value) -> Value {
    json!({"name": name, "description": description, "input_schema": schema})
}
