//! The provider's own error code, and which codes mean what.
//!
//! Codes are read from named fields and compared whole. Messages are never searched: they are prose, and can
//! quote the very page or question that was sent. One fact has no code at two servers, a request that is too long, and is
//! known by the opening of the server's own sentence (docs/decisions/0017-overflow-without-a-code.md).

use serde_json::Value;

/// A code is a short word; anything longer is prose or worse.
const CODE_CHARS_MAX: usize = 64;

/// Codes found at once at most: real answers have one to four.
const CODES_MAX: usize = 8;

// The codes that are known, by what they mean, in lower case.
const QUOTA: &str = "insufficient_quota quota_exceeded quotaexceeded dailylimitexceeded \
    exceeded_current_quota_error billing_error billing_hard_limit_reached billing_not_active \
    insufficient_balance insufficient_credits credits_exhausted payment_required \
    usage_limit_exceeded apikeyexhausted";

const KEY: &str = "invalid_api_key incorrect_api_key api_key_invalid authentication_error permission_error \
    permission_denied unauthenticated unauthorized account_deactivated \
    subscription_token_invalid apikeyinvalid apikeydisabled apikeymissing";

const CONTEXT: &str = "context_length_exceeded context_window_exceeded model_context_window_exceeded \
    exceed_context_size_error string_above_max_length request_too_large prompt_too_long \
    input_too_long";

const RATE: &str = "rate_limit_exceeded rate_limit_error rate_limited ratelimited ratelimitexceeded \
    userratelimitexceeded too_many_requests requests tokens resource_exhausted";

const SERVER: &str = "server_error internal_server_error api_error overloaded_error engine_overloaded \
    service_unavailable unavailable internal timeout_error deadline_exceeded";

/// How vLLM and Anthropic begin to say that a request is too long; a number follows.
const TOO_LONG_OPENINGS: &[&str] = &[
    "This model's maximum context length is ",
    "The decoder prompt (length ",
    "You passed ",
    "'max_tokens' or 'max_completion_tokens' is too large: ",
    "prompt is too long: ",
    "input length and `max_tokens` exceed context limit: ",
];

/// What a provider's code says, whatever the status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeMeaning {
    Quota,
    Key,
    Context,
    Rate,
    Server,
}

/// The codes of an answer's body, most telling first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorCodes {
    words: Vec<String>,
    /// A number where the code should be: routers put the status of the provider behind them there.
    pub(crate) number: Option<u16>,
    /// Whether the body is JSON at all: the provider itself speaks, not something in between.
    pub(crate) json: bool,
    /// Whether the body names an error.
    pub(crate) error: bool,
    /// Whether its message opens as those do that speak of a request that is too long.
    too_long: bool,
}

impl ErrorCodes {
    pub(crate) fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else {
            return Self::default();
        };
        let mut codes = Self {
            json: true,
            ..Self::default()
        };
        // Google puts errors in a list when it streams.
        let body = body.get(0).unwrap_or(&body);
        codes.too_long = is_too_long(body);
        match body.get("error") {
            Some(Value::Object(_)) => {
                codes.error = true;
                codes.gather(&body["error"]);
            }
            Some(Value::String(word)) => {
                codes.error = true;
                codes.add(word);
                codes.gather(body);
            }
            _ => {
                codes.error = ["error", "errored"].contains(&body["status"].as_str().unwrap_or(""));
                codes.gather(body);
            }
        }
        codes
    }

    /// The code to show: the first that is known, else the first.
    pub(crate) fn shown(&self) -> Option<&str> {
        let known = self.words.iter().find(|word| meaning(word).is_some());
        known.or(self.words.first()).map(String::as_str)
    }

    /// The strongest meaning among the codes; a used up quota also calls itself a rate limit.
    pub(crate) fn meaning(&self) -> Option<CodeMeaning> {
        let words = self.words.iter().filter_map(|word| meaning(word));
        let told = self.too_long.then_some(CodeMeaning::Context);
        let found: Vec<CodeMeaning> = words.chain(told).collect();
        [
            CodeMeaning::Quota,
            CodeMeaning::Context,
            CodeMeaning::Key,
            CodeMeaning::Rate,
            CodeMeaning::Server,
        ]
        .into_iter()
        .find(|meaning| found.contains(meaning))
    }

    fn gather(&mut self, error: &Value) {
        for field in ["code", "type", "status", "reason"] {
            match &error[field] {
                Value::String(word) => self.add(word),
                Value::Number(number) => {
                    let number = number
                        .as_u64()
                        .and_then(|number| u16::try_from(number).ok());
                    self.number = self.number.or(number);
                }
                _ => {}
            }
        }
        for list in ["errors", "details"] {
            for item in error[list].as_array().into_iter().flatten().take(CODES_MAX) {
                if let Some(word) = item["reason"].as_str() {
                    self.add(word);
                }
            }
        }
    }

    fn add(&mut self, word: &str) {
        let plain = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
        let fits = (1..=CODE_CHARS_MAX).contains(&word.len()) && word.chars().all(plain);
        if let (true, Ok(number)) = (fits, word.parse()) {
            self.number = self.number.or(Some(number));
        } else if fits && self.words.len() < CODES_MAX {
            self.words.push(word.to_owned());
        }
    }
}

fn is_too_long(body: &Value) -> bool {
    let message = body["error"]["message"].as_str();
    let message = message.or(body["message"].as_str()).unwrap_or_default();
    TOO_LONG_OPENINGS.iter().any(|opening| {
        let rest = message.strip_prefix(opening);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn meaning(word: &str) -> Option<CodeMeaning> {
    let word = word.to_ascii_lowercase();
    [
        (QUOTA, CodeMeaning::Quota),
        (KEY, CodeMeaning::Key),
        (CONTEXT, CodeMeaning::Context),
        (RATE, CodeMeaning::Rate),
        (SERVER, CodeMeaning::Server),
    ]
    .into_iter()
    .find(|(words, _)| words.split(' ').any(|known| known == word))
    .map(|(_, meaning)| meaning)
}
