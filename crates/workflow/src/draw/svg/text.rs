//! Words in a picture: how wide they are, how they are escaped, and what is said to those who
//! cannot see it.

use crate::draw::scene::{Arrow, NodeShape, Scene, SceneNode};

/// About how wide `text` is at a font size. Which font will be used is not known, so this is what
/// wide system fonts need.
pub(super) fn width_of(text: &str, font_size: f64) -> f64 {
    let ems: f64 = text.chars().map(ems).sum();
    // A multiple of four keeps the middle of two neighbours on a whole pixel.
    (ems * font_size / 4.0).ceil() * 4.0
}

fn ems(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        'A'..='Z' => 0.72,
        '\u{20}'..='\u{24f}' => 0.6,
        '…' | '≤' => 0.85,
        // Scripts whose characters fill a square, and anything not thought of.
        _ => 1.1,
    }
}

/// At most `limit` characters; a longer text loses its end.
pub(super) fn shorten(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Spells text for XML, inside an element. What XML cannot hold becomes a replacement character.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            control if control.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The picture in words.
pub(super) fn describe(scene: &Scene) -> String {
    let steps = || scene.nodes.iter().filter(|node| is_step(node));
    let names = steps().map(|node| node.name.to_owned());
    let mut said = format!("A graph of {}.", list(names));
    let starts = |arrow: &&Arrow| scene.nodes[arrow.from].shape == NodeShape::Entry;
    if let Some(start) = scene.arrows.iter().find(starts) {
        said.push_str(&format!(" It starts at {}.", scene.nodes[start.to].name));
    }
    if let Some(rescue) = steps().find(|node| node.rescue) {
        said.push_str(&format!(" Failures go to {}.", rescue.name));
    }
    if steps().any(SceneNode::visited) {
        let visited = steps().filter(|node| node.visited()).map(with_count);
        said.push_str(&format!(" The run went through {}.", list(visited)));
    }
    if let Some(current) = steps().find(|node| node.current) {
        said.push_str(&format!(" It is at {}.", current.name));
    }
    let is_reached_end = |node: &SceneNode| node.shape == NodeShape::End && node.visited();
    if scene.nodes.iter().any(is_reached_end) {
        said.push_str(" It has ended.");
    }
    said
}

fn is_step(node: &SceneNode) -> bool {
    match node.shape {
        NodeShape::Step(_) => true,
        NodeShape::Entry | NodeShape::End => false,
    }
}

fn with_count(node: &SceneNode) -> String {
    match node.count() {
        Some(count) => format!("{} {count}", node.name),
        None => node.name.to_owned(),
    }
}

fn list(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}
