//! The slots of each layer: one for every box, and a lane for every edge that passes.

use super::{LABEL_HEIGHT, Link, Size};

/// A place in a layer. The slots of the boxes come first, in their order; lanes follow.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) kind: SlotKind,
    pub(super) layer: usize,
    pub(super) width: f64,
    /// Its middle.
    pub(super) x: f64,
    /// Slots of the layers above and below that it wants to be in line with.
    pub(super) above: Vec<usize>,
    pub(super) below: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    Box,
    /// For an edge on its way down.
    Lane,
    /// For an edge that keeps to the right: it leads back up or across, or is a detour.
    /// `beside` is the box it begins or ends at in this layer.
    Aside {
        beside: Option<usize>,
    },
}

/// The height a layer takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Band {
    pub(super) fn middle(&self) -> f64 {
        (self.top + self.bottom) / 2.0
    }
}

#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) slots: Vec<Slot>,
    /// The slots of each layer from left to right, but for the lanes of edges that pass on the right
    /// of them all.
    pub(super) rows: Vec<Vec<usize>>,
    pub(super) bands: Vec<Band>,
    /// For each link the slots it runs through, from its source to its target. Where it leads
    /// back, these are lanes only, the first beside its source and the last beside its target.
    pub(super) chains: Vec<Vec<usize>>,
}

const LANE_WIDTH: f64 = 12.0;
/// Room between layers: an arrow's head and a label fit with air around them.
const GAP: f64 = 32.0 + LABEL_HEIGHT;
/// Room below a layer that holds nothing but the dot where a reader starts.
const ENTRY_GAP: f64 = 28.0;

impl Grid {
    pub(super) fn new(sizes: &[Size], links: &[Link], ranks: &[usize]) -> Self {
        let layers = ranks.iter().max().map_or(0, |last| last + 1);
        let mut grid = Self {
            slots: Vec::new(),
            rows: vec![Vec::new(); layers],
            bands: Vec::new(),
            chains: Vec::new(),
        };
        for (size, &layer) in sizes.iter().zip(ranks) {
            grid.slot(SlotKind::Box, layer, size.width);
        }
        for link in links {
            let chain = if ranks[link.from] >= ranks[link.to] {
                grid.way_back(link)
            } else if link.detour {
                grid.detour(link)
            } else {
                grid.way_down(link)
            };
            grid.chains.push(chain);
        }
        grid
    }

    fn slot(&mut self, kind: SlotKind, layer: usize, width: f64) -> usize {
        let place = self.slots.len();
        self.slots.push(Slot {
            kind,
            layer,
            width,
            x: 0.0,
            above: Vec::new(),
            below: Vec::new(),
        });
        match kind {
            SlotKind::Box | SlotKind::Lane => self.rows[layer].push(place),
            // Most of these need no place in a row; the others get one when the rows are in order.
            SlotKind::Aside { .. } => {}
        }
        place
    }

    fn way_down(&mut self, link: &Link) -> Vec<usize> {
        let (first, last) = (self.slots[link.from].layer, self.slots[link.to].layer);
        let mut chain = vec![link.from];
        for layer in first + 1..last {
            chain.push(self.slot(SlotKind::Lane, layer, LANE_WIDTH));
        }
        chain.push(link.to);
        for pair in chain.windows(2) {
            self.slots[pair[0]].below.push(pair[1]);
            self.slots[pair[1]].above.push(pair[0]);
        }
        chain
    }

    /// A detour connects with its boxes, but they do not know of it and so are not moved by it.
    fn detour(&mut self, link: &Link) -> Vec<usize> {
        let (first, last) = (self.slots[link.from].layer, self.slots[link.to].layer);
        let width = aside_width(link);
        let mut lanes = Vec::new();
        for layer in first + 1..last {
            lanes.push(self.slot(SlotKind::Aside { beside: None }, layer, width));
        }
        [vec![link.from], lanes, vec![link.to]].concat()
    }

    fn way_back(&mut self, link: &Link) -> Vec<usize> {
        let (last, first) = (self.slots[link.from].layer, self.slots[link.to].layer);
        let width = aside_width(link);
        let mut lanes = Vec::new();
        for layer in (first..=last).rev() {
            let beside = match layer {
                _ if layer == last => Some(link.from),
                _ if layer == first => Some(link.to),
                _ => None,
            };
            lanes.push(self.slot(SlotKind::Aside { beside }, layer, width));
        }
        // An edge across a layer goes up beside its source and comes down beside its target.
        if first == last && link.from != link.to {
            let beside = Some(link.to);
            lanes.push(self.slot(SlotKind::Aside { beside }, last, width));
        }
        lanes
    }

    /// Stacks the layers from `top` downwards, and gives the bottom of the last.
    pub(super) fn stack(&mut self, sizes: &[Size], top: f64) -> f64 {
        let mut heights = vec![0.0_f64; self.rows.len()];
        for (slot, size) in self.slots.iter().zip(sizes) {
            heights[slot.layer] = heights[slot.layer].max(size.height);
        }
        let mut y = top;
        for (layer, height) in heights.iter().enumerate() {
            let bottom = y + height;
            self.bands.push(Band { top: y, bottom });
            y = bottom + self.gap_below(layer);
        }
        self.bands.last().map_or(top, |band| band.bottom)
    }

    /// The first box is where a reader starts; where it is alone, its short arrow needs less room.
    fn gap_below(&self, layer: usize) -> f64 {
        match self.rows[layer].as_slice() {
            [0] => ENTRY_GAP,
            _ => GAP,
        }
    }
}

/// An edge on the right has room for its label all along.
fn aside_width(link: &Link) -> f64 {
    link.label_width.unwrap_or(0.0).max(LANE_WIDTH)
}
