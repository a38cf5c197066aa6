//! Draws the way of every edge, and finds a spot on it for its label.
//!
//! An edge to the next row goes straight there. Every other edge runs upright in a lane beside the
//! boxes: on the left if it leads down, else on the right. Edges to the same box share a lane, which
//! keeps a graph narrow where every node may fall back to one.

use std::collections::BTreeMap;

use super::place::Row;
use super::{Area, HEAD, LABEL_HEIGHT, Link, Point, Route, Size};

/// Room between a lane and what is beside it.
const LANE_ROOM: f64 = 20.0;
const LANE_WIDTH: f64 = 12.0;
/// How far from a row edges run along it, where a neighbour is in the way of the lane.
const TRACK: f64 = 10.0;
/// How far from the middle of its side an edge in a lane meets a box: those that leave and those
/// that arrive stay apart.
const DOCK: f64 = 8.0;
/// Where along an edge to the next row its label may sit, the best first.
const ALONG: [f64; 3] = [0.5, 0.4, 0.6];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn sign(self) -> f64 {
        match self {
            Self::Left => -1.0,
            Self::Right => 1.0,
        }
    }

    /// The coordinate of the box's edge on this side.
    fn edge(self, area: &Area) -> f64 {
        area.middle.x + self.sign() * area.size.width / 2.0
    }
}

/// Boxes that have their place, with the rows they are in.
pub(super) struct Placed<'a> {
    pub(super) boxes: &'a [Area],
    pub(super) rows: &'a [Row],
    pub(super) layers: &'a [usize],
}

impl Placed<'_> {
    /// The side whose lanes an edge takes, or `None` if it goes straight to the next row.
    fn side(&self, link: &Link) -> Option<Side> {
        let (from, to) = (self.layers[link.from], self.layers[link.to]);
        match link.detour {
            _ if from + 1 == to => None,
            false if from < to => Some(Side::Left),
            _ => Some(Side::Right),
        }
    }

    /// Whether no other box of the row lies between a box and the lanes on a side.
    fn is_outermost(&self, place: usize, side: Side) -> bool {
        let row = &self.rows[self.layers[place]].boxes;
        let outermost = match side {
            Side::Left => row.first(),
            Side::Right => row.last(),
        };
        outermost == Some(&place)
    }

    /// Where the lane of each side and target runs. Lanes past few rows run inside those past many.
    fn lanes(&self, links: &[Link]) -> BTreeMap<(Side, usize), f64> {
        let mut groups: BTreeMap<(Side, usize), Lane> = BTreeMap::new();
        for link in links {
            let Some(side) = self.side(link) else {
                continue;
            };
            let own = Lane::new(self.layers[link.from], self.layers[link.to], link);
            let group = groups.entry((side, link.to)).or_insert(own);
            group.first = group.first.min(own.first);
            group.last = group.last.max(own.last);
            group.width = group.width.max(own.width);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, lane)| lane.last - lane.first);
        let mut outer = [Side::Left, Side::Right].map(|side| {
            let reach = |row: &Row| {
                let edges = row.boxes.iter().map(|&place| side.edge(&self.boxes[place]));
                edges.fold(f64::NEG_INFINITY, |most, edge| most.max(edge * side.sign()))
            };
            self.rows.iter().map(reach).collect::<Vec<f64>>()
        });
        let mut lanes = BTreeMap::new();
        for ((side, to), lane) in groups {
            let outer = &mut outer[side as usize][lane.first..=lane.last];
            let past = outer.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let middle = (past + LANE_ROOM + lane.width / 2.0).round();
            outer.fill(middle + lane.width / 2.0);
            lanes.insert((side, to), middle * side.sign());
        }
        lanes
    }

    fn straight(&self, link: &Link) -> Route {
        let (from, to) = (&self.boxes[link.from], &self.boxes[link.to]);
        let end = to.top() - HEAD;
        // A box may be lower than others in its row, so the way bends only once it is clear of all.
        let above = self.rows[self.layers[link.from]].bottom;
        let below = self.rows[self.layers[link.to]].top.min(end);
        vec![
            point(from.middle.x, from.bottom()),
            point(from.middle.x, above),
            point(to.middle.x, below),
            point(to.middle.x, end),
        ]
    }

    fn beside(&self, link: &Link, side: Side, lane: f64) -> Route {
        let (from, to) = (&self.boxes[link.from], &self.boxes[link.to]);
        let sign = side.sign();
        let down = if side == Side::Left || self.layers[link.from] < self.layers[link.to] {
            1.0
        } else {
            -1.0
        };
        // A box's edge to itself is as high as the box allows, so that its label does not hide it.
        let dock = |area: &Area| {
            if link.from == link.to {
                area.size.height / 3.0
            } else {
                DOCK.min(area.size.height / 4.0)
            }
        };
        let mut route = if self.is_outermost(link.from, side) {
            let y = from.middle.y + down * dock(from);
            vec![point(side.edge(from), y), point(lane, y)]
        } else {
            let x = from.middle.x + sign * from.size.width / 4.0;
            let y = self.rows[self.layers[link.from]].bottom + TRACK;
            vec![point(x, from.bottom()), point(x, y), point(lane, y)]
        };
        if self.is_outermost(link.to, side) {
            let y = to.middle.y - down * dock(to);
            route.extend([point(lane, y), point(side.edge(to) + sign * HEAD, y)]);
        } else {
            let x = to.middle.x + sign * to.size.width / 4.0;
            let y = self.rows[self.layers[link.to]].top - HEAD - TRACK;
            route.extend([point(lane, y), point(x, y), point(x, to.top() - HEAD)]);
        }
        route
    }

    /// Where a label in a lane may sit: between the rows, the one nearest the edge's source first,
    /// or beside the row if the edge passes only one.
    fn lane_spots(&self, link: &Link, lane: f64) -> Vec<Point> {
        let (from, to) = (self.layers[link.from], self.layers[link.to]);
        let gap = |above: usize| (self.rows[above].bottom + self.rows[above + 1].top) / 2.0;
        let heights: Vec<f64> = if from == to {
            vec![self.boxes[link.from].middle.y]
        } else if from < to {
            (from..to).map(gap).collect()
        } else {
            (to..from).rev().map(gap).collect()
        };
        heights.into_iter().map(|y| point(lane, y)).collect()
    }
}

#[derive(Clone, Copy)]
struct Lane {
    first: usize,
    last: usize,
    width: f64,
}

impl Lane {
    fn new(from: usize, to: usize, link: &Link) -> Self {
        Self {
            first: from.min(to),
            last: from.max(to),
            width: link.label_width.unwrap_or(0.0).max(LANE_WIDTH),
        }
    }
}

/// The route of every link, and the label of those that bear one.
pub(super) fn routes(placed: &Placed, links: &[Link]) -> (Vec<Route>, Vec<Option<Area>>) {
    let lanes = placed.lanes(links);
    let mut routes = Vec::new();
    let mut labels: Vec<Option<Area>> = Vec::new();
    for link in links {
        let lane = placed
            .side(link)
            .map(|side| (side, lanes[&(side, link.to)]));
        let (mut route, spots) = match lane {
            Some((side, lane)) => (
                placed.beside(link, side, lane),
                placed.lane_spots(link, lane),
            ),
            None => {
                let route = placed.straight(link);
                let spots = ALONG.map(|share| between(route[1], route[2], share));
                (route, spots.to_vec())
            }
        };
        route.dedup();
        routes.push(route);
        labels.push(link.label_width.and_then(|width| {
            let height = LABEL_HEIGHT;
            let size = Size { width, height };
            let spots = spots.into_iter().map(|middle| Area { middle, size });
            // Of spots that cover as many labels, the first is taken.
            let covered = |spot: &Area| {
                labels
                    .iter()
                    .flatten()
                    .filter(|at| at.overlaps(spot))
                    .count()
            };
            spots.min_by_key(covered)
        }));
    }
    (routes, labels)
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

fn between(a: Point, b: Point, share: f64) -> Point {
    point(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share)
}
