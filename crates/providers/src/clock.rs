//! Time and waiting, handed in, so that tests need no sleep.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

/// Time and waiting, so that tests can run them faster.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The calendar's time: what servers mean by a date.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment; it never goes back.
    fn elapsed(&self) -> Duration;

    /// Returns after this time.
    async fn sleep(&self, time: Duration);
}

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    begun: std::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            begun: std::time::Instant::now(),
        }
    }
}

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}
