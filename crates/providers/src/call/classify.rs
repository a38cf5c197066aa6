//! What a fault means: its cause, how grave it is, and whether to try again.
//!
//! Takes the kind of call and the fault; decides by kind of transport fault, status, headers and the provider's
//! code. How long to wait is `hint.rs` and `retry.rs`.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::attempt_error::{AttemptError, CallKind, FailedResponse, TransportError};
use super::codes::{CodeMeaning, ErrorCodes};
use super::hint::{self, retry_header};
use crate::error::{CallFailure, FailureCategory, FailureCause, FailureSeverity};

/// Statuses that are tried again, whoever sends them.
const RETRIED: &[RangeInclusive<u16>] = &[
    408..=408,
    425..=425,
    429..=429,
    500..=500,
    502..=504,
    520..=524,
    529..=529,
];

/// What Tavily sends when the plan's or the account's limit is used up.
const SEARCH_QUOTA: RangeInclusive<u16> = 432..=433;

/// A fault, understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureClass {
    /// Follows from the cause.
    pub category: FailureCategory,
    /// What it means for the run.
    pub severity: FailureSeverity,
    /// What went wrong.
    pub cause: FailureCause,
    /// Whether the same request may succeed later.
    pub retry: bool,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// The provider's own code, where it gave one.
    pub code: Option<String>,
}

impl FailureClass {
    fn new(kind: CallKind, cause: FailureCause, retry: bool) -> Self {
        Self {
            category: cause.category(),
            severity: severity(kind, cause, retry),
            cause,
            retry,
            status: None,
            code: None,
        }
    }

    /// The class of a failure that is our own doing, such as a deadline that came.
    pub(crate) fn own(failure: &CallFailure) -> Self {
        Self {
            category: failure.category,
            severity: failure.severity,
            cause: failure.cause,
            retry: false,
            status: None,
            code: None,
        }
    }

    /// Whether the provider answered, if only to decline: a sign of life, and no failure of its own.
    pub(crate) fn declined(&self) -> bool {
        let refused = self
            .status
            .is_some_and(|status| (400..500).contains(&status));
        refused
            || self.category == FailureCategory::RateLimit
            || self.cause == FailureCause::Garbled
    }
}

/// Tells what a failed attempt means, by kind of call, status, headers and the provider's code.
pub fn classify(kind: CallKind, fault: &AttemptError) -> FailureClass {
    match fault {
        AttemptError::Answer(answer) if kind == CallKind::Page => classify_page(answer),
        AttemptError::Answer(answer) => classify_response(kind, answer),
        AttemptError::Transport(fault) => classify_transport(kind, *fault),
        AttemptError::Bug => FailureClass::new(kind, FailureCause::Bug, false),
    }
}

/// A page's body is the site's own affair, so only the status speaks.
fn classify_page(answer: &FailedResponse) -> FailureClass {
    let cause = match answer.status {
        408 => FailureCause::TimedOut,
        429 => FailureCause::RateLimited,
        425 | 500..=599 => FailureCause::ServerFailed,
        400..=499 => FailureCause::SourceRefused,
        _ => FailureCause::Garbled,
    };
    let retry = retry_header(&answer.headers).unwrap_or_else(|| is_retried(answer.status));
    FailureClass {
        status: Some(answer.status),
        ..FailureClass::new(CallKind::Page, cause, retry)
    }
}

fn classify_response(kind: CallKind, answer: &FailedResponse) -> FailureClass {
    let codes = ErrorCodes::read(&answer.body);
    // Routers answer 200 and put the status of the provider behind them into the error.
    let status = match codes.number {
        Some(number) if answer.status < 400 && (400..600).contains(&number) => number,
        _ => answer.status,
    };
    let cause = match status {
        400..=499 => refusal(kind, status, answer, &codes),
        500..=599 => FailureCause::ServerFailed,
        _ => error_inside(kind, &codes),
    };
    let usual = match status {
        409 => kind == CallKind::Model && cause == FailureCause::ServerFailed,
        400..=599 => is_retried(status),
        _ => matches!(
            cause,
            FailureCause::RateLimited | FailureCause::ServerFailed
        ),
    };
    let asked = retry_header(&answer.headers).unwrap_or(usual);
    FailureClass {
        status: Some(answer.status),
        code: codes.shown().map(str::to_owned),
        // A used up quota stays so, even if the server would have us ask again.
        ..FailureClass::new(kind, cause, asked && cause != FailureCause::QuotaUsedUp)
    }
}

/// Why a provider said no.
fn refusal(
    kind: CallKind,
    status: u16,
    answer: &FailedResponse,
    codes: &ErrorCodes,
) -> FailureCause {
    match (status, codes.meaning()) {
        (402, _) | (400..=428 | 430..=499, Some(CodeMeaning::Quota)) => FailureCause::QuotaUsedUp,
        (429, Some(CodeMeaning::Quota)) => FailureCause::QuotaUsedUp,
        (429, _) => FailureCause::RateLimited,
        (408, _) => FailureCause::TimedOut,
        (425, _) => FailureCause::ServerFailed,
        (409, _) if kind == CallKind::Model => FailureCause::ServerFailed,
        (413, _) if kind == CallKind::Model => FailureCause::ContextTooLong,
        (400 | 422, Some(CodeMeaning::Context)) if kind == CallKind::Model => {
            FailureCause::ContextTooLong
        }
        (status, _) if kind == CallKind::Search && SEARCH_QUOTA.contains(&status) => {
            FailureCause::QuotaUsedUp
        }
        (403, Some(CodeMeaning::Rate)) => FailureCause::RateLimited,
        (403, _) if hint::says_limit_reached(&answer.headers) => FailureCause::RateLimited,
        (401, _) | (400 | 403 | 422, Some(CodeMeaning::Key)) => FailureCause::KeyRefused,
        // Without any code it is the provider's gate that spoke; with one we don't know, it may be the content.
        (403, None) if codes.json && codes.shown().is_none() && codes.number.is_none() => {
            FailureCause::KeyRefused
        }
        _ => FailureCause::RequestRefused,
    }
}

/// An error inside an answer that calls itself a success.
fn error_inside(kind: CallKind, codes: &ErrorCodes) -> FailureCause {
    match codes.meaning().filter(|_| codes.error) {
        Some(CodeMeaning::Quota) => FailureCause::QuotaUsedUp,
        Some(CodeMeaning::Key) => FailureCause::KeyRefused,
        Some(CodeMeaning::Context) if kind == CallKind::Model => FailureCause::ContextTooLong,
        Some(CodeMeaning::Rate) => FailureCause::RateLimited,
        Some(CodeMeaning::Server) => FailureCause::ServerFailed,
        Some(CodeMeaning::Context) | None => FailureCause::Garbled,
    }
}

fn classify_transport(kind: CallKind, fault: TransportError) -> FailureClass {
    let (cause, retry) = match fault {
        TransportError::Connect
        | TransportError::TlsTimeout
        | TransportError::FirstByte
        | TransportError::Idle => (FailureCause::TimedOut, true),
        TransportError::Total => (FailureCause::TimedOut, false),
        TransportError::Refused | TransportError::Reset | TransportError::DnsTemporary => {
            (FailureCause::Unreachable, true)
        }
        TransportError::TlsRefused | TransportError::Protocol => (FailureCause::Unreachable, false),
        TransportError::DnsUnknown => (FailureCause::NoSuchHost, false),
        TransportError::Robots => (FailureCause::SourceRefused, false),
        // Half a model's answer is worth a repair, and is asked for anew where answers are read.
        TransportError::Truncated if kind == CallKind::Model => (FailureCause::Garbled, false),
        TransportError::Truncated => (FailureCause::Unreachable, true),
        TransportError::Decode => (FailureCause::Garbled, false),
        TransportError::TooLarge => (FailureCause::TooLarge, false),
        TransportError::TooManyRedirects | TransportError::Forbidden => {
            (FailureCause::Forbidden, false)
        }
    };
    FailureClass::new(kind, cause, retry)
}

fn severity(kind: CallKind, cause: FailureCause, retry: bool) -> FailureSeverity {
    match cause {
        FailureCause::Bug => FailureSeverity::Fatal,
        FailureCause::RateLimited
        | FailureCause::TimedOut
        | FailureCause::QueueFull
        | FailureCause::ContextTooLong => FailureSeverity::Recoverable,
        FailureCause::Garbled if kind == CallKind::Model => FailureSeverity::Recoverable,
        FailureCause::ServerFailed | FailureCause::Unreachable if retry => {
            FailureSeverity::Recoverable
        }
        FailureCause::Garbled
        | FailureCause::ServerFailed
        | FailureCause::Unreachable
        | FailureCause::NoSuchHost
        | FailureCause::QuotaUsedUp
        | FailureCause::KeyRefused
        | FailureCause::RequestRefused
        | FailureCause::SourceRefused
        | FailureCause::TooLarge
        | FailureCause::Forbidden
        | FailureCause::BreakerOpen
        | FailureCause::OutOfTime => FailureSeverity::Degraded,
    }
}

fn is_retried(status: u16) -> bool {
    RETRIED.iter().any(|range| range.contains(&status))
}
