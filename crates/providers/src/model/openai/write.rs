//! A request as the body of a chat completion.

use serde_json::{Map, Value, json};

use super::super::form::{RequestForm, SchemaSupport};
use super::super::request::{AnswerFormat, ChatMessage, ModelRequest, ToolCall};
use super::super::schema;

pub(in super::super) fn body(model: &str, form: RequestForm, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), messages(form, request));
    if form.stream {
        body.insert("stream".into(), true.into());
        if form.usage {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
    }
    if let Some(temperature) = request.temperature.filter(|_| form.temperature) {
        body.insert("temperature".into(), rounded(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        let name = if form.max_tokens {
            "max_tokens"
        } else {
            "max_completion_tokens"
        };
        body.insert(name.into(), max_tokens.into());
    }
    if !request.tools.is_empty() {
        body.insert(
            "tools".into(),
            request
                .tools
                .iter()
                .map(|tool| json!({"type": "function", "function": tool}))
                .collect(),
        );
    }
    if let AnswerFormat::Schema { name, schema } = &request.format
        && let Some(format) = response_format(form.shape, name, schema)
    {
        body.insert("response_format".into(), format);
    }
    Value::Object(body)
}

fn response_format(shape: SchemaSupport, name: &str, schema: &Value) -> Option<Value> {
    let strict = |schema: Value| {
        json!({
            "type": "json_schema",
            "json_schema": {"name": name, "strict": true, "schema": schema},
        })
    };
    match shape {
        SchemaSupport::Bounded => Some(strict(schema.clone())),
        SchemaSupport::Strict => Some(strict(schema::without_lengths(schema))),
        SchemaSupport::Object => Some(json!({"type": "json_object"})),
        SchemaSupport::Prompt => None,
    }
}

fn messages(form: RequestForm, request: &ModelRequest) -> Value {
    let system = form.instructions(request);
    let system = system.map(|system| json!({"role": "system", "content": system}));
    system
        .into_iter()
        .chain(request.messages.iter().map(message))
        .collect()
}

fn message(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::User { text } => json!({"role": "user", "content": text}),
        ChatMessage::Tool { call_id, text } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
        ChatMessage::Assistant { text, tool_calls } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        ChatMessage::Assistant { text, tool_calls } => {
            let calls: Vec<Value> = tool_calls.iter().map(call).collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
    }
}

fn call(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": call.id, "type": "function", "function": function})
}

/// 0.3 and not 0.30000001192092896.
pub(in super::super) fn rounded(temperature: f32) -> Value {
    let rounded = (f64::from(temperature) * 1_000.0).round() / 1_000.0;
    rounded.into()
}
