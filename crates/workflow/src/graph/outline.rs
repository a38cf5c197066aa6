//! A graph's shape without its code, for drawing and for lists.

use super::{Graph, NodeExit, NodeName};
use crate::State;

/// A graph's shape, for drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The workflow's name.
    pub name: NodeName,
    /// The node that a run begins at.
    pub start: NodeName,
    /// The node that a run goes to when a step fails.
    pub rescue: Option<NodeName>,
    /// In the order they were declared.
    pub nodes: Vec<NodeName>,
    /// `to` may be [`crate::END`].
    pub edges: Vec<OutlineEdge>,
}

/// A way from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEdge {
    /// The node it leaves.
    pub from: NodeName,
    /// The node it leads to, or [`crate::END`].
    pub to: NodeName,
    /// When a run may take it.
    pub kind: EdgeKind,
}

/// When a run takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// The only way on.
    Always,
    /// One of several.
    Choice,
    /// One that a run may take only so often.
    Bounded {
        /// How often.
        times: u32,
    },
}

impl<S: State, D: 'static> Graph<S, D> {
    /// The graph without its code, to draw or to list.
    pub fn outline(&self) -> Outline {
        let mut edges = Vec::new();
        for &from in &self.order {
            let node = &self.nodes[from];
            for to in node.targets() {
                let kind = match (node.bounds.get(to), &node.exit) {
                    (Some(bound), _) => EdgeKind::Bounded { times: bound.times },
                    (None, NodeExit::Edge(_)) => EdgeKind::Always,
                    (None, NodeExit::Route { .. }) => EdgeKind::Choice,
                };
                edges.push(OutlineEdge { from, to, kind });
            }
        }
        Outline {
            name: self.name,
            start: self.start,
            rescue: self.rescue,
            nodes: self.order.clone(),
            edges,
        }
    }
}
