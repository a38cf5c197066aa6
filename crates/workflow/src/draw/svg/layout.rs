//! Where everything in a drawing goes: boxes in one column, in the order they are given, and edges between them.
//!
//! An edge to the next box goes straight down. Every other one runs upright in a lane beside the column: on the left if
//! it leads down, else on the right. Edges to the same box share a lane, which keeps a graph narrow where every node may
//! fall back to one. It takes sizes and gives positions; what the boxes show is left to the caller.

use std::collections::BTreeMap;

/// An edge to lay out, between places in the list of boxes.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The width of its label, if it bears one.
    pub(super) label_width: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A box, by its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) middle: Point,
    pub(super) size: Size,
}

impl Area {
    pub(super) fn left(&self) -> f64 {
        self.middle.x - self.size.width / 2.0
    }

    pub(super) fn right(&self) -> f64 {
        self.middle.x + self.size.width / 2.0
    }

    pub(super) fn top(&self) -> f64 {
        self.middle.y - self.size.height / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.middle.y + self.size.height / 2.0
    }

    fn overlaps(&self, other: &Area) -> bool {
        self.left() < other.right()
            && other.left() < self.right()
            && self.top() < other.bottom()
            && other.top() < self.bottom()
    }
}

/// The way of an edge as the points it runs through, each level with or straight above or below the next. The head of
/// the arrow begins at the last.
pub(super) type Route = Vec<Point>;

#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// What the picture shows; its corner need not be at zero.
    pub(super) page: Area,
    /// One for each size given.
    pub(super) boxes: Vec<Area>,
    /// One for each link given.
    pub(super) routes: Vec<Route>,
    /// One for each link given, if it bears a label.
    pub(super) labels: Vec<Option<Area>>,
}

/// How long the head of an arrow is; a route stops so far before its box.
pub(super) const HEAD: f64 = 8.0;
const LABEL_HEIGHT: f64 = 18.0;
const MARGIN: f64 = 20.0;
/// Room between boxes: an arrow's head and a label fit with air around them.
const GAP: f64 = 32.0 + LABEL_HEIGHT;
/// Room below the dot where a reader starts.
const ENTRY_GAP: f64 = 28.0;
/// Room between a lane and what is beside it.
const LANE_ROOM: f64 = 20.0;
const LANE_WIDTH: f64 = 12.0;
/// How far from the middle of its side an edge in a lane meets a box: those that leave and those that arrive stay apart.
const DOCK: f64 = 8.0;

/// Lays out boxes of the given sizes. The first one is the dot where a reader starts.
pub(super) fn layout(sizes: &[Size], links: &[Link]) -> Layout {
    let boxes = stack(sizes);
    let lanes = lanes(&boxes, links);
    let (mut routes, mut labels) = (Vec::new(), Vec::new());
    for link in links {
        let lane = link.side().map(|side| lanes[&(side, link.to)]);
        routes.push(match lane {
            Some(lane) => beside(&boxes[link.from], &boxes[link.to], lane),
            None => straight(&boxes[link.from], &boxes[link.to]),
        });
        labels.push(label(link, lane.unwrap_or(0.0), &boxes, &labels));
    }
    Layout {
        page: frame(&boxes, &routes, &labels),
        boxes,
        routes,
        labels,
    }
}

/// A side of the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

impl Link {
    /// The side whose lanes an edge takes, or `None` if it goes straight to the next box.
    fn side(&self) -> Option<Side> {
        match self.to {
            to if to == self.from + 1 => None,
            to if to > self.from => Some(Side::Left),
            _ => Some(Side::Right),
        }
    }

    /// The places that the edge passes, its ends included.
    fn span(&self) -> (usize, usize) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

fn stack(sizes: &[Size]) -> Vec<Area> {
    let mut top = 0.0;
    let mut boxes = Vec::new();
    for &size in sizes {
        let middle = Point {
            x: 0.0,
            y: top + size.height / 2.0,
        };
        let gap = if boxes.is_empty() { ENTRY_GAP } else { GAP };
        top += size.height + gap;
        boxes.push(Area { middle, size });
    }
    boxes
}

/// Where the lane of each side and target runs. Lanes past few boxes run inside those past many.
fn lanes(boxes: &[Area], links: &[Link]) -> BTreeMap<(Side, usize), f64> {
    let mut groups: BTreeMap<(Side, usize), (usize, usize, f64)> = BTreeMap::new();
    for link in links {
        if let Some(side) = link.side() {
            let ((first, last), width) = (link.span(), link.label_width.unwrap_or(0.0));
            let lane = groups
                .entry((side, link.to))
                .or_insert((first, last, LANE_WIDTH));
            *lane = (lane.0.min(first), lane.1.max(last), lane.2.max(width));
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (first, last, _))| last - first);
    // How far each side is taken beside each box.
    let half: Vec<f64> = boxes.iter().map(|area| area.size.width / 2.0).collect();
    let (mut left, mut right) = (half.clone(), half);
    let mut lanes = BTreeMap::new();
    for ((side, to), (first, last, width)) in groups {
        let (taken, sign) = match side {
            Side::Left => (&mut left[first..=last], -1.0),
            Side::Right => (&mut right[first..=last], 1.0),
        };
        let past = taken.iter().copied().fold(0.0, f64::max);
        let middle = (past + LANE_ROOM + width / 2.0).round();
        taken.fill(middle + width / 2.0);
        lanes.insert((side, to), middle * sign);
    }
    lanes
}

fn straight(from: &Area, to: &Area) -> Route {
    let x = from.middle.x;
    let at = |y| Point { x, y };
    vec![at(from.bottom()), at(to.top() - HEAD)]
}

fn beside(from: &Area, to: &Area, lane: f64) -> Route {
    let down = if from.middle.y < to.middle.y {
        1.0
    } else {
        -1.0
    };
    // A box's edge to itself is as high as the box allows, so that its label does not hide it.
    let dock = |area: &Area| {
        if from == to {
            area.size.height / 3.0
        } else {
            DOCK.min(area.size.height / 4.0)
        }
    };
    let edge = |area: &Area| area.middle.x + lane.signum() * area.size.width / 2.0;
    let (leaves, arrives) = (
        from.middle.y + down * dock(from),
        to.middle.y - down * dock(to),
    );
    let at = |x, y| Point { x, y };
    vec![
        at(edge(from), leaves),
        at(lane, leaves),
        at(lane, arrives),
        at(edge(to) + lane.signum() * HEAD, arrives),
    ]
}

/// A label's place at `x`: between two boxes, the nearest to the edge's source that covers the fewest labels; beside the
/// box for an edge to itself.
fn label(link: &Link, x: f64, boxes: &[Area], others: &[Option<Area>]) -> Option<Area> {
    let size = Size {
        width: link.label_width?,
        height: LABEL_HEIGHT,
    };
    let (first, last) = link.span();
    let gap = |above: usize| (boxes[above].bottom() + boxes[above + 1].top()) / 2.0;
    let mut heights: Vec<f64> = (first..last).map(gap).collect();
    if link.from > link.to {
        heights.reverse();
    }
    if first == last {
        heights.push(boxes[first].middle.y);
    }
    let spots = heights.into_iter().map(|y| Area {
        middle: Point { x, y },
        size,
    });
    let others: Vec<&Area> = others.iter().flatten().collect();
    spots.min_by_key(|spot| others.iter().filter(|at| at.overlaps(spot)).count())
}

/// The smallest page that holds everything, with a margin.
fn frame(boxes: &[Area], routes: &[Route], labels: &[Option<Area>]) -> Area {
    let areas = boxes.iter().chain(labels.iter().flatten());
    let corners = areas.flat_map(|area| [(area.left(), area.top()), (area.right(), area.bottom())]);
    let points = routes.iter().flatten().map(|point| (point.x, point.y));
    let (mut least, mut most) = ((0.0_f64, 0.0_f64), (0.0_f64, 0.0_f64));
    for (x, y) in corners.chain(points) {
        least = (least.0.min(x), least.1.min(y));
        most = (most.0.max(x), most.1.max(y));
    }
    let (left, top) = ((least.0 - MARGIN).floor(), (least.1 - MARGIN).floor());
    let size = Size {
        width: (most.0 + MARGIN - left).ceil(),
        height: (most.1 + MARGIN - top).ceil(),
    };
    let middle = Point {
        x: left + size.width / 2.0,
        y: top + size.height / 2.0,
    };
    Area { middle, size }
}

#[cfg(test)]
mod tests;
