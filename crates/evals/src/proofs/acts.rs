//! What the nodes of scripted workflows do, one act at a time, and the plainest such workflow.

use std::time::Duration;

use fathom_workflow::event::Level;
use fathom_workflow::interrupt::{Answer, Ask};
use fathom_workflow::{
    Context, END, Graph, GraphError, InvalidUpdate, NodeError, NodeResult, RunId, State, fan_out,
};
use serde::{Deserialize, Serialize};

use super::world::Deps;
use crate::ledger;

/// Counted by every call that is recorded.
pub const CALLS: &str = "calls";

/// Begins the keys of effects that must not repeat.
pub const ONCE: &str = "once";

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
    /// Fails the step.
    Fail,
}

/// Does one act and adds what it brought to the lines.
pub async fn perform(
    ctx: &Context<Deps>,
    act: &Act,
    number: usize,
    lines: &mut Vec<String>,
) -> Result<(), NodeError> {
    let key = number.to_string();
    match act {
        Act::Call => lines.push(call(ctx, &key).await?),
        Act::FanOut { items, at_once } => {
            let answers = fan_out(0..*items, *at_once, |item| {
                let key = format!("{key}.{item}");
                async move { call(ctx, &key).await }
            });
            for answer in answers.await {
                lines.push(answer?);
            }
        }
        Act::Once { spends } => {
            lines.push(call_once(ctx, &format!("{ONCE} {number}"), *spends).await?);
        }
        Act::Hang => ctx.effect(key, |_| std::future::pending::<()>()).await?,
        Act::Ask { within_s } => {
            let within = within_s.map(Duration::from_secs);
            lines.push(words(&ctx.ask(key, question(within)).await?));
        }
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
            let page = || async { text(ctx.run(), ctx.step(), *bytes) };
            let page = ctx.effect(key, |_| page()).await?;
            lines.push(format!("{} bytes", page.len()));
        }
        Act::Keep(bytes) => {
            ctx.keep(text(ctx.run(), ctx.step(), *bytes));
        }
        Act::Note(bytes) => lines.push(text(ctx.run(), ctx.step(), *bytes)),
        Act::Fail => return Err(NodeError::new("it was to fail")),
    }
    Ok(())
}

/// Makes a call whose answer is recorded, good or bad.
async fn call(ctx: &Context<Deps>, key: &str) -> Result<String, NodeError> {
    let answer = ctx.effect(key, |call| async move {
        call.spend(CALLS, 1);
        made(ctx, key).await
    });
    gone_on(ctx, key, answer.await?).await
}

/// Makes a call that must not happen twice. What it spends is lost if a person has to find out whether
/// it happened.
async fn call_once(ctx: &Context<Deps>, key: &str, spends: u64) -> Result<String, NodeError> {
    let answer = ctx.once(key, |call| async move {
        if spends > 0 {
            call.spend(CALLS, spends);
        }
        made(ctx, key).await
    });
    gone_on(ctx, key, answer.await?).await
}

/// What a person enters who has found out that a call made by [`call_once`] did happen.
pub fn found_out(step: u64, key: &str) -> Option<serde_json::Value> {
    let answer: Result<String, String> = Ok(ledger::answer(step, key));
    serde_json::to_value(answer).ok()
}

async fn made(ctx: &Context<Deps>, key: &str) -> Result<String, String> {
    let answer = ctx.deps().0.call(ctx.run(), ctx.step(), key).await;
    answer.map_err(|error| format!("{error:?}"))
}

async fn gone_on(
    ctx: &Context<Deps>,
    key: &str,
    answer: Result<String, String>,
) -> Result<String, NodeError> {
    let world = &ctx.deps().0;
    world.went_on(ctx.run(), ctx.step(), key).await;
    answer.map_err(NodeError::new)
}

/// A question that may wait for ever, or for so long.
fn question(within: Option<Duration>) -> Ask {
    Ask {
        reason: "may it go on?".into(),
        show: serde_json::Value::Null,
        within,
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

/// The state of a workflow with one node, which does the acts of one turn a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptedRun {
    turns: Vec<Vec<Act>>,
    /// How often the turns are gone through.
    rounds: usize,
    done: usize,
    /// What the turns brought, or only the last one.
    pub lines: Vec<String>,
    forgets: bool,
}

impl ScriptedRun {
    /// A run that remembers what every turn brought.
    pub fn new(turns: Vec<Vec<Act>>) -> Self {
        Self {
            turns,
            rounds: 1,
            ..Self::default()
        }
    }

    /// A run of so many turns that all do the same. One that forgets keeps its state small.
    pub fn repeated(turn: Vec<Act>, rounds: usize, forgets: bool) -> Self {
        Self {
            rounds,
            forgets,
            ..Self::new(vec![turn])
        }
    }

    /// The acts of the turn that comes next; none when all are done.
    pub fn next_turn(&self) -> &[Act] {
        if self.done >= self.turns.len() * self.rounds {
            return &[];
        }
        &self.turns[self.done % self.turns.len()]
    }
}

impl State for ScriptedRun {
    type Update = Vec<String>;

    fn apply(&mut self, brought: &Vec<String>) -> Result<(), InvalidUpdate> {
        self.done += 1;
        if self.forgets {
            self.lines.clear();
        }
        self.lines.extend_from_slice(brought);
        Ok(())
    }
}

const TURN: &str = "turn";

/// More turns than any proof takes.
const MOST_TURNS: u32 = 100_000;

/// The workflow of [`ScriptedRun`].
pub fn scripted(name: &'static str) -> Result<Graph<ScriptedRun, Deps>, GraphError> {
    Graph::new(name)
        .node(TURN, turn)
        .start(TURN)
        .route(TURN, [TURN, END], |run: &ScriptedRun| {
            if run.next_turn().is_empty() {
                END
            } else {
                TURN
            }
        })
        .at_most(MOST_TURNS, TURN, TURN, END)
        .build()
}

async fn turn(run: &ScriptedRun, ctx: &Context<Deps>) -> NodeResult<ScriptedRun> {
    let mut lines = Vec::new();
    for (number, act) in run.next_turn().iter().enumerate() {
        perform(ctx, act, number, &mut lines).await?;
    }
    Ok(lines)
}
