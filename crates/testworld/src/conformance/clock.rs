//! Leases by a clock that the check sets, for stores that take one. Not part of the suite: a
//! database server's clock is its own.

use std::sync::Arc;
use std::time::Duration;

use super::fixtures::{Writer, creation, moment};
use fathom_workflow::{Clock, Error, ManualClock, Owner, Store};

const LEASE: Duration = Duration::from_secs(30);
const UNHELD: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_micros(1);

pub async fn a_lease_lapses_at_its_time(store: Arc<dyn Store>, clock: Arc<ManualClock>) {
    let mut writer = Writer::begin_with(&store, creation("leased"), LEASE).await;
    let until = clock.now() + LEASE;
    clock.advance(LEASE - MOMENT);
    let early = store.claim(writer.run, &Owner::unique(), LEASE).await;
    assert!(
        matches!(&early, Err(Error::Held { until: told, .. }) if *told == until),
        "held to its last moment, and says until when: {early:?}"
    );
    writer.write_for(writer.step("1"), LEASE).await;
    clock.advance(LEASE - MOMENT);
    store
        .renew(&writer.owner, &[writer.run], LEASE)
        .await
        .unwrap();
    clock.advance(LEASE - MOMENT);
    let early = store.claim(writer.run, &Owner::unique(), LEASE).await;
    assert!(
        matches!(early, Err(Error::Held { .. })),
        "an append and a renewal each begin the lease anew: {early:?}"
    );
    clock.advance(MOMENT);
    let heir = store.claim(writer.run, &Owner::unique(), LEASE).await;
    assert!(heir.is_ok(), "then it is free: {heir:?}");
}

pub async fn a_run_is_due_once_unheld_long_enough(store: Arc<dyn Store>, clock: Arc<ManualClock>) {
    let writer = Writer::begin_with(&store, creation("abandoned"), LEASE).await;
    clock.advance(LEASE + UNHELD - MOMENT);
    let due = store.due("report", moment(0), UNHELD, 10).await.unwrap();
    assert_eq!(due, [], "its owner may yet come back");
    clock.advance(MOMENT);
    let due = store.due("report", moment(0), UNHELD, 10).await.unwrap();
    assert_eq!(due, [writer.run], "nobody has held it for long enough");

    // A clock set back makes a lease last longer, never a run lost.
    clock.set(moment(0));
    assert_eq!(
        store.due("report", moment(0), UNHELD, 10).await.unwrap(),
        []
    );
    clock.advance(LEASE + UNHELD);
    let due = store.due("report", moment(0), UNHELD, 10).await.unwrap();
    assert_eq!(due, [writer.run]);
}
