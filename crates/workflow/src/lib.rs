//! Typed state graphs whose runs are recorded step by step, and so survive anything.

#![warn(unreachable_pub)]

mod clock;
pub mod conformance;
mod context;
mod desk;
pub mod display;
pub mod draw;
mod engine;
mod error;
pub mod event;
mod fan_out;
mod fold;
mod gate;
mod graph;
mod history;
mod id;
pub mod interrupt;
pub mod journal;
mod keeper;
mod memory;
mod node;
mod payload;
pub mod record;
mod run;
mod scribe;
mod snapshot;
mod state;
mod stream;
mod waited;

pub use clock::{Clock, ManualClock, SystemClock};
pub use context::{Call, Context};
pub use engine::{Engine, NewRun, Settings};
pub use error::Error;
pub use fan_out::fan_out;
pub use gate::Gate;
pub use graph::{
    END, Edge, EdgeKind, Graph, GraphBuilder, GraphError, NodeName, Outline, edge_name,
};
pub use history::{Replayed, View};
pub use id::{BlobHash, Owner, RunId};
pub use journal::Store;
pub use memory::MemoryStore;
pub use node::{Halt, NodeError, NodeFn, NodeResult};
pub use payload::Payload;
pub use run::{Execution, Outcome, Progress};
pub use state::{Misfit, State};
pub use waited::WAITED_MS;
