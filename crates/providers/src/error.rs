//! How a call failed: classed for the program, told to people, fit for a run's error log.
//!
//! A failure holds facts and our own words. The provider's prose stays outside: it can repeat a key, or a page.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::call::ProviderName;

/// The classes under which errors are counted and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCategory {
    /// The provider or the way to it failed.
    ApiError,
    /// Too many calls, or a used-up quota.
    RateLimit,
    /// No answer in time.
    Timeout,
    /// The request or the address was refused.
    Validation,
    /// The answer cannot be read.
    Parsing,
    /// The text is longer than the model's window.
    ContextOverflow,
    /// A fault of Fathom itself, and whatever another version calls by a name that this one does not know.
    #[serde(other)]
    Internal,
}

impl fmt::Display for FailureCategory {
    /// As logs and reports name it, such as `rate_limit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ApiError => "api_error",
            Self::RateLimit => "rate_limit",
            Self::Timeout => "timeout",
            Self::Validation => "validation",
            Self::Parsing => "parsing",
            Self::ContextOverflow => "context_overflow",
            Self::Internal => "internal",
        })
    }
}

/// What a failure means for the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureSeverity {
    /// The same call can succeed later, or when made smaller or asked anew.
    Recoverable,
    /// This provider or source is lost to the run, which goes on without it.
    #[default]
    Degraded,
    /// No provider would do better: the mistake is ours.
    Fatal,
}

impl fmt::Display for FailureSeverity {
    /// As logs and reports name it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Recoverable => "recoverable",
            Self::Degraded => "degraded",
            Self::Fatal => "fatal",
        })
    }
}

/// The fact behind a failure. Category and what to do follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCause {
    /// A 5xx status, or an error that the provider calls its own.
    ServerFailed,
    /// Too many calls for now.
    RateLimited,
    /// The account or plan has nothing left; waiting does not help soon.
    QuotaUsedUp,
    /// The key is wrong, expired or not allowed to do this.
    KeyRefused,
    /// The provider does not take such a request.
    RequestRefused,
    /// A page answered with a 4xx status.
    SourceRefused,
    /// The model's window is too small for the request.
    ContextTooLong,
    /// One attempt took longer than its limit.
    TimedOut,
    /// No connection, or one that broke.
    Unreachable,
    /// Nobody has that name.
    NoSuchHost,
    /// An answer came, but not in the form that was asked for.
    Garbled,
    /// The answer exceeds the size limit.
    TooLarge,
    /// The guard or the site's rules keep us from opening it.
    Forbidden,
    /// The breaker is open: nothing was sent.
    BreakerOpen,
    /// The provider's limit leaves no room soon enough: nothing was sent.
    QueueFull,
    /// The run's deadline came, or no attempt could have ended before it.
    OutOfTime,
    /// Our own mistake.
    Bug,
}

impl FailureCause {
    /// The class under which it is counted.
    pub fn category(self) -> FailureCategory {
        match self {
            Self::ServerFailed
            | Self::KeyRefused
            | Self::SourceRefused
            | Self::Unreachable
            | Self::NoSuchHost
            | Self::BreakerOpen => FailureCategory::ApiError,
            Self::RateLimited | Self::QuotaUsedUp | Self::QueueFull => FailureCategory::RateLimit,
            Self::RequestRefused | Self::TooLarge | Self::Forbidden => FailureCategory::Validation,
            Self::ContextTooLong => FailureCategory::ContextOverflow,
            Self::TimedOut | Self::OutOfTime => FailureCategory::Timeout,
            Self::Garbled => FailureCategory::Parsing,
            Self::Bug => FailureCategory::Internal,
        }
    }

    /// What happened and what to do about it, to follow the provider's name.
    fn sentence(self) -> &'static str {
        match self {
            Self::ServerFailed => "failed on its side; try again later or set another provider",
            Self::RateLimited => "asks for fewer calls; wait, or lower the concurrency",
            Self::QuotaUsedUp => {
                "says the quota or credit is used up; top up the account or set another provider"
            }
            Self::KeyRefused => "refused the key; set a valid one, then it is tried again",
            Self::RequestRefused => {
                "refused the request; check its address, the model's name and the options set for it"
            }
            Self::SourceRefused => "does not give out this page; the run goes on without it",
            Self::ContextTooLong => "cannot take so much text; the request must be made shorter",
            Self::TimedOut => "did not answer in time; try again later or raise the time limit",
            Self::Unreachable => "cannot be reached; check its address and the network",
            Self::NoSuchHost => {
                "cannot be found on the network; check its address and the connection"
            }
            Self::Garbled => "answered in a form that cannot be read; check its address",
            Self::TooLarge => {
                "sent more than the size limit allows; raise the limit if it is meant"
            }
            Self::Forbidden => {
                "has an address that the fetcher may not open; allow it in the settings if it is meant"
            }
            Self::BreakerOpen => {
                "has failed too often and is left alone for a while; wait, or set another provider"
            }
            Self::QueueFull => "has no room left under its rate limit; wait or add a provider",
            Self::OutOfTime => {
                "could not be asked again before the deadline; allow the run more time"
            }
            Self::Bug => "could not be called because of a fault in Fathom; please report it",
        }
    }
}

/// A call that gave no answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallFailure {
    /// Who was asked.
    pub provider: ProviderName,
    /// Follows from the cause; stored so that readers of a log need not know the rule.
    pub category: FailureCategory,
    /// What it means for the run.
    pub severity: FailureSeverity,
    /// What went wrong.
    pub cause: FailureCause,
    /// The HTTP status, where there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The provider's own code for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// How many times the provider was asked.
    pub attempts: u32,
    /// When it is worth trying again, where that is known: a time to store, never to sleep until.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
    /// Says to people what happened and what to do.
    pub message: String,
}

impl CallFailure {
    /// With the message that belongs to the cause, and nothing else known yet.
    pub fn new(provider: &ProviderName, cause: FailureCause, severity: FailureSeverity) -> Self {
        Self {
            provider: provider.clone(),
            category: cause.category(),
            severity,
            cause,
            status: None,
            code: None,
            attempts: 0,
            wake_at: None,
            message: format!("{provider} {}", cause.sentence()),
        }
    }

    /// A call that our own rules ended or kept from being made. Only a full queue is worth waiting for.
    pub(crate) fn unsent(provider: &ProviderName, cause: FailureCause) -> Self {
        let severity = match cause {
            FailureCause::QueueFull => FailureSeverity::Recoverable,
            _ => FailureSeverity::Degraded,
        };
        Self::new(provider, cause, severity)
    }

    /// Whether another provider of the same kind may well succeed.
    pub(crate) fn next_provider_may_help(&self) -> bool {
        !matches!(
            self.cause,
            FailureCause::ContextTooLong | FailureCause::OutOfTime | FailureCause::Bug
        )
    }
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        let facts: Vec<String> = [
            self.status.map(|status| format!("status {status}")),
            self.code.clone(),
            (self.attempts > 1).then(|| format!("{} attempts", self.attempts)),
            self.wake_at.map(|at| format!("not before {at}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        if facts.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", facts.join(", "))
    }
}

impl std::error::Error for CallFailure {}
