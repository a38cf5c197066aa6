//! A graph as an SVG picture that needs nothing else: no script, no font, no style of the page.
//!
//! It follows the reader's light or dark theme. The layout is a module of its own; this file gives
//! it sizes, and spells out what comes back.

mod layout;
mod text;

use super::scene::{Arrow, ArrowKind, NodeShape, Scene, SceneNode};
use layout::{Area, HEAD, Layout, Link, Point, Route, Size};
use text::{escape, shorten, width_of};

/// Every rule names the picture's own class: a style inside a page's SVG reaches the whole page.
const STYLE: &str = include_str!("svg/style.css");

const NAME_SIZE: f64 = 14.0;
const NOTE_SIZE: f64 = 11.5;
const BOX_HEIGHT: f64 = 42.0;
const LEAST_BOX_WIDTH: f64 = 116.0;
const BOX_PADDING: f64 = 18.0;
const LABEL_PADDING: f64 = 4.0;
const END_HEIGHT: f64 = 32.0;
const LEAST_END_WIDTH: f64 = 68.0;
const ENTRY_WIDTH: f64 = 12.0;
/// A name is shown up to so many characters; all of it can be read by hovering.
const NAME_CHARS: usize = 32;

pub(super) fn write(scene: &Scene) -> String {
    let sizes: Vec<Size> = scene.nodes.iter().map(size).collect();
    let links: Vec<Link> = scene.arrows.iter().map(link).collect();
    let layout = layout::layout(&sizes, &links);

    let mut lines = head(scene, &layout.page);
    lines.extend(arrows(scene, &layout));
    lines.extend(labels(scene, &layout));
    for (node, area) in scene.nodes.iter().zip(&layout.boxes) {
        lines.push(draw_node(node, area));
    }
    lines.push("</svg>\n".to_owned());
    lines.join("\n")
}

fn size(node: &SceneNode) -> Size {
    let text = width_of(&shown(node), NAME_SIZE) + 2.0 * BOX_PADDING;
    let (width, height) = match node.shape {
        NodeShape::Entry => (ENTRY_WIDTH, ENTRY_WIDTH),
        NodeShape::Step(_) => (text.max(LEAST_BOX_WIDTH), BOX_HEIGHT),
        NodeShape::End => (text.max(LEAST_END_WIDTH), END_HEIGHT),
    };
    Size { width, height }
}

fn shown(node: &SceneNode) -> String {
    let name = shorten(node.name, NAME_CHARS);
    match node.count() {
        Some(count) => format!("{name} {count}"),
        None => name,
    }
}

fn link(arrow: &Arrow) -> Link {
    let label = arrow.label.as_ref();
    Link {
        from: arrow.from,
        to: arrow.to,
        label_width: label.map(|label| width_of(label, NOTE_SIZE) + 2.0 * LABEL_PADDING),
    }
}

fn head(scene: &Scene, page: &Area) -> Vec<String> {
    let Size { width, height } = page.size;
    vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fathom-graph\" role=\"img\" \
             viewBox=\"{} {} {width} {height}\" width=\"{width}\" height=\"{height}\">",
            page.left(),
            page.top(),
        ),
        format!("<title>{}</title>", escape(scene.name)),
        format!("<desc>{}</desc>", escape(&text::describe(scene))),
        format!("<style>\n{STYLE}</style>"),
        format!("<g class=\"page\">{}</g>", rect(page, 8.0)),
    ]
}

/// Arrows that were taken are drawn last, over the others.
fn arrows(scene: &Scene, layout: &Layout) -> Vec<String> {
    let mut arrows: Vec<_> = scene.arrows.iter().zip(&layout.routes).collect();
    arrows.sort_by_key(|(arrow, _)| arrow.is_taken());
    let draw = |(arrow, route): (&Arrow, &Route)| draw_arrow(arrow, route);
    arrows.into_iter().map(draw).collect()
}

fn draw_arrow(arrow: &Arrow, route: &Route) -> String {
    let kind = match arrow.kind {
        ArrowKind::Always => "always",
        ArrowKind::Choice => "choice",
        ArrowKind::Bounded { .. } => "bounded",
        ArrowKind::Undeclared => "undeclared",
    };
    let taken = if arrow.is_taken() { " taken" } else { "" };
    format!(
        "<g class=\"edge {kind}{taken}\"><path class=\"line\" d=\"{}\"/><path class=\"tip\" d=\"{}\"/></g>",
        line(route),
        tip(route)
    )
}

/// The line of an arrow, drawn from its end: dashes of arrows that share a lane then coincide.
fn line(route: &Route) -> String {
    const CORNER: f64 = 12.0;
    let mut points = route.iter().rev().copied();
    let Some(mut from) = points.next() else {
        return String::new();
    };
    let mut line = format!("M{}", pair(from));
    let mut points = points.peekable();
    while let Some(to) = points.next() {
        line.push_str(&match points.peek() {
            Some(&next) => {
                let room = distance(from, to).min(distance(to, next)) / 2.0;
                let [a, b] = [from, next].map(|end| towards(to, end, CORNER.min(room)));
                format!("L{}Q{} {}", pair(a), pair(to), pair(b))
            }
            None => format!("L{}", pair(to)),
        });
        from = to;
    }
    line
}

fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

/// The point at a distance from one point on the way to another.
fn towards(from: Point, to: Point, length: f64) -> Point {
    let share = length / distance(from, to).max(1e-9);
    Point {
        x: from.x + (to.x - from.x) * share,
        y: from.y + (to.y - from.y) * share,
    }
}

/// The head of an arrow, which begins where its line ends. A line ends level or going down.
fn tip(route: &Route) -> String {
    const HALF_WIDTH: f64 = 4.5;
    let [.., before, end] = route.as_slice() else {
        return String::new();
    };
    let (across, down) = if before.y == end.y {
        ((end.x - before.x).signum(), 0.0)
    } else {
        (0.0, 1.0)
    };
    let at = |along: f64, aside: f64| {
        pair(Point {
            x: end.x + across * along - down * aside,
            y: end.y + down * along + across * aside,
        })
    };
    let (left, right) = (at(-1.0, -HALF_WIDTH), at(-1.0, HALF_WIDTH));
    format!("M{left}L{}L{right}Z", at(HEAD - 1.0, 0.0))
}

fn labels(scene: &Scene, layout: &Layout) -> Vec<String> {
    let mut lines = Vec::new();
    for (arrow, area) in scene.arrows.iter().zip(&layout.labels) {
        let (Some(label), Some(area)) = (&arrow.label, area) else {
            continue;
        };
        let taken = if arrow.is_taken() { " taken" } else { "" };
        lines.push(format!(
            "<g class=\"label{taken}\">{}{}</g>",
            rect(area, area.size.height / 2.0),
            words("note", area.middle, 4.0, &escape(label))
        ));
    }
    lines
}

fn draw_node(node: &SceneNode, area: &Area) -> String {
    let kind = match node.shape {
        NodeShape::Entry => "entry",
        NodeShape::Step(_) => "step",
        NodeShape::End => "end",
    };
    let mut class = format!("node {kind}");
    for (mark, bears) in [
        (" rescue", node.rescue),
        (" visited", node.visited()),
        (" current", node.current),
    ] {
        class.push_str(if bears { mark } else { "" });
    }
    if node.shape == NodeShape::Entry {
        return format!(
            "<g class=\"{class}\">{}</g>",
            rect(area, area.size.height / 2.0)
        );
    }
    let radius = match node.shape {
        NodeShape::End => area.size.height / 2.0,
        NodeShape::Entry | NodeShape::Step(_) => 8.0,
    };
    let mut name = escape(&shorten(node.name, NAME_CHARS));
    if let Some(count) = node.count() {
        name.push_str(&format!(" <tspan class=\"count\">{count}</tspan>"));
    }
    let text = if node.rescue {
        words("name", area.middle, -1.0, &name) + &words("note", area.middle, 14.0, "rescue")
    } else {
        words("name", area.middle, 5.0, &name)
    };
    let title = escape(node.name);
    let rect = rect(area, radius);
    format!("<g class=\"{class}\"><title>{title}</title>{rect}{text}</g>")
}

fn rect(area: &Area, radius: f64) -> String {
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        tenths(area.left()),
        tenths(area.top()),
        tenths(area.size.width),
        tenths(area.size.height),
        tenths(radius)
    )
}

/// Text around the middle of a box. Viewers disagree on how to centre text upright, so the baseline
/// is given: `down` is its distance below the middle.
fn words(class: &str, middle: Point, down: f64, escaped: &str) -> String {
    let (x, y) = (tenths(middle.x), tenths(middle.y + down));
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{escaped}</text>")
}

fn pair(point: Point) -> String {
    format!("{} {}", tenths(point.x), tenths(point.y))
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
