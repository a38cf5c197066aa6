//! The best of many scores.

use super::Hit;

/// Scores are looked at in blocks: few blocks hold one that is good enough.
const BLOCK: usize = 64;

/// The highest scores above 0, best first; of equal scores the earlier text is better.
pub fn best(scores: &[f32], top_k: usize) -> Vec<Hit> {
    if top_k == 0 {
        return Vec::new();
    }
    let enough = top_k.saturating_mul(2).max(BLOCK);
    let mut kept: Vec<Hit> = Vec::with_capacity(enough.min(scores.len()) + 1);
    let mut bar = 0.0_f32;
    for (nth, block) in scores.chunks(BLOCK).enumerate() {
        // A count is made without a branch, so that the processor does several at once.
        let good: u32 = block.iter().map(|score| u32::from(*score > bar)).sum();
        if good == 0 {
            continue;
        }
        for (at, score) in block.iter().enumerate() {
            if *score > bar {
                kept.push(Hit {
                    doc: nth * BLOCK + at,
                    score: *score,
                });
                if kept.len() >= enough {
                    bar = cut(&mut kept, top_k);
                }
            }
        }
    }
    kept.sort_unstable_by(order);
    kept.truncate(top_k);
    kept
}

/// Keeps the best and gives the score that the next must beat.
fn cut(kept: &mut Vec<Hit>, top_k: usize) -> f32 {
    let (_, last, _) = kept.select_nth_unstable_by(top_k - 1, order);
    let bar = last.score;
    kept.truncate(top_k);
    bar
}

fn order(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(a.doc.cmp(&b.doc))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_that_sorting_gives(
            scores in prop::collection::vec((0_u8..40).prop_map(f32::from), 0..400),
            top_k in 0_usize..120,
        ) {
            let mut sorted: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
            sorted.retain(|(_, score)| *score > 0.0);
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
            sorted.truncate(top_k);
            let found: Vec<(usize, f32)> =
                best(&scores, top_k).iter().map(|hit| (hit.doc, hit.score)).collect();
            prop_assert_eq!(found, sorted);
        }
    }
}
