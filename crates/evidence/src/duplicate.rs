//! Texts that say the same in nearly the same words: mirrors, reprints, copied sentences.
//!
//! Takes texts one by one ([`NearDuplicates`]) or all at once; tells which are copies. Signatures of word shingles
//! (MinHash with fixed seeds) bring likely pairs together band by band; each pair is then checked by its true
//! overlap, so nothing is a copy on a signature's word. Copies count as one witness: mirrors agree by copying.

use std::collections::{BTreeMap, BTreeSet};

use crate::terms::words;

/// Words in a shingle. Pairs bear a changed word here and there better than longer runs do.
const SHINGLE: usize = 2;

/// A signature has `BANDS` × `ROWS` numbers: a pair with an overlap of 0.7 is missed less than once
/// in 100,000 times, one at 0.5 once in 20.
const BANDS: usize = 48;
const ROWS: usize = 4;

/// Members of one bucket that are compared with each other: the rest only with these.
const BUCKET_HEADS: usize = 8;

/// Documents that share at least this part of their shingles are copies.
const DOCUMENT_OVERLAP: f64 = 0.5;
/// Likewise sentences.
const SENTENCE_OVERLAP: f64 = 0.7;

/// Texts given one by one, each compared with all before it.
pub struct NearDuplicates {
    least_overlap: f64,
    /// The shingles of each text, sorted.
    sets: Vec<Vec<u64>>,
    /// Of each band and signature, the first texts that have it.
    buckets: BTreeMap<(usize, [u64; ROWS]), Vec<usize>>,
}

impl NearDuplicates {
    /// Copies are texts that share at least this part of their pairs of words, from 0 to 1. Below 0.5 pairs begin to
    /// be missed.
    pub fn new(least_overlap: f64) -> Self {
        Self {
            least_overlap,
            sets: Vec::new(),
            buckets: BTreeMap::new(),
        }
    }

    /// Takes the next text. Gives the numbers of all texts before it that it is a copy of, counted from 0 in the order
    /// in which they were given. A text without words is a copy of none.
    pub fn insert(&mut self, text: &str) -> BTreeSet<usize> {
        let set = shingles(text);
        let number = self.sets.len();
        let mut compared = BTreeSet::new();
        let mut copies = BTreeSet::new();
        for band in (0..BANDS).filter(|_| !set.is_empty()) {
            let heads = self
                .buckets
                .entry((band, signature(&set, band)))
                .or_default();
            for &head in heads.iter().filter(|head| compared.insert(**head)) {
                let known = self.sets.get(head).map_or(&[][..], Vec::as_slice);
                if jaccard(known, &set) >= self.least_overlap {
                    copies.insert(head);
                }
            }
            if heads.len() < BUCKET_HEADS {
                heads.push(number);
            }
        }
        self.sets.push(set);
        copies
    }
}

/// Groups of documents that are copies of each other. Every text is in exactly one group, by its place
/// in the list. Groups and their members are in the order of the list; a text without a copy is a
/// group of its own.
pub fn documents(texts: &[&str]) -> Vec<Vec<usize>> {
    groups(texts, DOCUMENT_OVERLAP)
}

/// Groups of sentences that say the same in nearly the same words, likewise.
pub fn sentences(texts: &[&str]) -> Vec<Vec<usize>> {
    groups(texts, SENTENCE_OVERLAP)
}

fn groups(texts: &[&str], least_overlap: f64) -> Vec<Vec<usize>> {
    let mut known = NearDuplicates::new(least_overlap);
    let mut joined = JoinedTexts::new(texts.len());
    for (number, text) in texts.iter().enumerate() {
        for earlier in known.insert(text) {
            joined.join(earlier, number);
        }
    }
    joined.groups()
}

/// Hashes of the runs of words, sorted, each once. A text shorter than a run is one run.
fn shingles(text: &str) -> Vec<u64> {
    let hashes: Vec<u64> = words(text)
        .filter_map(|span| span.of(text))
        .map(|word| hash(word.to_lowercase().as_bytes()))
        .collect();
    let size = SHINGLE.min(hashes.len().max(1));
    let run = |run: &[u64]| {
        run.iter()
            .fold(0, |so_far: u64, next| mixed(so_far.rotate_left(5) ^ next))
    };
    let mut set: Vec<u64> = hashes.windows(size).map(run).collect();
    set.sort_unstable();
    set.dedup();
    set
}

fn signature(set: &[u64], band: usize) -> [u64; ROWS] {
    std::array::from_fn(|row| {
        let seed = mixed((band * ROWS + row) as u64 + 1);
        set.iter().map(|hash| mixed(hash ^ seed)).min().unwrap_or(0)
    })
}

/// How much two sets share of what either holds, 0 to 1.
fn jaccard(one: &[u64], other: &[u64]) -> f64 {
    let (mut a, mut b, mut both) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (one.get(a), other.get(b)) {
        both += usize::from(x == y);
        a += usize::from(x <= y);
        b += usize::from(y <= x);
    }
    let either = one.len() + other.len() - both;
    if either == 0 {
        0.0
    } else {
        both as f64 / either as f64
    }
}

/// FNV-1a: the same on every machine and in every version.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    mixed(bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The finisher of splitmix64: spreads every bit over all.
fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Which texts were joined. The smallest place of a group stands for it.
struct JoinedTexts(Vec<usize>);

impl JoinedTexts {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }

    fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.0.len() {
            groups.entry(self.root(at)).or_default().push(at);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{NearDuplicates, documents, sentences};

    fn text(seed: usize) -> String {
        let word = |n: usize| format!("w{}", super::mixed((n + seed * 1_000) as u64) % 5_003);
        (0..120).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_mirrored_page_counts_once() {
        let page = text(1);
        let mirror = format!("Copied from elsewhere: {}!", page.to_uppercase());
        let other = text(2);
        assert_eq!(documents(&[&page, &other, &mirror]), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn a_copy_is_told_by_the_numbers_of_all_texts_like_it() {
        let mut known = NearDuplicates::new(0.8);
        assert!(known.insert(&text(1)).is_empty());
        assert!(known.insert(&text(2)).is_empty());
        let again = format!("Again: {}", text(2));
        assert_eq!(known.insert(&again), [1].into());
        assert_eq!(known.insert(&text(2)), [1, 2].into());
        assert!(known.insert("").is_empty());
        assert!(known.insert("").is_empty());
    }

    #[test]
    fn sentences_that_differ_in_what_they_say_stay_apart() {
        let found = sentences(&[
            "The drug reduced mortality in adults with heart failure by 20 percent.",
            "The drug reduced mortality in adults with heart failure by 20 percent!",
            "The drug did not reduce costs in children with asthma at all.",
            "",
            "",
        ]);
        assert_eq!(found, [vec![0, 1], vec![2], vec![3], vec![4]]);
    }

    #[test]
    fn every_text_is_in_one_group_whatever_there_is() {
        let texts: Vec<String> = (0..2_000).map(|n| text(n % 500)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = documents(&texts);
        assert_eq!(found.len(), 500);
        assert!(found.iter().all(|group| group.len() == 4));
        assert!(documents(&[]).is_empty());
    }
}
