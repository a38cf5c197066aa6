//! Gives every box its place: a row for each layer, and in its row near the boxes it connects to.

use super::{Area, LABEL_HEIGHT, Link, Point, Size};

/// How often the rows are gone through, down and up in turn. Graphs of this size settle in a few.
const SWEEPS: usize = 9;
const BOX_ROOM: f64 = 32.0;
/// Room between rows: an arrow's head and a label fit with air around them.
const GAP: f64 = 32.0 + LABEL_HEIGHT;
/// Room below a row that holds nothing but the dot where a reader starts.
const ENTRY_GAP: f64 = 28.0;

/// The boxes, each by its middle, and their rows from top to bottom.
pub(super) fn place(sizes: &[Size], links: &[Link], layers: &[usize]) -> (Vec<Area>, Vec<Row>) {
    let mut order = vec![Vec::new(); layers.iter().max().map_or(0, |last| last + 1)];
    for (place, &layer) in layers.iter().enumerate() {
        order[layer].push(place);
    }
    let mut x = vec![0.0; sizes.len()];
    for row in &order {
        spread(row, &vec![0.0; row.len()], sizes, &mut x);
    }
    // Only edges between neighbouring rows pull: the others run beside the boxes.
    let near = |link: &&Link| !link.detour && layers[link.from] + 1 == layers[link.to];
    let near: Vec<&Link> = links.iter().filter(near).collect();
    for sweep in 0..SWEEPS {
        for step in 0..order.len() {
            let down = sweep % 2 == 0;
            let layer = if down { step } else { order.len() - 1 - step };
            let row = &mut order[layer];
            let mut wishes: Vec<(f64, usize)> = row
                .iter()
                .map(|&place| (wish(place, &near, &x, down), place))
                .collect();
            // The sort is stable: boxes that want the same place keep their order.
            wishes.sort_by(|a, b| a.0.total_cmp(&b.0));
            *row = wishes.iter().map(|&(_, place)| place).collect();
            let wishes: Vec<f64> = wishes.into_iter().map(|(wish, _)| wish).collect();
            spread(row, &wishes, sizes, &mut x);
        }
    }
    let rows = stack(order, sizes);
    let area = |(place, &size): (usize, &Size)| Area {
        middle: Point {
            // Whole pixels give sharp lines.
            x: x[place].round(),
            y: (rows[layers[place]].top + rows[layers[place]].bottom) / 2.0,
        },
        size,
    };
    let boxes = sizes.iter().enumerate().map(area).collect();
    (boxes, rows)
}

/// The boxes of one layer from left to right, and the height they take.
pub(super) struct Row {
    pub(super) boxes: Vec<usize>,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Where a box would like to be: in the middle of those it connects to above (on the way down), or
/// below (on the way up). Without any it stays.
fn wish(place: usize, near: &[&Link], x: &[f64], down: bool) -> f64 {
    let ends = near.iter().map(|link| {
        if down {
            (link.to, link.from)
        } else {
            (link.from, link.to)
        }
    });
    let others = ends.filter(|&(own, _)| own == place);
    let (sum, count) = others.fold((0.0, 0.0), |(sum, count), (_, other)| {
        (sum + x[other], count + 1.0)
    });
    if count > 0.0 { sum / count } else { x[place] }
}

/// Puts the boxes of a row near their wishes, in their order and with room between them.
fn spread(row: &[usize], wishes: &[f64], sizes: &[Size], x: &mut [f64]) {
    let mut least = f64::NEG_INFINITY;
    let mut shift = 0.0;
    for (&place, &wish) in row.iter().zip(wishes) {
        let half = sizes[place].width / 2.0;
        x[place] = wish.max(least + half);
        least = x[place] + half + BOX_ROOM;
        shift += (wish - x[place]) / row.len() as f64;
    }
    for &place in row {
        x[place] += shift;
    }
}

fn stack(order: Vec<Vec<usize>>, sizes: &[Size]) -> Vec<Row> {
    let mut top = 0.0;
    let mut rows = Vec::new();
    for boxes in order {
        let heights = boxes.iter().map(|&place| sizes[place].height);
        let bottom = top + heights.fold(0.0, f64::max);
        // The first box is the dot; where it is alone, its short arrow needs less room.
        let gap = if boxes == [0] { ENTRY_GAP } else { GAP };
        rows.push(Row { boxes, top, bottom });
        top = bottom + gap;
    }
    rows
}
