//! The service: every workflow of the host over HTTP.
//!
//! It takes requests, turns them into calls of the host and gives JSON back. What the wire looks like is said here and
//! nowhere else; what a run does is decided elsewhere. A request starts a run and never works on it: the background
//! work of the host does, so a client that goes away cancels nothing.

pub mod access;
pub mod actions;
pub mod admit;
mod body;
mod caps;
mod docs;
pub mod error;
mod events;
mod guard;
mod health;
mod libraries;
pub mod metrics;
mod openai;
mod openapi;
mod responses;
mod router;
mod run;
mod run_bounds;
pub mod runs;
pub mod search;
mod server;
mod server_paths;
mod service;
mod shown;
mod spending;
mod upload_place;
mod uploads;
mod views;
pub mod wire;

pub use server::listen;
pub use service::{ServeLimits, Service};
