//! Typed state graphs whose runs are recorded step by step, and so survive anything.

#![warn(unreachable_pub)]

mod clock;
mod context;
pub mod display;
pub mod draw;
mod error;
pub mod event;
mod graph;
mod id;
pub mod interrupt;
pub mod journal;
mod node;
mod payload;
pub mod record;
mod state;

pub use clock::{Clock, ManualClock, SystemClock};
pub use context::Context;
pub use error::Error;
pub use graph::{
    END, Edge, EdgeKind, Graph, GraphBuilder, GraphError, NodeName, Outline, edge_name,
};
pub use id::{BlobHash, Owner, RunId};
pub use journal::Store;
pub use node::{Halt, NodeError, NodeFn, NodeResult};
pub use payload::Payload;
pub use state::{Misfit, State};
