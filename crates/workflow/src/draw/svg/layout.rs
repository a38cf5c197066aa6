//! Where everything in a drawing goes: boxes in layers from top to bottom, and curves between them.
//!
//! This is the usual layered layout. Edges that may not form a cycle decide the layers. An edge that
//! passes through a layer holds a narrow slot there, a lane, so that no curve crosses a box. An
//! edge that leads back up runs along lanes on the right. It takes sizes and gives positions;
//! what the boxes show is left to the caller.

mod grid;
mod lane;
mod order;
mod place;
mod rank;
mod route;
mod spot;

use grid::Grid;

/// An edge to lay out, between places in the list of boxes.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether `to` must lie below `from`.
    pub(super) leads_down: bool,
    /// Whether it keeps to the right, so that no box changes its layer or its order for it.
    pub(super) detour: bool,
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

    fn holds(&self, point: Point) -> bool {
        (self.left()..=self.right()).contains(&point.x)
            && (self.top()..=self.bottom()).contains(&point.y)
    }
}

/// The way of an edge: straight and curved pieces, one after the other. The head of the arrow
/// begins where the last one ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Route {
    pub(super) start: Point,
    pub(super) pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece {
    Line(Point),
    /// A cubic curve: two control points and the end.
    Curve(Point, Point, Point),
}

impl Piece {
    pub(super) fn end(&self) -> Point {
        match *self {
            Self::Line(end) | Self::Curve(_, _, end) => end,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) page: Size,
    /// One for each size given.
    pub(super) boxes: Vec<Area>,
    /// One for each link given.
    pub(super) routes: Vec<Route>,
    /// One for each link given, if it bears a label.
    pub(super) labels: Vec<Option<Area>>,
}

/// How long the head of an arrow is; a route stops so far before its box.
pub(super) const HEAD: f64 = 8.0;
pub(super) const LABEL_HEIGHT: f64 = 18.0;
const MARGIN: f64 = 20.0;

/// Lays out boxes of the given sizes. The first one is where a reader starts.
pub(super) fn layout(sizes: &[Size], links: &[Link]) -> Layout {
    let ranks = rank::rank(sizes.len(), links);
    let mut grid = Grid::new(sizes, links, &ranks);
    order::order(&mut grid);
    place::place(&mut grid);
    let page = frame(&mut grid, sizes, links);

    let boxes = boxes(&grid, sizes);
    let routes = route::routes(&grid, links, &boxes);
    let labels = spot::labels(links, &boxes, &routes);
    Layout {
        page,
        boxes,
        routes,
        labels,
    }
}

/// Moves the grid so that it begins at the margin, and sets the height of every layer.
fn frame(grid: &mut Grid, sizes: &[Size], links: &[Link]) -> Size {
    let halves = half_widths(grid, links);
    let left = grid
        .slots
        .iter()
        .zip(&halves)
        .map(|(slot, half)| slot.x - half);
    let shift = MARGIN - left.fold(f64::INFINITY, f64::min);
    for slot in &mut grid.slots {
        slot.x += shift;
    }
    let right = grid
        .slots
        .iter()
        .zip(&halves)
        .map(|(slot, half)| slot.x + half);
    let width = right.fold(0.0, f64::max) + MARGIN;

    // An edge from one box of the first layer to another arches above them.
    let in_first = |chain: &Vec<usize>| chain.iter().all(|&slot| grid.slots[slot].layer == 0);
    let top = if grid.chains.iter().any(in_first) {
        MARGIN + route::ARCH
    } else {
        MARGIN
    };
    let bottom = grid.stack(sizes, top);
    Size {
        width: width.ceil(),
        height: (bottom + MARGIN).ceil(),
    }
}

/// How far each slot, or a label somewhere near it, reaches to either side.
fn half_widths(grid: &Grid, links: &[Link]) -> Vec<f64> {
    let mut widths: Vec<f64> = grid.slots.iter().map(|slot| slot.width).collect();
    for (link, chain) in links.iter().zip(&grid.chains) {
        for &slot in chain {
            widths[slot] = widths[slot].max(link.label_width.unwrap_or(0.0));
        }
    }
    widths.iter().map(|width| (width / 2.0).ceil()).collect()
}

fn boxes(grid: &Grid, sizes: &[Size]) -> Vec<Area> {
    let area = |(slot, &size): (&grid::Slot, &Size)| Area {
        middle: Point {
            x: slot.x,
            y: grid.bands[slot.layer].middle(),
        },
        size,
    };
    grid.slots.iter().zip(sizes).map(area).collect()
}

#[cfg(test)]
mod tests;
