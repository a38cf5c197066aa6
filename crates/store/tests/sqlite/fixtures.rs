//! A run and someone who writes to it, and all that a store gives back of it.

use std::time::Duration;

pub use fathom_testworld::conformance::fixtures::{HOUR, NONE, creation, moment, text_of as text};
use fathom_testworld::conformance::fixtures::{body, snapshot};
use fathom_workflow::event::{Event, EventKind, Level};
use fathom_workflow::record::{
    Append, Blob, Creation, Entry, EntryKind, EntryMeta, EntryPart, LogHead, Meters, Status,
    StepKind, StepMeta, StepRecord, Token,
};
use fathom_workflow::{Error, Owner, RunId, Store};

fn event(number: u64) -> Event {
    Event {
        number,
        at: moment(0),
        kind: EventKind::Log {
            level: Level::Info,
            message: format!("event {number}"),
        },
    }
}

fn meta(step: u64, kind: StepKind, entries: u32) -> StepMeta {
    StepMeta {
        step,
        node: "look".into(),
        kind,
        next: Some("look".into()),
        looped: None,
        meters: Meters::new(),
        entries,
        at: moment(1),
    }
}

/// Someone who holds a run and writes to it as the engine would.
pub struct Writer {
    pub run: RunId,
    pub token: Token,
    pub head: LogHead,
    nonce: u64,
}

impl Writer {
    pub async fn begin(store: &dyn Store, lease: Duration) -> Self {
        Self::with(store, creation("Why is the sky blue?"), lease).await
    }

    pub async fn with(store: &dyn Store, creation: Creation, lease: Duration) -> Self {
        let (run, head) = (creation.run.id(), creation.run.head.clone());
        let owner = Owner::unique();
        let token = store.create(creation, &owner, lease).await.unwrap();
        Self {
            run,
            token,
            head,
            nonce: 7,
        }
    }

    /// The next step: an update, a journal of two entries, two events, a blob.
    pub fn step(&self, text: &str) -> Append {
        let step = self.head.step + 1;
        let entry = |key: &str| Entry {
            meta: EntryMeta {
                step,
                key: key.into(),
                kind: EntryKind::Call,
                part: EntryPart::Answered,
                meters: Meters::new(),
                at: moment(1),
            },
            payload: body(key),
        };
        let events = self.head.events;
        Append {
            run: self.run,
            token: self.token,
            nonce: self.nonce + self.token.rev,
            head: LogHead {
                rev: self.token.rev + 1,
                status: Status::Running("searching".into()),
                step,
                updated_at: moment(1),
                events: events + 2,
                ..self.head.clone()
            },
            record: Some(StepRecord {
                meta: meta(step, StepKind::Update, 2),
                payload: Some(body(text)),
            }),
            snapshot: None,
            entries: vec![entry("search"), entry("fetch")],
            events: vec![event(events + 1), event(events + 2)],
            blobs: vec![Blob::new(format!("page of step {step}").into_bytes())],
            release: false,
        }
    }

    pub async fn write(&mut self, store: &dyn Store, append: Append) -> Result<(), Error> {
        let head = append.head.clone();
        store.append(append, HOUR).await?;
        self.token.rev = head.rev;
        self.head = head;
        Ok(())
    }

    /// Records steps up to `last`, with a whole state beside each of `snapshots`.
    pub async fn take_steps(&mut self, store: &dyn Store, last: u64, snapshots: &[u64]) {
        for step in self.head.step + 1..=last {
            let mut append = self.step(&format!("update {step}"));
            append.snapshot = snapshots
                .contains(&step)
                .then(|| snapshot(step, &format!("whole at {step}")));
            self.write(store, append).await.unwrap();
        }
    }
}

/// All of a run that a reader can see, in a form that can be compared; or the first refusal.
pub async fn picture(store: &dyn Store, run: RunId) -> Result<String, Error> {
    let (header, _) = store.head(run).await?;
    let last = header.head.step;
    let mut journal = Vec::new();
    for step in 0..=last + 1 {
        for Entry { meta, payload } in store.entries(run, step).await? {
            journal.push((meta, text(&payload)));
        }
    }
    let mut steps = Vec::new();
    for StepRecord { meta, payload } in store.steps(run, 0, usize::MAX).await? {
        let page = Blob::new(format!("page of step {}", meta.step).into_bytes());
        steps.push((
            meta,
            payload.as_ref().map(text),
            store.blob(page.hash).await?,
        ));
    }
    let events = store.events(run, 0, usize::MAX).await?;
    Ok(format!("{header:?}\n{journal:?}\n{steps:?}\n{events:?}"))
}
