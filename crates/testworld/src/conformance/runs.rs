//! Whole runs: created, marked, deleted, missed.

use std::sync::Arc;

use super::fixtures::{
    HOUR, NONE, Writer, add_entries, base, creation, entry, picture, plain_steps, snapshot,
};
use fathom_workflow::record::{BaseReason, EntryPart, Origin, Status, Token};
use fathom_workflow::{Error, Owner, RunId, Store};

pub async fn a_created_run_comes_back_whole(store: Arc<dyn Store>) {
    let mut creation = creation("What is it?");
    creation.run.about.forked_from = Some(Origin {
        run: RunId::new(),
        step: 3,
    });
    creation.run.head.deadline = Some(creation.run.head.updated_at);
    creation.run.head.reason = Some("because".to_owned());
    creation.run.keep = true;
    creation.base = base(0, snapshot(9, "").tally, BaseReason::Forked, "forked");

    let writer = Writer::begin_with(&store, creation.clone(), HOUR).await;
    let found = picture(&store, writer.run).await;
    assert_eq!(found.run, creation.run, "the header comes back");
    assert_eq!(found.token, writer.token, "head gives the creator's token");
    assert_eq!(found.token.rev, creation.run.head.rev);
    assert_eq!(found.steps, plain_steps(&[creation.base]));
    assert_eq!(found.events, creation.events);
}

pub async fn a_run_is_created_once(store: Arc<dyn Store>) {
    let first = creation("the first");
    let mut second = creation("the second");
    second.run.about.id = first.run.id();
    let writer = Writer::begin_with(&store, first, NONE).await;
    let before = picture(&store, writer.run).await;

    let again = store.create(second, &Owner::unique(), HOUR).await;
    assert!(
        matches!(again, Err(Error::RunExists { run }) if run == writer.run),
        "a second run of the same id is refused: {again:?}"
    );
    assert_eq!(picture(&store, writer.run).await, before, "nothing changed");
}

pub async fn a_missing_run_is_named_by_every_call(store: Arc<dyn Store>) {
    // Another run is there, so that an answer cannot come from an empty table.
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(1).await;
    let run = RunId::new();
    let mut append = writer.step("lost");
    append.run = run;
    let owner = Owner::unique();
    let refusals = [
        ("claim", store.claim(run, &owner, HOUR).await.err()),
        ("append", store.append(append, HOUR).await.err()),
        ("mark_cancel", store.mark_cancel(run, true).await.err()),
        ("unmark_cancel", store.mark_cancel(run, false).await.err()),
        ("head", store.head(run).await.err()),
        ("load", store.load(run, None).await.err()),
        ("load at a step", store.load(run, Some(1)).await.err()),
        ("steps", store.steps(run, 0, 10).await.err()),
        ("entries", store.entries(run, 0).await.err()),
        ("events", store.events(run, 0, 10).await.err()),
        ("keep", store.keep(run, true).await.err()),
        ("delete", store.delete(run).await.err()),
    ];
    for (call, error) in refusals {
        assert!(
            matches!(error, Some(Error::NoSuchRun { run: named }) if named == run),
            "{call} names the missing run: {error:?}"
        );
    }
    let token = Token { fence: 1, rev: 0 };
    let released = store.release(run, token).await;
    assert!(released.is_ok(), "a token of no run is stale: {released:?}");
}

pub async fn a_run_can_be_deleted_unless_held(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let held = store.delete(writer.run).await;
    assert!(
        matches!(&held, Err(Error::Held { owner, .. }) if *owner == writer.owner),
        "a held run is not deleted: {held:?}"
    );
    writer.take_steps(2).await;
    writer.write(writer.parting(Status::Completed, 3)).await;
    store.delete(writer.run).await.unwrap();
    let gone = store.head(writer.run).await;
    assert!(matches!(gone, Err(Error::NoSuchRun { .. })), "{gone:?}");
    let again = store.delete(writer.run).await;
    assert!(matches!(again, Err(Error::NoSuchRun { .. })), "{again:?}");

    let lapsed = Writer::begin_with(&store, creation("lapsed"), NONE).await;
    let deleted = store.delete(lapsed.run).await;
    assert!(deleted.is_ok(), "a lapsed lease protects none: {deleted:?}");
}

pub async fn a_cancel_request_reaches_the_holder(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let bystander = Writer::begin(&store).await;
    assert!(!writer.write(writer.step("1")).await.cancel_requested);

    store.mark_cancel(writer.run, true).await.unwrap();
    store.mark_cancel(writer.run, true).await.unwrap();
    let marked = store.cancels(&writer.owner).await.unwrap();
    assert_eq!(marked, [writer.run], "the holder finds the run marked");
    let others = store.cancels(&bystander.owner).await.unwrap();
    assert_eq!(others, [], "another owner has nothing to stop");
    for text in ["2", "3"] {
        let appended = writer.write(writer.step(text)).await;
        assert!(appended.cancel_requested, "every append brings the mark");
    }

    store.mark_cancel(writer.run, false).await.unwrap();
    assert_eq!(store.cancels(&writer.owner).await.unwrap(), []);
    assert!(!writer.write(writer.step("4")).await.cancel_requested);

    writer.write(writer.parting(Status::Waiting, 5)).await;
    store.mark_cancel(writer.run, true).await.unwrap();
    assert_eq!(
        store.cancels(&writer.owner).await.unwrap(),
        [],
        "a run that was given up is no longer the owner's"
    );
    writer.take_over(HOUR).await;
    let marked = store.cancels(&writer.owner).await.unwrap();
    assert_eq!(marked, [writer.run], "the mark waits for the next holder");
    assert!(writer.write(writer.step("5")).await.cancel_requested);
}

pub async fn marks_leave_the_writer_undisturbed(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    store.keep(writer.run, true).await.unwrap();
    store.mark_cancel(writer.run, true).await.unwrap();
    let (_, token) = store.head(writer.run).await.unwrap();
    assert_eq!(token, writer.token, "a mark is no append");

    let mut append = writer.step("1");
    add_entries(&mut append, [entry(1, "call", EntryPart::Answered)]);
    append.snapshot = Some(snapshot(1, "whole"));
    writer.write(append).await;
    let (run, _) = store.head(writer.run).await.unwrap();
    assert!(run.keep, "an append leaves the mark alone");
    store.keep(writer.run, false).await.unwrap();
    assert!(!store.head(writer.run).await.unwrap().0.keep);
}
