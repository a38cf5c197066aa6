//! The one way to write: guarded, whole, and safe to repeat.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::fixtures::{HOUR, NONE, Writer, add_entries, creation, entry, event, picture, snapshot};
use fathom_workflow::record::{Append, Blob, EntryPart};
use fathom_workflow::{Error, Owner, Store};

/// How many write at once where one may win.
const WRITERS: usize = 50;

async fn assert_superseded(store: &Arc<dyn Store>, append: Append, promise: &str) {
    let run = append.run;
    let before = picture(store, run).await;
    let refused = store.append(append, HOUR).await;
    assert!(
        matches!(refused, Err(Error::Superseded { run: named }) if named == run),
        "{promise}: {refused:?}"
    );
    assert_eq!(picture(store, run).await, before, "{promise}");
}

pub async fn an_append_with_a_stale_fence_is_refused(store: Arc<dyn Store>) {
    let mut writer = Writer::begin_with(&store, creation("passed on"), NONE).await;
    writer.take_over(HOUR).await;
    writer.take_steps(2).await;
    for fence in [writer.token.fence - 1, writer.token.fence + 1, u64::MAX] {
        let mut append = writer.step("stale");
        append.token.fence = fence;
        assert_superseded(&store, append, "another fence is refused").await;
    }
    writer.take_steps(1).await;
}

pub async fn an_append_with_a_stale_rev_is_refused(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(2).await;
    for rev in [writer.token.rev - 1, writer.token.rev + 1, u64::MAX - 1] {
        let mut append = writer.step("stale");
        append.token.rev = rev;
        append.head.rev = rev + 1;
        assert_superseded(&store, append, "another rev is refused").await;
    }
    writer.take_steps(1).await;
}

pub async fn a_repeated_append_is_taken_once(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(1).await;
    let mut append = writer.step("2");
    add_entries(&mut append, [entry(2, "call", EntryPart::Answered)]);
    append.blobs = vec![Blob::new(*b"bytes")];
    append.snapshot = Some(snapshot(2, "2"));
    writer.write(append.clone()).await;

    let before = picture(&store, writer.run).await;
    for _ in 0..3 {
        let repeated = store.append(append.clone(), HOUR).await;
        assert!(repeated.is_ok(), "a repeat succeeds: {repeated:?}");
        assert_eq!(picture(&store, writer.run).await, before, "and adds none");
    }
    store.mark_cancel(writer.run, true).await.unwrap();
    let repeated = store.append(append.clone(), HOUR).await.unwrap();
    assert!(repeated.cancel_requested, "a repeat learns of the mark");

    let mut other = append.clone();
    other.nonce -= 1 << 32;
    assert_superseded(&store, other, "another append is no repeat").await;
    let mut older = append.clone();
    older.token.rev -= 1;
    assert_superseded(&store, older, "nor is one on an older run").await;
    writer.take_steps(1).await;
    assert_superseded(&store, append, "only the last append can be repeated").await;
}

pub async fn a_repeated_append_succeeds_after_the_run_changed_hands(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let append = writer.step("1");
    writer.write_for(append.clone(), NONE).await;
    writer.take_over(HOUR).await;

    let before = picture(&store, writer.run).await;
    let repeated = store.append(append, NONE).await;
    assert!(
        repeated.is_ok(),
        "it was committed, whoever holds the run now: {repeated:?}"
    );
    assert_eq!(picture(&store, writer.run).await, before);
    let third = store.claim(writer.run, &Owner::unique(), HOUR).await;
    assert!(
        matches!(&third, Err(Error::Held { owner, .. }) if *owner == writer.owner),
        "the repeat leaves the new holder's lease alone: {third:?}"
    );
    writer.take_steps(1).await;
}

pub async fn an_append_is_all_or_nothing(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    let mut first = writer.step("1");
    add_entries(&mut first, [entry(2, "taken", EntryPart::Answered)]);
    writer.write(first).await;
    let before = picture(&store, writer.run).await;

    let blob = Blob::new(*b"only in the refused append");
    let mut append = writer.step("2");
    add_entries(&mut append, [entry(2, "free", EntryPart::Answered)]);
    append.snapshot = Some(snapshot(2, "2"));
    append.blobs = vec![blob.clone()];
    append.release = true;
    let mut faulty = append.clone();
    add_entries(&mut faulty, [entry(2, "taken", EntryPart::Answered)]);
    let refused = store.append(faulty, HOUR).await;
    assert!(matches!(refused, Err(Error::Store { .. })), "{refused:?}");

    assert_eq!(picture(&store, writer.run).await, before, "nothing changed");
    assert_eq!(store.blob(blob.hash).await.unwrap(), None, "no blob stayed");
    let loaded = store.load(writer.run, None).await.unwrap();
    assert_eq!(loaded.from.step, 0, "no snapshot stayed");
    let claimed = store.claim(writer.run, &Owner::unique(), HOUR).await;
    assert!(
        matches!(claimed, Err(Error::Held { .. })),
        "the lease was not given up: {claimed:?}"
    );
    writer.write(append).await;
    let after = picture(&store, writer.run).await;
    assert_eq!(after.steps.len(), 3, "the same append without fault counts");
    assert_eq!(after.entries.len(), 2);
}

pub async fn an_append_that_contradicts_itself_is_refused(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(2).await;
    type Spoil = fn(&mut Append);
    let faults: [(&str, Spoil); 4] = [
        ("a step that is not the last", |append| {
            append.head.step += 1
        }),
        ("an event that is left out", |append| {
            append.head.events += 1;
        }),
        ("an event that comes twice", |append| {
            append.events.extend(append.events.clone());
        }),
        ("a rev that does not follow", |append| append.head.rev += 1),
    ];
    for (what, spoil) in faults {
        let mut append = writer.step("3");
        spoil(&mut append);
        let before = picture(&store, writer.run).await;
        let refused = store.append(append, HOUR).await;
        assert!(refused.is_err(), "{what} is taken");
        assert_eq!(picture(&store, writer.run).await, before, "{what}");
    }
    writer.take_steps(1).await;
}

pub async fn a_journal_entry_is_never_written_twice(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    for step in [1, 2] {
        for part in [EntryPart::Opened, EntryPart::Answered] {
            let gate = entry(step, "gate", part);
            writer.write(writer.with_entries([gate.clone()])).await;
            let refused = store.append(writer.with_entries([gate]), HOUR).await;
            assert!(
                matches!(refused, Err(Error::Store { .. })),
                "{part:?} of step {step} comes once: {refused:?}"
            );
        }
        let journal = store.entries(writer.run, step).await.unwrap();
        assert_eq!(journal.len(), 2, "opened and answered");
        writer.take_steps(1).await;
    }
    let twin = entry(3, "twin", EntryPart::Opened);
    let twins = writer.with_entries([twin.clone(), twin]);
    let refused = store.append(twins, HOUR).await;
    assert!(
        matches!(refused, Err(Error::Store { .. })),
        "nor twice in one append: {refused:?}"
    );
    assert_eq!(store.entries(writer.run, 3).await.unwrap().len(), 0);
}

pub async fn a_creation_that_contradicts_itself_is_refused(store: Arc<dyn Store>) {
    let mut creation = creation("without its first event");
    let run = creation.run.id();
    creation.run.head.events += 1;
    let refused = store.create(creation, &Owner::unique(), HOUR).await;
    assert!(matches!(refused, Err(Error::Store { .. })), "{refused:?}");
    let head = store.head(run).await;
    assert!(
        matches!(head, Err(Error::NoSuchRun { .. })),
        "a refused creation leaves no run: {head:?}"
    );
}

pub async fn of_many_writers_one_wins(store: Arc<dyn Store>) {
    let mut writer = Writer::begin(&store).await;
    writer.take_steps(1).await;
    let mut appends = JoinSet::new();
    for number in 0..WRITERS {
        let mut append = writer.step(&number.to_string());
        append.events = vec![event(append.head.events, &number.to_string())];
        let store = Arc::clone(&store);
        appends.spawn(async move { (number, store.append(append, HOUR).await) });
    }
    let mut winners = Vec::new();
    while let Some(done) = appends.join_next().await {
        match done.unwrap() {
            (number, Ok(_)) => winners.push(number.to_string()),
            (_, Err(Error::Superseded { .. })) => {}
            (number, Err(error)) => panic!("writer {number} got {error:?}"),
        }
    }
    assert_eq!(winners.len(), 1, "one of {WRITERS} wins: {winners:?}");

    let after = picture(&store, writer.run).await;
    assert_eq!(after.run.head.rev, writer.token.rev + 1);
    let texts: Vec<_> = after.steps.into_iter().filter_map(|step| step.1).collect();
    assert_eq!(texts, ["begun", "1", &winners[0]], "only its step is there");
    assert_eq!(
        after.events.last(),
        Some(&event(after.run.head.events, &winners[0])),
        "with its event"
    );
    assert_eq!(after.events.len(), 3);
}
