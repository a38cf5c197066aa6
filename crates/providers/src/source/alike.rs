//! Texts that say the same in nearly the same words, as pairs with their overlap.
//!
//! Runs of three words are hashed; MinHash signatures bring likely pairs together band by band, and each pair is then
//! judged by its true overlap. Careful on purpose: short texts are alike to nothing, and titles must agree as well.

use std::collections::{BTreeMap, BTreeSet};

const SHINGLE: usize = 3;

/// A signature has `BANDS` × `ROWS` numbers: a pair with an overlap of 0.8 is missed three times in 100,000.
const BANDS: usize = 20;
const ROWS: usize = 4;

/// Members of one bucket that are compared with each other; the rest of it is left alone.
const BUCKET_MAX: usize = 64;

/// Words of a text that are looked at.
const WORDS_MAX: usize = 600;

/// Fewer different runs than this, about two sentences, say too little to judge by.
const SHINGLES_LEAST: usize = 24;

/// Texts that share at least this part of their runs are copies.
const OVERLAP: f64 = 0.8;

/// Likewise the words of titles, to which sites add their names.
const TITLE_OVERLAP: f64 = 0.5;

/// A text to compare.
pub(super) struct Text<'a> {
    pub(super) title: &'a str,
    pub(super) body: &'a str,
}

/// Two places in the list of texts, and how much the texts share, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) one: usize,
    pub(super) other: usize,
    pub(super) overlap: f64,
}

/// The pairs of texts that are copies of each other, the most alike first.
pub(super) fn pairs(texts: &[Text<'_>]) -> Vec<Pair> {
    let shapes: Vec<Shape> = texts.iter().map(Shape::new).collect();
    let mut seen = BTreeSet::new();
    let mut pairs = Vec::new();
    for band in 0..BANDS {
        let mut buckets: BTreeMap<[u64; ROWS], Vec<usize>> = BTreeMap::new();
        for (nth, shape) in shapes.iter().enumerate() {
            if shape.shingles.len() < SHINGLES_LEAST {
                continue;
            }
            let bucket = buckets.entry(signature(&shape.shingles, band)).or_default();
            if bucket.len() >= BUCKET_MAX {
                continue;
            }
            for &one in bucket.iter().filter(|one| seen.insert((**one, nth))) {
                pairs.extend(
                    shapes
                        .get(one)
                        .and_then(|other| other.like(shape, one, nth)),
                );
            }
            bucket.push(nth);
        }
    }
    pairs.sort_by(|a, b| {
        let best = b.overlap.total_cmp(&a.overlap);
        best.then((a.one, a.other).cmp(&(b.one, b.other)))
    });
    pairs
}

struct Shape {
    shingles: Vec<u64>,
    title: Vec<u64>,
    /// Reports of two years differ in a number.
    title_numbers: BTreeSet<String>,
}

impl Shape {
    fn new(text: &Text<'_>) -> Self {
        let title = words(text.title);
        let all: Vec<u64> = words(text.body).iter().map(|word| hash(word)).collect();
        let run = |run: &[u64]| {
            run.iter()
                .fold(0, |so_far: u64, next| mixed(so_far.rotate_left(5) ^ next))
        };
        Self {
            shingles: set(all.windows(SHINGLE).map(run).collect()),
            title: set(title.iter().map(|word| hash(word)).collect()),
            title_numbers: title
                .into_iter()
                .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
                .collect(),
        }
    }

    fn like(&self, other: &Self, one: usize, nth: usize) -> Option<Pair> {
        let overlap = jaccard(&self.shingles, &other.shingles);
        let copies = overlap >= OVERLAP
            && self.title_numbers == other.title_numbers
            && jaccard(&self.title, &other.title) >= TITLE_OVERLAP;
        copies.then_some(Pair {
            one,
            other: nth,
            overlap,
        })
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .map(str::to_lowercase)
        .collect()
}

fn set(mut hashes: Vec<u64>) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn signature(set: &[u64], band: usize) -> [u64; ROWS] {
    std::array::from_fn(|row| {
        let seed = mixed((band * ROWS + row) as u64 + 1);
        set.iter().map(|hash| mixed(hash ^ seed)).min().unwrap_or(0)
    })
}

/// How much two sorted sets share of what either holds, from 0 to 1.
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
fn hash(word: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    mixed(word.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// The finisher of splitmix64: spreads every bit over all.
fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
