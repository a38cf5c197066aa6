//! The program against a scripted world on loopback: a model, a search engine and pages, whose ledger is the judge of
//! what a run did, whatever the run says of itself.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests may panic and print what they saw"
)]

#[path = "staged/asked.rs"]
mod asked;
#[path = "staged/caps.rs"]
mod caps;
#[path = "staged/contract.rs"]
mod contract;
#[path = "staged/depth.rs"]
mod depth;
#[path = "staged/honesty.rs"]
mod honesty;
#[path = "staged/injection.rs"]
mod injection;
#[path = "staged/kept.rs"]
mod kept;
#[path = "staged/killed.rs"]
mod killed;
#[path = "staged/log.rs"]
mod log;
#[path = "staged/meaning.rs"]
mod meaning;
#[path = "staged/people.rs"]
mod people;
#[path = "staged/refine.rs"]
mod refine;
#[path = "staged/routes.rs"]
mod routes;
#[path = "staged/stopped.rs"]
mod stopped;
#[path = "staged/terms.rs"]
mod terms;
#[path = "staged/troubles.rs"]
mod troubles;
#[path = "staged/world.rs"]
mod world;
