//! Gives every slot its place from left to right: near what it connects to, in the order of its
//! layer, with room to its neighbours.

use super::grid::{Grid, Slot, SlotKind};
use super::lane;

/// How often every layer is settled. More changes nothing that could be seen.
const SWEEPS: usize = 40;
const BOX_ROOM: f64 = 32.0;
/// An edge back up needs room beside a box for its bend and its arrow's head.
pub(super) const LANE_ROOM: f64 = 20.0;

pub(super) fn place(grid: &mut Grid) {
    let count = grid.rows.len();
    for sweep in 0..SWEEPS {
        for step in 0..count {
            let down = sweep % 2 == 0;
            settle(grid, if down { step } else { count - 1 - step });
        }
    }
    lane::straighten(grid);
    for slot in &mut grid.slots {
        slot.x = whole(slot.x);
    }
    lane::put_on_the_right(grid);
}

/// Whole pixels give sharp lines, and hide what the sweeps left over. A half that they left a
/// little short is a half.
fn whole(x: f64) -> f64 {
    (x + 1e-3).round()
}

/// Where a slot would like to be, and how much that counts.
struct Wish {
    x: f64,
    weight: f64,
}

/// Moves the slots of a layer as near to their wishes as their order and room allow.
fn settle(grid: &mut Grid, layer: usize) {
    let row = grid.rows[layer].clone();
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(row.len());
    let mut wishes = Vec::with_capacity(row.len());
    for (place, &slot) in row.iter().enumerate() {
        if place > 0 {
            offset += room(&grid.slots[row[place - 1]], &grid.slots[slot]);
        }
        // Without the room that must lie to its left, a wish compares with its neighbours' alone.
        let Wish { x, weight } = wish(grid, slot);
        wishes.push(Wish {
            x: x - offset,
            weight,
        });
        offsets.push(offset);
    }
    for ((slot, x), offset) in row.into_iter().zip(rising(wishes)).zip(offsets) {
        grid.slots[slot].x = x + offset;
    }
}

/// The least distance between the middles of two neighbours.
pub(super) fn room(left: &Slot, right: &Slot) -> f64 {
    let between = match (left.kind, right.kind) {
        (SlotKind::Box, SlotKind::Box) => BOX_ROOM,
        _ => LANE_ROOM,
    };
    (left.width + right.width) / 2.0 + between
}

/// Boxes weigh most, so that a straight row of boxes stays straight and lanes bend around it.
fn wish(grid: &Grid, place: usize) -> Wish {
    let slot = &grid.slots[place];
    let (weight, to_box, to_lane) = match slot.kind {
        SlotKind::Box => (1.0, 1.0, 1e-6),
        SlotKind::Lane => (1e-6, 1.0, 8.0),
        SlotKind::Aside { .. } => (1e-6, 1.0, 0.0),
    };
    let beside = match slot.kind {
        SlotKind::Aside { beside } => beside,
        SlotKind::Box | SlotKind::Lane => None,
    };
    let mut sum = 0.0;
    let mut pull = 0.0;
    for &other in slot.above.iter().chain(&slot.below).chain(&beside) {
        let other = &grid.slots[other];
        let strength = match other.kind {
            SlotKind::Box => to_box,
            SlotKind::Lane | SlotKind::Aside { .. } => to_lane,
        };
        sum += strength * other.x;
        pull += strength;
    }
    Wish {
        x: if pull > 0.0 { sum / pull } else { slot.x },
        weight,
    }
}

struct Pool {
    sum: f64,
    weight: f64,
    members: usize,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// The values nearest to the wishes, by weighted squares, that never fall from left to right.
/// Neighbours in the wrong order are pooled at their common mean until none are left.
fn rising(wishes: Vec<Wish>) -> Vec<f64> {
    let mut pools: Vec<Pool> = Vec::new();
    for wish in wishes {
        let mut pool = Pool {
            sum: wish.x * wish.weight,
            weight: wish.weight,
            members: 1,
        };
        while let Some(left) = pools.pop_if(|left| left.mean() > pool.mean()) {
            pool.sum += left.sum;
            pool.weight += left.weight;
            pool.members += left.members;
        }
        pools.push(pool);
    }
    pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.mean(), pool.members))
        .collect()
}
