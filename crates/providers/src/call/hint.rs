//! How long a server asks us to wait, read from its headers.
//!
//! `retry-after-ms`, then `Retry-After` (seconds, or a date in any of HTTP's three forms), then the reset time of
//! a limit that has nothing remaining. What cannot be read counts as not said.

use std::time::{Duration, SystemTime};

use jiff::{Span, SpanRelativeTo, Timestamp};

use super::attempt_error::{CallKind, ResponseHeaders};

/// The longest wait we tell apart from longer ones.
const FAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// From here on a number is a moment in Unix time, not a wait: in seconds, and in milliseconds.
const EPOCH_SECONDS: f64 = 1e9;
const EPOCH_MILLISECONDS: f64 = 1e12;

/// Limits listed in one header at most; Brave lists two.
const LIMITS_MAX: usize = 8;

/// `x-should-retry`, where the server says it.
pub(crate) fn retry_header(headers: &ResponseHeaders) -> Option<bool> {
    match headers.get("x-should-retry")?.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The wait that the server asks for, if it asks for one we understand.
pub(crate) fn wait(headers: &ResponseHeaders, now: Timestamp) -> Option<Duration> {
    let ms = headers.get("retry-after-ms").and_then(number);
    ms.map(|ms| seconds(ms / 1_000.0))
        .or_else(|| retry_after(headers.get("retry-after")?, now))
        .or_else(|| exhausted_until(headers, now))
}

/// Whether the headers say that it is the limit, and not the caller, that is refused.
pub(crate) fn says_limit_reached(headers: &ResponseHeaders) -> bool {
    headers.get("retry-after").is_some() || limits(headers).any(|limit| limit.remaining == Some(0))
}

/// A limit as the server counts it: calls left, until it is filled up again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RemainingCalls {
    pub(crate) remaining: u64,
    pub(crate) resets_in: Duration,
}

/// The tightest limit on calls that the headers tell of.
pub(crate) fn room(headers: &ResponseHeaders, now: Timestamp) -> Option<RemainingCalls> {
    limits(headers)
        .filter(|limit| !limit.counts_tokens || limit.remaining == Some(0))
        .filter_map(|limit| {
            Some(RemainingCalls {
                remaining: limit.remaining?,
                resets_in: reset(limit.reset?, now)?,
            })
        })
        .min_by_key(|room| (room.remaining, std::cmp::Reverse(room.resets_in)))
}

/// The calls a second that a server allows, as Crossref tells them.
pub(crate) fn pace(headers: &ResponseHeaders) -> Option<f64> {
    let calls = number(headers.get("x-rate-limit-limit")?)?;
    let interval = duration(headers.get("x-rate-limit-interval")?.trim())?;
    let pace = calls / interval.as_secs_f64();
    (pace.is_finite() && pace > 0.0).then_some(pace)
}

/// The wait in the body of an answer, as Google's services give it: `retryDelay` among the error's details.
/// What a page says is not for us.
pub(crate) fn wait_in_body(kind: CallKind, body: &[u8]) -> Option<Duration> {
    if kind == CallKind::Page {
        return None;
    }
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let details = body["error"]["details"].as_array()?;
    details
        .iter()
        .find_map(|detail| duration(detail["retryDelay"].as_str()?))
}

fn exhausted_until(headers: &ResponseHeaders, now: Timestamp) -> Option<Duration> {
    limits(headers)
        .filter(|limit| matches!(limit.remaining, None | Some(0)))
        .filter_map(|limit| reset(limit.reset?, now))
        .max()
}

struct LimitHeaders<'a> {
    remaining: Option<u64>,
    reset: Option<&'a str>,
    counts_tokens: bool,
}

/// Every limit that is told of: `x-ratelimit-reset`, `…-reset-requests`, `anthropic-ratelimit-requests-reset`,
/// `ratelimit-reset`; several values in one header belong to several limits, in order.
fn limits(headers: &ResponseHeaders) -> impl Iterator<Item = LimitHeaders<'_>> {
    let resets = headers.iter().filter(|(name, _)| {
        let known = ["x-ratelimit-", "anthropic-ratelimit-", "ratelimit-"];
        known.iter().any(|prefix| name.starts_with(prefix)) && name.contains("reset")
    });
    resets.flat_map(|(name, value)| {
        let remaining = headers.get(&name.replace("reset", "remaining"));
        let mut counts = remaining.unwrap_or_default().split(',');
        let limit = move |reset| LimitHeaders {
            remaining: counts.next().and_then(|count| count.trim().parse().ok()),
            reset: Some(reset),
            counts_tokens: name.contains("tokens"),
        };
        // A date has a comma of its own.
        let whole = value.contains("GMT");
        let values: Vec<&str> = if whole {
            vec![value]
        } else {
            value.split(',').collect()
        };
        values
            .into_iter()
            .take(LIMITS_MAX)
            .map(limit)
            .collect::<Vec<_>>()
    })
}

fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    number(value)
        .map(seconds)
        .or_else(|| http_date(value.trim()).map(|at| until(at, now)))
}

fn reset(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    match number(value) {
        Some(ms) if ms >= EPOCH_MILLISECONDS => Some(until(epoch(ms / 1_000.0)?, now)),
        Some(at) if at >= EPOCH_SECONDS => Some(until(epoch(at)?, now)),
        Some(wait) => Some(seconds(wait)),
        None => duration(value)
            .or_else(|| Some(until(value.parse().ok()?, now)))
            .or_else(|| Some(until(http_date(value)?, now))),
    }
}

/// A plain decimal number: no sign, no exponent, no word.
fn number(value: &str) -> Option<f64> {
    let value = value.trim();
    let plain = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = value.parse().ok().filter(|_| plain)?;
    number.is_finite().then_some(number)
}

/// A wait such as `1m30s`, `6ms` or `1h2m3.5s`.
fn duration(value: &str) -> Option<Duration> {
    // The parser reads words as well, which no server promises to keep to.
    let wait: Span = value.parse().ok().filter(|_| !value.contains(' '))?;
    let wait = wait.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (!wait.is_negative()).then(|| seconds(wait.as_secs_f64()))
}

fn http_date(value: &str) -> Option<Timestamp> {
    let date: SystemTime = httpdate::parse_http_date(value).ok()?;
    Timestamp::try_from(date).ok()
}

fn epoch(seconds: f64) -> Option<Timestamp> {
    Timestamp::from_millisecond((seconds * 1_000.0) as i64).ok()
}

/// The time left until a moment; none if it is past.
fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(now))
        .unwrap_or_default()
        .min(FAR)
}

fn seconds(seconds: f64) -> Duration {
    let whole_ms = (seconds.clamp(0.0, FAR.as_secs_f64()) * 1_000.0).ceil();
    Duration::from_millis(whole_ms as u64)
}
