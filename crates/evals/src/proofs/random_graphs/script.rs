//! A workflow drawn by chance: its graph, and what each of its nodes does.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::{Result, bail};
use fathom_workflow::{END, Graph, GraphError, NodeName};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use crate::proofs::scripted::{Act, ScriptedRun, play};
use crate::proofs::world::Deps;

const NAMES: [NodeName; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// How long the longest run of a graph may be.
const MOST_STEPS: RangeInclusive<u64> = 8..=20;

/// Most draws are refused, because their graphs do not pass the checks or are too large.
const MOST_DRAWS: usize = 2_000;

/// Where a node leads.
#[derive(Clone, Debug)]
struct Exits {
    targets: Vec<NodeName>,
    bounds: Vec<(NodeName, u32, NodeName)>,
    /// Whether its route may name a node that it did not declare.
    strays: bool,
}

/// A drawn graph, and what its nodes do.
#[derive(Clone, Debug)]
pub(super) struct Script {
    acts: BTreeMap<NodeName, Vec<Act>>,
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
            let fits = |graph: Graph<_, _>| MOST_STEPS.contains(&graph.most_steps());
            if script.graph().is_ok_and(fits) {
                // Only the run's deadline ends a call that never returns.
                if may_hang && script.time_limit.is_some() && chance.random_bool(0.5) {
                    let last = script.acts.values_mut().next_back();
                    last.into_iter().for_each(|acts| acts.push(Act::Hang));
                }
                return Ok(script);
            }
        }
        bail!("{MOST_DRAWS} graphs in a row did not pass the checks")
    }

    fn draw_any(chance: &mut StdRng, names: &[NodeName]) -> Self {
        let (mut acts, mut exits) = (BTreeMap::new(), BTreeMap::new());
        for (at, name) in names.iter().enumerate() {
            exits.insert(*name, draw_exits(chance, names, at));
            acts.insert(*name, draw_acts(chance));
        }
        let rescue = names[chance.random_range(1..names.len())];
        let time_limit = Duration::from_secs(chance.random_range(60..2_000));
        Self {
            acts,
            exits,
            time_limit: chance.random_bool(0.3).then_some(time_limit),
            rescue: chance.random_bool(0.5).then_some(rescue),
            seed: chance.random(),
        }
    }

    /// What its run begins with.
    pub(super) fn first_state(&self) -> ScriptedRun {
        let acts = self.acts.iter();
        ScriptedRun::by_node(acts.map(|(node, acts)| ((*node).to_owned(), vec![acts.clone()])))
    }

    pub(super) fn graph(&self) -> Result<Graph<ScriptedRun, Deps>, GraphError> {
        let mut builder = Graph::new("drawn").start(NAMES[0]);
        for (&name, exits) in &self.exits {
            builder = builder.node(name, play);
            builder = match exits.targets.as_slice() {
                [only] => builder.edge(name, only),
                several => {
                    let (seed, exits) = (self.seed, exits.clone());
                    builder.route(name, several.iter().copied(), move |run| {
                        choose(seed, name, run, &exits)
                    })
                }
            };
            for (to, times, otherwise) in &exits.bounds {
                builder = builder.at_most(*times, name, to, otherwise);
            }
        }
        if let Some(rescue) = self.rescue {
            builder = builder.rescue(rescue);
        }
        builder.build()
    }
}

/// A choice by chance that depends on the state alone.
fn choose(seed: u64, name: NodeName, run: &ScriptedRun, exits: &Exits) -> NodeName {
    let (visits, lines) = (run.visits(name), run.lines.len() as u64);
    let mark = seed ^ u64::from(name.as_bytes()[0]) ^ (visits << 8) ^ (lines << 16);
    let mut chance = StdRng::seed_from_u64(mark);
    if exits.strays && chance.random_bool(0.2) {
        return "nowhere";
    }
    exits.targets.choose(&mut chance).copied().unwrap_or(END)
}

fn draw_exits(chance: &mut StdRng, names: &[NodeName], at: usize) -> Exits {
    let named = |nth: usize| names.get(nth).copied().unwrap_or(END);
    let ahead = |chance: &mut StdRng| named(chance.random_range(at + 1..=names.len()));
    let next = chance.random_bool(0.9);
    let mut targets = vec![if next { named(at + 1) } else { ahead(chance) }];
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

fn draw_acts(chance: &mut StdRng) -> Vec<Act> {
    let count = chance.random_range(0..4);
    let mut acts: Vec<Act> = (0..count).map(|_| draw_act(chance)).collect();
    acts.push(Act::Draw);
    match chance.random_range(0..60) {
        0 | 1 => acts.push(Act::Fail),
        2 => acts.push(Act::Misfit),
        _ => {}
    }
    acts
}

fn draw_act(chance: &mut StdRng) -> Act {
    match chance.random_range(0..22) {
        0..=6 => Act::Call,
        7..=10 => Act::FanOut {
            items: chance.random_range(2..6),
            at_once: chance.random_range(1..4),
        },
        11..=13 => Act::Once { spends: 1 },
        14 | 15 => {
            let seconds = chance.random_range(1..5_000);
            let within_s = chance.random_bool(0.6).then_some(seconds);
            Act::Ask { within_s }
        }
        16 => Act::AskAndGoOn,
        17 | 18 => Act::Park {
            for_ms: chance.random_range(1..3_000_000),
        },
        19 | 20 => Act::Spend(chance.random_range(1..100)),
        _ => Act::Keep(50),
    }
}
