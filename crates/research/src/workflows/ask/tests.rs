//! The promises of `ask`, shown on whole runs over a scripted library.

mod matrix;
mod runs;
mod scripted;

pub(super) use scripted::passage;
