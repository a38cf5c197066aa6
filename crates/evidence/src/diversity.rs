//! Chooses things that are good and that answer different parts of a question.
//!
//! Once a part of the question is answered, that part counts less, so that a claim of three parts finds the sentences
//! for all three.

/// The places of `wanted` things in the order of choice. `parts[place]` says how much that thing
/// answers each part of the question; a part is worth `decay` of its worth each time it was
/// answered. Half of a thing's worth is its relevance, half what it still answers.
pub(crate) fn cover(
    relevance: &[f32],
    parts: &[Vec<f32>],
    wanted: usize,
    decay: f32,
) -> Vec<usize> {
    let most = |values: &mut dyn Iterator<Item = f32>| values.fold(f32::MIN_POSITIVE, f32::max);
    let most_relevant = most(&mut relevance.iter().copied());
    let most_answered = most(&mut parts.iter().map(|of| of.iter().sum()));
    let mut worth = vec![1.0_f32; parts.iter().map(Vec::len).max().unwrap_or(0)];
    let mut paid = 0;
    greedy(relevance.len().min(parts.len()), wanted, |chosen, place| {
        if chosen.len() > paid {
            paid = chosen.len();
            let answered = chosen.last().and_then(|last| parts.get(*last));
            for (worth, answered) in worth.iter_mut().zip(answered.into_iter().flatten()) {
                if *answered > 0.0 {
                    *worth *= decay;
                }
            }
        }
        let of = parts.get(place).map_or(&[][..], Vec::as_slice);
        let answers: f32 = of
            .iter()
            .zip(&worth)
            .map(|(answer, worth)| answer * worth)
            .sum();
        let relevant = relevance.get(place).copied().unwrap_or_default();
        relevant / most_relevant + answers / most_answered
    })
}

/// Chooses the best by `value`, again and again; of equal ones the earlier.
fn greedy(
    things: usize,
    wanted: usize,
    mut value: impl FnMut(&[usize], usize) -> f32,
) -> Vec<usize> {
    let mut chosen = Vec::new();
    let mut left: Vec<usize> = (0..things).collect();
    while chosen.len() < wanted && !left.is_empty() {
        let mut best = (f32::NEG_INFINITY, 0);
        for (at, place) in left.iter().enumerate() {
            let value = value(&chosen, *place);
            if value > best.0 {
                best = (value, at);
            }
        }
        chosen.push(left.remove(best.1));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_part_not_yet_answered_comes_before_one_answered_again() {
        let parts = [vec![1.0, 0.0], vec![0.9, 0.0], vec![0.0, 0.8]];
        assert_eq!(cover(&[1.0, 0.9, 0.8], &parts, 3, 0.5), [0, 2, 1]);
        assert_eq!(cover(&[1.0, 0.9, 0.8], &parts, 3, 1.0), [0, 1, 2]);
    }

    #[test]
    fn no_more_is_chosen_than_there_is() {
        assert_eq!(cover(&[1.0], &[vec![]], 5, 0.9), [0]);
        assert!(cover(&[], &[], 5, 0.9).is_empty());
    }

    #[test]
    fn values_that_are_no_numbers_still_end_in_a_choice_of_all() {
        let parts = [vec![f32::NAN], vec![1.0], vec![f32::NAN]];
        let mut chosen = cover(&[f32::NAN, 1.0, f32::NAN], &parts, 3, 0.5);
        chosen.sort_unstable();
        assert_eq!(chosen, [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn what_is_chosen_first_does_not_depend_on_how_much_is_wanted(
            relevance in prop::collection::vec(0.0_f32..1.0, 0..20),
            wanted in 0_usize..25,
            decay in 0.0_f32..1.0,
        ) {
            let parts: Vec<Vec<f32>> =
                (0..relevance.len()).map(|place| vec![(place % 4) as f32, 1.0]).collect();
            let chosen = |wanted| cover(&relevance, &parts, wanted, decay);
            let mut all = chosen(usize::MAX);
            prop_assert_eq!(&chosen(wanted)[..], &all[..wanted.min(relevance.len())]);
            all.sort_unstable();
            prop_assert_eq!(all, (0..relevance.len()).collect::<Vec<_>>());
        }
    }
}
