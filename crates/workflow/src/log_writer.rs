//! Writes a run's log for the process that holds it, one append after the other.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::event::{Event, EventKind};
use crate::journal::Appended;
use crate::record::{Append, LogHead, RunHeader, Snapshot, StepRecord, Token};
use crate::runtime::Runtime;
use crate::step_buffer::StepNotes;
use crate::{Error, RunId};

/// Writes to one run, under the token that its holder has.
pub(crate) struct LogWriter {
    pub(crate) run: RunHeader,
    runtime: Arc<Runtime>,
    token: Token,
    nonce: u64,
}

/// One append in the making: what changes in the header, and what is written beside it.
pub(crate) struct AppendDraft {
    pub(crate) head: LogHead,
    pub(crate) notes: StepNotes,
    pub(crate) record: Option<StepRecord>,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) release: bool,
}

/// An append on its way to the store.
pub(crate) struct AppendInFlight {
    pub(crate) reply: BoxFuture<'static, Result<Appended, Error>>,
    sent: SentAppend,
}

/// What becomes true once the store has taken the append.
struct SentAppend {
    head: LogHead,
    news: Option<Arc<[Event]>>,
    acks: Vec<oneshot::Sender<()>>,
}

impl LogWriter {
    pub(crate) fn new(runtime: Arc<Runtime>, run: RunHeader, token: Token) -> Self {
        Self {
            run,
            runtime,
            token,
            nonce: fresh_nonce(),
        }
    }

    /// An append that brings only notes.
    pub(crate) fn draft(&self, notes: StepNotes) -> AppendDraft {
        AppendDraft {
            head: self.run.head.clone(),
            notes,
            record: None,
            snapshot: None,
            release: false,
        }
    }

    pub(crate) fn note(&self, notes: &mut StepNotes, event: EventKind) {
        notes.events.push((self.runtime.clock.now(), event));
    }

    /// Sends an append; [`LogWriter::settle`] must follow before the next.
    pub(crate) fn begin(&mut self, draft: AppendDraft) -> AppendInFlight {
        let (append, sent) = self.prepare(draft);
        let (store, lease) = (Arc::clone(&self.runtime.store), self.lease());
        let reply = Box::pin(async move { store.append(append, lease).await });
        AppendInFlight { reply, sent }
    }

    pub(crate) fn settle(
        &mut self,
        in_flight: AppendInFlight,
        reply: Result<Appended, Error>,
    ) -> Result<Appended, Error> {
        let appended = reply?;
        self.publish(in_flight.sent);
        Ok(appended)
    }

    pub(crate) async fn commit(&mut self, draft: AppendDraft) -> Result<Appended, Error> {
        let (append, sent) = self.prepare(draft);
        let appended = self.runtime.store.append(append, self.lease()).await?;
        self.publish(sent);
        Ok(appended)
    }

    /// Takes back a run that was given up. False if it has changed meanwhile; then it is let go.
    pub(crate) async fn claim_again(&mut self) -> Result<bool, Error> {
        let run = self.run.id();
        let token = self
            .runtime
            .store
            .claim(run, &self.runtime.owner, self.lease())
            .await?;
        if token.rev != self.token.rev {
            self.runtime.store.release(run, token).await?;
            return Ok(false);
        }
        self.token = token;
        Ok(true)
    }

    /// Gives the run up as well as it can after an error; a lapsed lease does the rest.
    pub(crate) async fn give_up(&self) {
        if let Err(error) = self.runtime.store.release(self.run.id(), self.token).await {
            tracing::warn!(run = %self.run.id(), %error, "the run could not be released");
        }
    }

    fn lease(&self) -> Duration {
        self.runtime.settings.lease
    }

    fn prepare(&mut self, draft: AppendDraft) -> (Append, SentAppend) {
        let AppendDraft {
            mut head,
            notes,
            record,
            snapshot,
            release,
        } = draft;
        let StepNotes {
            entries,
            events,
            blobs,
            acks,
        } = notes;
        head.rev = self.token.rev + 1;
        head.updated_at = self.runtime.clock.now();
        let first = self.run.head.events + 1;
        let events: Vec<Event> = (first..)
            .zip(events)
            .map(|(number, (at, kind))| Event { number, at, kind })
            .collect();
        head.events = self.run.head.events + events.len() as u64;
        let news = self
            .runtime
            .hub
            .is_watched()
            .then(|| Arc::from(events.as_slice()));
        self.nonce += 1;
        let append = Append {
            run: self.run.id(),
            token: self.token,
            nonce: self.nonce,
            head: head.clone(),
            record,
            snapshot,
            entries,
            events,
            blobs,
            release,
        };
        (append, SentAppend { head, news, acks })
    }

    fn publish(&mut self, sent: SentAppend) {
        let SentAppend { head, news, acks } = sent;
        self.token.rev = head.rev;
        self.run.head = head;
        self.runtime
            .hub
            .publish(self.run.id(), &self.run.head, news);
        for ack in acks {
            // A node that no longer waits has been dropped or has finished.
            let _ = ack.send(());
        }
    }
}

/// A number that tells one append from another. Ids of version 7 end in random bits; the top ones
/// are left clear, so that counting on from it stays within what databases can hold.
pub(crate) fn fresh_nonce() -> u64 {
    RunId::new().as_uuid().as_u64_pair().1 & (u64::MAX >> 2)
}
