//! A run of 10,000 steps: how long it takes to load.

use std::sync::Arc;

use anyhow::Result;
use fathom_workflow::{
    Context, END, Engine, Graph, InvalidUpdate, NewRun, NodeResult, RuntimeSettings, State,
    SystemClock,
};
use serde::{Deserialize, Serialize};

use crate::figure::{Figure, median, ms, timed};
use crate::stores::{Backend, Disk, Site};

const STEPS: u32 = 10_000;

const TURN: &str = "turn";

/// The last few lines of a long talk.
#[derive(Default, Serialize, Deserialize)]
struct Talk {
    turns: u32,
    lines: Vec<String>,
}

impl State for Talk {
    type Update = String;

    fn apply(&mut self, line: &String) -> Result<(), InvalidUpdate> {
        self.turns += 1;
        self.lines.push(line.clone());
        if self.lines.len() > 10 {
            self.lines.remove(0);
        }
        Ok(())
    }
}

async fn turn(state: &Talk, _: &Context<()>) -> NodeResult<Talk> {
    Ok(format!(
        "turn {}: something was said, and it was not much",
        state.turns
    ))
}

pub(super) async fn measure(backend: Backend) -> Result<()> {
    // The load is what counts here, so the 10,000 commits before it need not be synced.
    let site = Site::new(backend, Disk::Fast).await?;
    let graph = Graph::new("talk")
        .node(TURN, turn)
        .start(TURN)
        .route(TURN, [TURN, END], |_| TURN)
        .at_most(STEPS - 1, TURN, TURN, END)
        .build()?;
    let clock = Arc::new(SystemClock);
    let engine = Engine::with(
        graph,
        site.open().await?,
        Arc::new(()),
        clock,
        RuntimeSettings::default(),
    );
    let mut execution = engine
        .start(NewRun::titled("a long talk"), Talk::default())
        .await?;
    execution.run().await?;
    let run = execution.id();
    let mut times = vec![];
    for _ in 0..9 {
        let (view, took) = timed(engine.view(run, None)).await;
        anyhow::ensure!(view?.state.turns == STEPS, "the run is not whole");
        times.push(ms(took));
    }
    Figure::new("load of a run of 10,000 steps", backend.name())
        .number("ms", median(times))
        .print();
    Ok(())
}
