//! The service for assistants that speak the Model Context Protocol: research as tools, what runs have brought as
//! resources.
//!
//! It stands on the same service as HTTP: runs are begun, seen and decided by the same functions, for the same callers.
//! `fathom mcp` speaks it over standard input and output, `fathom serve` at `/mcp`.

mod arguments;
mod brought;
mod follow;
mod resources;
pub mod route;
mod server;
mod stdio;
mod stored;
mod tools;

pub use stdio::serve_stdio;
