//! The workflow of the proofs: one node that does the acts of one turn a step, as its state tells it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, bail};
use fathom_workflow::event::Level;
use fathom_workflow::interrupt::{Answer, Ask};
use fathom_workflow::{
    Context, END, EffectCall, Engine, Error, Execution, Graph, GraphBuilder, GraphError,
    InvalidUpdate, NewRun, NodeError, NodeResult, RunId, State, fan_out,
};
use serde::{Deserialize, Serialize};

use super::world::Deps;
use crate::ledger;

/// Counted by every call that is recorded.
pub const CALLS: &str = "calls";

/// Begins the keys of effects that must not repeat.
pub const ONCE: &str = "once";

/// The line of an update that does not fit.
const MISFIT: &str = "misfit";

/// One thing a node does. Its key is its number within the node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// A call of the world.
    Call,
    /// So many calls, some of them at once.
    FanOut { items: u32, at_once: usize },
    /// A call that must not happen twice, and counts so much on the meter of calls.
    Once { spends: u64 },
    /// A call that never returns.
    Hang,
    /// A question; with a number of seconds, one that times out.
    Ask { within_s: Option<u64> },
    /// A question whose halt the node swallows, to go on as if nothing were.
    AskAndGoOn,
    /// Parks the run for a time, although nobody is asked.
    Park { for_ms: u64 },
    /// Counts on a meter, and says so in the log.
    Spend(u64),
    /// A call whose answer has so many bytes.
    Fetch(usize),
    /// So many bytes kept beside the log.
    Keep(usize),
    /// So many bytes brought by the update.
    Note(usize),
    /// Brings an update that does not fit.
    Misfit,
    /// A number drawn by the engine.
    Draw,
    /// Fails the step.
    Fail,
}

/// Does the acts of one step and gives the lines they brought.
async fn perform(ctx: &Context<Deps>, acts: &[Act]) -> Result<Vec<String>, NodeError> {
    let mut lines = Vec::new();
    for (number, act) in acts.iter().enumerate() {
        let (key, text) = (number.to_string(), |bytes| {
            text(ctx.run(), ctx.step(), bytes)
        });
        match act {
            Act::Call => lines.push(call(ctx, &key, false, 1).await?),
            Act::FanOut { items, at_once } => {
                let answers = fan_out(0..*items, *at_once, |item| {
                    let key = format!("{key}.{item}");
                    async move { call(ctx, &key, false, 1).await }
                });
                for answer in answers.await {
                    lines.push(answer?);
                }
            }
            Act::Once { spends } => {
                lines.push(call(ctx, &format!("{ONCE} {number}"), true, *spends).await?);
            }
            Act::Hang => ctx.effect(key, |_| std::future::pending::<()>()).await?,
            Act::Ask { within_s } => lines.push(words(&ctx.ask(key, question(*within_s)).await?)),
            Act::AskAndGoOn => match ctx.ask(key, question(None)).await {
                Ok(answer) => lines.push(words(&answer)),
                Err(_swallowed) => lines.push("never to be recorded".into()),
            },
            Act::Park { for_ms } => {
                let at = ctx.now() + Duration::from_millis(*for_ms);
                lines.push(format!("{:?}", ctx.park_until(key, at, "rest").await?));
            }
            Act::Spend(amount) => {
                ctx.spend("coins", *amount);
                ctx.log(Level::Info, format_args!("{amount} coins spent"));
            }
            Act::Fetch(bytes) => {
                let page = ctx.effect(key, |_| async { text(*bytes) }).await?;
                lines.push(format!("{} bytes", page.len()));
            }
            Act::Keep(bytes) => {
                ctx.keep(text(*bytes));
            }
            Act::Note(bytes) => lines.push(text(*bytes)),
            Act::Misfit => lines.push(MISFIT.into()),
            Act::Draw => lines.push(format!("drew {}", ctx.random(&key) % 100)),
            Act::Fail => return Err(NodeError::new("it was to fail")),
        }
    }
    lines.extend(ctx.rescued().map(|rescue| rescue.cut.to_string()));
    Ok(lines)
}

/// Makes a call whose answer is recorded, good or bad. What one that must not happen twice spends is
/// lost if a person has to find out whether it happened.
async fn call(
    ctx: &Context<Deps>,
    key: &str,
    once: bool,
    spends: u64,
) -> Result<String, NodeError> {
    let world = &ctx.deps().0;
    let make = |call: EffectCall| async move {
        if spends > 0 {
            call.spend(CALLS, spends);
        }
        let answer = world.call(ctx.run(), ctx.step(), key).await;
        answer.map_err(|error| format!("{error:?}"))
    };
    let answer: Result<String, String> = if once {
        ctx.once(key, make).await?
    } else {
        ctx.effect(key, make).await?
    };
    world.went_on(ctx.run(), ctx.step(), key).await;
    answer.map_err(NodeError::new)
}

/// What a person enters who has found out that a call which must not happen twice did happen.
pub fn found_out(step: u64, key: &str) -> Option<serde_json::Value> {
    let answer: Result<String, String> = Ok(ledger::answer(step, key));
    serde_json::to_value(answer).ok()
}

/// A question that may wait for ever, or for so many seconds.
fn question(within_s: Option<u64>) -> Ask {
    Ask {
        reason: "may it go on?".into(),
        show: serde_json::Value::Null,
        within: within_s.map(Duration::from_secs),
    }
}

/// An answer as the state remembers it.
fn words(answer: &Answer) -> String {
    match answer {
        Answer::Decided { decision, .. } => format!("{:?} by {}", decision.verdict, decision.by),
        Answer::TimedOut { .. } => "timed out".into(),
    }
}

/// Text of a length, another for every step of every run, in which no two parts are equal.
pub fn text(run: RunId, step: u64, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    for line in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!("line {line:06} of step {step:06} of {run}\n"));
    }
    text.truncate(bytes);
    text
}

/// What a run is to do, and what it has brought so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptedRun {
    /// What each node does in each of its turns, gone through again and again.
    acts: BTreeMap<String, Vec<Vec<Act>>>,
    /// How many turns there are to be of the node that has them.
    wanted: u64,
    /// How often each node was there.
    visits: BTreeMap<String, u64>,
    /// What the turns brought, or only the last one.
    pub lines: Vec<String>,
    forgets: bool,
}

/// The most calls that [`ScriptedRun::research`] makes at the same time.
pub const AT_ONCE: usize = 3;

impl ScriptedRun {
    /// A run that remembers what every turn brought.
    pub fn new(turns: Vec<Vec<Act>>) -> Self {
        // What it spent would be lost if a person has to find out whether it happened.
        let deliver = vec![vec![Act::Once { spends: 0 }]];
        Self {
            wanted: turns.len() as u64,
            ..Self::by_node([(TURN.to_owned(), turns), (RESCUE.to_owned(), deliver)])
        }
    }

    /// A run of a graph of its own, by what its nodes do.
    pub fn by_node(acts: impl IntoIterator<Item = (String, Vec<Vec<Act>>)>) -> Self {
        Self {
            acts: acts.into_iter().collect(),
            ..Self::default()
        }
    }

    /// How often a node was there.
    pub fn visits(&self, node: &str) -> u64 {
        self.visits.get(node).copied().unwrap_or(0)
    }

    /// A run of so many turns that all do the same. One that forgets keeps its state small.
    pub fn repeated(turn: Vec<Act>, wanted: u64, forgets: bool) -> Self {
        Self {
            wanted,
            forgets,
            ..Self::new(vec![turn])
        }
    }

    /// A run shaped like research: a plan, three searches, two drafts, an output.
    pub fn research(plan: &[Act], output: &[Act]) -> Self {
        let calls = |items| Act::FanOut {
            items,
            at_once: AT_ONCE,
        };
        let search = [vec![calls(4)], vec![Act::Spend(17), Act::Call]];
        let write = [vec![calls(2), Act::Keep(200)], vec![Act::Call, Act::Call]];
        let mut turns = vec![plan.to_vec()];
        turns.extend(search.iter().cycle().take(6).cloned());
        turns.extend(write.iter().cycle().take(4).cloned());
        turns.push(output.to_vec());
        Self::new(turns)
    }

    /// Research with a person who approves the plan, and an output that fails and is rescued.
    pub fn eventful() -> Self {
        let asks = Act::Ask { within_s: None };
        Self::research(&[Act::Call, asks], &[Act::Call, Act::Fail])
    }

    /// All that it has brought, a line each.
    pub fn report(&self) -> String {
        self.lines.join("\n")
    }
}

impl State for ScriptedRun {
    /// The node, and what it brought.
    type Update = (String, Vec<String>);

    fn apply(&mut self, (node, lines): &Self::Update) -> Result<(), InvalidUpdate> {
        *self.visits.entry(node.clone()).or_default() += 1;
        if lines.iter().any(|line| line == MISFIT) {
            // It is noticed when half of it is taken in.
            return Err(InvalidUpdate::new("it was to be refused"));
        }
        if self.forgets {
            self.lines.clear();
        }
        self.lines.extend_from_slice(lines);
        Ok(())
    }
}

const TURN: &str = "turn";
const RESCUE: &str = "rescue";

/// More turns than any proof takes.
const MOST_TURNS: u32 = 100_000;

/// The key of the delivery that a rescue makes and that must not happen twice.
pub const DELIVER: &str = "once 0";

/// An engine of that workflow.
pub type ScriptedEngine = Engine<ScriptedRun, Deps>;

/// The workflow of [`ScriptedRun`].
pub fn scripted(name: &'static str) -> Result<Graph<ScriptedRun, Deps>, GraphError> {
    turns(name).build()
}

/// The same with a rescue for a run that fails: a delivery that must not happen twice.
pub fn rescued(name: &'static str) -> Result<Graph<ScriptedRun, Deps>, GraphError> {
    let builder = turns(name).node(RESCUE, play).edge(RESCUE, END);
    builder.rescue(RESCUE).build()
}

fn turns(name: &'static str) -> GraphBuilder<ScriptedRun, Deps> {
    let next = |run: &ScriptedRun| {
        let goes_on = run.visits(TURN) < run.wanted;
        if goes_on { TURN } else { END }
    };
    Graph::new(name)
        .node(TURN, play)
        .start(TURN)
        .route(TURN, [TURN, END], next)
        .at_most(MOST_TURNS, TURN, TURN, END)
}

/// Every node of every graph: it does what its turn tells it.
pub async fn play(run: &ScriptedRun, ctx: &Context<Deps>) -> NodeResult<ScriptedRun> {
    let node = ctx.node();
    let turns = &run.acts[node];
    let nth = run.visits(node) as usize % turns.len();
    let lines = perform(ctx, &turns[nth]).await?;
    Ok((node.to_owned(), lines))
}

/// Takes a run up where its log ends, or begins it.
pub async fn open_or_start(
    engine: &ScriptedEngine,
    run: RunId,
    state: ScriptedRun,
) -> Result<Execution<ScriptedRun, Deps>, Error> {
    let new = NewRun {
        id: run,
        ..NewRun::titled("a proof")
    };
    match engine.open(run).await {
        Err(Error::NoSuchRun { .. }) => engine.start(new, state).await,
        opened => opened,
    }
}

/// Fails with the first line in which a report differs from the one it should be.
pub fn same_report(report: &str, wanted: &str) -> Result<()> {
    let ends = || std::iter::once("the end");
    let mut pairs = report
        .lines()
        .chain(ends())
        .zip(wanted.lines().chain(ends()));
    match pairs.find(|(line, wanted)| line != wanted) {
        Some((line, wanted)) => bail!("the report has \"{line}\" instead of \"{wanted}\""),
        None => Ok(()),
    }
}
