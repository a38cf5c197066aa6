//! The checks that make a run's end a property of its graph.

use std::collections::{BTreeMap, BTreeSet};

use super::{END, EdgeBound, NodeName};

/// What is wrong with a graph, naming the nodes to look at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each variant is told by its message, with its fields in it"
)]
pub enum GraphError {
    #[error("the graph has no start; name one with `start`")]
    NoStart,
    #[error("two nodes are named \"{node}\"; names are saved in logs and must differ")]
    DuplicateNode { node: NodeName },
    #[error("\"{END}\" is where runs end; no node may have that name")]
    ReservedName,
    #[error("\"{node}\" is named by {by}, but there is no such node")]
    UnknownNode { node: NodeName, by: String },
    #[error("node \"{node}\" has no edge and no route out; lead it to END if it is the last")]
    NoExit { node: NodeName },
    #[error(
        "node \"{node}\" has more than one edge or route out; use one `route` with all targets"
    )]
    SecondExit { node: NodeName },
    #[error("node \"{node}\" has two phases")]
    SecondPhase { node: NodeName },
    #[error("no run can reach {}", quoted(.nodes))]
    Unreachable { nodes: Vec<NodeName> },
    #[error(
        "the cycle {} has no bound; give one of its edges one with `at_most`",
        .nodes.join(" -> ")
    )]
    UnboundedCycle { nodes: Vec<NodeName> },
    #[error("`at_most` bounds {from} -> {to}, but there is no such edge")]
    BoundWithoutEdge { from: NodeName, to: NodeName },
    #[error("{from} -> {to} has two bounds")]
    SecondBound { from: NodeName, to: NodeName },
    #[error(
        "when {from} -> {to} is used up the run would go to {otherwise}, which is bounded itself; divert it to a target without a bound"
    )]
    BoundedDiversion {
        from: NodeName,
        to: NodeName,
        otherwise: NodeName,
    },
}

fn quoted(nodes: &[NodeName]) -> String {
    let quoted: Vec<String> = nodes.iter().map(|node| format!("\"{node}\"")).collect();
    quoted.join(", ")
}

/// A graph as declared, without its code.
pub(super) struct GraphShape {
    pub(super) start: Option<NodeName>,
    pub(super) rescue: Option<NodeName>,
    pub(super) nodes: Vec<NodeName>,
    pub(super) phases: Vec<NodeName>,
    pub(super) exits: Vec<(NodeName, Vec<NodeName>)>,
    pub(super) bounds: Vec<(NodeName, NodeName, EdgeBound)>,
}

#[derive(Debug)]
pub(super) struct CheckedGraph {
    pub(super) start: NodeName,
    pub(super) most_steps: u64,
}

pub(super) fn check(shape: &GraphShape) -> Result<CheckedGraph, GraphError> {
    let start = shape.start.ok_or(GraphError::NoStart)?;
    check_names(shape, start)?;
    let exits = check_exits(shape)?;
    check_bounds(shape, &exits)?;

    let (free, all) = edges(shape, &exits);
    check_reach(shape, start, &all)?;
    let longest = longest_path(&shape.nodes, &free)?;
    let uses: u64 = shape
        .bounds
        .iter()
        .map(|(_, _, bound)| u64::from(bound.times))
        .sum();
    let rescues = u64::from(shape.rescue.is_some());
    Ok(CheckedGraph {
        start,
        most_steps: longest.saturating_mul(1 + uses + rescues),
    })
}

fn check_names(shape: &GraphShape, start: NodeName) -> Result<(), GraphError> {
    let mut known = BTreeSet::new();
    for &node in &shape.nodes {
        if node == END {
            return Err(GraphError::ReservedName);
        }
        if !known.insert(node) {
            return Err(GraphError::DuplicateNode { node });
        }
    }
    let must_exist = |node: NodeName, by: String| {
        if known.contains(node) {
            Ok(())
        } else {
            Err(GraphError::UnknownNode { node, by })
        }
    };
    must_exist(start, "`start`".into())?;
    if let Some(rescue) = shape.rescue {
        must_exist(rescue, "`rescue`".into())?;
    }
    let mut phased = BTreeSet::new();
    for &node in &shape.phases {
        must_exist(node, "`phase`".into())?;
        if !phased.insert(node) {
            return Err(GraphError::SecondPhase { node });
        }
    }
    for (from, targets) in &shape.exits {
        must_exist(from, "an edge or route out of it".into())?;
        for &to in targets.iter().filter(|to| **to != END) {
            must_exist(to, format!("an edge or route out of \"{from}\""))?;
        }
    }
    for (from, to, bound) in &shape.bounds {
        let by = format!("the bound of {from} -> {to}");
        must_exist(from, by.clone())?;
        if bound.otherwise != END {
            must_exist(bound.otherwise, by)?;
        }
    }
    Ok(())
}

type Exits<'a> = BTreeMap<NodeName, &'a [NodeName]>;

fn check_exits(shape: &GraphShape) -> Result<Exits<'_>, GraphError> {
    let mut exits = Exits::new();
    for (from, targets) in &shape.exits {
        if exits.insert(from, targets).is_some() {
            return Err(GraphError::SecondExit { node: from });
        }
    }
    for &node in &shape.nodes {
        if exits.get(node).is_none_or(|targets| targets.is_empty()) {
            return Err(GraphError::NoExit { node });
        }
    }
    Ok(exits)
}

fn check_bounds(shape: &GraphShape, exits: &Exits<'_>) -> Result<(), GraphError> {
    let mut bounded = BTreeSet::new();
    for &(from, to, _) in &shape.bounds {
        if !exits[from].contains(&to) {
            return Err(GraphError::BoundWithoutEdge { from, to });
        }
        if !bounded.insert((from, to)) {
            return Err(GraphError::SecondBound { from, to });
        }
    }
    for (from, to, bound) in &shape.bounds {
        if bounded.contains(&(*from, bound.otherwise)) {
            let otherwise = bound.otherwise;
            return Err(GraphError::BoundedDiversion {
                from,
                to,
                otherwise,
            });
        }
    }
    Ok(())
}

type Edges = BTreeMap<NodeName, BTreeSet<NodeName>>;

/// The edges without a bound, and all of them. Diversions are edges too; END is left out.
fn edges(shape: &GraphShape, exits: &Exits<'_>) -> (Edges, Edges) {
    let (mut free, mut all) = (Edges::new(), Edges::new());
    let add = |edges: &mut Edges, from: NodeName, to: NodeName| {
        if to != END {
            edges.entry(from).or_default().insert(to);
        }
    };
    for (&from, targets) in exits {
        for &to in *targets {
            add(&mut all, from, to);
            let bounded = shape.bounds.iter().any(|(f, t, _)| (*f, *t) == (from, to));
            if !bounded {
                add(&mut free, from, to);
            }
        }
    }
    for (from, _, bound) in &shape.bounds {
        add(&mut all, from, bound.otherwise);
        add(&mut free, from, bound.otherwise);
    }
    (free, all)
}

fn check_reach(shape: &GraphShape, start: NodeName, all: &Edges) -> Result<(), GraphError> {
    let mut reached = BTreeSet::new();
    let mut frontier = vec![start];
    frontier.extend(shape.rescue);
    while let Some(node) = frontier.pop() {
        if reached.insert(node) {
            frontier.extend(all.get(node).into_iter().flatten());
        }
    }
    let nodes: Vec<NodeName> = shape
        .nodes
        .iter()
        .copied()
        .filter(|node| !reached.contains(node))
        .collect();
    if nodes.is_empty() {
        Ok(())
    } else {
        Err(GraphError::Unreachable { nodes })
    }
}

/// The number of nodes on the longest way along unbounded edges, which must hold no cycle.
fn longest_path(nodes: &[NodeName], free: &Edges) -> Result<u64, GraphError> {
    let mut walk = Walk {
        free,
        longest: BTreeMap::new(),
        trail: Vec::new(),
    };
    let mut longest = 0;
    for node in nodes {
        longest = longest.max(walk.from(node)?);
    }
    Ok(longest)
}

struct Walk<'a> {
    free: &'a Edges,
    longest: BTreeMap<NodeName, u64>,
    trail: Vec<NodeName>,
}

impl Walk<'_> {
    fn from(&mut self, node: NodeName) -> Result<u64, GraphError> {
        if let Some(known) = self.longest.get(node) {
            return Ok(*known);
        }
        if let Some(entered) = self.trail.iter().position(|on| *on == node) {
            let mut nodes = self.trail[entered..].to_vec();
            nodes.push(node);
            return Err(GraphError::UnboundedCycle { nodes });
        }
        self.trail.push(node);
        let mut beyond = 0;
        for next in self.free.get(node).into_iter().flatten() {
            beyond = beyond.max(self.from(next)?);
        }
        self.trail.pop();
        self.longest.insert(node, beyond + 1);
        Ok(beyond + 1)
    }
}
