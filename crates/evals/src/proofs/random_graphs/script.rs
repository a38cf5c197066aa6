//! A workflow drawn by chance: its graph, and what each of its nodes does.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::{Result, bail};
use fathom_workflow::{END, Graph, GraphBuilder, InvalidUpdate, NodeName, State};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::stage::{Stage, play};

const NAMES: [NodeName; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// How long the longest run of a graph may be.
const MOST_STEPS: RangeInclusive<u64> = 8..=20;

/// Most draws are refused, because their graphs do not pass the checks or are too large.
const MOST_DRAWS: usize = 2_000;

/// What the run remembers: which node brought what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tale {
    visits: BTreeMap<String, u32>,
    lines: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Chapter {
    pub(super) node: String,
    pub(super) lines: Vec<String>,
    /// An update that does not fit, noticed when half of it is taken in.
    pub(super) misfit: bool,
}

impl State for Tale {
    type Update = Chapter;

    fn apply(&mut self, chapter: &Chapter) -> Result<(), InvalidUpdate> {
        *self.visits.entry(chapter.node.clone()).or_default() += 1;
        if chapter.misfit {
            return Err(InvalidUpdate::new("it was drawn so"));
        }
        self.lines.extend_from_slice(&chapter.lines);
        Ok(())
    }
}

impl Tale {
    pub(super) fn visits(&self, node: &str) -> u32 {
        self.visits.get(node).copied().unwrap_or(0)
    }
}

/// One thing a node does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Call,
    FanOut {
        items: u32,
        at_once: usize,
    },
    /// A call whose first tries fail, each failing its step.
    Try {
        failures: u32,
    },
    Once,
    /// A question, or with `within` a timer.
    Ask {
        within: Option<Duration>,
    },
    /// A question whose halt the node swallows, to go on as if nothing were.
    AskAndGoOn,
    Spend(u64),
    Keep,
}

/// How a visit of a node ends, once its acts are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    Update,
    Fail,
    InvalidUpdate,
}

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) acts: Vec<Act>,
    /// By visit; the last one holds for all later visits.
    finishes: Vec<Finish>,
    targets: Vec<NodeName>,
    bounds: Vec<(NodeName, u32, NodeName)>,
    /// Whether its route may name a node that it did not declare.
    strays: bool,
}

impl Part {
    pub(super) fn finish(&self, visit: u32) -> Finish {
        let last = self.finishes.len().saturating_sub(1);
        let at = (visit as usize).min(last);
        self.finishes.get(at).copied().unwrap_or(Finish::Update)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) parts: BTreeMap<NodeName, Part>,
    pub(super) time_limit: Option<Duration>,
    rescue: Option<NodeName>,
    seed: u64,
}

impl Script {
    /// Draws until the graph passes the builder's checks.
    pub(super) fn draw(chance: &mut StdRng) -> Result<Self> {
        // Large graphs are refused more often, so the size is drawn only once.
        let names = &NAMES[..chance.random_range(3..=NAMES.len())];
        for _ in 0..MOST_DRAWS {
            let script = Self::draw_any(chance, names);
            if script
                .graph()
                .is_ok_and(|graph| MOST_STEPS.contains(&graph.most_steps()))
            {
                return Ok(script);
            }
        }
        bail!("{MOST_DRAWS} graphs in a row did not pass the checks")
    }

    fn draw_any(chance: &mut StdRng, names: &[NodeName]) -> Self {
        let parts = names.iter().enumerate();
        let parts = parts.map(|(at, name)| (*name, draw_part(chance, names, at)));
        let parts = parts.collect();
        let rescue = chance
            .random_bool(0.5)
            .then(|| names[chance.random_range(1..names.len())]);
        let seconds = Duration::from_secs(chance.random_range(60..2_000));
        Self {
            parts,
            time_limit: chance.random_bool(0.3).then_some(seconds),
            rescue,
            seed: chance.random(),
        }
    }

    pub(super) fn graph(&self) -> Result<Graph<Tale, Stage>, fathom_workflow::GraphError> {
        let mut builder = Graph::new("drawn").start(NAMES[0]);
        for (&name, part) in &self.parts {
            builder = builder.node(name, play);
            builder = lead_on(builder, name, part, self.seed);
        }
        if let Some(rescue) = self.rescue {
            builder = builder.rescue(rescue);
        }
        builder.build()
    }
}

type Builder = GraphBuilder<Tale, Stage>;

fn lead_on(mut builder: Builder, name: NodeName, part: &Part, seed: u64) -> Builder {
    builder = match part.targets.as_slice() {
        [only] => builder.edge(name, only),
        several => {
            let (targets, strays) = (several.to_vec(), part.strays);
            builder.route(name, several.iter().copied(), move |tale| {
                choose(seed, name, tale, &targets, strays)
            })
        }
    };
    for (to, times, otherwise) in &part.bounds {
        builder = builder.at_most(*times, name, to, otherwise);
    }
    builder
}

/// A choice by chance that depends on the state alone.
fn choose(seed: u64, name: NodeName, tale: &Tale, targets: &[NodeName], strays: bool) -> NodeName {
    let visits = u64::from(tale.visits(name));
    let mark =
        seed ^ u64::from(name.as_bytes()[0]) ^ (visits << 8) ^ ((tale.lines.len() as u64) << 16);
    let mut chance = StdRng::seed_from_u64(mark);
    if strays && chance.random_bool(0.2) {
        return "nowhere";
    }
    targets.choose(&mut chance).copied().unwrap_or(END)
}

fn draw_part(chance: &mut StdRng, names: &[NodeName], at: usize) -> Part {
    let next = names.get(at + 1).copied().unwrap_or(END);
    let ahead = |chance: &mut StdRng| {
        let other = chance.random_range(at + 1..=names.len());
        names.get(other).copied().unwrap_or(END)
    };
    let mut targets = vec![if chance.random_bool(0.9) {
        next
    } else {
        ahead(chance)
    }];
    let mut bounds = Vec::new();
    if chance.random_bool(0.2) {
        targets.push(ahead(chance));
    }
    if chance.random_bool(1.5 / names.len() as f64) {
        let back = names[chance.random_range(0..=at)];
        targets.push(back);
        // Without a bound the graph is refused, which is tried too.
        if chance.random_bool(0.95) {
            bounds.push((back, chance.random_range(1..=3), targets[0]));
        }
    }
    if chance.random_bool(0.1) {
        bounds.push((targets[0], chance.random_range(0..=2), END));
    }
    targets.dedup();
    let acts = (0..chance.random_range(0..4))
        .map(|_| draw_act(chance))
        .collect();
    let finishes = (0..chance.random_range(1..4))
        .map(|_| draw_finish(chance))
        .collect();
    Part {
        acts,
        finishes,
        targets,
        bounds,
        strays: chance.random_bool(0.05),
    }
}

fn draw_act(chance: &mut StdRng) -> Act {
    match chance.random_range(0..20) {
        0..=5 => Act::Call,
        6..=9 => Act::FanOut {
            items: chance.random_range(2..6),
            at_once: chance.random_range(1..4),
        },
        10 => Act::Try {
            failures: [0, 0, 0, 1, 2][chance.random_range(0..5)],
        },
        11..=13 => Act::Once,
        14 | 15 => {
            let within = Duration::from_secs(chance.random_range(1..5_000));
            Act::Ask {
                within: chance.random_bool(0.6).then_some(within),
            }
        }
        16 => Act::AskAndGoOn,
        17 | 18 => Act::Spend(chance.random_range(1..100)),
        _ => Act::Keep,
    }
}

fn draw_finish(chance: &mut StdRng) -> Finish {
    match chance.random_range(0..60) {
        0 | 1 => Finish::Fail,
        2 => Finish::InvalidUpdate,
        _ => Finish::Update,
    }
}
