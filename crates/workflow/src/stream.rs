//! The live stream of a run's events: whatever is stored, in order, from any number on.
//!
//! What is passed on has been committed first, so a subscriber never sees an event that a crash could
//! take back. The store is the source; the hub only saves the way to it while a run is followed
//! closely, and a subscriber that falls behind reads from the store again.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::Stream;
use tokio::sync::broadcast;

use crate::event::Event;
use crate::record::LogHead;
use crate::{Error, RunId, Store};

/// How many batches a slow subscriber may lag before it must read from the store.
const BACKLOG: usize = 64;

/// How many events are read from the store at a time.
const PAGE: usize = 256;

/// How often a run is looked at that another process may be working on.
const LOOK_EVERY: Duration = Duration::from_secs(1);

#[derive(Clone)]
struct Announcement {
    ended: bool,
    /// `None` when nobody watched at the time: the store has them.
    events: Option<Arc<[Event]>>,
}

/// Where commits are announced to the subscribers of this process.
#[derive(Default)]
pub(crate) struct EventHub {
    watchers: AtomicUsize,
    channels: Mutex<HashMap<RunId, RunChannel>>,
}

/// Of one run. It goes when its last seat is left.
struct RunChannel {
    seats: usize,
    news: broadcast::Sender<Announcement>,
}

impl EventHub {
    pub(crate) fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Acquire) > 0
    }

    pub(crate) fn publish(&self, run: RunId, head: &LogHead, events: Option<Arc<[Event]>>) {
        if !self.is_watched() {
            return;
        }
        if let Some(channel) = self.channels().get(&run) {
            // Nobody listening is no fault: the events are stored.
            let _ = channel.news.send(Announcement {
                ended: head.status.is_finished(),
                events,
            });
        }
    }

    fn channels(&self) -> MutexGuard<'_, HashMap<RunId, RunChannel>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One subscriber's place in the hub; leaves it when dropped.
struct Subscription {
    hub: Arc<EventHub>,
    run: RunId,
    news: broadcast::Receiver<Announcement>,
}

impl Subscription {
    fn take(hub: &Arc<EventHub>, run: RunId) -> Self {
        hub.watchers.fetch_add(1, Ordering::AcqRel);
        let mut channels = hub.channels();
        let channel = channels.entry(run).or_insert_with(|| RunChannel {
            seats: 0,
            news: broadcast::Sender::new(BACKLOG),
        });
        channel.seats += 1;
        Self {
            hub: Arc::clone(hub),
            run,
            news: channel.news.subscribe(),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.hub.watchers.fetch_sub(1, Ordering::AcqRel);
        if let Entry::Occupied(mut channel) = self.hub.channels().entry(self.run) {
            channel.get_mut().seats -= 1;
            if channel.get().seats == 0 {
                channel.remove();
            }
        }
    }
}

/// A subscriber: where it is, and what it has in hand.
struct EventSubscriber {
    store: Arc<dyn Store>,
    seat: Subscription,
    run: RunId,
    /// The number of the last event given out.
    seen: u64,
    in_hand: VecDeque<Event>,
    ended: bool,
    /// Whether the store may hold events that the hub has not handed on.
    behind: bool,
}

/// Every event of `run` numbered above `after`, without gap or repeat, until the run ends. A number
/// beyond the last event waits for what comes after it.
pub(crate) fn events(
    store: Arc<dyn Store>,
    hub: &Arc<EventHub>,
    run: RunId,
    after: u64,
) -> impl Stream<Item = Result<Event, Error>> + Send + use<> {
    // The seat is taken before the first read, so nothing committed in between is missed.
    let subscriber = EventSubscriber {
        store,
        seat: Subscription::take(hub, run),
        run,
        seen: after,
        in_hand: VecDeque::new(),
        ended: false,
        behind: true,
    };
    futures::stream::unfold(Some(subscriber), |subscriber| async {
        let mut subscriber = subscriber?;
        match subscriber.next().await {
            Ok(Some(event)) => Some((Ok(event), Some(subscriber))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    })
}

impl EventSubscriber {
    async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            if let Some(event) = self.in_hand.pop_front() {
                self.seen = event.number;
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            if self.behind {
                self.read_stored().await?;
            } else {
                self.wait().await;
            }
        }
    }

    async fn read_stored(&mut self) -> Result<(), Error> {
        // The head is read first: if it says that the run has ended, every event is there.
        let (run, _) = self.store.head(self.run).await?;
        if run.head.events > self.seen {
            self.in_hand
                .extend(self.store.events(self.run, self.seen, PAGE).await?);
        } else {
            self.ended = run.head.status.is_finished();
            self.behind = false;
        }
        Ok(())
    }

    /// Waits for news, and takes them in hand if they are exactly the next ones.
    async fn wait(&mut self) {
        // Unless they are: then the store knows more. So it may after a silence, since another
        // process may be at work.
        self.behind = true;
        let Ok(Ok(Announcement {
            ended,
            events: Some(events),
        })) = tokio::time::timeout(LOOK_EVERY, self.seat.news.recv()).await
        else {
            return;
        };
        if events
            .first()
            .is_some_and(|first| first.number == self.seen + 1)
        {
            self.in_hand.extend(events.iter().cloned());
            self.ended = ended;
            self.behind = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_to_leave_takes_the_channel_along() {
        let hub = Arc::new(EventHub::default());
        let run = RunId::new();
        let (first, second) = (Subscription::take(&hub, run), Subscription::take(&hub, run));
        drop(first);
        assert_eq!(hub.channels().len(), 1);
        drop(second);
        assert!(hub.channels().is_empty() && !hub.is_watched());
    }
}
