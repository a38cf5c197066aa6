//! Which words of one sentence are which words of another.
//!
//! Takes two sentences as read; pairs their words, longest common runs first, so that a clause that
//! was moved is still found. What is left without a partner is what the two say differently.

use std::collections::BTreeMap;
use std::ops::Range;

use super::reading::SentenceWord;

/// How many runs are paired; what is in more pieces is no retelling.
const RUNS_MAX: usize = 24;

/// How far from its neighbour's partner a word's own partner may stand.
const WINDOW: usize = 8;

/// How far from a word the neighbours that tell its place are looked for.
const NEIGHBOUR_MAX: usize = 3;

/// Partners of words, by their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alignment {
    left: Vec<Option<usize>>,
    right: Vec<Option<usize>>,
}

impl Alignment {
    pub(crate) fn new(left: &[SentenceWord], right: &[SentenceWord]) -> Self {
        let mut made = Self {
            left: vec![None; left.len()],
            right: vec![None; right.len()],
        };
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (r, word) in right.iter().enumerate() {
            places.entry(&word.term).or_default().push(r);
        }
        let same = |word: &SentenceWord| {
            places
                .get(word.term.as_str())
                .map_or(&[][..], Vec::as_slice)
        };
        let alike: Vec<&[usize]> = left.iter().map(same).collect();
        for _ in 0..RUNS_MAX {
            let Some((l, r, length)) = made.longest(left, &alike) else {
                break;
            };
            (0..length).for_each(|i| made.pair(l + i, r + i));
        }
        made.single_words(left, &alike);
        made
    }

    /// The same with the sides exchanged.
    pub(crate) fn turned(&self) -> Self {
        Self {
            left: self.right.clone(),
            right: self.left.clone(),
        }
    }

    /// The partner of a word on the left.
    pub(crate) fn partner(&self, left: usize) -> Option<usize> {
        self.left.get(left).copied().flatten()
    }

    /// The partner of a word on the right.
    pub(crate) fn back(&self, right: usize) -> Option<usize> {
        self.right.get(right).copied().flatten()
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let paired = |(l, r): (usize, &Option<usize>)| Some((l, (*r)?));
        self.left.iter().enumerate().filter_map(paired)
    }

    /// Where on the right a word of the left without a partner would stand: between the partners
    /// of its neighbours.
    pub(crate) fn place(&self, left: usize) -> Option<Range<usize>> {
        let near = |before: bool| self.neighbour(left, before, NEIGHBOUR_MAX);
        let end = self.right.len();
        let place = match (near(true), near(false)) {
            (Some((_, a)), Some((_, b))) if a < b && b - a <= 2 * NEIGHBOUR_MAX => a + 1..b,
            (Some((_, a)), None) => a + 1..end.min(a + 1 + NEIGHBOUR_MAX),
            (None, Some((_, b))) => b.saturating_sub(NEIGHBOUR_MAX)..b,
            _ => return None,
        };
        (self.partner(left).is_none() && !place.is_empty()).then_some(place)
    }

    /// The nearest word before (or behind) one on the left that has a partner, not further than
    /// `most` words away.
    fn neighbour(&self, left: usize, before: bool, most: usize) -> Option<(usize, usize)> {
        (1..=most).find_map(|step| {
            let at = if before {
                left.checked_sub(step)?
            } else {
                left + step
            };
            Some((at, self.partner(at)?))
        })
    }

    fn pair(&mut self, left: usize, right: usize) {
        if let (Some(l), Some(r)) = (self.left.get_mut(left), self.right.get_mut(right)) {
            *l = Some(right);
            *r = Some(left);
        }
    }

    /// The longest run of two or more words, one of them of substance, that have no partners yet;
    /// `alike` gives the words of the right that are the same as each of the left.
    fn longest(&self, left: &[SentenceWord], alike: &[&[usize]]) -> Option<(usize, usize, usize)> {
        let fits = |l: usize, r: usize| {
            let same = alike
                .get(l)
                .is_some_and(|all| all.binary_search(&r).is_ok());
            same && self.partner(l).is_none() && self.back(r).is_none()
        };
        let mut best: Option<(usize, usize, usize)> = None;
        for (l, places) in alike.iter().enumerate() {
            for r in places.iter().copied() {
                let inside = l > 0 && r > 0 && fits(l - 1, r - 1);
                if inside || !fits(l, r) {
                    continue;
                }
                let length = (1..).take_while(|i| fits(l + i, r + i)).count() + 1;
                let says = || left.iter().skip(l).take(length).any(|word| word.content);
                if length >= 2 && best.is_none_or(|(_, _, most)| length > most) && says() {
                    best = Some((l, r, length));
                }
            }
        }
        best
    }

    /// Words by themselves have their partners near those of their neighbours. A word of substance
    /// may have it anywhere, unless it is a number or points a way: one of those elsewhere tells
    /// something else.
    fn single_words(&mut self, left: &[SentenceWord], alike: &[&[usize]]) {
        for (l, (word, places)) in left.iter().zip(alike).enumerate() {
            if self.partner(l).is_some() {
                continue;
            }
            let [behind, before] = self.around(l, self.right.len());
            let mut free = places.iter().copied().filter(|r| self.back(*r).is_none());
            let anywhere = word.content && word.directions.is_empty() && !word.is_number();
            let near = free.clone().find(|r| behind.contains(r));
            let near = near.or_else(|| free.clone().find(|r| before.contains(r)));
            if let Some(r) = near.or_else(|| free.next().filter(|_| anywhere)) {
                self.pair(l, r);
            }
        }
    }

    /// Where the partner of a word is to be looked for: behind that of the word before it, then
    /// before that of the word behind it.
    fn around(&self, left: usize, end: usize) -> [Range<usize>; 2] {
        let before = self
            .neighbour(left, true, WINDOW)
            .map(|(_, r)| r + 1..end.min(r + 1 + WINDOW));
        let behind = self
            .neighbour(left, false, WINDOW)
            .map(|(_, r)| r.saturating_sub(WINDOW)..r);
        [before.unwrap_or(0..0), behind.unwrap_or(0..0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use crate::claim::reading::SentenceReader;

    fn read(text: &str) -> Vec<SentenceWord> {
        SentenceReader::new(Language::ENGLISH).read(text)
    }

    #[test]
    fn a_clause_that_was_moved_keeps_its_partners() {
        let left = read("In older patients, aspirin reduced the risk of stroke.");
        let right = read("Aspirin reduced the risk of stroke in older patients.");
        let pairs = Alignment::new(&left, &right);
        assert_eq!(pairs.pairs().count(), left.len());
        assert_eq!((pairs.partner(0), pairs.partner(3)), (Some(6), Some(0)));
    }

    #[test]
    fn a_changed_number_has_the_place_of_the_old_one_and_no_partner() {
        let left = read("Of 40 patients 12 died within 30 days.");
        let right = read("Of 40 patients 17 died within 30 days.");
        let pairs = Alignment::new(&left, &right);
        assert_eq!((pairs.partner(3), pairs.place(3)), (None, Some(3..4)));
        assert_eq!(pairs.partner(1), Some(1));
    }

    #[test]
    fn a_number_from_elsewhere_is_no_partner() {
        let left =
            read("Of 30 patients in the first of all the large groups that were seen 30 died.");
        let right =
            read("Of 30 patients in the first of all the large groups that were seen 12 died.");
        let pairs = Alignment::new(&left, &right);
        assert_eq!(pairs.partner(left.len() - 2), None);
    }
}
