//! Finds a free spot for every label on its own edge.

use super::{Area, LABEL_HEIGHT, Link, Piece, Point, Route, Size};

/// Where along a piece a label may sit, the best first.
const ALONG: [f64; 3] = [0.5, 0.38, 0.62];
/// How finely other edges are looked at when a label should keep clear of them.
const SAMPLES: usize = 24;
/// Air around a label.
const AIR: f64 = 3.0;
const HITS_BOX: usize = 10_000;
const HITS_LABEL: usize = 1_000;

/// One for each link, if it bears a label.
pub(super) fn labels(links: &[Link], boxes: &[Area], routes: &[Route]) -> Vec<Option<Area>> {
    let mut placed: Vec<Option<Area>> = Vec::new();
    for (own, link) in links.iter().enumerate() {
        let label = link.label_width.and_then(|width| {
            let height = LABEL_HEIGHT;
            let size = Size { width, height };
            let spots = spots(&routes[own]).into_iter();
            // Of spots that are equally good, the first is taken.
            spots
                .map(|middle| Area { middle, size })
                .min_by_key(|spot| cost(spot, own, boxes, routes, &placed))
        });
        placed.push(label);
    }
    placed
}

/// Points along the way, those in its middle piece first.
fn spots(route: &Route) -> Vec<Point> {
    let mut pieces: Vec<usize> = (0..route.pieces.len()).collect();
    pieces.sort_by_key(|&piece| (2 * piece + 1).abs_diff(route.pieces.len()));
    let mut spots = Vec::new();
    // A box's edge to itself is out and back, and furthest from the box between the two.
    if let [out @ Piece::Curve(..), Piece::Curve(..)] = route.pieces.as_slice() {
        spots.push(out.end());
    }
    for along in ALONG {
        spots.extend(pieces.iter().map(|&piece| at(route, piece, along)));
    }
    spots
}

/// What a spot would cover. An edge under a label is still understood, a label under a label is not.
fn cost(
    spot: &Area,
    own: usize,
    boxes: &[Area],
    routes: &[Route],
    placed: &[Option<Area>],
) -> usize {
    let mut wide = *spot;
    wide.size.width += 2.0 * AIR;
    wide.size.height += 2.0 * AIR;
    let boxes = boxes.iter().filter(|area| wide.overlaps(area)).count();
    let labels = placed.iter().flatten();
    let labels = labels.filter(|area| wide.overlaps(area)).count();
    let others = routes.iter().enumerate().filter(|(place, _)| *place != own);
    let edges = others.filter(|(_, route)| passes(route, &wide)).count();
    boxes * HITS_BOX + labels * HITS_LABEL + edges
}

pub(super) fn passes(route: &Route, area: &Area) -> bool {
    (0..route.pieces.len()).any(|piece| {
        (0..=SAMPLES).any(|step| area.holds(at(route, piece, step as f64 / SAMPLES as f64)))
    })
}

/// The point a share of the way along a piece.
fn at(route: &Route, piece: usize, share: f64) -> Point {
    let start = match piece {
        0 => route.start,
        _ => route.pieces[piece - 1].end(),
    };
    let between = |a: Point, b: Point| Point {
        x: a.x + (b.x - a.x) * share,
        y: a.y + (b.y - a.y) * share,
    };
    match route.pieces[piece] {
        Piece::Line(end) => between(start, end),
        Piece::Curve(first, second, end) => {
            let early = between(between(start, first), between(first, second));
            let late = between(between(first, second), between(second, end));
            between(early, late)
        }
    }
}
