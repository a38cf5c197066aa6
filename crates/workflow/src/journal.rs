//! The border between the engine and whatever remembers for it.
//!
//! A store keeps runs, steps, journals, events and blobs, and gives each write its guard. It decides
//! nothing. The suite that every store passes is `testworld::conformance`.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::event::Event;
use crate::record::{Append, Creation, Entry, Loaded, RunHeader, StepRecord, Token};
use crate::{BlobHash, Error, Owner, RunId};

/// What keeps runs. Every write is guarded by a token, and is committed whole or not at all.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// What it is, for messages: "memory", "sqlite:PATH", "postgres".
    fn describe(&self) -> String;

    /// Whether what it has acknowledged survives the end of the process.
    fn is_durable(&self) -> bool;

    /// Commits a new run, held by `owner` for `lease`. The token's `rev` is the head's. A fork refers
    /// to every blob that its origin refers to, so it outlives the origin whole.
    async fn create(
        &self,
        creation: Creation,
        owner: &Owner,
        lease: Duration,
    ) -> Result<Token, Error>;

    /// Takes hold of a run that nobody holds, or whose lease has lapsed by the store's clock. The
    /// fence rises by one, so the former holder's writes are refused from now on.
    async fn claim(&self, run: RunId, owner: &Owner, lease: Duration) -> Result<Token, Error>;

    /// Prolongs the leases of `owner` on `runs`, lapsed ones included unless somebody else took the
    /// run. A run that is not named lapses: its owner has lost sight of it.
    async fn renew(&self, owner: &Owner, runs: &[RunId], lease: Duration) -> Result<(), Error>;

    /// Gives up a run without writing to it, if the token's fence is still the run's (its rev does not
    /// matter: a lost reply leaves the writer behind). Else the run is not ours, which is no error.
    async fn release(&self, run: RunId, token: Token) -> Result<(), Error>;

    /// Commits everything in `append`, or nothing: only if the run's fence and rev are the token's.
    /// An append whose nonce is the last one taken was committed before, and succeeds. Prolongs the
    /// holder's lease to `lease`, unless the append releases it.
    async fn append(&self, append: Append, lease: Duration) -> Result<Appended, Error>;

    /// Sets or clears the mark that somebody wants the run to stop. Whoever holds it learns so at its next append.
    async fn mark_cancel(&self, run: RunId, wanted: bool) -> Result<(), Error>;

    /// The runs of `owner` that are marked to stop.
    async fn cancels(&self, owner: &Owner) -> Result<Vec<RunId>, Error>;

    /// The header, and the token that an append made now would need.
    async fn head(&self, run: RunId) -> Result<(RunHeader, Token), Error>;

    /// What is needed to fold the state as of step `at`, or of the last step.
    async fn load(&self, run: RunId, at: Option<u64>) -> Result<Loaded, Error>;

    /// Recorded steps from `from` on, in order, `limit` at most.
    async fn steps(&self, run: RunId, from: u64, limit: usize) -> Result<Vec<StepRecord>, Error>;

    /// The journal of one step, by time and then by key.
    async fn entries(&self, run: RunId, step: u64) -> Result<Vec<Entry>, Error>;

    /// Events numbered above `after`, in order, about `limit` of them (whole batches).
    async fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Event>, Error>;

    /// Headers that match, newest first.
    async fn list(&self, filter: &RunFilter) -> Result<RunPage, Error>;

    /// Unfinished runs of a workflow that nobody has held for `unheld` by the store's clock (one that was given up
    /// counts at once), and that do not wait beyond `now`. Longest untouched first, `limit` at most.
    async fn due(
        &self,
        workflow: &str,
        now: Timestamp,
        unheld: Duration,
        limit: usize,
    ) -> Result<Vec<RunId>, Error>;

    /// The bytes of that name, checked against it.
    async fn blob(&self, hash: BlobHash) -> Result<Option<Vec<u8>>, Error>;

    /// Sets or clears the mark that keeps a run from expiring.
    async fn keep(&self, run: RunId, keep: bool) -> Result<(), Error>;

    /// Removes a run with all that only it refers to. A run that is held is refused.
    async fn delete(&self, run: RunId) -> Result<(), Error>;

    /// Removes finished runs that were last written before `before` and are not kept.
    async fn purge(&self, before: Timestamp) -> Result<Purged, Error>;
}

/// What a committed append learns on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Whether somebody wants the run to stop.
    pub cancel_requested: bool,
    /// How many bytes of rows it wrote; 0 where nothing is encoded. The engine weighs snapshots by it.
    pub bytes: u64,
}

/// Which runs to list. Empty means any.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    /// Statuses by their names; the phases of running ones included.
    pub statuses: Vec<String>,
    /// The workflow's name.
    pub workflow: Option<String>,
    /// Created at this moment or later.
    pub created_from: Option<Timestamp>,
    /// Created before this moment.
    pub created_before: Option<Timestamp>,
    /// Part of the title, in any case.
    pub text: Option<String>,
    /// Where the page before this one ended.
    pub after: Option<ListCursor>,
    /// At most this many; 0 means [`RunFilter::DEFAULT_LIMIT`].
    pub limit: usize,
}

impl RunFilter {
    /// How many runs a page holds where nothing is said.
    pub const DEFAULT_LIMIT: usize = 100;

    /// How many runs a page holds.
    pub fn page_size(&self) -> usize {
        match self.limit {
            0 => Self::DEFAULT_LIMIT,
            limit => limit,
        }
    }
}

/// Where the next page begins: after this run, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListCursor {
    /// When the last run of the page was created.
    pub created_at: Timestamp,
    /// Which run that is: several may be created at one moment.
    pub id: RunId,
}

/// One page of a list of runs.
#[derive(Clone, Debug, Default)]
pub struct RunPage {
    /// The headers, newest first.
    pub runs: Vec<RunHeader>,
    /// Set when there is more.
    pub next: Option<ListCursor>,
    /// Headers that could not be read, each named; the others are listed all the same.
    pub damaged: Vec<String>,
}

/// What a purge removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// How many runs.
    pub runs: u64,
    /// How many stored blobs that no other run refers to.
    pub blobs: u64,
}
