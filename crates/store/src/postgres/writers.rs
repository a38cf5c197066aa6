//! The writers: a queue of orders, and a few connections that commit what has queued up.
//!
//! While some batches are under way, orders gather; the next free connection takes them all as one
//! [`Batch`]. An order that finds nobody waiting and a connection free goes at once, in its caller's
//! task: a lone run need not wait for two tasks to wake. Every order is answered once its fate is known: taken, refused, or given up after
//! `retry_for`. It may be sent again after a loss, because its nonce tells whether it was taken.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fathom_workflow::Error;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::address::Address;
use super::batch::{Batch, Shape};
use super::fate::{Fate, fates};
use super::fault::Fault;
use super::link::Link;
use super::links::Links;
use super::order::Order;
use super::patience::{ANSWER_LIMIT, Pauses};

/// The most orders in one batch.
const LARGEST_BATCH: usize = 128;
/// The most bytes in one batch, unless a single order has more. Each connection keeps buffers of the
/// size of its largest batch.
const HEAVIEST_BATCH: u64 = 192 << 10;
/// The most orders that wait for a writer; further callers wait for room, and make no rows yet.
const QUEUE: usize = LARGEST_BATCH;

pub(super) struct Writers {
    queue: mpsc::Sender<Job>,
    retry_for: Duration,
    shared: Arc<Shared>,
    /// Hands out the orders, and ends with the store.
    _dispatcher: JoinSet<()>,
}

/// What all batches use.
struct Shared {
    links: Links,
    /// One for each connection that may write.
    free: Arc<Semaphore>,
    commits: AtomicU64,
    /// The texts of batches. There are as many as [`Shape`] has values, of which few ever come up.
    texts: Mutex<HashMap<Shape, Arc<str>>>,
}

struct Job {
    order: Order,
    give_up_at: Instant,
    reply: oneshot::Sender<Result<Fate, Error>>,
}

impl Writers {
    /// Writes over `connections` connections at most.
    pub(super) fn start(address: &Arc<Address>, connections: usize, retry_for: Duration) -> Self {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared {
            links: Links::to(Arc::clone(address)),
            free: Arc::new(Semaphore::new(connections)),
            commits: AtomicU64::new(0),
            texts: Mutex::default(),
        });
        let mut dispatcher = JoinSet::new();
        dispatcher.spawn(dispatch(jobs, Arc::clone(&shared)));
        Self {
            queue,
            retry_for,
            shared,
            _dispatcher: dispatcher,
        }
    }

    /// Waits for room, and only then makes the order: its rows may be large, and those of many
    /// callers would all wait in memory.
    pub(super) async fn write(
        &self,
        order: impl FnOnce() -> Result<Order, Error>,
    ) -> Result<Fate, Error> {
        let give_up_at = Instant::now() + self.retry_for;
        // Room is made at the latest when the orders in front are given up.
        let room = self.queue.reserve().await.map_err(|_| ended())?;
        let (reply, fate) = oneshot::channel();
        let job = Job {
            order: order()?,
            give_up_at,
            reply,
        };
        let nobody_waits = self.queue.capacity() + 1 == self.queue.max_capacity();
        match self.shared.free.try_acquire() {
            Ok(_turn) if nobody_waits => {
                drop(room);
                self.shared.settle(vec![job]).await;
            }
            _ => room.send(job),
        }
        fate.await.unwrap_or_else(|_| Err(ended()))
    }

    /// How often the writers have committed.
    pub(super) fn commits(&self) -> u64 {
        self.shared.commits.load(Ordering::Relaxed)
    }
}

fn ended() -> Error {
    Error::StoreGone {
        why: "the store's writers have ended".into(),
    }
}

/// Starts a batch whenever there are orders and a connection is free for them.
async fn dispatch(mut queue: mpsc::Receiver<Job>, shared: Arc<Shared>) {
    let mut waiting = Vec::with_capacity(LARGEST_BATCH);
    let mut batches = JoinSet::new();
    while let Ok(turn) = Arc::clone(&shared.free).acquire_owned().await {
        if waiting.is_empty() && queue.recv_many(&mut waiting, LARGEST_BATCH).await == 0 {
            break;
        }
        while waiting.len() < LARGEST_BATCH
            && let Ok(job) = queue.try_recv()
        {
            waiting.push(job);
        }
        while batches.try_join_next().is_some() {}
        let round = next_round(&mut waiting);
        let shared = Arc::clone(&shared);
        batches.spawn(async move {
            shared.settle(round).await;
            drop(turn);
        });
    }
    while batches.join_next().await.is_some() {}
}

impl Shared {
    /// Brings every job to its answer.
    async fn settle(&self, mut jobs: Vec<Job>) {
        let mut pauses = Pauses::new();
        while !jobs.is_empty() {
            match self.attempt(&jobs).await {
                Ok(fates) => {
                    for (job, fate) in jobs.into_iter().zip(fates) {
                        answer(job, Ok(fate));
                    }
                    return;
                }
                // One of them did it. None was written, so each can be tried alone.
                Err(Fault::Final(_)) if jobs.len() > 1 => {
                    for job in jobs {
                        Box::pin(self.settle(vec![job])).await;
                    }
                    return;
                }
                Err(Fault::Final(error)) => {
                    if let Some(job) = jobs.pop() {
                        answer(job, Err(error));
                    }
                    return;
                }
                Err(Fault::Gone { why } | Fault::Conflict { why }) => {
                    tracing::debug!(why, jobs = jobs.len(), "a batch is written again");
                    jobs = give_up_late_ones(jobs, &why);
                    pauses.take().await;
                }
            }
        }
    }

    async fn attempt(&self, jobs: &[Job]) -> Result<Vec<Fate>, Fault> {
        let orders: Vec<&Order> = jobs.iter().map(|job| &job.order).collect();
        let Ok(fates) = timeout(ANSWER_LIMIT, self.send(&orders)).await else {
            return Err(Fault::no_answer(ANSWER_LIMIT));
        };
        fates
    }

    async fn send(&self, orders: &[&Order]) -> Result<Vec<Fate>, Fault> {
        let link = self.links.take().await?;
        let fates = self.write(&link, orders).await;
        self.links.put_back(link, &fates);
        fates
    }

    async fn write(&self, link: &Link, orders: &[&Order]) -> Result<Vec<Fate>, Fault> {
        let known = known_blobs(link, orders).await?;
        let batch = Batch::of(orders, &known);
        let text = self.text(&batch);
        let taken = link.rows_of(&text, batch.values).await?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        fates(link, orders, &taken).await
    }

    fn text(&self, batch: &Batch<'_>) -> Arc<str> {
        // A map of finished texts is whole even if a holder of the lock panicked.
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let text = texts.entry(batch.shape);
        Arc::clone(text.or_insert_with(|| batch.sql().into()))
    }
}

/// Blobs over this many bytes are sent only if the database does not have them.
const HEAVY_BLOB: usize = 32 << 10;

const KNOWN: &str = "SELECT hash FROM blobs WHERE hash = ANY($1)";

/// The heavy blobs that need not be sent. One that is removed before it is referred to gives a
/// conflict, and the next attempt asks again.
async fn known_blobs(link: &Link, orders: &[&Order]) -> Result<HashSet<Vec<u8>>, Fault> {
    let blobs = orders.iter().flat_map(|order| &order.write.blobs);
    let heavy: Vec<&[u8]> = blobs
        .filter(|blob| blob.bytes.len() > HEAVY_BLOB)
        .map(|blob| &blob.hash.as_bytes()[..])
        .collect();
    let mut known = HashSet::new();
    if !heavy.is_empty() {
        for row in link.rows(KNOWN, &[&heavy]).await? {
            known.insert(row.try_get(0)?);
        }
    }
    Ok(known)
}

/// Takes the jobs that can go into one batch: of one kind, not too heavy, and one for each run, since
/// the nonce can tell the fate of the last write of a run only. Of the same run the first goes first.
fn next_round(jobs: &mut Vec<Job>) -> Vec<Job> {
    let appends = jobs.first().is_some_and(|job| job.order.is_append());
    let mut seen = HashSet::with_capacity(jobs.len());
    let mut weight = 0;
    let joins = |job: &mut Job| {
        let fits = weight == 0 || weight + job.order.weight <= HEAVIEST_BATCH;
        let joins = seen.insert(job.order.run) && job.order.is_append() == appends && fits;
        if joins {
            weight += job.order.weight;
        }
        joins
    };
    let mut round: Vec<Job> = jobs.extract_if(.., joins).collect();
    round.sort_unstable_by_key(|job| job.order.run);
    round
}

fn give_up_late_ones(mut jobs: Vec<Job>, why: &str) -> Vec<Job> {
    let now = Instant::now();
    for job in jobs.extract_if(.., |job| job.give_up_at <= now) {
        answer(job, Err(Error::StoreGone { why: why.into() }));
    }
    jobs
}

fn answer(job: Job, fate: Result<Fate, Error>) {
    // A caller that no longer waits has dropped its end; the write stands all the same.
    let _ = job.reply.send(fate);
}
