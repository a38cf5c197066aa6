//! A request as the body of a chat completion.

use serde_json::{Map, Value, json};

use super::super::form::{RequestForm, SchemaSupport};
use super::super::request::{AnswerFormat, ChatMessage, ModelRequest, ToolCall, ToolDefinition};
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
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
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
    let told = match &request.format {
        AnswerFormat::Schema { schema, .. } if form.shape >= SchemaSupport::Object => {
            Some(schema::in_words(schema))
        }
        AnswerFormat::Schema { .. } | AnswerFormat::Text => None,
    };
    let system: Vec<&str> = [request.system.as_deref(), told.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let system =
        (!system.is_empty()).then(|| json!({"role": "system", "content": system.join("\n\n")}));
    system
        .into_iter()
        .chain(request.messages.iter().map(message))
        .collect()
}

fn message(message: &ChatMessage) -> Value {
    match message {
        ChatMessage::System { text } => json!({"role": "system", "content": text}),
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
    let ToolCall {
        id,
        name,
        arguments,
    } = call;
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn tool(tool: &ToolDefinition) -> Value {
    let ToolDefinition {
        name,
        description,
        parameters,
    } = tool;
    json!({"type": "function", "function": {
        "name": name, "description": description, "parameters": parameters,
    }})
}

/// 0.3 and not 0.30000001192092896.
pub(in super::super) fn rounded(temperature: f32) -> Value {
    let rounded = (f64::from(temperature) * 1_000.0).round() / 1_000.0;
    rounded.into()
}
