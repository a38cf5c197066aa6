//! What is told of each attempt, to whoever handed in a sink.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::attempt_error::CallKind;
use super::classify::FailureClass;
use super::provider::ProviderName;

/// One attempt has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallEvent {
    pub provider: ProviderName,
    pub kind: CallKind,
    /// Counts from one.
    pub attempt: u32,
    pub took_ms: u64,
    /// What went wrong; nothing, if the attempt brought the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<FailureClass>,
    pub then: NextAction,
}

/// What follows the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum NextAction {
    Return,
    Retry {
        wait_ms: u64,
    },
    /// The server asks for so long a wait that nobody sleeps through it.
    WakeLater {
        wait_ms: u64,
    },
    Stop {
        why: StopReason,
    },
}

/// Why there is no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Trying again does not mend this.
    Final,
    /// All attempts are used.
    Attempts,
    /// Another attempt could not end before the deadline.
    Deadline,
    /// The provider's calls have earned no more retries.
    Bucket,
    /// A call that only finds out whether the provider is back is not repeated.
    Probe,
}

/// Where events go. It is called between awaits, so it must be quick.
pub trait CallSink: Send + Sync {
    fn attempt(&self, event: CallEvent);
}

impl<F: Fn(CallEvent) + Send + Sync> CallSink for F {
    fn attempt(&self, event: CallEvent) {
        self(event);
    }
}

pub(crate) fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
