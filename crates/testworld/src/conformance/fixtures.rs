//! What the checks are made of: a run, someone who writes to it as the engine would, and a picture
//! of all that a store gives back of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use fathom_workflow::event::{Event, EventKind, Level};
use fathom_workflow::journal::Appended;
use fathom_workflow::record::{
    Append, BaseReason, Blob, Creation, Entry, EntryKind, EntryMeta, EntryPart, Labels, LogHead,
    Meters, RunHeader, RunIdentity, RunTally, Snapshot, Status, StepKind, StepMeta, StepRecord,
    Token,
};
use fathom_workflow::{Owner, Payload, RunId, Store};

/// A lease that outlives every check.
pub const HOUR: Duration = Duration::from_secs(3600);

/// A lease that lapses at once, so that no check needs to sleep.
pub const NONE: Duration = Duration::ZERO;

/// A moment by its second. Whole microseconds: that is what stores hold in their columns.
pub fn moment(second: u64) -> Timestamp {
    let second = 1_750_000_000 + i64::try_from(second).unwrap();
    Timestamp::from_microsecond(second * 1_000_000 + 123_456).unwrap()
}

pub fn body(text: &str) -> Payload {
    Payload::live(Arc::new(text.to_owned()))
}

pub fn text_of(payload: &Payload) -> String {
    payload.decode_owned().unwrap()
}

pub fn event(number: u64, message: &str) -> Event {
    let (level, message) = (Level::Info, message.to_owned());
    Event {
        number,
        at: moment(number),
        kind: EventKind::Log { level, message },
    }
}

pub fn entry(step: u64, key: &str, part: EntryPart) -> Entry {
    Entry {
        meta: EntryMeta {
            step,
            key: key.to_owned(),
            kind: EntryKind::Call,
            part,
            meters: Meters::from([("tokens".into(), 7)]),
            at: moment(step),
        },
        payload: body(&format!("{key} of step {step}")),
    }
}

/// Adds journal entries to an append, of the step it records or of the one under way after it, and
/// counts them as the engine does: a store may check its journal against these counts.
pub fn add_entries(append: &mut Append, entries: impl IntoIterator<Item = Entry>) {
    for entry in entries {
        match &mut append.record {
            Some(record) if record.meta.step == entry.meta.step => record.meta.entries += 1,
            Some(_) | None => append.head.entries += 1,
        }
        append.entries.push(entry);
    }
}

pub fn base(step: u64, tally: RunTally, why: BaseReason, text: &str) -> StepRecord {
    StepRecord {
        meta: StepMeta {
            kind: StepKind::Base { tally, why },
            meters: Meters::new(),
            ..update(step, text).meta
        },
        payload: Some(body(text)),
    }
}

pub fn update(step: u64, text: &str) -> StepRecord {
    StepRecord {
        meta: StepMeta {
            step,
            node: "look".into(),
            kind: StepKind::Update,
            next: Some("look".into()),
            looped: None,
            meters: Meters::from([("tokens".into(), step)]),
            entries: 0,
            at: moment(step),
        },
        payload: Some(body(text)),
    }
}

pub fn snapshot(step: u64, text: &str) -> Snapshot {
    Snapshot {
        step,
        tally: RunTally {
            steps: step,
            ..RunTally::default()
        },
        state: body(text),
    }
}

/// A run as it begins: pending, at step 0, with one event.
pub fn creation(title: &str) -> Creation {
    Creation {
        run: RunHeader {
            about: RunIdentity {
                id: RunId::new(),
                workflow: "report".into(),
                version: 2,
                title: title.to_owned(),
                created_at: moment(0),
                forked_from: None,
                time_limit: None,
                labels: Labels::from([("owner".to_owned(), "ada".to_owned())]),
            },
            head: LogHead {
                rev: 0,
                status: Status::Pending,
                step: 0,
                next: Some("look".into()),
                updated_at: moment(0),
                deadline: None,
                wake_at: None,
                parked: false,
                reason: None,
                events: 1,
                entries: 0,
                attempts: 0,
                waited: Duration::ZERO,
            },
            keep: false,
        },
        base: base(0, RunTally::default(), BaseReason::Started, "begun"),
        events: vec![event(1, "begun")],
    }
}

/// Nonces are random to a store, so they come from the upper half of their range, where a signed
/// number would overflow.
fn fresh_nonce() -> u64 {
    static USED: AtomicU64 = AtomicU64::new(0);
    u64::MAX - USED.fetch_add(1, Ordering::Relaxed)
}

/// Someone who holds a run and writes to it.
pub struct Writer {
    pub store: Arc<dyn Store>,
    pub owner: Owner,
    pub run: RunId,
    pub token: Token,
    pub head: LogHead,
}

impl Writer {
    /// Creates a run and holds it.
    pub async fn begin(store: &Arc<dyn Store>) -> Self {
        Self::begin_with(store, creation("a question"), HOUR).await
    }

    pub async fn begin_with(store: &Arc<dyn Store>, creation: Creation, lease: Duration) -> Self {
        let owner = Owner::unique();
        let (run, head) = (creation.run.id(), creation.run.head.clone());
        let token = store.create(creation, &owner, lease).await.unwrap();
        Self {
            store: Arc::clone(store),
            owner,
            run,
            token,
            head,
        }
    }

    /// Takes the run over under another name.
    pub async fn take_over(&mut self, lease: Duration) {
        self.owner = Owner::unique();
        let claimed = self.store.claim(self.run, &self.owner, lease).await;
        self.token = claimed.unwrap();
    }

    /// An append that changes nothing but the rev.
    pub fn blank(&self) -> Append {
        Append {
            run: self.run,
            token: self.token,
            nonce: fresh_nonce(),
            head: LogHead {
                rev: self.token.rev + 1,
                ..self.head.clone()
            },
            record: None,
            snapshot: None,
            entries: Vec::new(),
            events: Vec::new(),
            blobs: Vec::new(),
            release: false,
        }
    }

    /// An append that records the next step, with an event.
    pub fn step(&self, text: &str) -> Append {
        let step = self.head.step + 1;
        let mut append = self.with_events(1);
        append.head.step = step;
        append.head.status = Status::Running("searching".into());
        append.head.updated_at = moment(step);
        let mut record = update(step, text);
        record.meta.entries = std::mem::take(&mut append.head.entries);
        append.record = Some(record);
        append
    }

    /// An append that brings the next `count` events.
    pub fn with_events(&self, count: u64) -> Append {
        let mut append = self.blank();
        append.head.events += count;
        let numbers = self.head.events + 1..=append.head.events;
        append.events = numbers.map(|number| event(number, "news")).collect();
        append
    }

    /// An append that brings these entries.
    pub fn with_entries(&self, entries: impl IntoIterator<Item = Entry>) -> Append {
        let mut append = self.blank();
        add_entries(&mut append, entries);
        append
    }

    /// An append that stores these bytes.
    pub fn with_blob(&self, bytes: &[u8]) -> Append {
        let mut append = self.blank();
        append.blobs = vec![Blob::new(bytes)];
        append
    }

    /// An append that brings the run into `status`, last written at `second`, and gives it up.
    pub fn parting(&self, status: Status, second: u64) -> Append {
        let mut append = self.blank();
        append.head.status = status;
        append.head.updated_at = moment(second);
        append.release = true;
        append
    }

    pub async fn write(&mut self, append: Append) -> Appended {
        self.write_for(append, HOUR).await
    }

    pub async fn write_for(&mut self, append: Append, lease: Duration) -> Appended {
        let head = append.head.clone();
        let appended = self.store.append(append, lease).await.unwrap();
        self.token.rev = head.rev;
        self.head = head;
        appended
    }

    /// Records `count` steps, each with its number as its text.
    pub async fn take_steps(&mut self, count: u64) {
        for _ in 0..count {
            let text = (self.head.step + 1).to_string();
            self.write(self.step(&text)).await;
        }
    }
}

/// All that a store gives back of a run, in a form that can be compared.
#[derive(Debug, PartialEq)]
pub struct Picture {
    pub run: RunHeader,
    pub token: Token,
    pub steps: Vec<(StepMeta, Option<String>)>,
    /// The journals of all steps, and of the one under way.
    pub entries: Vec<(EntryMeta, String)>,
    pub events: Vec<Event>,
}

pub async fn picture(store: &Arc<dyn Store>, run: RunId) -> Picture {
    let (header, token) = store.head(run).await.unwrap();
    let mut entries = Vec::new();
    for step in 0..=header.head.step + 1 {
        entries.extend(store.entries(run, step).await.unwrap());
    }
    Picture {
        run: header,
        token,
        steps: plain_steps(&store.steps(run, 0, usize::MAX).await.unwrap()),
        entries: plain_entries(&entries),
        events: store.events(run, 0, usize::MAX).await.unwrap(),
    }
}

pub fn plain_steps(records: &[StepRecord]) -> Vec<(StepMeta, Option<String>)> {
    let plain = |record: &StepRecord| (record.meta.clone(), record.payload.as_ref().map(text_of));
    records.iter().map(plain).collect()
}

pub fn plain_entries(entries: &[Entry]) -> Vec<(EntryMeta, String)> {
    let plain = |entry: &Entry| (entry.meta.clone(), text_of(&entry.payload));
    entries.iter().map(plain).collect()
}
