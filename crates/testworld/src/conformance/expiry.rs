//! What may be forgotten, and that it is forgotten whole.

use std::sync::Arc;

use jiff::Timestamp;

use super::fixtures::{
    HOUR, Writer, add_entries, creation, entry, moment, picture, plain_steps, snapshot,
};
use fathom_workflow::journal::{Purged, RunFilter};
use fathom_workflow::record::{EntryPart, Status};
use fathom_workflow::{BlobHash, Error, RunId, Store};

async fn left(store: &Arc<dyn Store>, status: Status, second: u64) -> RunId {
    let mut writer = Writer::begin(store).await;
    writer.write(writer.parting(status, second)).await;
    writer.run
}

async fn listed(store: &Arc<dyn Store>) -> Vec<RunId> {
    let page = store.list(&RunFilter::default()).await.unwrap();
    let mut runs: Vec<RunId> = page.runs.iter().map(|run| run.id()).collect();
    runs.sort_unstable();
    runs
}

pub async fn kept_unfinished_and_cancelled_runs_never_expire(store: Arc<dyn Store>) {
    let mut spared = Vec::new();
    for status in [
        Status::Pending,
        Status::Running("searching".into()),
        Status::Waiting,
        Status::Cancelled,
    ] {
        spared.push(left(&store, status, 10).await);
    }
    let kept = left(&store, Status::Completed, 10).await;
    store.keep(kept, true).await.unwrap();
    let mut born_kept = creation("kept from the start");
    born_kept.run.keep = true;
    let mut born_kept = Writer::begin_with(&store, born_kept, HOUR).await;
    let parting = born_kept.parting(Status::Completed, 10);
    born_kept.write(parting).await;
    let fresh = left(&store, Status::Completed, 20).await;
    spared.extend([kept, born_kept.run, fresh]);
    spared.sort_unstable();
    for status in [Status::Completed, Status::Failed] {
        left(&store, status, 10).await;
    }

    let purged = store.purge(moment(20)).await.unwrap();
    assert_eq!(purged, Purged { runs: 2, blobs: 0 }, "finished ones expire");
    assert_eq!(listed(&store).await, spared, "the others stay");
    let purged = store.purge(moment(20)).await.unwrap();
    assert_eq!(purged, Purged::default(), "once");

    store.keep(kept, false).await.unwrap();
    let purged = store.purge(Timestamp::MAX).await.unwrap();
    assert_eq!(purged.runs, 2, "no longer kept, no longer fresh");
    spared.retain(|run| ![kept, fresh].contains(run));
    assert_eq!(listed(&store).await, spared);
}

pub async fn a_held_run_does_not_expire(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let mut append = writer.parting(Status::Completed, 10);
    append.release = false;
    writer.write(append).await;
    let purged = store.purge(moment(20)).await.unwrap();
    assert_eq!(purged, Purged::default(), "somebody is at work on it");
    assert_eq!(listed(&store).await, [writer.run]);

    store.release(writer.run, writer.token).await.unwrap();
    let purged = store.purge(moment(20)).await.unwrap();
    assert_eq!(purged.runs, 1);
    assert_eq!(listed(&store).await, []);
}

/// A run that leaves something in every corner of a store.
async fn rich(store: &Arc<dyn Store>, blobs: &[&[u8]]) -> Writer {
    let mut writer = Writer::begin(store).await;
    for bytes in blobs {
        let mut append = writer.with_blob(bytes);
        let key = format!("call {}", append.head.rev);
        add_entries(&mut append, [entry(1, &key, EntryPart::Answered)]);
        writer.write(append).await;
    }
    let mut append = writer.step("1");
    append.snapshot = Some(snapshot(1, "1"));
    writer.write(append).await;
    writer.take_steps(2).await;
    store.mark_cancel(writer.run, true).await.unwrap();
    writer.write(writer.parting(Status::Completed, 10)).await;
    writer
}

pub async fn purge_leaves_nothing_behind(store: Arc<dyn Store>) {
    let gone = rich(&store, &[b"own", b"own too", b"shared"]).await;
    let stays = rich(&store, &[b"shared", b"other"]).await;
    store.keep(stays.run, true).await.unwrap();
    let before = picture(&store, stays.run).await;

    let purged = store.purge(moment(20)).await.unwrap();
    assert_eq!(purged, Purged { runs: 1, blobs: 2 });
    for (bytes, there) in [
        (&b"own"[..], false),
        (b"own too", false),
        (b"shared", true),
        (b"other", true),
    ] {
        let found = store.blob(BlobHash::from_content(bytes)).await.unwrap();
        assert_eq!(found.is_some(), there, "{:?}", bytes.escape_ascii());
    }
    assert_eq!(picture(&store, stays.run).await, before, "others are whole");
    let head = store.head(gone.run).await;
    assert!(matches!(head, Err(Error::NoSuchRun { .. })), "{head:?}");

    // Whatever had stayed behind would show in a new run of the same id.
    let mut again = creation("the same id");
    again.run.about.id = gone.run;
    let mut writer = Writer::begin_with(&store, again.clone(), HOUR).await;
    let found = picture(&store, gone.run).await;
    assert_eq!(found.run, again.run);
    assert_eq!(found.steps, plain_steps(&[again.base]));
    assert_eq!(found.events, again.events);
    for step in 0..=gone.head.step {
        let entries = store.entries(gone.run, step).await.unwrap();
        assert!(entries.is_empty(), "no journal of step {step}: {entries:?}");
    }
    assert!(!writer.write(writer.step("1")).await.cancel_requested);
    writer.take_steps(2).await;
    let loaded = store.load(gone.run, None).await.unwrap();
    assert_eq!(loaded.from.step, 0, "no snapshot stayed behind");
}
