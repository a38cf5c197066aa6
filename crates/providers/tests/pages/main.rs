//! Pages through their door, `Pages`: over a network in memory where time is virtual, and over real sockets.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print their figures"
)]

#[path = "../call/bench.rs"]
mod bench;
mod cached;
mod golden;
mod hostile;
#[path = "../call/table.rs"]
mod table;
mod together;
mod world;
