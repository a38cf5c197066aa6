//! Rows changed behind the store's back: each is named, none is handed out, and the rest is read.

use std::sync::Arc;

use fathom_store::Postgres;
use fathom_workflow::record::{Damage, Entry, EntryKind, EntryMeta, EntryPart};
use fathom_workflow::{BlobHash, Error, Payload, Store};

use crate::place::Place;
use crate::writer::{PostgresWriter, moment};

/// A run of six steps, with a snapshot at the fourth and a journal at the fifth.
async fn six_steps() -> (Place, Arc<Postgres>, PostgresWriter) {
    let place = Place::new().await;
    let store = Arc::new(Postgres::connect(&place.url()).await.unwrap());
    let mut writer = PostgresWriter::begin(&store).await;
    writer.take_steps(3).await;
    let mut append = writer.step("4");
    append.snapshot = Some(writer.snapshot(4));
    writer.write(append).await;
    let mut append = writer.step("5");
    append.entries = ["a", "b"].map(entry).into();
    if let Some(record) = &mut append.record {
        record.meta.entries = 2;
    }
    writer.write(append).await;
    writer.take_steps(1).await;
    (place, store, writer)
}

fn entry(key: &str) -> Entry {
    Entry {
        meta: EntryMeta {
            step: 5,
            key: key.into(),
            kind: EntryKind::Call,
            part: EntryPart::Answered,
            meters: Default::default(),
            at: moment(),
        },
        payload: Payload::encoded(&key).unwrap(),
    }
}

/// Flips one bit of a column.
async fn flip(place: &Place, table: &str, column: &str, which: &str) {
    let flip = format!(
        "UPDATE {table} SET {column} = set_byte({column}, 1, get_byte({column}, 1) # 1)
         WHERE {which} RETURNING 1"
    );
    assert_eq!(place.sql(&flip, &[]).await.len(), 1);
}

fn damage<T: std::fmt::Debug>(read: Result<T, Error>) -> Damage {
    match read {
        Err(Error::Damaged { damage, .. }) => damage,
        other => panic!("it should be damaged: {other:?}"),
    }
}

#[tokio::test]
async fn a_flipped_byte_in_a_step_is_named_and_the_run_loads_up_to_the_step_before() {
    for column in ["body", "meta", "sum"] {
        let (place, store, writer) = six_steps().await;
        flip(&place, "steps", column, "step = 6").await;
        let loaded = store.load(writer.run, None).await.unwrap();
        let steps: Vec<u64> = loaded.records.iter().map(|r| r.meta.step).collect();
        assert_eq!((loaded.from.step, steps), (4, vec![5]), "{column}");
        let named = loaded.damage.expect("the damage");
        assert_eq!(named.what, "step 6", "{column}");
        let read = damage(store.steps(writer.run, 0, 10).await);
        assert_eq!(read.what, "step 6", "{column}");
        let before = store.steps(writer.run, 0, 6).await.unwrap();
        assert_eq!(before.len(), 6, "those before it can be read");
    }
}

#[tokio::test]
async fn a_missing_step_is_named() {
    let (place, store, writer) = six_steps().await;
    place.sql("DELETE FROM steps WHERE step = 5", &[]).await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert!(loaded.records.is_empty());
    let named = loaded.damage.expect("the damage");
    assert_eq!((&*named.what, &*named.why), ("step 5", "it is missing"));
    assert_eq!(damage(store.steps(writer.run, 3, 9).await).what, "step 5");
    assert_eq!(damage(store.entries(writer.run, 5).await).what, "step 5");

    place.sql("DELETE FROM steps WHERE step = 6", &[]).await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.damage.expect("the damage").what, "step 5");
}

#[tokio::test]
async fn a_damaged_snapshot_is_passed_over() {
    let (place, store, writer) = six_steps().await;
    flip(&place, "snapshots", "body", "step = 4").await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!((loaded.from.step, loaded.records.len()), (0, 6));
    assert_eq!(loaded.damage, None);

    flip(&place, "steps", "body", "step = 0").await;
    assert_eq!(damage(store.load(writer.run, None).await).what, "step 0");
    flip(&place, "snapshots", "body", "step = 4").await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.from.step, 4, "a good snapshot makes up for a base");
}

#[tokio::test]
async fn a_damaged_header_is_named_and_the_others_are_listed() {
    for (column, which) in [("head", "true"), ("about", "true"), ("head_sum", "true")] {
        let (place, store, writer) = six_steps().await;
        flip(&place, "runs", column, which).await;
        let other = PostgresWriter::begin(&store).await;
        assert_eq!(damage(store.head(writer.run).await).what, "header");
        assert_eq!(damage(store.load(writer.run, None).await).what, "header");
        let page = store.list(&Default::default()).await.unwrap();
        assert_eq!(page.runs.len(), 1);
        assert_eq!(page.runs[0].id(), other.run);
        assert!(page.damaged[0].contains(&writer.run.to_string()));
    }
    for change in [
        "keep = 'kert'",
        "ended = true",
        "updated_at = updated_at + 1",
        "created_at = created_at - 1",
        "wake_at = 1",
        "rev = rev + 1",
        "status = 'failed'",
    ] {
        let (place, store, writer) = six_steps().await;
        place.sql(&format!("UPDATE runs SET {change}"), &[]).await;
        let named = damage(store.head(writer.run).await);
        assert_eq!(named.what, "header", "{change}");
    }
}

#[tokio::test]
async fn a_run_that_lost_its_header_is_named() {
    let (place, store, writer) = six_steps().await;
    let delete = "DELETE FROM runs WHERE id = $1";
    place.sql(delete, &[writer.run.as_uuid()]).await;
    assert_eq!(damage(store.head(writer.run).await).why, "it is missing");
    assert_eq!(
        damage(store.events(writer.run, 0, 9).await).why,
        "it is missing"
    );
    let opened = Postgres::connect(&place.url()).await.unwrap();
    let page = opened.list(&Default::default()).await.unwrap();
    assert_eq!(page.damaged, ["the list of runs: 1 headers are missing"]);
}

#[tokio::test]
async fn a_run_whose_columns_are_damaged_does_not_expire() {
    let (place, store, writer) = six_steps().await;
    let unheld = "ended = true, owner = NULL, lease_until = NULL";
    place.sql(&format!("UPDATE runs SET {unheld}"), &[]).await;
    let purged = store.purge(jiff::Timestamp::MAX).await.unwrap();
    assert_eq!(purged.runs, 0, "its record says that it goes on");
    place.sql("UPDATE runs SET ended = false", &[]).await;
    assert!(store.head(writer.run).await.is_ok());
}

#[tokio::test]
async fn a_damaged_mark_to_stop_stops_no_run() {
    let (place, store, writer) = six_steps().await;
    let change = "UPDATE runs SET cancel = 'nx' RETURNING 1";
    assert_eq!(place.sql(change, &[]).await.len(), 1);
    let append = writer.step("7");
    let refused = store.append(append, std::time::Duration::ZERO).await;
    assert_eq!(damage(refused).what, "header");
}

#[tokio::test]
async fn a_damaged_journal_is_named() {
    let (place, store, writer) = six_steps().await;
    assert_eq!(store.entries(writer.run, 5).await.unwrap().len(), 2);
    place.sql("DELETE FROM entries WHERE key = 'a'", &[]).await;
    let named = damage(store.entries(writer.run, 5).await);
    assert_eq!(named.what, "journal of step 5");

    let (place, store, writer) = six_steps().await;
    flip(&place, "entries", "meta", "key = 'a'").await;
    let named = damage(store.entries(writer.run, 5).await);
    assert_eq!(named.what, "journal entry \"a\" of step 5");
}

#[tokio::test]
async fn damaged_and_missing_events_are_named() {
    let (place, store, writer) = six_steps().await;
    flip(&place, "events", "meta", "first = 3").await;
    let named = damage(store.events(writer.run, 0, 100).await);
    assert_eq!(named.what, "events from 3");
    let others = store.events(writer.run, 3, 100).await.unwrap();
    assert_eq!(others.len(), 4, "those after it can be read");

    for (gone, after, limit, first) in [(3, 0, 100, 3), (7, 0, 100, 7), (1, 0, 1, 1), (4, 3, 1, 4)]
    {
        let (place, store, writer) = six_steps().await;
        let delete = format!("DELETE FROM events WHERE first = {gone}");
        place.sql(&delete, &[]).await;
        let named = damage(store.events(writer.run, after, limit).await);
        assert_eq!(named.what, format!("events from {first}"));
    }
}

#[tokio::test]
async fn a_damaged_or_missing_blob_is_named() {
    let (place, store, mut writer) = six_steps().await;
    let large = "large ".repeat(100_000);
    writer.write(writer.step(&large)).await;
    flip(&place, "blobs", "bytes", "true").await;
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.damage.expect("the damage").what, "step 7");
    let hash = BlobHash::from_content(&serde_json::to_vec(&large).unwrap());
    let read = store.blob(hash).await;
    assert!(matches!(read, Err(Error::StoreDamaged { .. })), "{read:?}");

    place.sql("DELETE FROM blob_refs", &[]).await;
    place.sql("DELETE FROM blobs", &[]).await;
    let loaded = store.load(writer.run, None).await.unwrap();
    let named = loaded.damage.expect("the damage");
    assert!(named.why.contains("missing"), "{named:?}");
}
