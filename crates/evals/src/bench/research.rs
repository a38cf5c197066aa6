//! A graph shaped like a research run, whose nodes return canned data: ten steps.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fathom_workflow::{
    Context, END, Engine, Graph, InvalidUpdate, NewRun, NodeResult, RuntimeSettings, State, Store,
    SystemClock,
};
use serde::{Deserialize, Serialize};

pub(super) const STEPS: usize = 10;

const PLAN: &str = "plan";
const SEARCH: &str = "search";
const ANALYSE: &str = "analyse";
const WRITE: &str = "write";
const REVIEW: &str = "review";
const OUTPUT: &str = "output";

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct CannedSource {
    title: String,
    text: String,
}

/// What the run knows. Results are shared, not copied, as they will be in the real workflow.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct BenchRun {
    queries: Vec<String>,
    results: Vec<Arc<[CannedSource]>>,
    searches: u32,
    findings: Vec<String>,
    draft: String,
    reviews: u32,
}

#[derive(Serialize, Deserialize)]
pub(super) enum Update {
    Planned(Vec<String>),
    Found(Arc<[CannedSource]>),
    Analysed(Vec<String>),
    Written(String),
    Reviewed,
    HandedOver,
}

impl State for BenchRun {
    type Update = Update;

    fn apply(&mut self, update: &Update) -> Result<(), InvalidUpdate> {
        match update {
            Update::Planned(queries) => self.queries.clone_from(queries),
            Update::Found(results) => {
                self.searches += 1;
                self.results.push(Arc::clone(results));
            }
            Update::Analysed(findings) => self.findings.extend_from_slice(findings),
            Update::Written(draft) => self.draft.clone_from(draft),
            Update::Reviewed => self.reviews += 1,
            Update::HandedOver => {}
        }
        Ok(())
    }
}

/// What the nodes return, and how long each takes.
pub(super) struct CannedDeps {
    results: Arc<[CannedSource]>,
    /// Whether every run gets results of its own, as a real one would, or shares the canned ones.
    own: bool,
    wait: Duration,
}

impl CannedDeps {
    /// `n` results of 2 KB.
    pub(super) fn results(n: usize) -> Self {
        let source = |i| CannedSource {
            title: format!("result {i}"),
            text: "evidence ".repeat(220),
        };
        Self {
            results: (0..n).map(source).collect(),
            own: false,
            wait: Duration::ZERO,
        }
    }

    pub(super) fn own(self) -> Self {
        Self { own: true, ..self }
    }

    pub(super) fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The results as a step brings them.
    pub(super) fn encoded(&self) -> Result<Vec<u8>> {
        Ok(serde_json::to_vec(&self.results)?)
    }

    async fn pause(&self) {
        if !self.wait.is_zero() {
            tokio::time::sleep(self.wait).await;
        }
    }
}

async fn plan(_: &BenchRun, ctx: &Context<CannedDeps>) -> NodeResult<BenchRun> {
    ctx.deps().pause().await;
    Ok(Update::Planned(vec!["a query of some length".into(); 5]))
}

async fn search(state: &BenchRun, ctx: &Context<CannedDeps>) -> NodeResult<BenchRun> {
    let CannedDeps { results, own, .. } = ctx.deps();
    ctx.deps().pause().await;
    Ok(Update::Found(match (state.searches, own) {
        (0, true) => results.to_vec().into(),
        (0, false) => Arc::clone(results),
        _ => Arc::default(),
    }))
}

async fn analyse(_: &BenchRun, ctx: &Context<CannedDeps>) -> NodeResult<BenchRun> {
    ctx.deps().pause().await;
    Ok(Update::Analysed(vec![
        "a finding, said in one sentence of some length".into(),
    ]))
}

async fn write(_: &BenchRun, ctx: &Context<CannedDeps>) -> NodeResult<BenchRun> {
    ctx.deps().pause().await;
    Ok(Update::Written("a short draft".into()))
}

async fn review(_: &BenchRun, ctx: &Context<CannedDeps>) -> NodeResult<BenchRun> {
    ctx.deps().pause().await;
    Ok(Update::Reviewed)
}

async fn output(_: &BenchRun, ctx: &Context<CannedDeps>) -> NodeResult<BenchRun> {
    ctx.deps().pause().await;
    Ok(Update::HandedOver)
}

pub(super) fn graph() -> Result<Graph<BenchRun, CannedDeps>> {
    let graph = Graph::new("bench")
        .node(PLAN, plan)
        .node(SEARCH, search)
        .node(ANALYSE, analyse)
        .node(WRITE, write)
        .node(REVIEW, review)
        .node(OUTPUT, output)
        .start(PLAN)
        .edge(PLAN, SEARCH)
        .edge(SEARCH, ANALYSE)
        .route(ANALYSE, [SEARCH, WRITE], |s| {
            if s.searches < 2 { SEARCH } else { WRITE }
        })
        .at_most(2, ANALYSE, SEARCH, WRITE)
        .edge(WRITE, REVIEW)
        .route(REVIEW, [WRITE, OUTPUT], |s| {
            if s.reviews < 2 { WRITE } else { OUTPUT }
        })
        .at_most(3, REVIEW, WRITE, OUTPUT)
        .edge(OUTPUT, END)
        .build()?;
    Ok(graph)
}

pub(super) fn engine(
    store: Arc<dyn Store>,
    canned: CannedDeps,
    settings: RuntimeSettings,
) -> Result<Engine<BenchRun, CannedDeps>> {
    Ok(Engine::with(
        graph()?,
        store,
        Arc::new(canned),
        Arc::new(SystemClock),
        settings,
    ))
}

pub(super) fn new_run() -> NewRun {
    NewRun::titled("What did the canned sources say about the canned question?")
}
