//! A workflow shaped like research, for proofs: its report is a function of what the world answered.
//!
//! Its routes always wish to go back, so only the bounds of its loops let it end: a use that is
//! counted twice, or forgotten, changes the report.

use anyhow::{Result, bail, ensure};
use fathom_workflow::{
    Context, END, Engine, Error, Execution, Graph, GraphBuilder, GraphError, InvalidUpdate, NewRun,
    NodeName, NodeResult, RunId, State,
};
use serde::{Deserialize, Serialize};

use super::acts::{Act, perform};
use super::world::Deps;

const PLAN: NodeName = "plan";
const RESTED_PLAN: NodeName = "rested plan";
const REVIEWED_PLAN: NodeName = "reviewed plan";
const SEARCH: NodeName = "search";
const ANALYSE: NodeName = "analyse";
const WRITE: NodeName = "write";
const REVIEW: NodeName = "review";
const OUTPUT: NodeName = "output";
const CHECK: NodeName = "check";
const FALLBACK: NodeName = "fallback";

/// The key of the delivery that must not happen twice.
pub const DELIVER: &str = "once 0";

/// The most calls that are made at the same time.
pub const AT_ONCE: usize = 3;

/// What each node does.
fn acts(node: &str) -> &'static [Act] {
    match node {
        // Long enough to be killed meanwhile.
        RESTED_PLAN => &[Act::Call, Act::Park { for_ms: 100 }, Act::Call],
        REVIEWED_PLAN => &[Act::Call, Act::Ask { within_s: None }],
        SEARCH => &[Act::FanOut {
            items: 4,
            at_once: AT_ONCE,
        }],
        ANALYSE => &[Act::Spend(17), Act::Call],
        WRITE => &[
            Act::FanOut {
                items: 2,
                at_once: AT_ONCE,
            },
            Act::Keep(200),
        ],
        REVIEW => &[Act::Call, Act::Call],
        CHECK => &[Act::Call, Act::Fail],
        // What it spent would be lost if a person has to find out whether it happened.
        FALLBACK => &[Act::Once { spends: 0 }],
        _ => &[Act::Call],
    }
}

/// What the run has learnt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Research(Vec<String>);

impl Research {
    /// All that it has learnt, a line each.
    pub fn report(&self) -> String {
        self.0.join("\n")
    }
}

impl State for Research {
    type Update = Vec<String>;

    fn apply(&mut self, learnt: &Vec<String>) -> Result<(), InvalidUpdate> {
        self.0.extend_from_slice(learnt);
        Ok(())
    }
}

/// Plan, search three times, write twice, put out: 12 steps and 25 effects.
pub fn plain() -> Result<Graph<Research, Deps>, GraphError> {
    middle(PLAN, OUTPUT).edge(OUTPUT, END).build()
}

/// The same, parked for a moment while the plan is made.
pub fn resting() -> Result<Graph<Research, Deps>, GraphError> {
    middle(RESTED_PLAN, OUTPUT).edge(OUTPUT, END).build()
}

/// The same with a person who reviews the plan, a check that fails, and a rescue whose delivery must
/// not happen twice.
pub fn eventful() -> Result<Graph<Research, Deps>, GraphError> {
    middle(REVIEWED_PLAN, CHECK)
        .node(FALLBACK, play)
        .edge(CHECK, END)
        .edge(FALLBACK, END)
        .rescue(FALLBACK)
        .build()
}

fn middle(first: NodeName, last: NodeName) -> GraphBuilder<Research, Deps> {
    let mut builder = Graph::new("research").start(first);
    for node in [first, SEARCH, ANALYSE, WRITE, REVIEW, last] {
        builder = builder.node(node, play);
    }
    builder
        .edge(first, SEARCH)
        .edge(SEARCH, ANALYSE)
        .route(ANALYSE, [SEARCH, WRITE], |_| SEARCH)
        .at_most(2, ANALYSE, SEARCH, WRITE)
        .edge(WRITE, REVIEW)
        .route(REVIEW, [WRITE, last], |_| WRITE)
        .at_most(1, REVIEW, WRITE, last)
}

async fn play(_: &Research, ctx: &Context<Deps>) -> NodeResult<Research> {
    let mut lines = Vec::new();
    for (number, act) in acts(ctx.node()).iter().enumerate() {
        perform(ctx, act, number, &mut lines).await?;
    }
    lines.extend(ctx.rescued().map(|rescue| rescue.cut.to_string()));
    Ok(lines)
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
