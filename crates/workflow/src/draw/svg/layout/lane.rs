//! Makes the ways of long edges straight: those between boxes as far as there is room, those on the
//! right always.

use super::grid::{Grid, SlotKind};
use super::place::{LANE_ROOM, room};

/// How often edges are straightened: one may make room for another.
const ROUNDS: usize = 4;

/// Puts lanes of one edge above one another, in runs that are as long as their neighbours allow.
pub(super) fn straighten(grid: &mut Grid) {
    for _ in 0..ROUNDS {
        for chain in grid.chains.clone() {
            let mut run = SharedLanes::new();
            for slot in chain {
                if grid.slots[slot].kind != SlotKind::Lane {
                    continue;
                }
                let (least, most) = bounds(grid, slot);
                if !run.takes(least, most) {
                    run.settle(grid);
                    run = SharedLanes::new();
                }
                run.add(slot, least, most);
            }
            run.settle(grid);
        }
    }
}

/// Lanes that can share one place, and the places they can share.
struct SharedLanes {
    lanes: Vec<usize>,
    least: f64,
    most: f64,
}

impl SharedLanes {
    fn new() -> Self {
        Self {
            lanes: Vec::new(),
            least: f64::NEG_INFINITY,
            most: f64::INFINITY,
        }
    }

    fn takes(&self, least: f64, most: f64) -> bool {
        self.least.max(least) <= self.most.min(most)
    }

    fn add(&mut self, lane: usize, least: f64, most: f64) {
        self.lanes.push(lane);
        self.least = self.least.max(least);
        self.most = self.most.min(most);
    }

    fn settle(&self, grid: &mut Grid) {
        let sum: f64 = self.lanes.iter().map(|&lane| grid.slots[lane].x).sum();
        let mean = sum / self.lanes.len() as f64;
        for &lane in &self.lanes {
            // Not `clamp`, which panics where rounding has let the bounds pass each other.
            grid.slots[lane].x = mean.min(self.most).max(self.least);
        }
    }
}

/// How far to the left and to the right a slot can go.
fn bounds(grid: &Grid, slot: usize) -> (f64, f64) {
    let row = &grid.rows[grid.slots[slot].layer];
    let place = row.iter().position(|&other| other == slot).unwrap_or(0);
    let left = place.checked_sub(1).map(|left| &grid.slots[row[left]]);
    let right = row.get(place + 1).map(|&right| &grid.slots[right]);
    let slot = &grid.slots[slot];
    (
        left.map_or(f64::NEG_INFINITY, |left| left.x + room(left, slot)),
        right.map_or(f64::INFINITY, |right| right.x - room(slot, right)),
    )
}

/// Gives each edge on the right a straight way past all the layers it runs through. Edges through
/// few layers run inside those through many, and detours run outside of all.
pub(super) fn put_on_the_right(grid: &mut Grid) {
    let mut edges: Vec<f64> = grid.rows.iter().map(|row| right_edge(grid, row)).collect();
    let mut ways: Vec<Vec<usize>> = grid.chains.iter().map(|way| outside(grid, way)).collect();
    ways.sort_by_key(|way| (is_detour(grid, way), way.len()));
    for way in ways {
        let past = way.iter().map(|&lane| edges[grid.slots[lane].layer]);
        let past = past.fold(f64::NEG_INFINITY, f64::max);
        for lane in way {
            let slot = &mut grid.slots[lane];
            slot.x = (past + LANE_ROOM + slot.width / 2.0).round();
            edges[slot.layer] = slot.x + slot.width / 2.0;
        }
    }
}

fn right_edge(grid: &Grid, row: &[usize]) -> f64 {
    let last = row.last().map(|&slot| &grid.slots[slot]);
    last.map_or(0.0, |slot| slot.x + slot.width / 2.0)
}

/// The lanes of a chain that have no place in a row.
fn outside(grid: &Grid, chain: &[usize]) -> Vec<usize> {
    let in_row = |slot: &usize| grid.rows[grid.slots[*slot].layer].contains(slot);
    chain.iter().copied().filter(|slot| !in_row(slot)).collect()
}

/// A detour leaves and reaches its boxes from below and above, so none of its lanes is beside one.
fn is_detour(grid: &Grid, way: &[usize]) -> bool {
    let passes = |&slot: &usize| grid.slots[slot].kind == SlotKind::Aside { beside: None };
    way.iter().all(passes)
}
