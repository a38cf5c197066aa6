//! What a fault means: its cause, how grave it is, and whether to try again.
//!
//! Takes the kind of call and the fault; decides by kind of transport fault, status, headers and the provider's
//! code. How long to wait is `hint.rs` and `retry.rs`.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::codes::{Codes, Meaning};
use super::fault::{Answer, Fault, Kind, Transport};
use super::hint::{self, retry_header};
use crate::error::{Category, Cause, Failure, Severity};

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
pub struct Class {
    pub category: Category,
    pub severity: Severity,
    pub cause: Cause,
    pub retry: bool,
    pub status: Option<u16>,
    pub code: Option<String>,
}

impl Class {
    fn new(kind: Kind, cause: Cause, retry: bool) -> Self {
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
    pub(crate) fn own(failure: &Failure) -> Self {
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
        refused || self.category == Category::RateLimit || self.cause == Cause::Garbled
    }
}

pub fn classify(kind: Kind, fault: &Fault) -> Class {
    match fault {
        Fault::Answer(answer) if kind == Kind::Page => of_page(answer),
        Fault::Answer(answer) => of_answer(kind, answer),
        Fault::Transport(fault) => of_transport(kind, *fault),
        Fault::Bug => Class::new(kind, Cause::Bug, false),
    }
}

/// A page's body is the site's own affair, so only the status speaks.
fn of_page(answer: &Answer) -> Class {
    let cause = match answer.status {
        408 => Cause::TimedOut,
        429 => Cause::RateLimited,
        425 | 500..=599 => Cause::ServerFailed,
        400..=499 => Cause::SourceRefused,
        _ => Cause::Garbled,
    };
    let retry = retry_header(&answer.headers).unwrap_or_else(|| is_retried(answer.status));
    Class {
        status: Some(answer.status),
        ..Class::new(Kind::Page, cause, retry)
    }
}

fn of_answer(kind: Kind, answer: &Answer) -> Class {
    let codes = Codes::read(&answer.body);
    // Routers answer 200 and put the status of the provider behind them into the error.
    let status = match codes.number {
        Some(number) if answer.status < 400 && (400..600).contains(&number) => number,
        _ => answer.status,
    };
    let cause = match status {
        400..=499 => refusal(kind, status, answer, &codes),
        500..=599 => Cause::ServerFailed,
        _ => error_inside(kind, &codes),
    };
    let usual = match status {
        409 => kind == Kind::Model && cause == Cause::ServerFailed,
        400..=599 => is_retried(status),
        _ => matches!(cause, Cause::RateLimited | Cause::ServerFailed),
    };
    let asked = retry_header(&answer.headers).unwrap_or(usual);
    Class {
        status: Some(answer.status),
        code: codes.shown().map(str::to_owned),
        // A used up quota stays so, even if the server would have us ask again.
        ..Class::new(kind, cause, asked && cause != Cause::QuotaUsedUp)
    }
}

/// Why a provider said no.
fn refusal(kind: Kind, status: u16, answer: &Answer, codes: &Codes) -> Cause {
    match (status, codes.meaning()) {
        (402, _) | (400..=428 | 430..=499, Some(Meaning::Quota)) => Cause::QuotaUsedUp,
        (429, Some(Meaning::Quota)) => Cause::QuotaUsedUp,
        (429, _) => Cause::RateLimited,
        (408, _) => Cause::TimedOut,
        (425, _) => Cause::ServerFailed,
        (409, _) if kind == Kind::Model => Cause::ServerFailed,
        (413, _) if kind == Kind::Model => Cause::ContextTooLong,
        (400 | 422, Some(Meaning::Context)) if kind == Kind::Model => Cause::ContextTooLong,
        (status, _) if kind == Kind::Search && SEARCH_QUOTA.contains(&status) => Cause::QuotaUsedUp,
        (403, Some(Meaning::Rate)) => Cause::RateLimited,
        (403, _) if hint::says_limit_reached(&answer.headers) => Cause::RateLimited,
        (401, _) | (400 | 403 | 422, Some(Meaning::Key)) => Cause::KeyRefused,
        // Without any code it is the provider's gate that spoke; with one we don't know, it may be the content.
        (403, None) if codes.json && codes.shown().is_none() && codes.number.is_none() => {
            Cause::KeyRefused
        }
        _ => Cause::RequestRefused,
    }
}

/// An error inside an answer that calls itself a success.
fn error_inside(kind: Kind, codes: &Codes) -> Cause {
    match codes.meaning().filter(|_| codes.error) {
        Some(Meaning::Quota) => Cause::QuotaUsedUp,
        Some(Meaning::Key) => Cause::KeyRefused,
        Some(Meaning::Context) if kind == Kind::Model => Cause::ContextTooLong,
        Some(Meaning::Rate) => Cause::RateLimited,
        Some(Meaning::Server) => Cause::ServerFailed,
        Some(Meaning::Context) | None => Cause::Garbled,
    }
}

fn of_transport(kind: Kind, fault: Transport) -> Class {
    let (cause, retry) = match fault {
        Transport::Connect | Transport::TlsTimeout | Transport::FirstByte | Transport::Idle => {
            (Cause::TimedOut, true)
        }
        Transport::Total => (Cause::TimedOut, false),
        Transport::Refused | Transport::Reset | Transport::DnsTemporary => {
            (Cause::Unreachable, true)
        }
        Transport::TlsRefused | Transport::Protocol => (Cause::Unreachable, false),
        Transport::DnsUnknown => (Cause::NoSuchHost, false),
        Transport::Robots => (Cause::SourceRefused, false),
        // Half a model's answer is worth a repair, and is asked for anew where answers are read.
        Transport::Truncated if kind == Kind::Model => (Cause::Garbled, false),
        Transport::Truncated => (Cause::Unreachable, true),
        Transport::Decode => (Cause::Garbled, false),
        Transport::TooLarge => (Cause::TooLarge, false),
        Transport::TooManyRedirects | Transport::Forbidden => (Cause::Forbidden, false),
    };
    Class::new(kind, cause, retry)
}

fn severity(kind: Kind, cause: Cause, retry: bool) -> Severity {
    match cause {
        Cause::Bug => Severity::Fatal,
        Cause::RateLimited | Cause::TimedOut | Cause::QueueFull | Cause::ContextTooLong => {
            Severity::Recoverable
        }
        Cause::Garbled if kind == Kind::Model => Severity::Recoverable,
        Cause::ServerFailed | Cause::Unreachable if retry => Severity::Recoverable,
        Cause::Garbled
        | Cause::ServerFailed
        | Cause::Unreachable
        | Cause::NoSuchHost
        | Cause::QuotaUsedUp
        | Cause::KeyRefused
        | Cause::RequestRefused
        | Cause::SourceRefused
        | Cause::TooLarge
        | Cause::Forbidden
        | Cause::BreakerOpen
        | Cause::OutOfTime => Severity::Degraded,
    }
}

fn is_retried(status: u16) -> bool {
    RETRIED.iter().any(|range| range.contains(&status))
}
