//! A workflow shaped like research, for proofs: its report is a function of what the world answered.
//!
//! Its routes always wish to go back, so only the bounds of its loops let it end: a use that is
//! counted twice, or forgotten, changes the report.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use fathom_workflow::{
    Context, END, Engine, Error, Execution, Graph, GraphBuilder, GraphError, InvalidUpdate, NewRun,
    NodeError, NodeResult, RunId, State, fan_out,
};
use serde::{Deserialize, Serialize};

use super::acts::{call_once, question, try_call, words};
use super::world::Deps;

const PLAN: &str = "plan";
const SEARCH: &str = "search";
const ANALYSE: &str = "analyse";
const WRITE: &str = "write";
const REVIEW: &str = "review";
const OUTPUT: &str = "output";
const CHECK: &str = "check";
const FALLBACK: &str = "fallback";

/// The key of the delivery that must not happen twice.
pub const DELIVER: &str = "deliver";

const QUERIES: u32 = 4;
const SECTIONS: u32 = 2;

/// How long a run is parked: long enough to be killed meanwhile.
const REST: Duration = Duration::from_millis(100);

/// The most calls that are made at the same time.
pub const AT_ONCE: usize = 3;

type Ctx = Context<Deps>;

/// What the run has learnt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Research {
    answers: Vec<String>,
    /// Written by the last step.
    pub report: Option<String>,
}

/// What one step brings.
#[derive(Serialize, Deserialize)]
pub struct Learnt {
    answers: Vec<String>,
    report: Option<String>,
}

impl State for Research {
    type Update = Learnt;

    fn apply(&mut self, learnt: &Learnt) -> Result<(), InvalidUpdate> {
        if self.report.is_some() {
            return Err(InvalidUpdate::new("the report is written already"));
        }
        self.answers.extend_from_slice(&learnt.answers);
        self.report.clone_from(&learnt.report);
        Ok(())
    }
}

/// Plan, search three times, write twice, put out: 12 steps and 25 effects.
pub fn plain() -> Result<Graph<Research, Deps>, GraphError> {
    middle(PLAN, OUTPUT)
        .node(PLAN, plan)
        .node(OUTPUT, output)
        .edge(OUTPUT, END)
        .build()
}

/// The same, parked for a moment while the plan is made.
pub fn resting() -> Result<Graph<Research, Deps>, GraphError> {
    middle(PLAN, OUTPUT)
        .node(PLAN, rested_plan)
        .node(OUTPUT, output)
        .edge(OUTPUT, END)
        .build()
}

/// The same with a person who reviews the plan, a check that fails, and a rescue whose delivery must
/// not happen twice.
pub fn eventful() -> Result<Graph<Research, Deps>, GraphError> {
    middle(PLAN, CHECK)
        .node(PLAN, reviewed_plan)
        .node(CHECK, check)
        .node(FALLBACK, fallback)
        .edge(CHECK, END)
        .edge(FALLBACK, END)
        .rescue(FALLBACK)
        .build()
}

fn middle(first: &'static str, last: &'static str) -> GraphBuilder<Research, Deps> {
    Graph::new("research")
        .node(SEARCH, search)
        .node(ANALYSE, analyse)
        .node(WRITE, write)
        .node(REVIEW, review)
        .start(first)
        .edge(first, SEARCH)
        .edge(SEARCH, ANALYSE)
        .route(ANALYSE, [SEARCH, WRITE], |_| SEARCH)
        .at_most(2, ANALYSE, SEARCH, WRITE)
        .edge(WRITE, REVIEW)
        .route(REVIEW, [WRITE, last], |_| WRITE)
        .at_most(1, REVIEW, WRITE, last)
}

/// Takes a run up where its log ends, or begins it.
pub async fn open_or_start(
    engine: &Engine<Research, Deps>,
    run: RunId,
) -> Result<Execution<Research, Deps>, Error> {
    match engine.open(run).await {
        Err(Error::NoSuchRun { .. }) => {
            let new = NewRun {
                id: run,
                ..NewRun::titled("a proof")
            };
            engine.start(new, Research::default()).await
        }
        opened => opened,
    }
}

/// Fails with the first line in which a report differs from the one it should be.
pub fn same_report(report: &str, wanted: &str) -> Result<()> {
    let mut wanted = wanted.lines();
    for (number, line) in (1..).zip(report.lines()) {
        let wanted = wanted.next().unwrap_or("the end");
        ensure!(
            line == wanted,
            "line {number} of the report is \"{line}\" instead of \"{wanted}\""
        );
    }
    match wanted.next() {
        Some(missing) => bail!("the report lacks \"{missing}\""),
        None => Ok(()),
    }
}

async fn plan(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    Ok(learnt(vec![call(ctx, "outline".into()).await?]))
}

async fn rested_plan(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let outline = call(ctx, "outline".into()).await?;
    let rested = ctx.park_until("rest", ctx.now() + REST, "rest").await?;
    let checked = call(ctx, "checked outline".into()).await?;
    Ok(learnt(vec![outline, format!("{rested:?}"), checked]))
}

async fn reviewed_plan(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let outline = call(ctx, "outline".into()).await?;
    let verdict = words(&ctx.ask("review", question(None)).await?);
    Ok(learnt(vec![outline, verdict]))
}

async fn search(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let found = fan_out(0..QUERIES, AT_ONCE, |query| {
        call(ctx, format!("query {query}"))
    })
    .await;
    all(found)
}

async fn analyse(state: &Research, ctx: &Ctx) -> NodeResult<Research> {
    ctx.spend(
        "characters",
        state.answers.iter().map(String::len).sum::<usize>() as u64,
    );
    Ok(learnt(vec![call(ctx, "findings".into()).await?]))
}

async fn write(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let sections = fan_out(0..SECTIONS, AT_ONCE, |section| {
        call(ctx, format!("section {section}"))
    })
    .await;
    let learnt = all(sections)?;
    ctx.keep(learnt.answers.concat().into_bytes());
    Ok(learnt)
}

async fn review(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let read = call(ctx, "read".into()).await?;
    Ok(learnt(vec![read, call(ctx, "score".into()).await?]))
}

async fn output(state: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let title = call(ctx, "title".into()).await?;
    Ok(report(state, title))
}

async fn check(_: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let verdict = call(ctx, "check".into()).await?;
    Err(NodeError::new(format!(
        "the report does not pass: {verdict}"
    )))
}

async fn fallback(state: &Research, ctx: &Ctx) -> NodeResult<Research> {
    let delivered = call_once(ctx, DELIVER, None).await?;
    let why = ctx.rescued().map(|rescue| rescue.cut.to_string());
    Ok(report(state, format!("{delivered:?}, because {why:?}")))
}

async fn call(ctx: &Ctx, key: String) -> Result<String, NodeError> {
    try_call(ctx, &key, 0).await
}

fn all(found: Vec<Result<String, NodeError>>) -> NodeResult<Research> {
    let answers: Result<Vec<String>, NodeError> = found.into_iter().collect();
    Ok(learnt(answers?))
}

fn learnt(answers: Vec<String>) -> Learnt {
    Learnt {
        answers,
        report: None,
    }
}

fn report(state: &Research, end: String) -> Learnt {
    let mut lines = state.answers.clone();
    lines.push(end);
    Learnt {
        answers: Vec::new(),
        report: Some(lines.join("\n")),
    }
}
