//! Snapshots: a long run is loaded from near its end, whatever its length.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use fathom_store::Sqlite;
use fathom_workflow::{
    Context, END, Engine, Graph, InvalidUpdate, NewRun, NodeResult, State, Store as _,
};

const STEPS: u32 = 600;

/// A state that stays small however long the run.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Counter(u32);

impl State for Counter {
    type Update = u32;

    fn apply(&mut self, by: &u32) -> Result<(), InvalidUpdate> {
        self.0 += by;
        Ok(())
    }
}

async fn count(_: &Counter, _: &Context<()>) -> NodeResult<Counter> {
    Ok(1)
}

#[tokio::test]
async fn a_long_run_is_loaded_from_a_snapshot_near_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Sqlite::open(folder.path().join("runs.db")).unwrap());
    let graph = Graph::new("count")
        .node("count", count)
        .start("count")
        .route("count", ["count", END], |_| "count")
        .at_most(STEPS - 1, "count", "count", END)
        .build()
        .unwrap();
    let engine = Engine::new(graph, store.clone(), Arc::new(()));
    let mut execution = engine
        .start(NewRun::titled("a long count"), Counter(0))
        .await
        .unwrap();
    execution.run().await.unwrap();

    let loaded = store.load(execution.id(), None).await.unwrap();
    assert_eq!(loaded.from.step, 512, "two of every 256 steps");
    assert_eq!(loaded.records.len(), 88);
    for at in [0, 255, 256, 300, 599, 600] {
        let view = engine.view(execution.id(), Some(at)).await.unwrap();
        assert_eq!((u64::from(view.state.0), view.tally.steps), (at, at));
    }
}
