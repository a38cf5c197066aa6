//! Someone who holds a run and writes steps to it, each with an event.

use std::sync::Arc;
use std::time::Duration;

use fathom_store::Postgres;
pub use fathom_testworld::conformance::fixtures::{HOUR, creation};
use fathom_workflow::event::{Event, EventKind, Level};
use fathom_workflow::journal::Appended;
use fathom_workflow::record::{
    Append, Creation, LogHead, RunTally, Snapshot, Status, StepKind, StepMeta, StepRecord, Token,
};
use fathom_workflow::{Error, Owner, Payload, RunId, Store};
use jiff::Timestamp;
use uuid::Uuid;

pub struct PostgresWriter {
    pub store: Arc<Postgres>,
    pub owner: Owner,
    pub run: RunId,
    pub token: Token,
    pub head: LogHead,
}

pub fn moment() -> Timestamp {
    Timestamp::from_second(1_750_000_000).unwrap()
}

pub fn event(number: u64) -> Event {
    let (level, message) = (Level::Info, format!("event {number}"));
    Event {
        number,
        at: moment(),
        kind: EventKind::Log { level, message },
    }
}

fn record(step: u64, kind: StepKind, text: &str) -> StepRecord {
    StepRecord {
        meta: StepMeta {
            step,
            node: "look".into(),
            kind,
            next: Some("look".into()),
            looped: None,
            meters: Default::default(),
            entries: 0,
            at: moment(),
        },
        payload: Some(Payload::encoded(&text).unwrap()),
    }
}

impl PostgresWriter {
    pub async fn begin(store: &Arc<Postgres>) -> Self {
        Self::begin_with(store, creation("a question"), HOUR).await
    }

    pub async fn begin_with(store: &Arc<Postgres>, creation: Creation, lease: Duration) -> Self {
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

    /// An append that records the next step.
    pub fn step(&self, text: &str) -> Append {
        let mut head = self.head.clone();
        head.rev = self.token.rev + 1;
        head.step += 1;
        head.events += 1;
        head.status = Status::Running("searching".into());
        Append {
            run: self.run,
            token: self.token,
            nonce: Uuid::now_v7().as_u64_pair().1,
            record: Some(record(head.step, StepKind::Update, text)),
            snapshot: None,
            entries: Vec::new(),
            events: vec![event(head.events)],
            blobs: Vec::new(),
            release: false,
            head,
        }
    }

    /// The last append: it finishes the run and gives it up.
    pub fn end(&self) -> Append {
        let mut append = self.step("the end");
        append.head.status = Status::Completed;
        append.release = true;
        append
    }

    pub async fn try_write(&mut self, append: Append) -> Result<Appended, Error> {
        let head = append.head.clone();
        let appended = self.store.append(append, HOUR).await?;
        self.token.rev = head.rev;
        self.head = head;
        Ok(appended)
    }

    pub async fn write(&mut self, append: Append) -> Appended {
        self.try_write(append).await.unwrap()
    }

    pub async fn take_steps(&mut self, count: u64) {
        for _ in 0..count {
            let text = (self.head.step + 1).to_string();
            self.write(self.step(&text)).await;
        }
    }

    pub fn snapshot(&self, step: u64) -> Snapshot {
        Snapshot {
            step,
            tally: RunTally::default(),
            state: Payload::encoded(&"whole").unwrap(),
        }
    }

    /// The run is there to its last step and event, none of them missing, none twice.
    pub async fn assert_whole(&self) {
        let (run, token) = self.store.head(self.run).await.unwrap();
        assert_eq!((run.head, token), (self.head.clone(), self.token));
        let steps = self.store.steps(self.run, 0, usize::MAX).await.unwrap();
        let numbers = steps.iter().map(|record| record.meta.step);
        assert!(numbers.eq(0..=self.head.step), "{steps:?}");
        let events = self.store.events(self.run, 0, usize::MAX).await.unwrap();
        let numbers = events.iter().map(|event| event.number);
        assert!(numbers.eq(1..=self.head.events), "{events:?}");
    }
}
