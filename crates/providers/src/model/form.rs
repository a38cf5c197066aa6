//! The form of a request, and what a refusal says about it.
//!
//! A refusal that names a parameter teaches what to leave out; one that names nothing is met by trying plainer
//! forms, one change at a time. Only named fields of the error are read, never its words.

use serde_json::Value;

use super::request::{AnswerFormat, ModelRequest};
use super::schema;
use crate::call::{AttemptError, CallKind, FailedResponse, classify};
use crate::error::FailureCause;

/// How an answer in JSON is asked for, from the strongest way to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchemaSupport {
    /// A strict schema with limits on the length of texts, which not everybody takes.
    Bounded,
    /// A strict schema.
    Strict,
    /// Any JSON object; the schema stands in the prompt.
    Object,
    /// Only the prompt speaks of it.
    Prompt,
}

impl SchemaSupport {
    fn weaker(self) -> Option<Self> {
        match self {
            Self::Bounded => Some(Self::Strict),
            Self::Strict => Some(Self::Object),
            Self::Object => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
}

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestForm {
    pub(super) shape: SchemaSupport,
    pub(super) stream: bool,
    /// Whether usage is asked for in a stream.
    pub(super) usage: bool,
    pub(super) temperature: bool,
    /// Whether the limit is called `max_tokens`; newer models want `max_completion_tokens`.
    pub(super) max_tokens: bool,
}

impl Default for RequestForm {
    fn default() -> Self {
        Self {
            shape: SchemaSupport::Bounded,
            stream: true,
            usage: true,
            temperature: true,
            max_tokens: true,
        }
    }
}

/// What a refusal has to say about the form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormLesson {
    /// It has nothing to do with it.
    None,
    Use(RequestForm),
    /// It may be the form; nothing is named.
    Unnamed,
}

impl RequestForm {
    /// Both lessons together.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            shape: self.shape.max(other.shape),
            stream: self.stream && other.stream,
            usage: self.usage && other.usage,
            temperature: self.temperature && other.temperature,
            max_tokens: self.max_tokens && other.max_tokens,
        }
    }

    pub(super) fn lesson(self, fault: &AttemptError, request: &ModelRequest) -> FormLesson {
        let AttemptError::Answer(answer) = fault else {
            return FormLesson::None;
        };
        let refused = classify(CallKind::Model, fault).cause == FailureCause::RequestRefused;
        if !refused || !matches!(answer.status, 400 | 422 | 501) {
            return FormLesson::None;
        }
        let named = named(answer);
        if named.is_empty() {
            return FormLesson::Unnamed;
        }
        let lessons = named.iter().find_map(|name| self.without(name, request));
        lessons.map_or(FormLesson::None, FormLesson::Use)
    }

    /// The same without what the endpoint refuses, if it is in use.
    fn without(self, name: &str, request: &ModelRequest) -> Option<Self> {
        let shaped = matches!(request.format, AnswerFormat::Schema { .. });
        let mut form = self;
        match name {
            "response_format" if shaped => form.shape = self.shape.weaker()?,
            "stream_options" if self.stream && self.usage => form.usage = false,
            "stream" if self.stream => form.stream = false,
            "temperature" if self.temperature => form.temperature = false,
            "max_tokens" if self.max_tokens => form.max_tokens = false,
            _ => return None,
        }
        Some(form)
    }

    /// What stands before the talk: the request's own instructions, and the schema in words if the endpoint takes none.
    pub(super) fn instructions(self, request: &ModelRequest) -> Option<String> {
        let schema = match &request.format {
            AnswerFormat::Schema { schema, .. } if self.shape >= SchemaSupport::Object => {
                Some(schema::in_words(schema))
            }
            AnswerFormat::Schema { .. } | AnswerFormat::Text => None,
        };
        let all: Vec<String> = request.system.clone().into_iter().chain(schema).collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }

    /// Plainer chat completions to try when a refusal names nothing.
    pub(super) fn plainer_chats(self, request: &ModelRequest) -> Vec<Self> {
        let mut forms = Vec::new();
        if matches!(request.format, AnswerFormat::Schema { .. }) {
            let weaker = std::iter::successors(self.shape.weaker(), |shape| shape.weaker());
            forms.extend(weaker.map(|shape| Self { shape, ..self }));
        }
        forms.extend(self.without("stream_options", request));
        forms.extend(self.without("stream", request));
        self.and_all(forms)
    }

    /// Plainer Messages to try: their refusals never name a parameter.
    pub(super) fn plainer_messages(self, request: &ModelRequest) -> Vec<Self> {
        let mut forms = Vec::new();
        forms.extend(self.without("temperature", request));
        if matches!(request.format, AnswerFormat::Schema { .. })
            && self.shape < SchemaSupport::Prompt
        {
            let shape = SchemaSupport::Prompt;
            forms.push(Self { shape, ..self });
        }
        self.and_all(forms)
    }

    /// Forms that leave out one thing each, and then all at once.
    fn and_all(self, mut forms: Vec<Self>) -> Vec<Self> {
        let all = forms.iter().fold(self, |all, form| all.and(*form));
        if !forms.contains(&all) && all != self {
            forms.push(all);
        }
        forms
    }
}

/// The parameters that an error names: OpenAI's `param`, or the places of a FastAPI error.
fn named(answer: &FailedResponse) -> Vec<String> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let param = [&body["error"]["param"], &body["param"]];
    let param = param.into_iter().filter_map(Value::as_str);
    let places = [
        &body["detail"],
        &body["message"]["detail"],
        &body["error"]["detail"],
    ]
    .into_iter()
    .filter_map(Value::as_array)
    .flatten()
    .filter_map(|error| error["loc"].as_array())
    .filter_map(|place| {
        place
            .iter()
            .filter_map(Value::as_str)
            .find(|part| *part != "body")
    });
    // `response_format.json_schema.schema` and `messages[3]` are about what stands first.
    let root = |name: &str| name.split(['.', '[']).next().unwrap_or_default().to_owned();
    let names = param.chain(places).map(root);
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::call::ResponseHeaders;

    fn refusal(status: u16, body: &Value) -> AttemptError {
        FailedResponse::new(
            status,
            ResponseHeaders::default(),
            body.to_string().as_bytes(),
        )
        .into()
    }

    fn asking() -> ModelRequest {
        ModelRequest {
            format: AnswerFormat::Schema {
                name: "plan".into(),
                schema: Arc::new(json!({})),
            },
            ..ModelRequest::new("", "")
        }
    }

    #[test]
    fn a_refusal_teaches_by_the_parameter_it_names_and_never_by_its_words() {
        let form = RequestForm::default();
        let weaker = RequestForm {
            shape: SchemaSupport::Strict,
            ..form
        };
        let unused = RequestForm {
            usage: false,
            ..form
        };
        let plain = RequestForm {
            stream: false,
            ..form
        };
        let cases = [
            (
                400,
                json!({"error": {"param": "response_format", "code": null}}),
                FormLesson::Use(weaker),
            ),
            (
                422,
                json!({"object": "error", "param": null, "message": {"detail": [
                    {"type": "extra_forbidden", "loc": ["body", "stream_options", "include_usage"]}
                ]}}),
                FormLesson::Use(unused),
            ),
            (
                400,
                json!({"error": {"param": "stream", "code": "unsupported_value"}}),
                FormLesson::Use(plain),
            ),
            (
                400,
                json!({"error": {"param": "", "message": "'response_format' is not supported"}}),
                FormLesson::Unnamed,
            ),
            (
                400,
                json!({"error": {"param": "messages[3]", "message": "not response_format"}}),
                FormLesson::None,
            ),
            (
                400,
                json!({"error": {"code": "context_length_exceeded", "param": "messages"}}),
                FormLesson::None,
            ),
            (
                500,
                json!({"error": {"param": "response_format"}}),
                FormLesson::None,
            ),
            (401, json!({}), FormLesson::None),
        ];
        for (status, body, lesson) in cases {
            assert_eq!(
                form.lesson(&refusal(status, &body), &asking()),
                lesson,
                "{body}"
            );
        }
    }

    #[test]
    fn every_ladder_ends() {
        let mut form = RequestForm::default();
        let body = json!({"error": {"param": "response_format"}});
        for _ in 0..3 {
            let FormLesson::Use(next) = form.lesson(&refusal(400, &body), &asking()) else {
                unreachable!("there is a weaker shape")
            };
            form = next;
        }
        assert_eq!(form.shape, SchemaSupport::Prompt);
        assert_eq!(
            form.lesson(&refusal(400, &body), &asking()),
            FormLesson::None
        );
        assert_eq!(RequestForm::default().plainer_chats(&asking()).len(), 6);
        assert_eq!(RequestForm::default().plainer_messages(&asking()).len(), 3);
        assert_eq!(
            RequestForm::default()
                .plainer_chats(&ModelRequest::new("", ""))
                .len(),
            3
        );
    }
}
