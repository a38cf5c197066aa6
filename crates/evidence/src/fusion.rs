//! Puts several rankings of the same things together, and keeps what each of them said.
//!
//! Takes rankings, each with a name and a weight; gives one ranking. Ranks are added up, not
//! scores, so that locators need no common scale: a rank r adds weight / (k + r).

use std::hash::Hash;

use serde::{Deserialize, Serialize};

use crate::fixed_hash::{FixedMap, FixedSet};

/// How much the first ranks count more than the later ones (Cormack and others, 2009).
pub const K: f32 = 60.0;

/// One ranking: what was found, best first.
#[derive(Clone, Debug)]
pub struct Ranking<T, W> {
    /// The name of the locator.
    pub locator: String,
    /// 0 keeps its support without counting it.
    pub weight: f32,
    /// What was found, with its score and why.
    pub found: Vec<(T, f32, W)>,
}

/// What one locator said of a thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocatorSupport<W> {
    /// The name of the locator.
    pub locator: String,
    /// From 1.
    pub rank: usize,
    /// On the locator's own scale.
    pub score: f32,
    /// What it said for it.
    pub why: W,
}

/// A thing that at least one locator found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused<T, W> {
    /// The thing that was found.
    pub item: T,
    /// The sum over the rankings; comparable within one fusion only.
    pub score: f32,
    /// In the order of the rankings.
    pub support: Vec<LocatorSupport<W>>,
}

/// Weighted reciprocal rank fusion, best first. Of equal things the one comes first that an earlier
/// ranking found, and found better. A thing that one ranking has twice counts at its best rank.
pub fn fuse<T: Clone + Eq + Hash, W>(
    rankings: impl IntoIterator<Item = Ranking<T, W>>,
) -> Vec<Fused<T, W>> {
    let mut all: Vec<Fused<T, W>> = Vec::new();
    let mut places: FixedMap<T, usize> = FixedMap::default();
    for ranking in rankings {
        let mut met = FixedSet::default();
        for (rank, (item, score, why)) in (1..).zip(ranking.found) {
            let place = *places.entry(item.clone()).or_insert(all.len());
            if place == all.len() {
                all.push(Fused {
                    item,
                    score: 0.0,
                    support: Vec::new(),
                });
            }
            if !met.insert(place) {
                continue;
            }
            if let Some(fused) = all.get_mut(place) {
                fused.score += ranking.weight / (K + rank as f32);
                fused.support.push(LocatorSupport {
                    locator: ranking.locator.clone(),
                    rank,
                    score,
                    why,
                });
            }
        }
    }
    // The sort is stable, so equal things stay in the order in which they were met.
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ranking(locator: &str, weight: f32, items: &[u32]) -> Ranking<u32, ()> {
        let found = items.iter().map(|item| (*item, 1.0, ())).collect();
        Ranking {
            locator: locator.into(),
            weight,
            found,
        }
    }

    #[test]
    fn what_two_locators_find_comes_before_what_one_finds_best() {
        let fused = fuse([ranking("a", 1.0, &[1, 2]), ranking("b", 1.0, &[3, 2])]);
        let order: Vec<u32> = fused.iter().map(|one| one.item).collect();
        assert_eq!(order, [2, 1, 3]);
        assert!((fused[0].score - 2.0 / 62.0).abs() < 1e-6);
    }

    #[test]
    fn every_locators_support_is_kept() {
        let fused = fuse([ranking("a", 1.0, &[1, 2]), ranking("b", 0.0, &[2])]);
        let two = fused.iter().find(|one| one.item == 2).unwrap();
        let said: Vec<(&str, usize)> = two
            .support
            .iter()
            .map(|support| (support.locator.as_str(), support.rank))
            .collect();
        assert_eq!(said, [("a", 2), ("b", 1)]);
    }

    #[test]
    fn a_heavier_locator_decides() {
        let fused = fuse([ranking("a", 1.0, &[1, 2]), ranking("b", 3.0, &[2, 1])]);
        assert_eq!(fused[0].item, 2);
    }

    #[test]
    fn a_thing_found_twice_by_one_locator_counts_at_its_best_rank() {
        let fused = fuse([ranking("a", 1.0, &[1, 2, 1])]);
        assert_eq!(fused.len(), 2);
        assert_eq!(fused[0].support.len(), 1);
        assert!((fused[0].score - 1.0 / 61.0).abs() < 1e-6);
        assert!(fuse(Vec::<Ranking<u32, ()>>::new()).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_is_made_up(
            lists in prop::collection::vec(prop::collection::vec(0_u32..20, 0..20), 0..4),
        ) {
            let rankings: Vec<_> = lists.iter().map(|list| ranking("x", 1.0, list)).collect();
            let fused = fuse(rankings.clone());
            let mut items: Vec<u32> = fused.iter().map(|one| one.item).collect();
            items.sort_unstable();
            let mut given: Vec<u32> = lists.concat();
            given.sort_unstable();
            given.dedup();
            prop_assert_eq!(items, given);
            prop_assert!(fused.is_sorted_by(|a, b| a.score >= b.score));
            prop_assert_eq!(fused, fuse(rankings));
        }

        #[test]
        fn the_order_of_the_locators_does_not_change_the_scores(
            lists in prop::collection::vec(prop::collection::vec(0_u32..20, 0..20), 0..4),
        ) {
            let rankings: Vec<_> = lists.iter().map(|list| ranking("x", 1.0, list)).collect();
            let scores = |rankings: Vec<Ranking<u32, ()>>| {
                let mut scores: Vec<(u32, f32)> =
                    fuse(rankings).iter().map(|one| (one.item, one.score)).collect();
                scores.sort_by_key(|(item, _)| *item);
                scores
            };
            let forward = scores(rankings.clone());
            let backward = scores(rankings.into_iter().rev().collect());
            for ((item, one), (same, other)) in forward.iter().zip(&backward) {
                prop_assert_eq!(item, same);
                // Sums of a few numbers may differ in their last bit.
                prop_assert!((one - other).abs() < 1e-6);
            }
        }
    }
}
