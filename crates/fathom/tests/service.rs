//! The service as programs meet it: the real program on loopback, over a real SQLite file.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print what they saw"
)]

#[path = "service/access.rs"]
mod access;
#[path = "service/bad_input.rs"]
mod bad_input;
#[path = "service/caps.rs"]
mod caps;
#[path = "service/described.rs"]
mod described;
#[path = "service/events.rs"]
mod events;
#[path = "service/gates.rs"]
mod gates;
#[path = "service/lasting.rs"]
mod lasting;
#[path = "service/openai.rs"]
mod openai;
#[path = "service/run.rs"]
mod run;
#[path = "service/runs.rs"]
mod runs;
#[path = "service/served.rs"]
mod served;
#[cfg(feature = "otel")]
#[path = "service/traces.rs"]
mod traces;
#[path = "service/uploads.rs"]
mod uploads;
