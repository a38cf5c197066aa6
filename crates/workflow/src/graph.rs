//! The shape of a workflow: nodes, edges, routes, and a bound on every cycle.
//!
//! ```
//! # use fathom_workflow::*;
//! # #[derive(serde::Serialize, serde::Deserialize)] struct Essay { drafts: u32 }
//! # impl State for Essay { type Update = (); fn apply(&mut self, _: &()) -> Result<(), InvalidUpdate> { self.drafts += 1; Ok(()) } }
//! # async fn write(_: &Essay, _: &Context<()>) -> NodeResult<Essay> { Ok(()) }
//! # async fn review(_: &Essay, _: &Context<()>) -> NodeResult<Essay> { Ok(()) }
//! const WRITE: &str = "write";
//! const REVIEW: &str = "review";
//!
//! let graph = Graph::<Essay, ()>::new("essay")
//!     .node(WRITE, write)
//!     .node(REVIEW, review)
//!     .start(WRITE)
//!     .edge(WRITE, REVIEW)
//!     .route(REVIEW, [WRITE, END], |essay| if essay.drafts < 4 { WRITE } else { END })
//!     .at_most(3, REVIEW, WRITE, END)
//!     .build()?;
//! assert_eq!(graph.most_steps(), 8);
//! # Ok::<(), GraphError>(())
//! ```

mod check;
mod outline;

use std::collections::BTreeMap;

use crate::State;
use crate::node::{BoxNode, NodeFn, boxed};
use crate::record::{LoopUse, Name, RunTally, Status};

pub use check::GraphError;
pub use outline::{EdgeKind, Outline, OutlineEdge};

/// Where a run ends. No node may have this name.
pub const END: &str = "end";

/// A node's name. It is saved in every log, so it is chosen once and written as a constant.
pub type NodeName = &'static str;

/// A checked graph: every cycle holds a bounded edge, every node can be reached, every target exists.
pub struct Graph<S: State, D> {
    name: NodeName,
    version: u32,
    start: NodeName,
    rescue: Option<NodeName>,
    ending: EndingFn<S>,
    nodes: BTreeMap<NodeName, GraphNode<S, D>>,
    /// In the order they were declared, which is the order a reader of the drawing expects.
    order: Vec<NodeName>,
    most_steps: u64,
}

pub(crate) struct GraphNode<S: State, D> {
    pub(crate) run: BoxNode<S, D>,
    phase: PhaseFn<S>,
    exit: NodeExit<S>,
    bounds: BTreeMap<NodeName, EdgeBound>,
}

/// How a run ends, as its last state tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnding {
    /// It has done all that it was started for.
    Complete,
    /// It is completed, but what it brought is less than was asked for; the sentence says why.
    Partial(String),
    /// A person wanted no more of it; the sentence says who and why. It counts as cancelled and, having
    /// no step left, cannot be resumed.
    Refused(String),
}

type EndingFn<S> = Box<dyn Fn(&S) -> RunEnding + Send + Sync>;

/// What a run's status says while a node works on a state.
type PhaseFn<S> = Box<dyn Fn(&S) -> &'static str + Send + Sync>;

enum NodeExit<S> {
    Edge(NodeName),
    Route {
        targets: Vec<NodeName>,
        choose: Box<dyn Fn(&S) -> NodeName + Send + Sync>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EdgeBound {
    times: u32,
    otherwise: NodeName,
}

/// Where a step goes, and the bounded edge it takes there, if it is one.
#[derive(Debug, PartialEq)]
pub(crate) struct StepExit {
    pub(crate) to: Option<NodeName>,
    pub(crate) looped: Option<LoopUse>,
}

impl<S: State, D: 'static> Graph<S, D> {
    /// Begins a graph. The name is saved with every run.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a graph exists only once its builder has checked it"
    )]
    pub fn new(name: NodeName) -> GraphBuilder<S, D> {
        GraphBuilder {
            name,
            version: 1,
            start: None,
            rescue: None,
            nodes: Vec::new(),
            phases: Vec::new(),
            ending: Box::new(|_| RunEnding::Complete),
            exits: Vec::new(),
            bounds: Vec::new(),
        }
    }

    /// The workflow's name.
    pub fn name(&self) -> NodeName {
        self.name
    }

    /// The version of the state that this program writes.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The node that a run begins at.
    pub fn start(&self) -> NodeName {
        self.start
    }

    /// The node that a run goes to when a step fails or its time is used up.
    pub fn rescue(&self) -> Option<NodeName> {
        self.rescue
    }

    /// The most steps a run of this graph can take: the longest way through without a bounded edge,
    /// once more for every use of one.
    pub fn most_steps(&self) -> u64 {
        self.most_steps
    }

    pub(crate) fn node(&self, name: &str) -> Option<(NodeName, &GraphNode<S, D>)> {
        self.nodes
            .get_key_value(name)
            .map(|(name, node)| (*name, node))
    }

    /// The phase a run is in while `name` works on `state`.
    pub(crate) fn phase(&self, name: &str, state: &S) -> Name {
        let phase = self
            .nodes
            .get(name)
            .map_or(RUNNING, |node| (node.phase)(state));
        match Status::parse(phase) {
            Status::Running(_) => Name::Borrowed(phase),
            // The word of another status would be read back as that status.
            _ => Name::Borrowed(RUNNING),
        }
    }

    /// How a run ends whose last state this is.
    pub(crate) fn ending(&self, state: &S) -> RunEnding {
        (self.ending)(state)
    }

    /// Chooses the way out of `node` for `state`; bounds that are used up divert it. `Err` holds a
    /// target that the graph does not name.
    pub(crate) fn leave(
        &self,
        name: NodeName,
        state: &S,
        tally: &RunTally,
    ) -> Result<StepExit, NodeName> {
        let node = &self.nodes[name];
        let chosen = match &node.exit {
            NodeExit::Edge(to) => *to,
            NodeExit::Route { targets, choose } => {
                let chosen = choose(state);
                if !targets.contains(&chosen) {
                    return Err(chosen);
                }
                chosen
            }
        };
        let Some(bound) = node.bounds.get(chosen) else {
            return Ok(StepExit {
                to: not_end(chosen),
                looped: None,
            });
        };
        let edge = edge_name(name, chosen);
        let used = tally.loops.get(edge.as_str()).copied().unwrap_or(0);
        if used >= bound.times {
            return Ok(StepExit {
                to: not_end(bound.otherwise),
                looped: None,
            });
        }
        let looped = LoopUse {
            edge: Name::Owned(edge),
            used: used + 1,
        };
        Ok(StepExit {
            to: not_end(chosen),
            looped: Some(looped),
        })
    }
}

impl<S: State, D> GraphNode<S, D> {
    /// Every node this one may lead to, diversions included, each once.
    fn targets(&self) -> Vec<NodeName> {
        let mut targets = match &self.exit {
            NodeExit::Edge(to) => vec![*to],
            NodeExit::Route { targets, .. } => targets.clone(),
        };
        for bound in self.bounds.values() {
            if !targets.contains(&bound.otherwise) {
                targets.push(bound.otherwise);
            }
        }
        targets
    }
}

/// The name under which uses of a bounded edge are counted.
pub fn edge_name(from: &str, to: &str) -> String {
    format!("{from} -> {to}")
}

fn not_end(target: NodeName) -> Option<NodeName> {
    (target != END).then_some(target)
}

const RUNNING: &str = "running";

/// Collects a graph's parts; [`GraphBuilder::build`] checks them.
pub struct GraphBuilder<S: State, D> {
    name: NodeName,
    version: u32,
    start: Option<NodeName>,
    rescue: Option<NodeName>,
    nodes: Vec<(NodeName, BoxNode<S, D>)>,
    phases: Vec<(NodeName, PhaseFn<S>)>,
    ending: EndingFn<S>,
    exits: Vec<(NodeName, NodeExit<S>)>,
    bounds: Vec<(NodeName, NodeName, EdgeBound)>,
}

impl<S: State, D: 'static> GraphBuilder<S, D> {
    /// The version of the state, 1 unless said otherwise. Raise it when an older program could no
    /// longer read what this one writes: it then refuses such a run by name instead of misreading it.
    pub fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Adds a node: an async function from a state to an update.
    pub fn node<F>(mut self, name: NodeName, node: F) -> Self
    where
        F: for<'a> NodeFn<'a, S, D> + 'static,
    {
        self.nodes.push((name, boxed(node)));
        self
    }

    /// What the run's status says while this node works; "running" where nothing is said, or where
    /// the word means another status.
    pub fn phase(
        mut self,
        node: NodeName,
        phase: impl Fn(&S) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        self.phases.push((node, Box::new(phase)));
        self
    }

    /// How a run that has come to its end is to be listed; as complete unless said otherwise.
    pub fn ending(mut self, ending: impl Fn(&S) -> RunEnding + Send + Sync + 'static) -> Self {
        self.ending = Box::new(ending);
        self
    }

    /// The node that a run begins at.
    pub fn start(mut self, node: NodeName) -> Self {
        self.start = Some(node);
        self
    }

    /// `from` always leads to `to`.
    pub fn edge(mut self, from: NodeName, to: NodeName) -> Self {
        self.exits.push((from, NodeExit::Edge(to)));
        self
    }

    /// `from` leads to the target that `choose` names. It reads the state and nothing else.
    pub fn route(
        mut self,
        from: NodeName,
        targets: impl IntoIterator<Item = NodeName>,
        choose: impl Fn(&S) -> NodeName + Send + Sync + 'static,
    ) -> Self {
        let exit = NodeExit::Route {
            targets: targets.into_iter().collect(),
            choose: Box::new(choose),
        };
        self.exits.push((from, exit));
        self
    }

    /// A run goes from `from` to `to` at most so many times; after that, to `otherwise`.
    pub fn at_most(
        mut self,
        times: u32,
        from: NodeName,
        to: NodeName,
        otherwise: NodeName,
    ) -> Self {
        self.bounds.push((from, to, EdgeBound { times, otherwise }));
        self
    }

    /// Where a run goes, once, when a node fails or its time or steps are used up.
    pub fn rescue(mut self, node: NodeName) -> Self {
        self.rescue = Some(node);
        self
    }

    /// Checks the parts and puts them together.
    pub fn build(self) -> Result<Graph<S, D>, GraphError> {
        let shape = check::GraphShape {
            start: self.start,
            rescue: self.rescue,
            nodes: self.nodes.iter().map(|(name, _)| *name).collect(),
            phases: self.phases.iter().map(|(name, _)| *name).collect(),
            exits: self
                .exits
                .iter()
                .map(|(from, exit)| match exit {
                    NodeExit::Edge(to) => (*from, vec![*to]),
                    NodeExit::Route { targets, .. } => (*from, targets.clone()),
                })
                .collect(),
            bounds: self.bounds.clone(),
        };
        let checked = check::check(&shape)?;

        let order: Vec<NodeName> = shape.nodes;
        let mut exits: BTreeMap<NodeName, NodeExit<S>> = self.exits.into_iter().collect();
        let mut phases: BTreeMap<NodeName, _> = self.phases.into_iter().collect();
        let mut nodes = BTreeMap::new();
        for (name, run) in self.nodes {
            let exit = exits
                .remove(name)
                .ok_or(GraphError::NoExit { node: name })?;
            let phase = phases
                .remove(name)
                .unwrap_or_else(|| Box::new(|_: &S| RUNNING));
            let bounds = self
                .bounds
                .iter()
                .filter(|(from, ..)| *from == name)
                .map(|(_, to, bound)| (*to, bound.clone()))
                .collect();
            nodes.insert(
                name,
                GraphNode {
                    run,
                    phase,
                    exit,
                    bounds,
                },
            );
        }
        Ok(Graph {
            name: self.name,
            version: self.version,
            start: checked.start,
            rescue: self.rescue,
            ending: self.ending,
            nodes,
            order,
            most_steps: checked.most_steps,
        })
    }
}

#[cfg(test)]
mod tests;
