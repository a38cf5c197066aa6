//! Draws the way of every edge through its slots.

use super::grid::Grid;
use super::{Area, HEAD, Link, Piece, Point, Route};

/// How round the bends beside a box are. They fit between a box and the nearest lane.
const CORNER: f64 = 12.0;
/// How far apart returns meet the side of a box.
const SIDE_STEP: f64 = 16.0;
/// How high an edge across a layer arches above it.
pub(super) const ARCH: f64 = 24.0;

pub(super) fn routes(grid: &Grid, links: &[Link], boxes: &[Area]) -> Vec<Route> {
    let docks = Docks::new(grid, links, boxes);
    let mut routes = Vec::new();
    for (place, link) in links.iter().enumerate() {
        let chain = &grid.chains[place];
        let (leaves, reaches) = (docks.leaves[place], docks.reaches[place]);
        routes.push(if !is_return(grid, link) {
            way_down(grid, chain, &boxes[link.from], &boxes[link.to])
        } else if link.from == link.to {
            way_to_itself(grid, chain, leaves, reaches)
        } else {
            way_back(grid, chain, leaves, reaches)
        });
    }
    routes
}

/// Whether an edge leads back up, across its layer, or to its own box.
fn is_return(grid: &Grid, link: &Link) -> bool {
    grid.slots[link.from].layer >= grid.slots[link.to].layer
}

/// A box may be lower than others in its layer, so the way bends only once it is clear of them all.
fn way_down(grid: &Grid, chain: &[usize], from: &Area, to: &Area) -> Route {
    let band_of = |slot: usize| grid.bands[grid.slots[slot].layer];
    let mut pen = Pen::at(from.middle.x, from.bottom());
    pen.line(from.middle.x, band_of(chain[0]).bottom);
    for &lane in &chain[1..chain.len() - 1] {
        let x = grid.slots[lane].x;
        pen.bend(x, band_of(lane).top);
        pen.line(x, band_of(lane).bottom);
    }
    let end = to.top() - HEAD;
    pen.bend(to.middle.x, end.min(band_of(chain[chain.len() - 1]).top));
    pen.line(to.middle.x, end);
    pen.route
}

fn way_back(grid: &Grid, chain: &[usize], leaves: Point, reaches: Point) -> Route {
    let slots: Vec<_> = chain.iter().map(|&slot| &grid.slots[slot]).collect();
    let (first, last) = (slots[0], slots[slots.len() - 1]);
    let mut pen = Pen::at(leaves.x, leaves.y);
    pen.line(first.x - CORNER, leaves.y);
    pen.turn(first.x, leaves.y, first.x, leaves.y - CORNER);
    pen.line(first.x, grid.bands[first.layer].top);
    if first.layer == last.layer {
        pen.arch(last.x);
        pen.line(last.x, reaches.y - CORNER);
    } else {
        for slot in &slots[1..slots.len() - 1] {
            pen.bend(slot.x, grid.bands[slot.layer].bottom);
            pen.line(slot.x, grid.bands[slot.layer].top);
        }
        pen.bend(last.x, grid.bands[last.layer].bottom);
        pen.line(last.x, reaches.y + CORNER);
    }
    pen.turn(last.x, reaches.y, last.x - CORNER, reaches.y);
    pen.line(reaches.x + HEAD, reaches.y);
    pen.route
}

fn way_to_itself(grid: &Grid, chain: &[usize], leaves: Point, reaches: Point) -> Route {
    let x = grid.slots[chain[0]].x;
    let mut pen = Pen::at(leaves.x, leaves.y);
    pen.turn(x, leaves.y, x, (leaves.y + reaches.y) / 2.0);
    pen.turn(x, reaches.y, reaches.x + HEAD, reaches.y);
    pen.route
}

/// Adds pieces to a route.
struct Pen {
    route: Route,
}

impl Pen {
    fn at(x: f64, y: f64) -> Self {
        let start = Point { x, y };
        let pieces = Vec::new();
        Self {
            route: Route { start, pieces },
        }
    }

    fn here(&self) -> Point {
        let last = self.route.pieces.last();
        last.map_or(self.route.start, Piece::end)
    }

    fn line(&mut self, x: f64, y: f64) {
        let end = Point { x, y };
        if self.here() != end {
            self.route.pieces.push(Piece::Line(end));
        }
    }

    /// Goes from one layer to the next, upright at both ends.
    fn bend(&mut self, x: f64, y: f64) {
        let here = self.here();
        if here.x == x {
            return self.line(x, y);
        }
        let half = (here.y + y) / 2.0;
        let first = Point { x: here.x, y: half };
        let second = Point { x, y: half };
        self.curve(first, second, Point { x, y });
    }

    /// Goes around the corner at (x, y).
    fn turn(&mut self, x: f64, y: f64, end_x: f64, end_y: f64) {
        // At this share of the way to the corner, control points make a quarter of a circle.
        const ROUND: f64 = 0.55;
        let towards = |from: Point| Point {
            x: from.x + (x - from.x) * ROUND,
            y: from.y + (y - from.y) * ROUND,
        };
        let end = Point { x: end_x, y: end_y };
        self.curve(towards(self.here()), towards(end), end);
    }

    /// Goes over to `x` and back down to the same height.
    fn arch(&mut self, x: f64) {
        let here = self.here();
        let top = here.y - ARCH;
        let first = Point { x: here.x, y: top };
        self.curve(first, Point { x, y: top }, Point { x, y: here.y });
    }

    fn curve(&mut self, first: Point, second: Point, end: Point) {
        self.route.pieces.push(Piece::Curve(first, second, end));
    }
}

/// Where returns leave and reach the right side of their boxes, by link.
struct Docks {
    leaves: Vec<Point>,
    reaches: Vec<Point>,
}

impl Docks {
    fn new(grid: &Grid, links: &[Link], boxes: &[Area]) -> Self {
        let unset = vec![Point { x: 0.0, y: 0.0 }; links.len()];
        let mut docks = Self {
            leaves: unset.clone(),
            reaches: unset,
        };
        for (place, area) in boxes.iter().enumerate() {
            let ends = ends_at(grid, links, place);
            let middle = (ends.len() as f64 - 1.0) / 2.0;
            let step = SIDE_STEP.min(area.size.height / (ends.len() as f64 + 1.0));
            for (nth, end) in ends.iter().enumerate() {
                let y = area.middle.y + (nth as f64 - middle) * step;
                let dock = Point { x: area.right(), y };
                match *end {
                    End::Leaves(link) => docks.leaves[link] = dock,
                    End::Reaches(link) => docks.reaches[link] = dock,
                }
            }
        }
        docks
    }
}

enum End {
    Leaves(usize),
    Reaches(usize),
}

/// The returns at a box from top to bottom. Those that leave go up and those that arrive come from
/// below, so in this order none crosses another beside the box.
fn ends_at(grid: &Grid, links: &[Link], place: usize) -> Vec<End> {
    let x_of = |slot: Option<&usize>| slot.map_or(0.0, |&slot| grid.slots[slot].x);
    let mut leaving = Vec::new();
    let mut reaching = Vec::new();
    let mut around = Vec::new();
    for (nth, link) in links.iter().enumerate() {
        match (link.from == place, link.to == place) {
            _ if !is_return(grid, link) => {}
            (true, true) => around.extend([End::Leaves(nth), End::Reaches(nth)]),
            (true, false) => leaving.push((x_of(grid.chains[nth].first()), nth)),
            (false, true) => reaching.push((x_of(grid.chains[nth].last()), nth)),
            (false, false) => {}
        }
    }
    leaving.sort_by(|a, b| a.0.total_cmp(&b.0));
    reaching.sort_by(|a, b| b.0.total_cmp(&a.0));
    let leaving = leaving.into_iter().map(|(_, link)| End::Leaves(link));
    let reaching = reaching.into_iter().map(|(_, link)| End::Reaches(link));
    leaving.chain(around).chain(reaching).collect()
}
