//! One fetch for all who ask for the same page at the same time.
//!
//! Those who ask sit in one flight and take turns: the first to have its turn fetches and leaves the result there for
//! the others. If it goes away before that, the next has its turn with nothing there, and fetches itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ReadPage;
use crate::error::CallFailure;

type FlightOutcome = Result<ReadPage, CallFailure>;
type PageFlight = tokio::sync::Mutex<Option<FlightOutcome>>;

#[derive(Default)]
pub(super) struct PageFlights {
    /// By the page's address.
    under_way: Mutex<HashMap<String, Arc<PageFlight>>>,
}

impl PageFlights {
    pub(super) fn join(&self, url: &str) -> FlightSeat<'_> {
        let key = url.to_owned();
        let flight = Arc::clone(self.under_way().entry(key.clone()).or_default());
        FlightSeat {
            flights: self,
            key,
            flight,
        }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Arc<PageFlight>>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in a flight; the last to leave ends it.
pub(super) struct FlightSeat<'a> {
    flights: &'a PageFlights,
    key: String,
    flight: Arc<PageFlight>,
}

impl FlightSeat<'_> {
    /// Waits for this seat's turn.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, Option<FlightOutcome>> {
        self.flight.lock().await
    }
}

impl Drop for FlightSeat<'_> {
    fn drop(&mut self) {
        // Nobody joins while the list is locked: the list and this seat hold the last two.
        let mut under_way = self.flights.under_way();
        if Arc::strong_count(&self.flight) == 2 {
            under_way.remove(&self.key);
        }
    }
}
