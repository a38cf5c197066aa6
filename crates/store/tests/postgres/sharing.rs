//! Many on one database: processes, writers, runs that share blobs.

use std::sync::Arc;
use std::time::Duration;

use fathom_store::{Postgres, PostgresOptions};
use fathom_workflow::record::{Append, Blob};
use fathom_workflow::{Error, Owner, Store};
use tokio::task::JoinSet;

use crate::place::Place;
use crate::writer::{HOUR, PostgresWriter, creation, event};

const AT_ONCE: usize = 200;
const ROUNDS: usize = 30;

async fn open(place: &Place) -> Arc<Postgres> {
    Arc::new(Postgres::connect(&place.url()).await.unwrap())
}

#[tokio::test]
async fn two_stores_on_one_database_fence_each_other() {
    let place = Place::new().await;
    let (ours, theirs) = (open(&place).await, open(&place).await);
    let mut stale = PostgresWriter::begin_with(&ours, creation("passed on"), Duration::ZERO).await;
    let token = theirs.claim(stale.run, &Owner::unique(), HOUR).await;
    let mut heir = PostgresWriter {
        store: Arc::clone(&theirs),
        owner: stale.owner.clone(),
        run: stale.run,
        token: token.unwrap(),
        head: stale.head.clone(),
    };
    let refused = stale.try_write(stale.step("too late")).await;
    assert!(
        matches!(refused, Err(Error::Superseded { .. })),
        "{refused:?}"
    );
    heir.take_steps(2).await;
    let claimed = ours.claim(stale.run, &stale.owner, HOUR).await;
    assert!(matches!(claimed, Err(Error::Held { .. })), "{claimed:?}");
    heir.assert_whole().await;
    let (run, token) = ours.head(heir.run).await.unwrap();
    assert_eq!((run.head, token), (heir.head.clone(), heir.token));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_append_does_not_hurt_those_it_comes_with() {
    let place = Place::new().await;
    let store = open(&place).await;
    let mut writing = JoinSet::new();
    for number in 0..AT_ONCE {
        let mut writer = PostgresWriter::begin(&store).await;
        writing.spawn(async move {
            let mut append = writer.step("1");
            match number % 20 {
                // The database knows step 0 already.
                7 => renumber(&mut append, 0),
                13 => append.token.fence += 1,
                _ => {}
            }
            let written = writer.try_write(append).await;
            (number % 20, written, writer)
        });
    }
    for (kind, written, mut writer) in writing.join_all().await {
        match (kind, written) {
            (7, Err(Error::Store { .. })) | (13, Err(Error::Superseded { .. })) => {
                writer.take_steps(1).await;
            }
            (7 | 13, other) => panic!("{other:?}"),
            (_, written) => assert!(written.is_ok(), "{written:?}"),
        }
        writer.assert_whole().await;
    }
}

fn renumber(append: &mut Append, step: u64) {
    append.head.step = step;
    if let Some(record) = &mut append.record {
        record.meta.step = step;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_pool_serves_many_without_a_standstill() {
    let place = Place::new().await;
    let options = PostgresOptions {
        connections: 1,
        ..PostgresOptions::default()
    };
    let store = Postgres::connect_with(&place.url(), options).await;
    let store = Arc::new(store.unwrap());
    let mut working = JoinSet::new();
    for _ in 0..20 {
        let store = Arc::clone(&store);
        working.spawn(async move {
            let mut writer = PostgresWriter::begin(&store).await;
            for _ in 0..5 {
                writer.take_steps(1).await;
                store
                    .renew(&writer.owner, &[writer.run], HOUR)
                    .await
                    .unwrap();
                store.load(writer.run, None).await.unwrap();
            }
            writer.assert_whole().await;
        });
    }
    working.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blob_never_goes_while_someone_begins_to_need_it() {
    let place = Place::new().await;
    let (ours, theirs) = (open(&place).await, open(&place).await);
    let blob = Blob::new(*b"read by one after the other");
    let mut last = PostgresWriter::begin(&ours).await;
    let mut end = last.end();
    end.blobs = vec![blob.clone()];
    last.write(end).await;
    for round in 0..ROUNDS {
        let mut next = PostgresWriter::begin(&ours).await;
        let mut end = next.end();
        end.blobs = vec![blob.clone()];
        let (deleted, written) = tokio::join!(theirs.delete(last.run), next.try_write(end));
        deleted.unwrap();
        written.unwrap();
        let found = ours.blob(blob.hash).await.unwrap();
        assert_eq!(found.as_deref(), Some(&*blob.bytes), "round {round}");
        last = next;
    }
    ours.delete(last.run).await.unwrap();
    assert_eq!(ours.blob(blob.hash).await.unwrap(), None);
}

#[tokio::test]
async fn nothing_stays_behind_in_any_table() {
    let place = Place::new().await;
    let store = open(&place).await;
    for _ in 0..3 {
        let mut writer = PostgresWriter::begin(&store).await;
        let mut append = writer.step(&"large ".repeat(100_000));
        append.blobs = vec![Blob::new(*b"a page")];
        append.snapshot = Some(writer.snapshot(1));
        writer.write(append).await;
        writer.write(writer.end()).await;
    }
    let purged = store.purge(jiff::Timestamp::MAX).await.unwrap();
    assert_eq!((purged.runs, purged.blobs), (3, 2));
    for table in [
        "runs",
        "steps",
        "snapshots",
        "entries",
        "events",
        "blobs",
        "blob_refs",
    ] {
        let left = place.count(&format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(left, 0, "{table}");
    }
}

#[tokio::test]
async fn a_title_with_a_nul_is_kept_and_found() {
    let place = Place::new().await;
    let store = open(&place).await;
    let title = "before\0AFTER";
    let writer = PostgresWriter::begin_with(&store, creation(title), HOUR).await;
    let filter = fathom_workflow::journal::RunFilter {
        text: Some("e\0after".into()),
        ..Default::default()
    };
    let page = store.list(&filter).await.unwrap();
    assert_eq!(page.runs.len(), 1);
    assert_eq!(page.runs[0].about.title, title);
    assert_eq!(page.runs[0].id(), writer.run);
}

#[tokio::test]
async fn asking_for_nothing_gives_nothing() {
    let place = Place::new().await;
    let store = open(&place).await;
    let mut writer = PostgresWriter::begin(&store).await;
    let mut append = writer.step("1");
    append.head.events += 1;
    append.events.push(event(append.head.events));
    writer.write(append).await;
    for from in 0..4 {
        assert!(store.steps(writer.run, from, 0).await.unwrap().is_empty());
        assert!(store.events(writer.run, from, 0).await.unwrap().is_empty());
    }
}
