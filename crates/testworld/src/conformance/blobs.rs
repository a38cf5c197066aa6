//! Bytes that are stored once under their hash, for as long as a run refers to them.

use std::sync::Arc;

use bytes::Bytes;

use super::fixtures::{HOUR, Writer, creation};
use fathom_workflow::record::{Blob, Origin, Status};
use fathom_workflow::{BlobHash, Error, Store};

/// Finishes a run and deletes it.
async fn forget(mut writer: Writer) {
    writer.write(writer.parting(Status::Completed, 9)).await;
    writer.store.delete(writer.run).await.unwrap();
}

pub async fn blobs_are_stored_once_and_leave_with_their_last_run(store: Arc<dyn Store>) {
    let (shared, own) = (&b"read by both\0\xff"[..], &b"read by one"[..]);
    let (shared_hash, own_hash) = (BlobHash::from_content(shared), BlobHash::from_content(own));
    assert_eq!(store.blob(shared_hash).await.unwrap(), None, "not yet");
    let mut first = Writer::begin(&store).await;
    let mut second = Writer::begin(&store).await;
    let mut twice = first.with_blob(shared);
    twice.blobs.extend([Blob::new(shared), Blob::new(own)]);
    twice.blobs.push(Blob::new(*b""));
    first.write(twice).await;
    first.write(first.with_blob(shared)).await;
    second.write(second.with_blob(shared)).await;

    for (hash, bytes) in [
        (shared_hash, shared),
        (own_hash, own),
        (BlobHash::from_content(b""), b""),
    ] {
        let found = store.blob(hash).await.unwrap();
        assert_eq!(found.as_deref(), Some(bytes), "stored under its hash");
    }
    forget(first).await;
    assert_eq!(store.blob(own_hash).await.unwrap(), None, "its own is gone");
    assert_eq!(store.blob(BlobHash::from_content(b"")).await.unwrap(), None);
    let found = store.blob(shared_hash).await.unwrap();
    assert_eq!(found.as_deref(), Some(shared), "the shared one stays");
    forget(second).await;
    let found = store.blob(shared_hash).await.unwrap();
    assert_eq!(found, None, "and leaves with its last run");

    let mut third = Writer::begin(&store).await;
    third.write(third.with_blob(shared)).await;
    let found = store.blob(shared_hash).await.unwrap();
    assert_eq!(found.as_deref(), Some(shared), "it can come again");
}

pub async fn a_fork_keeps_the_blobs_of_its_origin(store: Arc<dyn Store>) {
    let hash = BlobHash::from_content(b"read before the fork");
    let mut origin = Writer::begin(&store).await;
    origin
        .write(origin.with_blob(b"read before the fork"))
        .await;
    let mut fork = creation("another way");
    fork.run.about.forked_from = Some(Origin {
        run: origin.run,
        step: 0,
    });
    let fork = Writer::begin_with(&store, fork, HOUR).await;

    forget(origin).await;
    let found = store.blob(hash).await.unwrap();
    assert!(found.is_some(), "the fork may still refer to it");
    forget(fork).await;
    assert_eq!(store.blob(hash).await.unwrap(), None);
}

pub async fn a_blob_is_never_other_than_its_name_says(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let hash = BlobHash::from_content(b"what the name says");
    let mut append = writer.blank();
    append.blobs = vec![Blob {
        hash,
        bytes: Bytes::from_static(b"something else"),
    }];
    // A store may see it at the door or when it reads; it may not hand the bytes out.
    let taken = store.append(append, HOUR).await.is_ok();
    match store.blob(hash).await {
        Err(Error::StoreDamaged { .. }) => assert!(taken, "a refused blob left a trace"),
        Ok(None) => assert!(!taken, "a taken blob is named as damaged"),
        other => panic!("false bytes are never given out: {other:?}"),
    }
    if !taken {
        writer.write(writer.with_blob(b"what the name says")).await;
    }
}
