//! The memory store against the suite that every store passes.

use std::sync::Arc;

use fathom_testworld::conformance::clock;
use fathom_workflow::{ManualClock, MemoryStore, Store};
use jiff::Timestamp;

async fn open() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

mod conforms {
    fathom_testworld::store_conformance!(super::open);
}

fn with_clock() -> (Arc<dyn Store>, Arc<ManualClock>) {
    let start = Timestamp::from_second(1_750_000_000).expect("a moment of 2025");
    let clock = Arc::new(ManualClock::at(start));
    (Arc::new(MemoryStore::with_clock(clock.clone())), clock)
}

#[tokio::test]
async fn a_lease_lapses_at_its_time() {
    let (store, clock) = with_clock();
    clock::a_lease_lapses_at_its_time(store, clock).await;
}

#[tokio::test]
async fn a_run_is_due_once_unheld_long_enough() {
    let (store, clock) = with_clock();
    clock::a_run_is_due_once_unheld_long_enough(store, clock).await;
}

#[test]
fn the_memory_store_says_that_it_is_not_durable() {
    let store = MemoryStore::default();
    assert!(!store.is_durable());
    assert_eq!(store.describe(), "memory");
}
