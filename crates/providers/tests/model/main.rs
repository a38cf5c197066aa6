//! Models through their door, `Models`, against endpoints on loopback.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print their figures"
)]

mod anthropic;
mod chat;
mod dropped;
mod embed;
mod forms;
mod inference;
mod malformed;
mod recorded;
mod secrets;
mod server;
mod typed;
mod world;
