//! Orders the slots of each layer so that few edges cross.

use super::grid::{Grid, SlotKind};

/// How often the layers are gone through, down and up in turn. Graphs of this size settle in two.
const SWEEPS: usize = 8;

/// Orders boxes and lanes by the middle of what they connect to. Edges that begin or end between two
/// boxes then get a lane there.
pub(super) fn order(grid: &mut Grid) {
    for row in &mut grid.rows {
        // Lanes first: edges back up run on the right, so those on their way down pass on the left.
        row.sort_by_key(|&slot| grid.slots[slot].kind == SlotKind::Box);
    }
    let mut best = grid.rows.clone();
    let mut fewest = crossings(grid);
    for sweep in 0..SWEEPS {
        sort_layers(grid, sweep % 2 == 0);
        let crossings = crossings(grid);
        if crossings < fewest {
            fewest = crossings;
            best = grid.rows.clone();
        }
    }
    grid.rows = best;
    tuck_in(grid);
}

fn sort_layers(grid: &mut Grid, downwards: bool) {
    let mut places = places(grid);
    let count = grid.rows.len();
    for step in 1..count {
        let layer = if downwards { step } else { count - 1 - step };
        let mut keyed: Vec<(f64, usize)> = Vec::new();
        for &slot in &grid.rows[layer] {
            let near = if downwards {
                &grid.slots[slot].above
            } else {
                &grid.slots[slot].below
            };
            let wish = middle(near, &places).unwrap_or(places[slot] as f64);
            keyed.push((wish, slot));
        }
        // The sort is stable: what wants the same place stays in the order it has.
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (place, &(_, slot)) in keyed.iter().enumerate() {
            places[slot] = place;
        }
        grid.rows[layer] = keyed.into_iter().map(|(_, slot)| slot).collect();
    }
}

/// The place of every slot in its layer.
fn places(grid: &Grid) -> Vec<usize> {
    let mut places = vec![0; grid.slots.len()];
    for layer in &grid.rows {
        for (place, &slot) in layer.iter().enumerate() {
            places[slot] = place;
        }
    }
    places
}

fn middle(slots: &[usize], places: &[usize]) -> Option<f64> {
    let sum: usize = slots.iter().map(|&slot| places[slot]).sum();
    (!slots.is_empty()).then(|| sum as f64 / slots.len() as f64)
}

fn crossings(grid: &Grid) -> usize {
    let places = places(grid);
    let layers = grid.rows.iter();
    layers
        .map(|layer| crossings_below(grid, layer, &places))
        .sum()
}

fn crossings_below(grid: &Grid, layer: &[usize], places: &[usize]) -> usize {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for &slot in layer {
        let below = grid.slots[slot].below.iter();
        edges.extend(below.map(|&end| (places[slot], places[end])));
    }
    let mut crossings = 0;
    for (place, a) in edges.iter().enumerate() {
        let rest = edges[place + 1..].iter();
        // The edges come from left to right, so a later one crosses if it ends further left.
        crossings += rest.filter(|b| a.0 < b.0 && a.1 > b.1).count();
    }
    crossings
}

/// Gives the lane of an edge on the right a place in its row, where the box it begins or ends at has
/// other boxes on its right.
fn tuck_in(grid: &mut Grid) {
    for (place, slot) in grid.slots.iter().enumerate() {
        let SlotKind::Aside { beside: Some(end) } = slot.kind else {
            continue;
        };
        let row = &mut grid.rows[slot.layer];
        let at_end = |&other: &usize| match grid.slots[other].kind {
            SlotKind::Box => other == end,
            SlotKind::Lane => false,
            SlotKind::Aside { beside } => beside == Some(end),
        };
        let is_box = |&other: &usize| grid.slots[other].kind == SlotKind::Box;
        if let Some(last) = row.iter().rposition(at_end)
            && row[last + 1..].iter().any(is_box)
        {
            row.insert(last + 1, place);
        }
    }
}
