//! A graph as a Mermaid flowchart, for Markdown that draws its own diagrams.

use super::scene::{Arrow, ArrowKind, NodeShape, Scene, SceneNode};

/// A mark: its name, its look, and the nodes that bear it.
type Class = (&'static str, &'static str, fn(&SceneNode) -> bool);

// Later classes overrule earlier ones. Fill and text colours are set together, so that a marked
// node is readable in either theme.
const CLASSES: [Class; 4] = [
    ("entry", "fill:#57606a,stroke:#57606a", |node| {
        node.shape == NodeShape::Entry
    }),
    ("rescue", "stroke-dasharray:3 3", |node| node.rescue),
    (
        "visited",
        "fill:#ddf4ff,stroke:#0969da,color:#1f2328",
        SceneNode::visited,
    ),
    (
        "current",
        "fill:#fff1e5,stroke:#bc4c00,stroke-width:4px,color:#1f2328",
        |node| node.current,
    ),
];
const TAKEN: &str = "stroke:#0969da,stroke-width:3px";

pub(super) fn write(scene: &Scene) -> String {
    let mut lines = vec![
        "flowchart TD".to_owned(),
        format!("    accTitle: {}", escape(scene.name)),
    ];
    lines.extend(scene.nodes.iter().map(node));
    lines.extend(scene.arrows.iter().map(|it| arrow(scene, it)));
    lines.extend(classes(scene));
    lines.extend(taken(scene));
    lines.push(String::new());
    lines.join("\n")
}

fn node(node: &SceneNode) -> String {
    let id = node.id();
    let mut label = escape(node.name);
    // Mermaid takes an empty label for a mistake.
    if label.is_empty() {
        label.push(' ');
    }
    if let Some(count) = node.count() {
        label = format!("{label} {count}");
    }
    if node.rescue {
        label = format!("{label}<br/>rescue");
    }
    match node.shape {
        NodeShape::Entry => format!("    {id}((\" \"))"),
        NodeShape::Step(_) => format!("    {id}[\"{label}\"]"),
        NodeShape::End => format!("    {id}([\"{label}\"])"),
    }
}

fn arrow(scene: &Scene, arrow: &Arrow) -> String {
    let from = scene.nodes[arrow.from].id();
    let to = scene.nodes[arrow.to].id();
    let line = match arrow.kind {
        ArrowKind::Always | ArrowKind::Choice => "-->",
        ArrowKind::Bounded { .. } | ArrowKind::Undeclared => "-.->",
    };
    match &arrow.label {
        Some(label) => format!("    {from} {line}|\"{label}\"| {to}"),
        None => format!("    {from} {line} {to}"),
    }
}

fn classes(scene: &Scene) -> Vec<String> {
    let mut lines = Vec::new();
    for (class, style, bears) in CLASSES {
        let bearers = scene.nodes.iter().filter(|node| bears(node));
        let ids: Vec<String> = bearers.map(SceneNode::id).collect();
        if !ids.is_empty() {
            lines.push(format!("    classDef {class} {style}"));
            lines.push(format!("    class {} {class}", ids.join(",")));
        }
    }
    lines
}

fn taken(scene: &Scene) -> Option<String> {
    let taken: Vec<String> = scene
        .arrows
        .iter()
        .enumerate()
        .filter(|(_, arrow)| arrow.is_taken())
        .map(|(place, _)| place.to_string())
        .collect();
    (!taken.is_empty()).then(|| format!("    linkStyle {} {TAKEN}", taken.join(",")))
}

/// Spells a name so that Mermaid shows it as it is. Letters and digits stay, whatever else could
/// mean something to Mermaid, to its Markdown or to HTML becomes a character code.
fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    let mut in_word = false;
    for character in name.chars() {
        // Within a word, a dash or underscore is no Markdown; at its start it may be.
        let joins = in_word && matches!(character, '-' | '_');
        in_word = character.is_alphanumeric();
        if in_word || joins || character == ' ' {
            escaped.push(character);
        } else if character.is_whitespace() {
            escaped.push(' ');
        } else if character.is_control() {
            escaped.push(char::REPLACEMENT_CHARACTER);
        } else {
            escaped.push_str(&format!("#{};", u32::from(character)));
        }
    }
    escaped
}
