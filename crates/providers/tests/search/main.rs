//! Search through its door, `Chains`, against a real server on loopback.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print their figures"
)]

mod cached;
mod chain;
mod fixture;
mod fixtures;
mod hostile;
mod recorded;
mod sane;
mod secrets;
mod world;
