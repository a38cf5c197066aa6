//! What is told of each attempt, to whoever handed in a sink.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::classify::Class;
use super::fault::Kind;
use super::provider::Provider;

/// One attempt has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub provider: Provider,
    pub kind: Kind,
    /// Counts from one.
    pub attempt: u32,
    pub took_ms: u64,
    /// What went wrong; nothing, if the attempt brought the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    pub then: Then,
}

/// What follows the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum Then {
    Return,
    Retry {
        wait_ms: u64,
    },
    /// The server asks for so long a wait that nobody sleeps through it.
    WakeLater {
        wait_ms: u64,
    },
    Stop {
        why: Stop,
    },
}

/// Why there is no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
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
pub trait Sink: Send + Sync {
    fn attempt(&self, event: Event);
}

impl<F: Fn(Event) + Send + Sync> Sink for F {
    fn attempt(&self, event: Event) {
        self(event);
    }
}

pub(crate) fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
