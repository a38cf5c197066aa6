//! Test services for the workspace: what a test, a proof or a benchmark needs running beside it.
//!
//! Gives a private PostgreSQL server. Everything here blocks, prints nothing and works on Unix only;
//! the command line (`cargo xtask`) is in `main.rs`.

#![warn(missing_docs)]

pub mod postgres;
