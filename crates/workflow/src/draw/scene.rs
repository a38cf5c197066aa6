//! What is drawn: a graph's outline with a run's path laid over it, the same for every format.
//!
//! Nodes and arrows get their final marks and words here; the formats only spell them.

use std::collections::BTreeMap;

use super::RunPath;
use crate::record::Name;
use crate::{END, EdgeKind, NodeName, Outline};

pub(super) struct Scene {
    pub(super) name: NodeName,
    /// The entry first, then the steps as declared, then the end.
    pub(super) nodes: Vec<SceneNode>,
    pub(super) arrows: Vec<Arrow>,
}

pub(super) struct SceneNode {
    pub(super) name: NodeName,
    pub(super) shape: NodeShape,
    pub(super) rescue: bool,
    pub(super) visits: u32,
    pub(super) current: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeShape {
    /// The dot that points at the start.
    Entry,
    /// A node of the graph, with its place in the declaration.
    Step(usize),
    End,
}

pub(super) struct Arrow {
    /// Places in [`Scene::nodes`].
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: ArrowKind,
    pub(super) taken: u32,
    pub(super) label: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrowKind {
    Always,
    Choice,
    Bounded {
        times: u32,
    },
    /// A run went this way though the graph declares no such edge: it was sent to the rescue node,
    /// or the graph has changed since.
    Undeclared,
}

const ENTRY: usize = 0;

impl Scene {
    pub(super) fn new(outline: &Outline, path: Option<&RunPath>) -> Self {
        let unmarked = RunPath::default();
        let path = path.unwrap_or(&unmarked);
        let nodes = nodes(outline, path);
        let places: BTreeMap<NodeName, usize> = nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.shape != NodeShape::Entry)
            .map(|(place, node)| (node.name, place))
            .collect();

        let mut arrows = Vec::new();
        if let Some(&start) = places.get(outline.start) {
            arrows.push(entry_arrow(&nodes, start));
        }
        arrows.extend(declared(outline, path, &places));
        arrows.extend(undeclared(outline, path, &places));
        for arrow in &mut arrows {
            arrow.label = label(arrow, nodes[arrow.to].rescue);
        }
        Self {
            name: outline.name,
            nodes,
            arrows,
        }
    }
}

impl SceneNode {
    pub(super) fn visited(&self) -> bool {
        self.visits > 0
    }

    /// "×3" for a node that ran more than once.
    pub(super) fn count(&self) -> Option<String> {
        count(self.visits)
    }

    /// What the node is called in formats whose names are identifiers. Those are made up, because
    /// a node's own name may hold anything.
    pub(super) fn id(&self) -> String {
        match self.shape {
            NodeShape::Entry => "start".to_owned(),
            NodeShape::Step(place) => format!("n{place}"),
            NodeShape::End => "finish".to_owned(),
        }
    }
}

impl Arrow {
    pub(super) fn is_taken(&self) -> bool {
        self.taken > 0
    }

    /// Whether the arrow decides that its target is drawn below its source. Only edges without a
    /// bound do: they form no cycle.
    pub(super) fn leads_down(&self) -> bool {
        match self.kind {
            ArrowKind::Always | ArrowKind::Choice => true,
            ArrowKind::Bounded { .. } | ArrowKind::Undeclared => false,
        }
    }
}

fn nodes(outline: &Outline, path: &RunPath) -> Vec<SceneNode> {
    let plain = |name, shape| SceneNode {
        name,
        shape,
        rescue: false,
        visits: 0,
        current: false,
    };
    let mut nodes = vec![plain("start", NodeShape::Entry)];
    for (place, &name) in outline.nodes.iter().enumerate() {
        nodes.push(SceneNode {
            rescue: outline.rescue == Some(name),
            visits: path.visits.get(name).copied().unwrap_or(0),
            current: path.current.as_deref() == Some(name),
            ..plain(name, NodeShape::Step(place))
        });
    }
    nodes.push(SceneNode {
        visits: u32::from(path.done),
        ..plain(END, NodeShape::End)
    });
    nodes
}

fn entry_arrow(nodes: &[SceneNode], start: usize) -> Arrow {
    let entered = nodes[start].visited() || nodes[start].current;
    Arrow {
        from: ENTRY,
        to: start,
        kind: ArrowKind::Always,
        taken: u32::from(entered),
        label: None,
    }
}

type Places = BTreeMap<NodeName, usize>;

fn declared(outline: &Outline, path: &RunPath, places: &Places) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    for edge in &outline.edges {
        // An outline is plain data and may name what it does not hold; a graph's own never does.
        let (Some(&from), Some(&to)) = (places.get(edge.from), places.get(edge.to)) else {
            continue;
        };
        let way = (Name::Borrowed(edge.from), Name::Borrowed(edge.to));
        arrows.push(Arrow {
            from,
            to,
            kind: match edge.kind {
                EdgeKind::Always => ArrowKind::Always,
                EdgeKind::Choice => ArrowKind::Choice,
                EdgeKind::Bounded { times } => ArrowKind::Bounded { times },
            },
            taken: path.taken.get(&way).copied().unwrap_or(0),
            label: None,
        });
    }
    arrows
}

fn undeclared(outline: &Outline, path: &RunPath, places: &Places) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    for ((from, to), &taken) in &path.taken {
        let known = outline
            .edges
            .iter()
            .any(|edge| edge.from == from && edge.to == to);
        let ends = (places.get(from.as_ref()), places.get(to.as_ref()));
        if let (false, (Some(&from), Some(&to))) = (known, ends) {
            arrows.push(Arrow {
                from,
                to,
                kind: ArrowKind::Undeclared,
                taken,
                label: None,
            });
        }
    }
    arrows
}

fn label(arrow: &Arrow, to_rescue: bool) -> Option<String> {
    let kind = match arrow.kind {
        ArrowKind::Always | ArrowKind::Choice => None,
        ArrowKind::Bounded { times } => Some(format!("≤ {times}")),
        ArrowKind::Undeclared => to_rescue.then(|| "rescue".to_owned()),
    };
    match (kind, count(arrow.taken)) {
        (Some(kind), Some(count)) => Some(format!("{kind} · {count}")),
        (kind, count) => kind.or(count),
    }
}

fn count(times: u32) -> Option<String> {
    (times > 1).then(|| format!("×{times}"))
}
