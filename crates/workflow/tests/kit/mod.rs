//! A small workflow whose nodes do what the test tells them to.

#![allow(dead_code, reason = "each test file uses its part of the kit")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

pub mod faulty;
pub mod hosted;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use fathom_workflow::*;
use futures::future::BoxFuture;
use jiff::Timestamp;

/// What a run has learnt: lines, in order.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Diary {
    pub lines: Vec<String>,
}

impl State for Diary {
    type Update = String;

    fn apply(&mut self, line: &String) -> Result<(), InvalidUpdate> {
        if line.is_empty() {
            return Err(InvalidUpdate::new("a line must not be empty"));
        }
        self.lines.push(line.clone());
        Ok(())
    }
}

pub type Script = for<'a> fn(&'a Diary, &'a Context<World>) -> BoxFuture<'a, NodeResult<Diary>>;

/// What nodes may touch: a list of the outside calls that were really made.
#[derive(Default)]
pub struct World {
    calls: Mutex<Vec<String>>,
    scripts: HashMap<&'static str, Script>,
    /// Calls by these names never answer: what a crash in flight looks like.
    stuck: Mutex<Vec<&'static str>>,
    store: Mutex<Option<Arc<dyn Store>>>,
}

impl World {
    pub fn call(&self, name: &str) -> String {
        self.calls.lock().unwrap().push(name.to_owned());
        format!("answer to {name}")
    }

    pub fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    pub fn stick(&self, name: &'static str) {
        self.stuck.lock().unwrap().push(name);
    }

    pub fn unstick(&self) {
        self.stuck.lock().unwrap().clear();
    }

    pub fn set_store(&self, store: Arc<dyn Store>) {
        *self.store.lock().unwrap() = Some(store);
    }

    /// Asks a run to stop, as another process would.
    pub async fn cancel_from_elsewhere(&self, run: RunId) {
        let store = self.store.lock().unwrap().clone().unwrap();
        store.mark_cancel(run, true).await.unwrap();
    }

    /// A call that answers at once, unless it is stuck.
    pub async fn ask(&self, name: &str) -> String {
        let answer = self.call(name);
        if self.stuck.lock().unwrap().contains(&name) {
            std::future::pending::<()>().await;
        }
        answer
    }
}

pub async fn play(state: &Diary, ctx: &Context<World>) -> NodeResult<Diary> {
    match ctx.deps().scripts.get(ctx.node()) {
        Some(script) => script(state, ctx).await,
        None => Ok(ctx.node().to_owned()),
    }
}

/// One stage: a store with a clock to turn, and worlds that share nothing but the store.
pub struct Stage {
    pub clock: Arc<ManualClock>,
    pub store: Arc<dyn Store>,
}

pub fn noon() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

impl Stage {
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::at(noon()));
        let store = Arc::new(MemoryStore::with_clock(clock.clone()));
        Self { clock, store }
    }

    /// An engine over this stage, as another process would have it.
    pub fn engine(
        &self,
        graph: GraphBuilder<Diary, World>,
        scripts: &[(&'static str, Script)],
    ) -> Engine<Diary, World> {
        self.engine_with(graph, scripts, RuntimeSettings::default())
    }

    pub fn engine_with(
        &self,
        graph: GraphBuilder<Diary, World>,
        scripts: &[(&'static str, Script)],
        settings: RuntimeSettings,
    ) -> Engine<Diary, World> {
        let (graph, clock) = (graph.build().unwrap(), self.clock.clone());
        Engine::with(graph, self.store.clone(), world(scripts), clock, settings)
    }

    /// An engine with a clock of its own.
    pub fn engine_by(
        &self,
        clock: Arc<dyn Clock>,
        graph: GraphBuilder<Diary, World>,
        scripts: &[(&'static str, Script)],
    ) -> Engine<Diary, World> {
        let (graph, settings) = (graph.build().unwrap(), RuntimeSettings::default());
        Engine::with(graph, self.store.clone(), world(scripts), clock, settings)
    }
}

pub fn world(scripts: &[(&'static str, Script)]) -> Arc<World> {
    Arc::new(World {
        scripts: scripts.iter().copied().collect(),
        ..World::default()
    })
}

/// a → b → c → end.
pub fn line() -> GraphBuilder<Diary, World> {
    Graph::new("line")
        .node("a", play)
        .node("b", play)
        .node("c", play)
        .start("a")
        .edge("a", "b")
        .edge("b", "c")
        .edge("c", END)
}

/// The line with a rescue.
pub fn line_with_rescue() -> GraphBuilder<Diary, World> {
    line().node("save", play).edge("save", END).rescue("save")
}

pub fn deps(execution: &Execution<Diary, World>) -> &World {
    execution.deps()
}

pub async fn start(engine: &Engine<Diary, World>) -> Execution<Diary, World> {
    engine
        .start(NewRun::titled("a test"), Diary::default())
        .await
        .unwrap()
}

/// Polls the execution until it has nothing more to do by itself, then drops it: a crash.
pub async fn crash(mut execution: Execution<Diary, World>) {
    {
        let running = execution.run();
        tokio::pin!(running);
        for _ in 0..200 {
            tokio::select! {
                biased;
                _ = &mut running => panic!("it should have been stuck"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    drop(execution);
}

/// Runs of the engine's workflow that anybody could take up now.
pub async fn unattended(engine: &Engine<Diary, World>, limit: usize) -> Result<Vec<RunId>, Error> {
    let workflow = engine.graph().name();
    engine.runtime().unattended(workflow, limit).await
}
