//! What is told of each attempt, to whoever handed in a sink.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::attempt_error::CallKind;
use super::classify::FailureClass;
use super::provider::ProviderName;

/// One attempt has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallEvent {
    /// Who was asked.
    pub provider: ProviderName,
    /// What it was asked for.
    pub kind: CallKind,
    /// Counts from one.
    pub attempt: u32,
    /// From sending to the end of the answer.
    pub took_ms: u64,
    /// What went wrong; nothing, if the attempt brought the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<FailureClass>,
    /// What the call layer does now.
    pub then: NextAction,
}

/// What follows the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum NextAction {
    /// The answer is handed over.
    Return,
    /// The same provider is asked again after a wait.
    Retry {
        /// Time until the next attempt.
        wait_ms: u64,
    },
    /// The server asks for so long a wait that nobody sleeps through it.
    WakeLater {
        /// Time until the provider is worth asking again.
        wait_ms: u64,
    },
    /// The call fails, and a chain goes on to its next provider.
    Stop {
        /// Which rule ended it.
        why: StopReason,
    },
}

/// Why there is no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// Trying again does not help.
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
    /// Takes the event of an attempt that has ended.
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
