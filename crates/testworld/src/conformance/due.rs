//! Which runs are to be taken up: those that somebody should be working on, and nobody is.
//!
//! The caller's `now` decides only about wake-up times; leases go by the store's own clock. So the
//! checks give a `now` of long ago, which a store must not hold against a lease.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::fixtures::{HOUR, NONE, Writer, creation, moment};
use fathom_workflow::record::Status;
use fathom_workflow::{RunId, Store};

async fn due(store: &Arc<dyn Store>, now: Timestamp, unheld: Duration) -> Vec<RunId> {
    store.due("report", now, unheld, usize::MAX).await.unwrap()
}

async fn left(store: &Arc<dyn Store>, status: Status, second: u64) -> RunId {
    let mut writer = Writer::begin(store).await;
    writer.write(writer.parting(status, second)).await;
    writer.run
}

pub async fn due_runs_are_unfinished_and_unheld(store: Arc<dyn Store>) {
    let held = Writer::begin(&store).await;
    let lapsed = Writer::begin_with(&store, creation("lapsed"), NONE).await;
    let released = Writer::begin(&store).await;
    store.release(released.run, released.token).await.unwrap();
    let running = left(&store, Status::Running("searching".into()), 1).await;
    for status in [Status::Completed, Status::Failed, Status::Cancelled] {
        left(&store, status, 1).await;
    }
    let mut ended = Writer::begin_with(&store, creation("ended"), NONE).await;
    let mut append = ended.parting(Status::Completed, 1);
    append.release = false;
    ended.write_for(append, NONE).await;

    for now in [moment(1), Timestamp::MAX] {
        let mut found = due(&store, now, NONE).await;
        found.sort_unstable();
        let mut wanted = [lapsed.run, released.run, running];
        wanted.sort_unstable();
        assert_eq!(found, wanted, "at {now}, unheld for no time");

        let mut found = due(&store, now, HOUR).await;
        found.sort_unstable();
        let mut wanted = [released.run, running];
        wanted.sort_unstable();
        assert_eq!(found, wanted, "at {now}, a lease lapsed just now is spared");
    }
    store.claim(running, &held.owner, HOUR).await.unwrap();
    store
        .renew(&lapsed.owner, &[lapsed.run], HOUR)
        .await
        .unwrap();
    let found = due(&store, moment(1), NONE).await;
    assert_eq!(found, [released.run], "whoever is taken up is not due");
}

pub async fn due_runs_come_oldest_first(store: Arc<dyn Store>) {
    let mut runs = Vec::new();
    for second in [5, 2, 9, 4, 7] {
        runs.push((second, left(&store, Status::Pending, second).await));
    }
    runs.sort_unstable();
    let wanted: Vec<RunId> = runs.into_iter().map(|(_, run)| run).collect();
    assert_eq!(due(&store, moment(0), HOUR).await, wanted);
    let first = store.due("report", moment(0), HOUR, 2).await.unwrap();
    assert_eq!(first, wanted[..2], "the oldest, and no more than wanted");
    assert_eq!(store.due("report", moment(0), HOUR, 0).await.unwrap(), []);
}

pub async fn waiting_runs_are_due_at_their_time(store: Arc<dyn Store>) {
    let mut timed = Writer::begin(&store).await;
    let mut append = timed.parting(Status::Waiting, 1);
    append.head.wake_at = Some(moment(100));
    append.head.parked = true;
    timed.write(append).await;
    left(&store, Status::Waiting, 1).await;
    let mut held = Writer::begin(&store).await;
    let mut append = held.parting(Status::Waiting, 1);
    append.head.wake_at = Some(moment(50));
    append.release = false;
    held.write(append).await;

    let just_before = moment(100) - Duration::from_micros(1);
    let (header, _) = store.head(timed.run).await.unwrap();
    assert!(header.head.parked, "a parked run is known as one");
    assert_eq!(due(&store, moment(50), NONE).await, []);
    assert_eq!(due(&store, just_before, NONE).await, [], "never early");
    assert_eq!(due(&store, moment(100), NONE).await, [timed.run]);
    assert_eq!(
        due(&store, moment(1_000_000), HOUR).await,
        [timed.run],
        "nor lost, and a run that waits for a person or is held is left alone"
    );

    timed.take_over(HOUR).await;
    let mut later = timed.parting(Status::Waiting, 2);
    later.head.wake_at = Some(moment(200));
    timed.write(later).await;
    assert_eq!(
        due(&store, moment(150), NONE).await,
        [],
        "a moved time counts"
    );
    assert_eq!(due(&store, moment(200), NONE).await, [timed.run]);
    let mut answered = timed.parting(Status::Pending, 3);
    answered.head.wake_at = None;
    timed.write(answered).await;
    assert_eq!(
        due(&store, moment(0), NONE).await,
        [timed.run],
        "an answered run is due at once"
    );
}
