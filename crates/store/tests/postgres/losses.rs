//! What the store bears: lost requests, lost replies, killed backends, a database that is away.

use std::sync::Arc;
use std::time::Duration;

use fathom_store::{Postgres, PostgresOptions};
use fathom_workflow::{Error, Owner, Store};
use tokio::task::JoinSet;

use crate::place::Place;
use crate::proxy::{Mood, Proxy};
use crate::writer::{HOUR, PostgresWriter, creation};

const RUNS: usize = 12;
const STEPS: u64 = 40;

/// A single connection, so that it is known what goes over it.
const NARROW: PostgresOptions = PostgresOptions {
    connections: 1,
    retry_for: Duration::from_secs(30),
};

async fn behind_proxy(options: PostgresOptions) -> (Place, Proxy, Arc<Postgres>) {
    let place = Place::new().await;
    let proxy = Proxy::to(place.address()).await;
    let store = Postgres::connect_with(&place.url_by(proxy.port), options).await;
    (place, proxy, Arc::new(store.unwrap()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_backends_lose_no_append_and_double_none() {
    let place = Place::new().await;
    let store = Arc::new(Postgres::connect(&place.url()).await.unwrap());
    let mut writers = JoinSet::new();
    for _ in 0..RUNS {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            let mut writer = PostgresWriter::begin(&store).await;
            writer.take_steps(STEPS).await;
            writer
        });
    }
    let kill = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
    let mut killed = 0;
    let mut done = Vec::new();
    while done.len() < RUNS {
        killed += place.count(kill).await;
        while let Some(writer) = writers.try_join_next() {
            done.push(writer.unwrap());
        }
    }
    assert!(killed > 1, "{killed} backends were killed");
    for writer in done {
        assert_eq!(writer.head.step, STEPS);
        writer.assert_whole().await;
    }
}

#[tokio::test]
async fn an_append_whose_reply_was_lost_is_taken_once() {
    let (_place, proxy, store) = behind_proxy(NARROW).await;
    let mut writer = PostgresWriter::begin(&store).await;
    writer.take_steps(1).await;
    for mood in [Mood::LoseReply(b""), Mood::LoseRequest] {
        proxy.set(mood);
        writer.take_steps(1).await;
        assert!(proxy.has_lost(), "{mood:?}");
        writer.assert_whole().await;
    }
    assert_eq!(writer.token.rev, 3);
}

#[tokio::test]
async fn a_creation_whose_reply_was_lost_is_ours() {
    let (place, proxy, store) = behind_proxy(NARROW).await;
    PostgresWriter::begin(&store).await;
    for mood in [Mood::LoseReply(b""), Mood::LoseRequest] {
        proxy.set(mood);
        let mut writer = PostgresWriter::begin(&store).await;
        assert!(proxy.has_lost(), "{mood:?}");
        writer.take_steps(1).await;
        writer.assert_whole().await;
    }
    assert_eq!(place.count("SELECT count(*) FROM runs").await, 3);

    let writer = PostgresWriter::begin(&store).await;
    let mut twin = creation("another of that id");
    twin.run.about.id = writer.run;
    proxy.set(Mood::LoseReply(b""));
    let refused = store.create(twin, &Owner::unique(), HOUR).await;
    assert!(
        matches!(refused, Err(Error::RunExists { .. })),
        "another's run is not taken for ours: {refused:?}"
    );
}

#[tokio::test]
async fn a_claim_whose_reply_was_lost_is_ours() {
    let (_place, proxy, store) = behind_proxy(NARROW).await;
    let mut writer = PostgresWriter::begin_with(&store, creation("left"), Duration::ZERO).await;
    store
        .claim(writer.run, &Owner::unique(), Duration::ZERO)
        .await
        .unwrap();
    proxy.set(Mood::LoseReply(b""));
    let owner = Owner::unique();
    writer.token = store.claim(writer.run, &owner, HOUR).await.unwrap();
    assert!(proxy.has_lost());
    assert_eq!(writer.token.fence, 3, "it was claimed once");
    writer.take_steps(1).await;

    proxy.set(Mood::LoseReply(b""));
    let refused = store.claim(writer.run, &Owner::unique(), HOUR).await;
    assert!(
        matches!(&refused, Err(Error::Held { owner: held_by, .. }) if *held_by == owner),
        "another's claim is not taken for ours: {refused:?}"
    );
}

#[tokio::test]
async fn a_deletion_whose_reply_was_lost_is_done() {
    let (place, proxy, store) = behind_proxy(NARROW).await;
    let mut writer = PostgresWriter::begin(&store).await;
    writer.write(writer.end()).await;
    proxy.set(Mood::LoseReply(b"COMMIT"));
    store.delete(writer.run).await.unwrap();
    assert!(proxy.has_lost());
    for table in ["runs", "steps", "events"] {
        let left = place.count(&format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(left, 0, "{table}");
    }
}

#[tokio::test]
async fn a_database_that_is_away_is_waited_for() {
    let (_place, mut proxy, store) = behind_proxy(PostgresOptions::default()).await;
    let mut writer = PostgresWriter::begin(&store).await;
    proxy.set(Mood::Closed);
    let reading = tokio::spawn({
        let (store, run) = (Arc::clone(&store), writer.run);
        async move { store.head(run).await }
    });
    let writing = tokio::spawn(async move {
        writer.take_steps(3).await;
        writer
    });
    proxy.has_refused(4).await;
    proxy.set(Mood::Honest);
    writing.await.unwrap().assert_whole().await;
    assert!(reading.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_database_that_stays_away_is_told_as_gone() {
    let options = PostgresOptions {
        connections: 2,
        retry_for: Duration::from_millis(50),
    };
    let (_place, proxy, store) = behind_proxy(options).await;
    let mut writer = PostgresWriter::begin(&store).await;
    proxy.set(Mood::Closed);
    let refused = writer.try_write(writer.step("1")).await;
    assert!(
        matches!(refused, Err(Error::StoreGone { .. })),
        "{refused:?}"
    );
    let refused = store.head(writer.run).await;
    assert!(
        matches!(refused, Err(Error::StoreGone { .. })),
        "{refused:?}"
    );
    proxy.set(Mood::Honest);
    writer.take_steps(1).await;
    writer.assert_whole().await;
}
