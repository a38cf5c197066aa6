//! Where everything in a drawing goes: boxes in rows from top to bottom, and edges between them.
//!
//! Edges that may not form a cycle decide the rows. An edge to the next row goes straight there,
//! any other runs in a lane beside the boxes, so that none crosses a box. It takes sizes and gives
//! positions; what the boxes show is left to the caller.

mod place;
mod rank;
mod route;

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
}

/// The way of an edge as the points it runs through. Where two of them differ both in height and
/// from left to right, it swings from one to the other, upright at both. The head of the arrow begins
/// at the last.
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
pub(super) const LABEL_HEIGHT: f64 = 18.0;
const MARGIN: f64 = 20.0;

/// Lays out boxes of the given sizes. The first one is where a reader starts.
pub(super) fn layout(sizes: &[Size], links: &[Link]) -> Layout {
    let layers = rank::rank(sizes.len(), links);
    let (boxes, rows) = place::place(sizes, links, &layers);
    let placed = route::Placed {
        boxes: &boxes,
        rows: &rows,
        layers: &layers,
    };
    let (routes, labels) = route::routes(&placed, links);
    Layout {
        page: frame(&boxes, &routes, &labels),
        boxes,
        routes,
        labels,
    }
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
