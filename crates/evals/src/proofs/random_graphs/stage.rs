//! Where a drawn workflow plays: its nodes' one function, and the world they call.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask};
use fathom_workflow::{Context, NodeError, NodeResult, RunId, fan_out};
use rand::Rng;
use rand::rngs::StdRng;

use super::script::{Act, Chapter, Finish, Script, Tale};
use crate::ledger;
use crate::proofs::observed::Observed;

/// Counted by every call that is recorded.
pub(super) const CALLS: &str = "calls";

/// Begins the keys of effects that must not repeat.
pub(super) const ONCE: &str = "once";

pub(super) struct Stage {
    pub(super) script: Script,
    pub(super) world: Arc<Observed>,
    /// Decides how long calls take, which must not matter.
    pub(super) chance: Mutex<StdRng>,
}

/// What a call says whose turn it is to fail.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it was drawn to be refused")
    }
}

impl std::error::Error for Refused {}

impl Stage {
    async fn call(&self, run: RunId, step: u64, key: &str) -> String {
        self.world.note(run, step, key).await;
        match self.pace() {
            Pace::Turns(turns) => {
                for _ in 0..turns {
                    tokio::task::yield_now().await;
                }
            }
            Pace::Time(time) => tokio::time::sleep(time).await,
        }
        ledger::answer(step, key)
    }

    async fn try_call(
        &self,
        run: RunId,
        step: u64,
        key: &str,
        failures: u32,
    ) -> Result<String, Refused> {
        let answer = self.call(run, step, key).await;
        if self.world.times(step, key) <= failures {
            return Err(Refused);
        }
        Ok(answer)
    }

    fn pace(&self) -> Pace {
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        match chance.random_range(0..10) {
            0..=6 => Pace::Turns(chance.random_range(0..3)),
            // Around the time after which events are stored although nobody waits for it.
            7 | 8 => Pace::Time(Duration::from_millis(chance.random_range(1..60))),
            // Long enough for the lease to be prolonged.
            _ => Pace::Time(Duration::from_secs(chance.random_range(1..15))),
        }
    }
}

enum Pace {
    Turns(u32),
    Time(Duration),
}

/// Every node of every drawn graph: it does what its part says.
pub(super) async fn play(tale: &Tale, ctx: &Context<Stage>) -> NodeResult<Tale> {
    let node = ctx.node();
    let visit = tale.visits(node);
    let Some(part) = ctx.deps().script.parts.get(node) else {
        return Err(NodeError::new("the node has no part"));
    };
    let mut lines = Vec::new();
    for (number, act) in part.acts.iter().enumerate() {
        perform(ctx, act, number, &mut lines).await?;
    }
    lines.push(format!("{node} {visit} {}", ctx.random("line") % 100));
    match part.finish(visit) {
        Finish::Fail => Err(NodeError::new("it was drawn to fail")),
        finish => Ok(Chapter {
            node: node.to_owned(),
            lines,
            misfit: finish == Finish::InvalidUpdate,
        }),
    }
}

async fn perform(
    ctx: &Context<Stage>,
    act: &Act,
    number: usize,
    lines: &mut Vec<String>,
) -> Result<(), NodeError> {
    let key = format!("{number}");
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
        Act::Try { failures } => {
            let answer = ctx.try_effect(key.clone(), |call| {
                call.spend(CALLS, 1);
                async {
                    let stage = ctx.deps();
                    stage.try_call(ctx.run(), ctx.step(), &key, *failures).await
                }
            });
            lines.push(answer.await?);
            went_on(ctx, &key).await;
        }
        Act::Once => {
            let key = format!("{ONCE} {number}");
            let answer = ctx.once(key.clone(), |call| {
                call.spend(CALLS, 1);
                async { ctx.deps().call(ctx.run(), ctx.step(), &key).await }
            });
            lines.push(answer.await?);
            went_on(ctx, &key).await;
        }
        Act::Ask { within } => {
            let answer = ctx.ask(key, question(*within)).await?;
            lines.push(words(&answer));
        }
        Act::AskAndGoOn => match ctx.ask(key, question(None)).await {
            Ok(answer) => lines.push(words(&answer)),
            Err(_swallowed) => lines.push("never to be recorded".into()),
        },
        Act::Spend(amount) => ctx.spend("coins", *amount),
        Act::Keep => {
            ctx.keep(lines.concat().into_bytes());
        }
    }
    Ok(())
}

async fn call(ctx: &Context<Stage>, key: &str) -> Result<String, NodeError> {
    let answer = ctx.effect(key, |call| async move {
        call.spend(CALLS, 1);
        ctx.deps().call(ctx.run(), ctx.step(), key).await
    });
    let answer = answer.await?;
    went_on(ctx, key).await;
    Ok(answer)
}

async fn went_on(ctx: &Context<Stage>, key: &str) {
    let world = &ctx.deps().world;
    world.went_on(ctx.run(), ctx.step(), key).await;
}

fn question(within: Option<Duration>) -> Ask {
    Ask {
        reason: "it was drawn to ask".into(),
        show: serde_json::Value::Null,
        within,
    }
}

fn words(answer: &Answer) -> String {
    match answer {
        Answer::Decided { decision, .. } => format!("{:?}", decision.verdict),
        Answer::TimedOut { .. } => "timed out".into(),
    }
}
