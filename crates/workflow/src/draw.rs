//! Draws a workflow's graph as Mermaid, Graphviz DOT or SVG, with the way a run went marked on it.
//!
//! It takes an [`Outline`] and, for a run, the metadata of its recorded steps; it gives text. It
//! reads no store and writes no file.

mod dot;
mod mermaid;
mod scene;
mod svg;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::record::{Name, StepKind, StepMeta};
use crate::{END, Outline};
use scene::Scene;

/// Draws `outline`, and marks `path` on it if there is one.
pub fn draw(outline: &Outline, path: Option<&RunPath>, format: Format) -> String {
    let scene = Scene::new(outline, path);
    match format {
        Format::Mermaid => mermaid::write(&scene),
        Format::Dot => dot::write(&scene),
        Format::Svg => svg::write(&scene),
    }
}

/// What a drawing is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text that Markdown viewers draw.
    Mermaid,
    /// Text for Graphviz.
    Dot,
    /// A picture that needs nothing else.
    Svg,
}

/// A format that is none of those there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a graph cannot be drawn as \"{given}\"; choose mermaid, dot or svg")]
pub struct UnknownFormat {
    /// What was asked for.
    pub given: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "mermaid" => Ok(Self::Mermaid),
            "dot" => Ok(Self::Dot),
            "svg" => Ok(Self::Svg),
            other => Err(UnknownFormat {
                given: other.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mermaid => "mermaid",
            Self::Dot => "dot",
            Self::Svg => "svg",
        })
    }
}

/// The way a run went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunPath {
    visits: BTreeMap<Name, u32>,
    /// How often the run went from one node to another; the other may be [`END`].
    taken: BTreeMap<(Name, Name), u32>,
    /// The node that runs next, or is under way.
    current: Option<Name>,
    done: bool,
}

impl RunPath {
    /// Follows recorded steps, given in their order.
    pub fn from_steps<'a>(steps: impl IntoIterator<Item = &'a StepMeta>) -> Self {
        let mut path = Self::default();
        for step in steps {
            match step.kind {
                // A base is a state put in place, not a node that ran.
                StepKind::Base { .. } => {}
                StepKind::Update | StepKind::Cut(_) => path.count(step),
            }
            path.current = step.next.clone();
            path.done = step.next.is_none();
        }
        path
    }

    fn count(&mut self, step: &StepMeta) {
        let to = step.next.clone().unwrap_or(Name::Borrowed(END));
        *self.visits.entry(step.node.clone()).or_default() += 1;
        *self.taken.entry((step.node.clone(), to)).or_default() += 1;
    }
}

#[cfg(test)]
mod tests;
