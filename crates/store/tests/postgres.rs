//! The PostgreSQL store against the suite that every store passes, and what only it promises.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests: a broken promise panics"
)]

#[path = "postgres/damage.rs"]
mod damage;
#[path = "postgres/losses.rs"]
mod losses;
#[path = "postgres/opening.rs"]
mod opening;
#[path = "postgres/place.rs"]
mod place;
#[path = "postgres/proxy.rs"]
mod proxy;
#[path = "postgres/sharing.rs"]
mod sharing;
#[path = "postgres/writer.rs"]
mod writer;

use std::cell::RefCell;
use std::sync::Arc;

use fathom_store::Postgres;
use fathom_workflow::Store;

use crate::place::Place;

thread_local! {
    /// The places of the suite's tests: each runs on a thread of its own, and the places go with it.
    static PLACES: RefCell<Vec<Place>> = const { RefCell::new(Vec::new()) };
}

async fn open() -> Arc<dyn Store> {
    let place = Place::new().await;
    let store = Postgres::connect(&place.url()).await.unwrap();
    PLACES.with_borrow_mut(|places| places.push(place));
    Arc::new(store)
}

mod conforms {
    fathom_testworld::store_conformance!(super::open);
}
