//! Whether two sentences on the same subject say opposite things.
//!
//! Takes two sentences as read; gives the words of each that stand against each other. It looks at
//! denials and at words that point a way; numbers and dates are compared elsewhere. Whether the two
//! sentences are on the same subject is for the caller to see to first.

use serde::{Deserialize, Serialize};

use crate::Span;

use super::reading::Word;

/// How far a denial reaches, in words.
const REACH: usize = 6;

/// How many words behind a denial are taken as what it denies.
const TARGETS: usize = 2;

/// How near a word that points a way must stand to a word that both sentences share.
const NEAR: usize = 4;

/// What makes two sentences opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opposite {
    /// One denies what the other states.
    Denied,
    /// One points up where the other points down.
    Turned,
}

/// The words of two sentences that stand against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opposition {
    pub kind: Opposite,
    pub left: Span,
    pub right: Span,
}

pub(crate) fn oppose(left: &[Word], right: &[Word]) -> Option<Opposition> {
    let pairs = align(left, right);
    denied(left, right, &pairs)
        .map(|(l, r)| (Opposite::Denied, l, r))
        .or_else(|| {
            let turned: Vec<(usize, usize)> = pairs.iter().map(|(l, r)| (*r, *l)).collect();
            denied(right, left, &turned).map(|(r, l)| (Opposite::Denied, l, r))
        })
        .or_else(|| turned(left, right, &pairs).map(|(l, r)| (Opposite::Turned, l, r)))
        .and_then(|(kind, l, r)| {
            let (left, right) = (left.get(l)?.span, right.get(r)?.span);
            Some(Opposition { kind, left, right })
        })
}

/// A denial in `one` of something that `other` states.
fn denied(one: &[Word], other: &[Word], pairs: &[(usize, usize)]) -> Option<(usize, usize)> {
    let heads = one.iter().enumerate().filter(|(i, word)| {
        word.denies
            && i.checked_sub(1)
                .and_then(|b| one.get(b))
                .is_none_or(|b| !b.denies)
    });
    for (cue, _) in heads {
        let targets = one
            .iter()
            .enumerate()
            .skip(cue + 1)
            .filter(|(_, w)| w.content && !w.denies);
        let near = targets.take_while(|(i, w)| {
            *i <= cue + REACH && one.get(cue).is_some_and(|c| w.clause <= c.clause + 1)
        });
        for (target, word) in near.take(TARGETS) {
            // "Not higher" beside "lower": the other sentence denies it in its own way.
            if other.iter().any(|w| points_against(word, w)) {
                break;
            }
            let paired = pairs.iter().find(|(l, _)| *l == target).map(|(_, r)| *r);
            let same = || other.iter().position(|w| w.term == word.term);
            match paired.or_else(same) {
                Some(there) if !is_denied(other, there) => return Some((cue, there)),
                Some(_) => break,
                None => {}
            }
        }
    }
    None
}

/// Whether a denial reaches a word.
fn is_denied(words: &[Word], at: usize) -> bool {
    let from = at.saturating_sub(REACH);
    let stretch = words
        .get(from..words.len().min(at + REACH))
        .unwrap_or_default();
    stretch.iter().any(|w| w.denies)
}

/// A word that points one way where the other sentence has one that points the other way.
fn turned(left: &[Word], right: &[Word], pairs: &[(usize, usize)]) -> Option<(usize, usize)> {
    let paired_left = |at: usize| pairs.iter().any(|(l, _)| *l == at);
    let paired_right = |at: usize| pairs.iter().any(|(_, r)| *r == at);
    for (l, here) in left.iter().enumerate() {
        if here.directions.is_empty() || paired_left(l) {
            continue;
        }
        let free = right.iter().enumerate().filter(|(r, _)| !paired_right(*r));
        let mut against = None;
        let mut alike = false;
        for (r, there) in free {
            let near = anchored(pairs, left, l, r);
            alike |= near && points_alike(here, there);
            if near && points_against(here, there) && against.is_none() {
                against = Some(r);
            }
        }
        if let Some(r) = against
            && !alike
            && denied_before(left, l) == denied_before(right, r)
        {
            return Some((l, r));
        }
    }
    None
}

fn denied_before(words: &[Word], at: usize) -> bool {
    let stretch = words.get(at.saturating_sub(NEAR)..at).unwrap_or_default();
    stretch.iter().any(|w| w.denies)
}

/// Whether a shared word of substance stands near both.
fn anchored(pairs: &[(usize, usize)], left: &[Word], l: usize, r: usize) -> bool {
    pairs.iter().any(|(a, b)| {
        left.get(*a).is_some_and(|w| w.content) && a.abs_diff(l) <= NEAR && b.abs_diff(r) <= NEAR
    })
}

fn points_against(a: &Word, b: &Word) -> bool {
    let against = |x: &super::lexicon::Direction| {
        b.directions
            .iter()
            .any(|y| x.axis == y.axis && x.up != y.up)
    };
    a.directions.iter().any(against)
}

fn points_alike(a: &Word, b: &Word) -> bool {
    a.directions.iter().any(|x| b.directions.contains(x))
}

/// The longest run of words that both sentences have in the same order, as pairs of places.
fn align(left: &[Word], right: &[Word]) -> Vec<(usize, usize)> {
    let width = right.len() + 1;
    let mut best = vec![0_u16; (left.len() + 1) * width];
    let at = |l: usize, r: usize| l * width + r;
    for (l, a) in left.iter().enumerate().rev() {
        for (r, b) in right.iter().enumerate().rev() {
            best[at(l, r)] = if a.term == b.term {
                best[at(l + 1, r + 1)] + 1
            } else {
                best[at(l + 1, r)].max(best[at(l, r + 1)])
            };
        }
    }
    let (mut l, mut r, mut pairs) = (0, 0, Vec::new());
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        if a.term == b.term && best[at(l, r)] == best[at(l + 1, r + 1)] + 1 {
            pairs.push((l, r));
            (l, r) = (l + 1, r + 1);
        } else if best[at(l + 1, r)] >= best[at(l, r + 1)] {
            l += 1;
        } else {
            r += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::claim::reading::Reader;

    fn kind(left: &str, right: &str) -> Option<Opposite> {
        let reader = Reader::new(Language::ENGLISH);
        oppose(&reader.read(left), &reader.read(right)).map(|found| found.kind)
    }

    #[test]
    fn a_denial_of_what_the_other_states_is_seen_from_either_side() {
        let states = "Aspirin reduced the risk of stroke in older patients.";
        for denies in [
            "Aspirin did not reduce the risk of stroke in older patients.",
            "Aspirin never reduced the risk of stroke in older patients.",
            "Aspirin failed to reduce the risk of stroke in older patients.",
            "It is not true that aspirin reduced the risk of stroke in older patients.",
        ] {
            assert_eq!(kind(states, denies), Some(Opposite::Denied), "{denies}");
            assert_eq!(kind(denies, states), Some(Opposite::Denied), "{denies}");
        }
    }

    #[test]
    fn the_other_direction_is_seen() {
        assert_eq!(
            kind(
                "Vitamin D increased bone density.",
                "Vitamin D decreased bone density."
            ),
            Some(Opposite::Turned)
        );
        assert_eq!(
            kind(
                "Mortality was higher in the treated group.",
                "Mortality was lower in the treated group."
            ),
            Some(Opposite::Turned)
        );
    }

    #[test]
    fn the_same_in_other_words_is_no_opposite() {
        for (left, right) in [
            (
                "Aspirin did not reduce mortality.",
                "There was no reduction of mortality with aspirin.",
            ),
            (
                "The rate was not higher with aspirin.",
                "The rate was lower with aspirin.",
            ),
            (
                "Not only mortality but also stroke fell.",
                "Mortality and stroke fell.",
            ),
            (
                "Aspirin increased bleeding.",
                "Aspirin led to an increase in bleeding and lower mortality.",
            ),
        ] {
            assert_eq!(kind(left, right), None, "{left} / {right}");
        }
    }
}
