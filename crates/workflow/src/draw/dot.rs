//! A graph in Graphviz's DOT language.

use super::scene::{Arrow, ArrowKind, NodeShape, Scene, SceneNode};

const HEADER: &str = r##"    rankdir=TB;
    nodesep=0.5;
    node [shape=box, style="rounded,filled", fillcolor="#f6f8fa", color="#8c959f", fontname="Helvetica,Arial,sans-serif", fontsize=12];
    edge [color="#8c959f", fontname="Helvetica,Arial,sans-serif", fontsize=10];"##;

pub(super) fn write(scene: &Scene) -> String {
    let mut lines = vec![
        format!("digraph {} {{", quote(scene.name)),
        HEADER.to_owned(),
    ];
    lines.extend(scene.nodes.iter().map(node));
    lines.extend(scene.arrows.iter().map(|it| arrow(scene, it)));
    lines.push("}\n".to_owned());
    lines.join("\n")
}

fn node(node: &SceneNode) -> String {
    let mut label = escape(node.name);
    if let Some(count) = node.count() {
        label = format!("{label} {count}");
    }
    if node.rescue {
        label = format!("{label}\\nrescue");
    }
    let mut attributes = match node.shape {
        NodeShape::Entry => vec![
            r##"label="", shape=circle, width=0.15, style=filled, fillcolor="#57606a""##.to_owned(),
        ],
        NodeShape::Step(_) => vec![format!("label=\"{label}\"")],
        NodeShape::End => vec![format!("label=\"{label}\", shape=ellipse, style=filled")],
    };
    if node.rescue {
        attributes.push(r#"style="rounded,filled,dotted""#.to_owned());
    }
    if node.current {
        attributes.push(r##"fillcolor="#fff1e5", color="#bc4c00", penwidth=3"##.to_owned());
    } else if node.visited() {
        attributes.push(r##"fillcolor="#ddf4ff", color="#0969da""##.to_owned());
    }
    format!("    {} [{}];", node.id(), attributes.join(", "))
}

fn arrow(scene: &Scene, arrow: &Arrow) -> String {
    let mut attributes = Vec::new();
    match arrow.kind {
        ArrowKind::Always | ArrowKind::Choice => {}
        ArrowKind::Bounded { .. } => attributes.push("style=dashed".to_owned()),
        ArrowKind::Undeclared => attributes.push("style=dotted".to_owned()),
    }
    if !arrow.leads_down() {
        attributes.push("constraint=false".to_owned());
    }
    if let Some(label) = &arrow.label {
        attributes.push(format!("label=\" {label} \""));
    }
    if arrow.is_taken() {
        attributes.push(r##"color="#0969da", penwidth=2.5"##.to_owned());
    } else if arrow.kind == ArrowKind::Choice {
        attributes.push("penwidth=0.8".to_owned());
    }
    let from = scene.nodes[arrow.from].id();
    let to = scene.nodes[arrow.to].id();
    if attributes.is_empty() {
        format!("    {from} -> {to};")
    } else {
        format!("    {from} -> {to} [{}];", attributes.join(", "))
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

/// Spells a name for the inside of a quoted string. A backslash starts an escape and an ampersand
/// an HTML entity, so both are doubled in their own way.
fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '&' => escaped.push_str("&amp;"),
            space if space.is_whitespace() => escaped.push(' '),
            control if control.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            other => escaped.push(other),
        }
    }
    escaped
}
