//! The call layer through its door, `Caller`, in virtual time.

mod bench;
mod golden;
mod hints;
mod outage;
