//! Whether two sentences on the same subject say opposite things.
//!
//! Takes two sentences as read; gives the words of each that stand against each other. It looks at
//! denials and at words that point a way; numbers and dates are compared elsewhere. Whether the two
//! sentences are on the same subject is for the caller to see to first.

use serde::{Deserialize, Serialize};

use crate::Span;

use super::align::Alignment;
use super::reading::SentenceWord;

/// How far a denial reaches, in words.
const REACH: usize = 6;

/// How many words behind a denial are taken as what it denies.
const TARGETS: usize = 2;

/// How near a word that points a way must stand to a word that both sentences share.
const NEAR: usize = 4;

/// What makes a word its own opposite when it is put before it.
const PREFIXES: [&str; 7] = ["un", "in", "im", "ir", "il", "non", "dis"];

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
    /// In which way they stand against each other.
    pub kind: Opposite,
    /// The word of the first sentence.
    pub left: Span,
    /// The word of the second sentence.
    pub right: Span,
}

/// The first words that stand against each other, where the words of the two are paired as given.
pub(crate) fn oppose(
    left: &[SentenceWord],
    right: &[SentenceWord],
    pairs: &Alignment,
) -> Option<Opposition> {
    let from_left = denied(left, right, pairs);
    let from_right = || denied(right, left, &pairs.turned()).map(|(r, l)| (l, r));
    let denied = from_left
        .or_else(from_right)
        .map(|places| (Opposite::Denied, places));
    let turned = || turned(left, right, pairs).map(|places| (Opposite::Turned, places));
    let (kind, (l, r)) = denied.or_else(turned)?;
    let (left, right) = (left.get(l)?.span, right.get(r)?.span);
    Some(Opposition { kind, left, right })
}

/// A denial in `one` of something that `other` states.
fn denied(
    one: &[SentenceWord],
    other: &[SentenceWord],
    pairs: &Alignment,
) -> Option<(usize, usize)> {
    let begins = |at: usize| {
        at.checked_sub(1)
            .and_then(|b| one.get(b))
            .is_none_or(|b| !b.denies)
    };
    let paired = |at: usize| pairs.partner(at).is_some();
    let cues = one
        .iter()
        .enumerate()
        .filter(|(at, word)| word.denies && begins(*at) && !paired(*at));
    for (cue, denial) in cues {
        let targets = one.iter().enumerate().skip(cue + 1);
        let near = targets
            .take_while(|(at, word)| *at <= cue + REACH && word.clause == denial.clause)
            .filter(|(_, word)| word.content && !word.denies);
        if let Some(there) = doubled(one, other, cue, pairs) {
            return Some((cue, there));
        }
        for (target, word) in near.take(TARGETS) {
            match pairs.partner(target) {
                Some(there) if !is_denied(other, there, pairs) => return Some((cue, there)),
                Some(_) => break,
                // "Not higher" beside "lower": the other sentence denies it in its own way.
                None if other.iter().any(|w| points_against(word, w)) => break,
                None => {}
            }
        }
    }
    None
}

/// A denial of a denial that the other sentence has by itself: "not lacking" beside "lacking".
fn doubled(
    one: &[SentenceWord],
    other: &[SentenceWord],
    cue: usize,
    pairs: &Alignment,
) -> Option<usize> {
    let next = one.get(cue + 1).filter(|word| word.denies)?;
    let there = pairs.partner(cue + 1)?;
    let before = there.checked_sub(1).and_then(|at| other.get(at));
    (next.term == other.get(there)?.term && before.is_none_or(|word| !word.denies)).then_some(there)
}

/// Whether a denial reaches a word of the right side: one that has no partner and stands near, or
/// one that stands before it in the same clause.
fn is_denied(words: &[SentenceWord], at: usize, pairs: &Alignment) -> bool {
    let Some(word) = words.get(at) else {
        return false;
    };
    let near = words
        .iter()
        .enumerate()
        .skip(at.saturating_sub(REACH))
        .take(2 * REACH);
    let mut denials = near.filter(|(_, w)| w.denies);
    denials.any(|(cue, w)| pairs.back(cue).is_none() || (cue < at && w.clause == word.clause))
}

/// A word that points one way where the other sentence has one that points the other way, neither
/// of them with a partner.
fn turned(
    left: &[SentenceWord],
    right: &[SentenceWord],
    pairs: &Alignment,
) -> Option<(usize, usize)> {
    for (l, here) in left
        .iter()
        .enumerate()
        .filter(|(l, _)| pairs.partner(*l).is_none())
    {
        let mut against = None;
        let mut alike = false;
        for (r, there) in right
            .iter()
            .enumerate()
            .filter(|(r, _)| pairs.back(*r).is_none())
        {
            let opposite = points_against(here, there) || is_prefixed(here, there);
            if !(opposite || points_alike(here, there)) || !anchored(pairs, left, l, r) {
                continue;
            }
            alike |= points_alike(here, there);
            if opposite && against.is_none() {
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

fn denied_before(words: &[SentenceWord], at: usize) -> bool {
    let stretch = words.get(at.saturating_sub(NEAR)..at).unwrap_or_default();
    stretch.iter().any(|w| w.denies)
}

/// Whether a shared word of substance stands near both.
fn anchored(pairs: &Alignment, left: &[SentenceWord], l: usize, r: usize) -> bool {
    pairs.pairs().any(|(a, b)| {
        left.get(a).is_some_and(|w| w.content) && a.abs_diff(l) <= NEAR && b.abs_diff(r) <= NEAR
    })
}

fn points_against(a: &SentenceWord, b: &SentenceWord) -> bool {
    let against = |x: &super::lexicon::Direction| {
        b.directions
            .iter()
            .any(|y| x.axis == y.axis && x.up != y.up)
    };
    a.directions.iter().any(against)
}

fn points_alike(a: &SentenceWord, b: &SentenceWord) -> bool {
    a.directions.iter().any(|x| b.directions.contains(x))
}

/// "Stable" and "unstable".
fn is_prefixed(a: &SentenceWord, b: &SentenceWord) -> bool {
    let made_of = |long: &str, short: &str| {
        // Stems of one word may differ in their ends.
        let same = |rest: &str| rest.starts_with(short) || short.starts_with(rest);
        let near =
            |rest: &str| rest.len().min(short.len()) > 4 && rest.len().abs_diff(short.len()) < 3;
        let rests = PREFIXES
            .iter()
            .filter_map(|prefix| long.strip_prefix(prefix));
        rests.into_iter().any(|rest| same(rest) && near(rest))
    };
    made_of(&a.term, &b.term) || made_of(&b.term, &a.term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::claim::reading::SentenceReader;

    fn kind(left: &str, right: &str) -> Option<Opposite> {
        let reader = SentenceReader::new(Language::ENGLISH);
        let (left, right) = (reader.read(left), reader.read(right));
        let pairs = Alignment::new(&left, &right);
        oppose(&left, &right, &pairs).map(|found| found.kind)
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
    fn a_denial_is_seen_behind_another_one() {
        let states = "Evidence of a benefit is lacking.";
        assert_eq!(
            kind("Evidence of a benefit is not lacking.", states),
            Some(Opposite::Denied)
        );
    }

    #[test]
    fn a_prefix_that_turns_a_word_around_is_seen() {
        assert_eq!(
            kind(
                "The compound was reactive at room temperature.",
                "The compound was unreactive at room temperature."
            ),
            Some(Opposite::Turned)
        );
    }

    #[test]
    fn a_denial_that_was_left_out_with_what_it_denies_is_no_opposite() {
        assert_eq!(
            kind(
                "Aspirin reduced the risk of stroke.",
                "Aspirin reduced the risk of stroke, but not of death."
            ),
            None
        );
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
