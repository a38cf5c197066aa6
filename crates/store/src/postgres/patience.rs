//! How long to go on trying while the database is away, and how long to pause in between.

use std::time::Duration;

use fathom_workflow::Error;
use tokio::time::Instant;

use super::fault::Fault;

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A question not answered for this long counts as lost, and its connection with it.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// Pauses that double from [`FIRST_PAUSE`] to [`LONGEST_PAUSE`].
pub(super) struct Pauses(Duration);

impl Pauses {
    pub(super) fn new() -> Self {
        Self(FIRST_PAUSE)
    }

    pub(super) async fn take(&mut self) {
        tokio::time::sleep(self.0).await;
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
    }
}

/// The patience of one caller.
pub(super) struct Patience {
    until: Instant,
    pauses: Pauses,
}

impl Patience {
    pub(super) fn new(retry_for: Duration) -> Self {
        Self {
            until: Instant::now() + retry_for,
            pauses: Pauses::new(),
        }
    }

    /// Pauses before the next attempt, or gives the reason not to make one.
    pub(super) async fn bear(&mut self, fault: Fault) -> Result<(), Error> {
        match fault {
            Fault::Final(error) => Err(error),
            fault if Instant::now() >= self.until => Err(fault.into_error()),
            Fault::Gone { why } | Fault::Conflict { why } => {
                tracing::debug!(why, "the database is asked again");
                self.pauses.take().await;
                Ok(())
            }
        }
    }
}
