//! Commits what a node hands over while it works.

use std::time::Duration;

use futures::future::{BoxFuture, OptionFuture};

use crate::Error;
use crate::journal::Appended;
use crate::lease::HeldRun;
use crate::log_writer::{AppendInFlight, LogWriter};
use crate::snapshot::SnapshotPolicy;
use crate::step_buffer::{CommitUrgency, StepBuffer};

/// Events that nobody waits for may lie this long before they are stored and passed on. Long enough
/// for a quick call's start to share a commit with its answer, short to a person who watches.
const LINGER: Duration = Duration::from_millis(20);

/// Commits what a node at work hands over, one append at a time: what gathers while one is on
/// its way goes with the next.
pub(super) struct BufferFlusher<'a> {
    pub(super) writer: &'a mut LogWriter,
    pub(super) snapshots: &'a mut SnapshotPolicy,
    pub(super) buffer: &'a StepBuffer,
    pub(super) in_flight: Option<AppendInFlight>,
    pub(super) held: &'a HeldRun,
}

impl BufferFlusher<'_> {
    /// Works until the store fails.
    pub(super) async fn serve(&mut self) -> Error {
        loop {
            if let Some(in_flight) = &mut self.in_flight {
                let reply = (&mut in_flight.reply).await;
                if let Err(error) = self.settle(reply) {
                    return error;
                }
                continue;
            }
            match self.buffer.urgency() {
                CommitUrgency::Now => self.send(),
                CommitUrgency::Since(laid) => {
                    tokio::select! {
                        () = tokio::time::sleep_until(laid + LINGER) => self.send(),
                        () = self.buffer.news() => {}
                    }
                }
                CommitUrgency::None => self.buffer.news().await,
            }
        }
    }

    fn send(&mut self) {
        let notes = self.buffer.take();
        let entries = notes.entries.len() as u32;
        let mut draft = self.writer.draft(notes);
        draft.head.entries += entries;
        self.in_flight = Some(self.writer.begin(draft));
    }

    fn settle(&mut self, reply: Result<Appended, Error>) -> Result<(), Error> {
        if let Some(in_flight) = self.in_flight.take() {
            let appended = self.writer.settle(in_flight, reply)?;
            self.snapshots.count(appended.bytes);
            self.held.mark_renewed();
            if appended.cancel_requested {
                self.held.cancel.cancel();
            }
        }
        Ok(())
    }

    pub(super) async fn see_through(mut self) -> Result<(), Error> {
        let reply: OptionFuture<&mut BoxFuture<'static, _>> = self
            .in_flight
            .as_mut()
            .map(|in_flight| &mut in_flight.reply)
            .into();
        match reply.await {
            Some(reply) => self.settle(reply),
            None => Ok(()),
        }
    }
}
