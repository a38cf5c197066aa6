//! A request as the body of a Messages call.

use serde_json::{Map, Value, json};

use super::super::form::{RequestForm, SchemaSupport};
use super::super::openai;
use super::super::request::{AnswerFormat, ChatMessage, ModelRequest, ToolCall, ToolDefinition};
use super::super::schema;

/// The interface wants a limit on every request.
const MAX_TOKENS: u32 = 4_096;

pub(in super::super) fn body(model: &str, form: RequestForm, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let max_tokens = request.max_tokens.unwrap_or(MAX_TOKENS);
    body.insert("max_tokens".into(), max_tokens.into());
    body.insert("messages".into(), messages(request));
    body.insert("stream".into(), true.into());
    if let Some(system) = system(form, request) {
        body.insert("system".into(), system.into());
    }
    if let Some(temperature) = request.temperature.filter(|_| form.temperature) {
        let temperature = openai::rounded(temperature.clamp(0.0, 1.0));
        body.insert("temperature".into(), temperature);
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
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
        tools.push(json!({"name": name, "description": description, "input_schema": schema}));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    Value::Object(body)
}

/// All instructions in one: the interface knows no system role among its messages.
fn system(form: RequestForm, request: &ModelRequest) -> Option<String> {
    let among = request.messages.iter().filter_map(|message| match message {
        ChatMessage::System { text } => Some(text.as_str()),
        ChatMessage::User { .. } | ChatMessage::Assistant { .. } | ChatMessage::Tool { .. } => None,
    });
    let told = match &request.format {
        AnswerFormat::Schema { schema, .. } if form.shape >= SchemaSupport::Object => {
            Some(schema::in_words(schema))
        }
        AnswerFormat::Schema { .. } | AnswerFormat::Text => None,
    };
    let own = request.system.as_deref();
    let all: Vec<&str> = own
        .into_iter()
        .chain(among)
        .chain(told.as_deref())
        .collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}

fn messages(request: &ModelRequest) -> Value {
    let mut written: Vec<Value> = Vec::new();
    for message in &request.messages {
        let (role, content) = match message {
            ChatMessage::System { .. } => continue,
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

fn tool(tool: &ToolDefinition) -> Value {
    let ToolDefinition {
        name,
        description,
        parameters,
    } = tool;
    json!({"name": name, "description": description, "input_schema": parameters})
}
