//! A workflow drawn by chance: its graph, and what each of its nodes does.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::{Result, bail};
use fathom_workflow::{
    Context, END, Graph, GraphBuilder, GraphError, InvalidUpdate, NodeError, NodeName, NodeResult,
    State,
};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::proofs::acts::{Act, perform};
use crate::proofs::world::Deps;

const NAMES: [NodeName; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// How long the longest run of a graph may be.
const MOST_STEPS: RangeInclusive<u64> = 8..=20;

/// Most draws are refused, because their graphs do not pass the checks or are too large.
const MOST_DRAWS: usize = 2_000;

/// What the run remembers: what its nodes are to do, how often each was there, and what they brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tale {
    parts: BTreeMap<String, NodePart>,
    visits: BTreeMap<String, u32>,
    lines: Vec<String>,
}

/// What one visit of a node brings.
#[derive(Serialize, Deserialize)]
pub(super) struct Chapter {
    node: String,
    lines: Vec<String>,
    /// An update that does not fit, noticed when half of it is taken in.
    misfit: bool,
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
    fn visits(&self, node: &str) -> u32 {
        self.visits.get(node).copied().unwrap_or(0)
    }
}

/// How a visit of a node ends, once its acts are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Finish {
    Update,
    Fail,
    InvalidUpdate,
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NodePart {
    acts: Vec<Act>,
    /// By visit; the last one holds for all later visits.
    finishes: Vec<Finish>,
}

/// Where a node leads.
#[derive(Clone, Debug)]
struct Exits {
    targets: Vec<NodeName>,
    bounds: Vec<(NodeName, u32, NodeName)>,
    /// Whether its route may name a node that it did not declare.
    strays: bool,
}

/// A drawn graph and its run's first state.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) tale: Tale,
    exits: BTreeMap<NodeName, Exits>,
    pub(super) time_limit: Option<Duration>,
    rescue: Option<NodeName>,
    seed: u64,
}

impl Script {
    /// Draws until the graph passes the builder's checks.
    pub(super) fn draw(chance: &mut StdRng, may_hang: bool) -> Result<Self> {
        // Large graphs are refused more often, so the size is drawn only once.
        let names = &NAMES[..chance.random_range(3..=NAMES.len())];
        for _ in 0..MOST_DRAWS {
            let mut script = Self::draw_any(chance, names);
            if script
                .graph()
                .is_ok_and(|graph| MOST_STEPS.contains(&graph.most_steps()))
            {
                // Only the run's deadline ends a call that never returns.
                if may_hang && script.time_limit.is_some() && chance.random_bool(0.5) {
                    let last = script.tale.parts.values_mut().next_back();
                    last.into_iter().for_each(|part| part.acts.push(Act::Hang));
                }
                return Ok(script);
            }
        }
        bail!("{MOST_DRAWS} graphs in a row did not pass the checks")
    }

    fn draw_any(chance: &mut StdRng, names: &[NodeName]) -> Self {
        let (mut parts, mut exits) = (BTreeMap::new(), BTreeMap::new());
        for (at, name) in names.iter().enumerate() {
            exits.insert(*name, draw_exits(chance, names, at));
            parts.insert((*name).to_owned(), draw_part(chance));
        }
        let rescue = chance
            .random_bool(0.5)
            .then(|| names[chance.random_range(1..names.len())]);
        let seconds = Duration::from_secs(chance.random_range(60..2_000));
        let tale = Tale {
            parts,
            visits: BTreeMap::new(),
            lines: Vec::new(),
        };
        Self {
            tale,
            exits,
            time_limit: chance.random_bool(0.3).then_some(seconds),
            rescue,
            seed: chance.random(),
        }
    }

    pub(super) fn graph(&self) -> Result<Graph<Tale, Deps>, GraphError> {
        let mut builder = Graph::new("drawn").start(NAMES[0]);
        for (&name, exits) in &self.exits {
            builder = builder.node(name, play);
            builder = lead_on(builder, name, exits, self.seed);
        }
        if let Some(rescue) = self.rescue {
            builder = builder.rescue(rescue);
        }
        builder.build()
    }
}

type Builder = GraphBuilder<Tale, Deps>;

fn lead_on(mut builder: Builder, name: NodeName, exits: &Exits, seed: u64) -> Builder {
    builder = match exits.targets.as_slice() {
        [only] => builder.edge(name, only),
        several => {
            let (targets, strays) = (several.to_vec(), exits.strays);
            builder.route(name, several.iter().copied(), move |tale| {
                choose(seed, name, tale, &targets, strays)
            })
        }
    };
    for (to, times, otherwise) in &exits.bounds {
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

fn draw_exits(chance: &mut StdRng, names: &[NodeName], at: usize) -> Exits {
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
    Exits {
        targets,
        bounds,
        strays: chance.random_bool(0.05),
    }
}

fn draw_part(chance: &mut StdRng) -> NodePart {
    let acts = 0..chance.random_range(0..4);
    let acts = acts.map(|_| draw_act(chance)).collect();
    let finishes = 0..chance.random_range(1..4);
    let finishes = finishes.map(|_| draw_finish(chance)).collect();
    NodePart { acts, finishes }
}

fn draw_act(chance: &mut StdRng) -> Act {
    match chance.random_range(0..22) {
        0..=5 | 10 => Act::Call,
        6..=9 => Act::FanOut {
            items: chance.random_range(2..6),
            at_once: chance.random_range(1..4),
        },
        11..=13 => Act::Once { spends: 1 },
        14 | 15 => {
            let seconds = chance.random_range(1..5_000);
            Act::Ask {
                within_s: chance.random_bool(0.6).then_some(seconds),
            }
        }
        16 => Act::AskAndGoOn,
        17 | 18 => Act::Park {
            for_ms: chance.random_range(1..3_000_000),
        },
        19 | 20 => Act::Spend(chance.random_range(1..100)),
        _ => Act::Keep(50),
    }
}

fn draw_finish(chance: &mut StdRng) -> Finish {
    match chance.random_range(0..60) {
        0 | 1 => Finish::Fail,
        2 => Finish::InvalidUpdate,
        _ => Finish::Update,
    }
}

/// Every node of every drawn graph: it does what its part says.
async fn play(tale: &Tale, ctx: &Context<Deps>) -> NodeResult<Tale> {
    let node = ctx.node();
    let visit = tale.visits(node);
    let Some(NodePart { acts, finishes }) = tale.parts.get(node) else {
        return Err(NodeError::new("the node has no part"));
    };
    let mut lines = Vec::new();
    for (number, act) in acts.iter().enumerate() {
        perform(ctx, act, number, &mut lines).await?;
    }
    lines.push(format!("{node} {visit} {}", ctx.random("line") % 100));
    let last = finishes.len() - 1;
    match finishes[last.min(visit as usize)] {
        Finish::Fail => Err(NodeError::new("it was drawn to fail")),
        finish => Ok(Chapter {
            node: node.to_owned(),
            lines,
            misfit: finish == Finish::InvalidUpdate,
        }),
    }
}
