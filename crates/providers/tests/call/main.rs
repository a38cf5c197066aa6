//! The call layer through its door, `Caller`, in virtual time.

mod bench;
mod caller;
mod chain;
mod golden;
mod hints;
mod outage;
