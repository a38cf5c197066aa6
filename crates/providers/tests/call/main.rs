//! The call layer through its door, `Caller`, in virtual time.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print their figures"
)]

mod bench;
mod caller;
mod chain;
mod failure;
mod golden;
mod hints;
mod hostile;
mod outage;
mod table;
