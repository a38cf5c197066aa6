//! Everything that crosses the network: models, search, pages; and calls that fail well.
//!
//! The only crate with an HTTP client or a key.

#![warn(unreachable_pub)]

mod clock;
pub mod fetch;

pub use clock::{Clock, SystemClock};
