//! What a layout promises for any graph: nothing covers a box, and nothing leaves the page.

use proptest::prelude::*;

use super::*;

/// Boxes, and edges between them. The first box is the small one where a reader starts.
fn graphs() -> impl Strategy<Value = (Vec<Size>, Vec<Link>)> {
    let sizes = prop::collection::vec((10u32..70).prop_map(|width| f64::from(width * 4)), 1..10);
    sizes.prop_flat_map(|widths| {
        let count = widths.len() + 1;
        let mut sizes = vec![size(12.0, 12.0)];
        sizes.extend(widths.into_iter().map(|width| size(width, 42.0)));
        let link = (0..count, 0..count, prop::option::of(5u32..20));
        let links = prop::collection::vec(link, 0..20).prop_map(|links| {
            let links = links.into_iter();
            links.map(|(from, to, label)| Link {
                from,
                to,
                label_width: label.map(|width| f64::from(width * 4)),
            })
        });
        (Just(sizes), links.prop_map(Iterator::collect))
    })
}

fn size(width: f64, height: f64) -> Size {
    Size { width, height }
}

/// A little smaller, so that what only touches the edge does not count.
fn inside(area: &Area) -> Area {
    outside(area, -0.5)
}

fn outside(area: &Area, by: f64) -> Area {
    let mut larger = *area;
    larger.size.width += 2.0 * by;
    larger.size.height += 2.0 * by;
    larger
}

/// The box that a piece of an edge stays in: it runs straight, or swings between its two ends.
fn around(a: Point, b: Point) -> Area {
    Area {
        middle: Point {
            x: (a.x + b.x) / 2.0,
            y: (a.y + b.y) / 2.0,
        },
        size: size((a.x - b.x).abs(), (a.y - b.y).abs()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_edge_crosses_a_box((sizes, links) in graphs()) {
        let layout = layout(&sizes, &links);
        for (link, route) in links.iter().zip(&layout.routes) {
            for ends in route.windows(2) {
                for area in &layout.boxes {
                    let piece = around(ends[0], ends[1]);
                    prop_assert!(!piece.overlaps(&inside(area)), "{link:?} and {area:?}");
                }
            }
        }
    }

    #[test]
    fn every_edge_runs_from_its_source_to_its_target((sizes, links) in graphs()) {
        let layout = layout(&sizes, &links);
        for (link, route) in links.iter().zip(&layout.routes) {
            let (first, last) = (route[0], route[route.len() - 1]);
            let from = around(first, first).overlaps(&outside(&layout.boxes[link.from], 1.0));
            let to = around(last, last).overlaps(&outside(&layout.boxes[link.to], HEAD + 1.0));
            prop_assert!(from && to, "{link:?}: {route:?}");
        }
    }

    #[test]
    fn no_label_covers_a_box((sizes, links) in graphs()) {
        let layout = layout(&sizes, &links);
        for label in layout.labels.iter().flatten() {
            for area in &layout.boxes {
                prop_assert!(!label.overlaps(area), "{label:?} and {area:?}");
            }
        }
    }

    #[test]
    fn everything_is_on_the_page((sizes, links) in graphs()) {
        let layout = layout(&sizes, &links);
        for area in layout.boxes.iter().chain(layout.labels.iter().flatten()) {
            let page = layout.page;
            prop_assert!(area.left() >= page.left() && area.right() <= page.right(), "{area:?}");
            prop_assert!(area.top() >= page.top() && area.bottom() <= page.bottom(), "{area:?}");
        }
    }

    #[test]
    fn boxes_stand_in_their_order((sizes, links) in graphs()) {
        let boxes = layout(&sizes, &links).boxes;
        for pair in boxes.windows(2) {
            prop_assert!(pair[0].bottom() < pair[1].top(), "{pair:?}");
        }
    }
}
