//! Typed state graphs whose runs are recorded step by step, so that a killed run goes on where its records end; and the
//! host of all workflows of a process. Knows no research, models, SQL or HTTP.

#![warn(unreachable_pub, missing_docs)]

mod clock;
mod context;
pub mod display;
pub mod draw;
mod engine;
mod error;
pub mod event;
mod export;
mod fan_out;
mod fold;
mod gate;
mod graph;
mod history;
mod host;
mod id;
pub mod interrupt;
pub mod journal;
mod lease;
mod log_writer;
mod memory;
mod node;
mod payload;
pub mod record;
mod run;
mod runtime;
mod snapshot;
mod state;
mod step_buffer;
mod stream;
mod waiting;

pub use clock::{Clock, ManualClock, SystemClock};
pub use context::{Context, EffectCall};
pub use engine::{Engine, NewRun};
pub use error::Error;
pub use export::StepView;
pub use fan_out::fan_out;
pub use gate::Gate;
pub use graph::{
    END, EdgeKind, Graph, GraphBuilder, GraphError, NodeName, Outline, OutlineEdge, RunEnding,
    edge_name,
};
pub use history::{ReplayReport, RunView};
pub use host::{
    BeginResult, Definition, FirstState, Host, HostBuilder, HostSettings, InvalidInput,
    JSON_OUTCOME, OpenRun, SkippedRun, WorkPass, WorkedRun, Workflow, edited, expected_in_words,
    read_input, read_lenient,
};
pub use id::{BlobHash, Owner, RunId};
pub use journal::Store;
pub use memory::MemoryStore;
pub use node::{NodeError, NodeFn, NodeResult, StepHalted};
pub use payload::Payload;
pub use run::{Execution, Progress, RunOutcome};
pub use runtime::{Runtime, RuntimeSettings};
pub use state::{InvalidUpdate, State};
pub use waiting::WAITED_MS;
