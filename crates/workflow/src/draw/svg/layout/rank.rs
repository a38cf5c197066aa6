//! Gives every box its layer: the longest way to it along edges that lead down.

use super::Link;

/// The layer of each box, without a gap. Links that lead down point from a lower number to a higher
/// one, as long as they form no cycle.
pub(super) fn rank(boxes: usize, links: &[Link]) -> Vec<usize> {
    let down: Vec<(usize, usize)> = links
        .iter()
        .filter(|link| link.leads_down)
        .map(|link| (link.from, link.to))
        .collect();
    let mut layers = longest_ways(boxes, &down);
    lower_the_unreached(&mut layers, &down);
    without_gaps(&layers)
}

fn longest_ways(boxes: usize, down: &[(usize, usize)]) -> Vec<usize> {
    let mut layers = vec![0; boxes];
    // No way is longer than there are boxes. A cycle, which no checked graph has, stops there too.
    for _ in 0..boxes {
        for &(from, to) in down {
            let below = (layers[from] + 1).min(boxes - 1);
            layers[to] = below.max(layers[to]);
        }
    }
    layers
}

/// Boxes that only a bounded edge or a rescue leads to would all float to the top. They go right
/// above what they lead to.
fn lower_the_unreached(layers: &mut [usize], down: &[(usize, usize)]) {
    let reached = reached_from_first(layers.len(), down);
    for _ in 0..layers.len() {
        for place in (0..layers.len()).filter(|&place| !reached[place]) {
            let next = down.iter().filter(|&&(from, _)| from == place);
            if let Some(next) = next.map(|&(_, to)| layers[to]).min() {
                layers[place] = layers[place].max(next.saturating_sub(1));
            }
        }
    }
}

fn reached_from_first(boxes: usize, down: &[(usize, usize)]) -> Vec<bool> {
    let mut reached = vec![false; boxes];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for _ in 0..boxes {
        for &(from, to) in down {
            reached[to] |= reached[from];
        }
    }
    reached
}

fn without_gaps(layers: &[usize]) -> Vec<usize> {
    let mut used = layers.to_vec();
    used.sort_unstable();
    used.dedup();
    layers
        .iter()
        .map(|layer| used.partition_point(|below| below < layer))
        .collect()
}
