//! The program as people and scripts meet it: what it prints, where, and the code it ends with.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print what they saw"
)]

#[path = "command/appraise.rs"]
mod appraise;
#[path = "command/ask.rs"]
mod ask;
#[path = "command/bad_input.rs"]
mod bad_input;
#[path = "command/breakpoints.rs"]
mod breakpoints;
#[path = "command/brief.rs"]
mod brief;
#[path = "command/doctor.rs"]
mod doctor;
#[path = "command/encoder.rs"]
mod encoder;
#[path = "command/examples.rs"]
mod examples;
#[path = "command/gates.rs"]
mod gates;
#[path = "command/library.rs"]
mod library;
#[path = "command/pdfs.rs"]
mod pdfs;
#[path = "command/poison.rs"]
mod poison;
#[path = "command/report.rs"]
mod report;
#[path = "command/runs.rs"]
mod runs;
#[path = "command/sandbox.rs"]
mod sandbox;
#[path = "command/stop.rs"]
mod stop;
#[path = "command/stored_reports.rs"]
mod stored_reports;
#[path = "command/terminal.rs"]
mod terminal;
#[path = "command/workflows.rs"]
mod workflows;
