//! Writes a run's log for the process that holds it, one append after the other.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::desk::Notes;
use crate::event::{Event, EventKind};
use crate::journal::Appended;
use crate::record::{Append, Head, Run, Snapshot, StepRecord, Token};
use crate::stream::Hub;
use crate::{Clock, Error, Owner, RunId, Store};

pub(crate) struct Scribe {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) run: Run,
    hub: Arc<Hub>,
    token: Token,
    nonce: u64,
    lease: Duration,
}

/// One append in the making: what changes in the header, and what is written beside it.
pub(crate) struct Draft {
    pub(crate) head: Head,
    pub(crate) notes: Notes,
    pub(crate) record: Option<StepRecord>,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) release: bool,
}

/// An append on its way to the store.
pub(crate) struct InFlight {
    pub(crate) reply: BoxFuture<'static, Result<Appended, Error>>,
    sent: Sent,
}

/// What becomes true once the store has taken the append.
struct Sent {
    head: Head,
    news: Option<Arc<[Event]>>,
    acks: Vec<oneshot::Sender<()>>,
}

impl Scribe {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        hub: Arc<Hub>,
        run: Run,
        token: Token,
        lease: Duration,
    ) -> Self {
        let nonce = fresh_nonce();
        Self {
            store,
            clock,
            run,
            hub,
            token,
            nonce,
            lease,
        }
    }

    /// An append that brings only notes.
    pub(crate) fn draft(&self, notes: Notes) -> Draft {
        Draft {
            head: self.run.head.clone(),
            notes,
            record: None,
            snapshot: None,
            release: false,
        }
    }

    pub(crate) fn note(&self, notes: &mut Notes, event: EventKind) {
        notes.events.push((self.clock.now(), event));
    }

    /// Sends an append; [`Scribe::settle`] must follow before the next.
    pub(crate) fn begin(&mut self, draft: Draft) -> InFlight {
        let (append, sent) = self.prepare(draft);
        let (store, lease) = (Arc::clone(&self.store), self.lease);
        let reply = Box::pin(async move { store.append(append, lease).await });
        InFlight { reply, sent }
    }

    pub(crate) fn settle(
        &mut self,
        in_flight: InFlight,
        reply: Result<Appended, Error>,
    ) -> Result<Appended, Error> {
        let appended = reply?;
        self.publish(in_flight.sent);
        Ok(appended)
    }

    pub(crate) async fn commit(&mut self, draft: Draft) -> Result<Appended, Error> {
        let (append, sent) = self.prepare(draft);
        let appended = self.store.append(append, self.lease).await?;
        self.publish(sent);
        Ok(appended)
    }

    /// Takes back a run that was given up. False if it has changed meanwhile; then it is let go.
    pub(crate) async fn claim_again(&mut self, owner: &Owner) -> Result<bool, Error> {
        let run = self.run.id();
        let token = self.store.claim(run, owner, self.lease).await?;
        if token.rev != self.token.rev {
            self.store.release(run, token).await?;
            return Ok(false);
        }
        self.token = token;
        Ok(true)
    }

    /// Gives the run up as well as it can after an error; a lapsed lease does the rest.
    pub(crate) async fn give_up(&self) {
        if let Err(error) = self.store.release(self.run.id(), self.token).await {
            tracing::warn!(run = %self.run.id(), %error, "the run could not be released");
        }
    }

    fn prepare(&mut self, draft: Draft) -> (Append, Sent) {
        let Draft {
            mut head,
            notes,
            record,
            snapshot,
            release,
        } = draft;
        let Notes {
            entries,
            events,
            blobs,
            acks,
        } = notes;
        head.rev = self.token.rev + 1;
        head.updated_at = self.clock.now();
        let first = self.run.head.events + 1;
        let events: Vec<Event> = (first..)
            .zip(events)
            .map(|(number, (at, kind))| Event { number, at, kind })
            .collect();
        head.events = self.run.head.events + events.len() as u64;
        let news = self.hub.is_watched().then(|| Arc::from(events.as_slice()));
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
        (append, Sent { head, news, acks })
    }

    fn publish(&mut self, sent: Sent) {
        let Sent { head, news, acks } = sent;
        self.token.rev = head.rev;
        self.run.head = head;
        self.hub.publish(self.run.id(), &self.run.head, news);
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
