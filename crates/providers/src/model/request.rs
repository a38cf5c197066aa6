//! What a model is asked: plain data that can be stored.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tokens;

/// What is asked of a model, whoever serves it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The instructions before the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// What the model may ask to be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolDefinition>,
    /// Free text, or JSON of a schema.
    #[serde(default)]
    pub format: AnswerFormat,
    /// The role's, if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// The role's, if none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Who hears the answer while it is written.
    #[serde(skip)]
    pub listener: Option<TextListener>,
}

/// Hears the text of an answer that is still being written: all of it so far, again and again. What is asked once more is
/// heard from its beginning.
#[derive(Clone)]
pub struct TextListener(Arc<dyn Fn(&str) + Send + Sync>);

impl TextListener {
    /// Calls this with all of the text so far.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    pub(super) fn hear(&self, so_far: &str) {
        (self.0)(so_far);
    }
}

impl fmt::Debug for TextListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextListener")
    }
}

impl PartialEq for TextListener {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ChatMessage {
    /// What is asked.
    User {
        /// The question, with the evidence that belongs to it.
        text: String,
    },
    /// What the model said before.
    Assistant {
        /// Its words; may be empty beside tool calls.
        text: String,
        /// The calls that it asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool gave.
    Tool {
        /// The id of the call that this answers.
        call_id: String,
        /// The result as the model is to read it.
        text: String,
    },
}

/// Something the model may ask us to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Letters, digits and underscores only.
    pub name: String,
    /// Tells the model when to use it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Arc<Value>,
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Given by the endpoint; the result names it.
    pub id: String,
    /// The tool's name, which the model may have got wrong.
    pub name: String,
    /// JSON as the model wrote it, which may be broken.
    pub arguments: String,
}

/// The form of the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum AnswerFormat {
    /// Free text.
    #[default]
    Text,
    /// JSON that fits the schema, as far as the endpoint can see to that.
    Schema {
        /// Letters, digits and underscores only.
        name: String,
        /// Strict, and with an end to every text and list, as made from the type that is asked for.
        schema: Arc<Value>,
    },
}

impl ModelRequest {
    /// Instructions and one question; everything else is left to the role.
    pub fn new(system: impl Into<String>, user: impl Into<String>) -> Self {
        Self {
            system: Some(system.into()),
            messages: vec![ChatMessage::User { text: user.into() }],
            ..Self::default()
        }
    }

    /// How many tokens the request has, roughly.
    pub fn estimate_tokens(&self) -> u64 {
        let talk = self.messages.iter().map(ChatMessage::estimate_tokens);
        let tools = self.tools.iter().map(|tool| {
            let described = tokens::estimate(&tool.name) + tokens::estimate(&tool.description);
            described + tokens::estimate(&tool.parameters.to_string())
        });
        let schema = match &self.format {
            AnswerFormat::Text => 0,
            AnswerFormat::Schema { schema, .. } => tokens::estimate(&schema.to_string()),
        };
        let system = self.system.as_deref().map_or(0, tokens::estimate);
        system + schema + talk.sum::<u64>() + tools.sum::<u64>()
    }
}

impl ChatMessage {
    fn estimate_tokens(&self) -> u64 {
        /// What the marks of role and end cost.
        const FRAME: u64 = 4;
        FRAME
            + match self {
                Self::User { text } | Self::Tool { text, .. } => tokens::estimate(text),
                Self::Assistant { text, tool_calls } => {
                    let calls = tool_calls.iter().map(ToolCall::estimate_tokens);
                    tokens::estimate(text) + calls.sum::<u64>()
                }
            }
    }
}

impl ToolCall {
    pub(super) fn estimate_tokens(&self) -> u64 {
        tokens::estimate(&self.name) + tokens::estimate(&self.arguments)
    }
}
