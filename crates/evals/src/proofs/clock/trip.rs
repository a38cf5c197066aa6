//! The workflow whose clock jumps: stages drawn by chance, one a step.

use std::time::Duration;

use fathom_workflow::interrupt::{Answer, Ask};
use fathom_workflow::{Context, END, Graph, GraphError, InvalidUpdate, NodeResult, State};
use rand::Rng;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

const STAGES: usize = 6;
const STAGE: &str = "stage";
const RESCUE: &str = "rescue";
const GATE: &str = "gate";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// A call that returns at once.
    Work,
    /// A question with a deadline, or a timer if nobody answers.
    Gate { within_s: Option<u64> },
    /// A call that never returns.
    Stuck,
}

impl Stage {
    /// How long it waits for an answer.
    pub(super) fn within(&self) -> Option<Duration> {
        match self {
            Self::Gate { within_s } => within_s.map(Duration::from_secs),
            Self::Work | Self::Stuck => None,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Trip {
    pub(super) stages: Vec<Stage>,
    pub(super) passed: Vec<Passed>,
    rescued: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Passed {
    Work,
    Gate(Answer),
    Rescue,
}

impl State for Trip {
    type Update = Passed;

    fn apply(&mut self, passed: &Passed) -> Result<(), InvalidUpdate> {
        match passed {
            Passed::Rescue => self.rescued = true,
            Passed::Work | Passed::Gate(_) => self.passed.push(passed.clone()),
        }
        Ok(())
    }
}

impl Trip {
    /// A trip has calls that never return only if something ends them.
    pub(super) fn draw(rng: &mut SmallRng, limited: bool) -> Self {
        let stages = (0..rng.random_range(1..=STAGES)).map(|_| match rng.random_range(0..10) {
            0..=2 => Stage::Work,
            3 if limited => Stage::Stuck,
            4 => Stage::Gate { within_s: None },
            _ => Stage::Gate {
                within_s: Some(some_time(rng).as_secs()),
            },
        });
        Self {
            stages: stages.collect(),
            passed: Vec::new(),
            rescued: false,
        }
    }
}

pub(super) fn graph() -> Result<Graph<Trip, ()>, GraphError> {
    Graph::new("trip")
        .node(STAGE, stage)
        .node(RESCUE, rescue)
        .start(STAGE)
        .route(STAGE, [STAGE, END], |trip: &Trip| {
            if trip.passed.len() < trip.stages.len() {
                STAGE
            } else {
                END
            }
        })
        .at_most(STAGES as u32, STAGE, STAGE, END)
        .edge(RESCUE, END)
        .rescue(RESCUE)
        .build()
}

async fn stage(trip: &Trip, ctx: &Context<()>) -> NodeResult<Trip> {
    match &trip.stages[trip.passed.len()] {
        Stage::Work => {
            ctx.effect("work", |_| async {}).await?;
            Ok(Passed::Work)
        }
        gate @ Stage::Gate { .. } => {
            let ask = Ask {
                reason: "may it go on?".into(),
                show: serde_json::Value::Null,
                within: gate.within(),
            };
            Ok(Passed::Gate(ctx.ask(GATE, ask).await?))
        }
        Stage::Stuck => {
            ctx.effect("stuck", |_| std::future::pending::<()>())
                .await?;
            Ok(Passed::Work)
        }
    }
}

async fn rescue(_: &Trip, _: &Context<()>) -> NodeResult<Trip> {
    Ok(Passed::Rescue)
}

/// A second to three years, short ones as likely as long ones.
pub(super) fn some_time(rng: &mut SmallRng) -> Duration {
    let scale = [1, 60, 3_600, 86_400, 31_536_000][rng.random_range(0..5)];
    Duration::from_secs(scale * rng.random_range(1..=3))
}
