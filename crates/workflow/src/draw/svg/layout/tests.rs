//! What a layout promises for any graph: nothing covers a box, and nothing leaves the page.

use proptest::prelude::*;

use super::*;

/// Boxes, and edges between them that lead down unless they are bounded or a detour. The first box
/// is the small one where a reader starts.
fn graphs() -> impl Strategy<Value = (Vec<Size>, Vec<Link>)> {
    let sizes = prop::collection::vec((10u32..70).prop_map(|width| f64::from(width * 4)), 1..10);
    sizes.prop_flat_map(|widths| {
        let count = widths.len() + 1;
        let mut sizes = vec![size(12.0, 12.0)];
        sizes.extend(widths.into_iter().map(|width| size(width, 42.0)));
        let link = (0..count, 0..count, 0..4u8, prop::option::of(5u32..20));
        let links = prop::collection::vec(link, 0..20).prop_map(|links| {
            let links = links.into_iter();
            links.map(|(a, b, kind, label)| Link {
                from: if kind > 1 { a.min(b) } else { a },
                to: if kind > 1 { a.max(b) } else { b },
                leads_down: kind > 1 && a != b,
                detour: kind == 1,
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
    fn boxes_never_overlap((sizes, links) in graphs()) {
        let boxes = layout(&sizes, &links).boxes;
        for (place, one) in boxes.iter().enumerate() {
            for other in &boxes[place + 1..] {
                prop_assert!(!one.overlaps(other), "{one:?} and {other:?}");
            }
        }
    }

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
    fn edges_without_a_bound_lead_down((sizes, links) in graphs()) {
        let boxes = layout(&sizes, &links).boxes;
        for link in links.iter().filter(|link| link.leads_down) {
            prop_assert!(boxes[link.from].bottom() < boxes[link.to].top(), "{link:?}");
        }
    }

    #[test]
    fn a_detour_changes_no_layer_and_no_order((sizes, links) in graphs()) {
        let without: Vec<Link> = links.iter().filter(|link| !link.detour).cloned().collect();
        prop_assert_eq!(rows(&layout(&sizes, &links)), rows(&layout(&sizes, &without)));
    }
}

/// The boxes from top to bottom, and from left to right.
fn rows(layout: &Layout) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..layout.boxes.len()).collect();
    let key = |place: usize| layout.boxes[place].middle;
    rows.sort_by(|&a, &b| {
        let by_layer = key(a).y.total_cmp(&key(b).y);
        by_layer.then(key(a).x.total_cmp(&key(b).x))
    });
    rows
}

#[test]
fn a_cycle_without_a_bound_is_drawn_all_the_same() {
    let sizes = [size(12.0, 12.0), size(116.0, 42.0), size(116.0, 42.0)];
    let links = [(0, 1), (1, 2), (2, 1)].map(|(from, to)| Link {
        from,
        to,
        leads_down: true,
        detour: false,
        label_width: None,
    });
    let layout = layout(&sizes, &links);
    assert!(!layout.boxes[1].overlaps(&layout.boxes[2]));
}
