//! Whether a sentence of a source says what a claim says, word by word.
//!
//! Takes the words of both; gives one of three answers. *Says*: every word of the claim stands there
//! side by side in the same order, and what was left out takes nothing back. *Against*: all is the
//! same but a number, a denial or a direction. *Differs*: anything else, with the words that differ.

use super::compared::{ComparedWord, frame};

/// What may follow a comma and be left out: it adds something and limits nothing.
const ADDS: [&str; 6] = ["and", "while", "whereas", "which", "who", "p"];

/// With one of these, what was left out may limit what was told.
const LIMITS: [&str; 8] = [
    "only", "if", "unless", "except", "when", "provided", "until", "not",
];

/// What a stretch that may be left out at the beginning does not begin with: the rest may hold only there.
const SCOPES: [&str; 18] = [
    "in", "among", "for", "with", "without", "under", "during", "after", "before", "at", "on",
    "if", "when", "although", "though", "by", "within", "of",
];

/// What came of holding a claim against a sentence. Words are given by their places.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fit {
    Says,
    Against(Difference),
    Differs {
        /// Words of the claim that the sentence does not have there.
        added: Vec<usize>,
        /// Words of the sentence that the claim leaves out.
        dropped: Vec<usize>,
    },
}

/// The one thing in which a claim and a sentence differ.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Difference {
    /// Numbers of the claim in whose place the sentence has others of the same unit.
    Number(Vec<usize>),
    /// A denial that one of the two has.
    Denied {
        claim: Option<usize>,
        source: Option<usize>,
    },
    /// Words that point opposite ways.
    Turned { claim: usize, source: usize },
}

/// How much of a sentence a claim must tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stretch {
    /// All of it.
    Whole,
    /// Some of its clauses, where the others limit nothing.
    Clauses,
}

impl Fit {
    /// How many words stand against it: none where the sentence says it.
    pub(super) fn distance(&self) -> usize {
        match self {
            Self::Says => 0,
            Self::Against(_) => 1,
            Self::Differs { added, dropped } => 1 + added.len() + dropped.len(),
        }
    }
}

/// Holds a claim, or a part of it, against one sentence.
pub(super) fn fit(claim: &[ComparedWord], sentence: &[ComparedWord], stretch: Stretch) -> Fit {
    let asides = claim.iter().any(|word| word.aside);
    // What stands in brackets may be left out, unless it takes something back.
    let kept = |word: &ComparedWord| asides || !word.aside || word.denies;
    let all = sentence.iter().enumerate().filter(|(_, word)| kept(word));
    let (places, mut source): (Vec<usize>, Vec<&ComparedWord>) = all.unzip();
    let opening = frame(&source);
    source.drain(..opening);
    let found = align(claim, &source);
    let place = |at: usize| places.get(at + opening).copied().unwrap_or_default();
    judge(&found, claim, &source, stretch).moved(place)
}

impl Fit {
    /// The same with the places that words have in the sentence as it was given.
    fn moved(self, place: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Says | Self::Against(Difference::Number(_)) => self,
            Self::Differs { added, dropped } => Self::Differs {
                added,
                dropped: dropped.into_iter().map(place).collect(),
            },
            Self::Against(Difference::Denied { claim, source }) => {
                let source = source.map(place);
                Self::Against(Difference::Denied { claim, source })
            }
            Self::Against(Difference::Turned { claim, source }) => {
                let source = place(source);
                Self::Against(Difference::Turned { claim, source })
            }
        }
    }
}

/// How the words of a claim came to stand beside a stretch of a sentence.
#[derive(Debug, Default)]
struct WordEdits {
    added: Vec<usize>,
    dropped: Vec<usize>,
    replaced: Vec<(usize, usize)>,
    /// The stretch of the sentence.
    start: usize,
    end: usize,
}

fn judge(
    edits: &WordEdits,
    claim: &[ComparedWord],
    source: &[&ComparedWord],
    stretch: Stretch,
) -> Fit {
    let dropped = without_amounts(&edits.dropped, source);
    let left_out = left_out(edits, source, stretch);
    let whole = edits.added.is_empty() && dropped.is_empty() && left_out.is_empty();
    match edits.replaced.as_slice() {
        [] if whole => return Fit::Says,
        [] if left_out.is_empty() => {
            if let Some(difference) = denied(edits, &dropped, claim, source) {
                return Fit::Against(difference);
            }
        }
        [(c, s)] if whole && !is_number(claim, *c) => {
            return Fit::Against(Difference::Turned {
                claim: *c,
                source: *s,
            });
        }
        replaced if whole && replaced.iter().all(|(c, _)| is_number(claim, *c)) => {
            return Fit::Against(Difference::Number(
                replaced.iter().map(|(c, _)| *c).collect(),
            ));
        }
        _ => {}
    }
    let mut added = edits.added.clone();
    added.extend(edits.replaced.iter().map(|(c, _)| *c));
    added.sort_unstable();
    Fit::Differs {
        added,
        dropped: if dropped.is_empty() {
            left_out
        } else {
            dropped
        },
    }
}

fn is_number(words: &[ComparedWord], at: usize) -> bool {
    words.get(at).is_some_and(|word| word.number.is_some())
}

/// Whether a denial was put in or left out and nothing else.
fn denied(
    edits: &WordEdits,
    dropped: &[usize],
    claim: &[ComparedWord],
    source: &[&ComparedWord],
) -> Option<Difference> {
    let together = |places: &[usize]| {
        places
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a + 1 == *b))
    };
    let put_in = edits
        .added
        .iter()
        .all(|at| claim.get(*at).is_some_and(|word| word.denies));
    let taken_out = dropped
        .iter()
        .all(|at| source.get(*at).is_some_and(|word| word.denies));
    match (edits.added.as_slice(), dropped) {
        ([first, ..], []) if put_in && together(&edits.added) => Some(Difference::Denied {
            claim: Some(*first),
            source: None,
        }),
        ([], [first, ..]) if taken_out && together(dropped) => Some(Difference::Denied {
            claim: None,
            source: Some(*first),
        }),
        _ => None,
    }
}

/// What was left out inside, "by 32 %" apart: without it less is said.
fn without_amounts(dropped: &[usize], source: &[&ComparedWord]) -> Vec<usize> {
    let is_by = |at: usize| source.get(at).is_some_and(|word| word.word == "by");
    let amount = |at: usize| source.get(at).is_some_and(|word| word.number.is_some());
    let harmless = |at: &usize| {
        let at = *at;
        (is_by(at) && amount(at + 1) && dropped.contains(&(at + 1)))
            || (amount(at) && at > 0 && is_by(at - 1) && dropped.contains(&(at - 1)))
    };
    dropped.iter().copied().filter(|at| !harmless(at)).collect()
}

/// The words before and behind the stretch that may limit what it says.
fn left_out(edits: &WordEdits, source: &[&ComparedWord], stretch: Stretch) -> Vec<usize> {
    let word = |at: usize| source.get(at).map_or("", |word| word.word.as_str());
    let parted = |at: usize| match (source.get(at.wrapping_sub(1)), source.get(at)) {
        (Some(before), Some(behind)) => before.clause < behind.clause,
        _ => true,
    };
    let limits = |range: std::ops::Range<usize>| range.clone().any(|at| LIMITS.contains(&word(at)));
    let (before, behind) = (0..edits.start, edits.end..source.len());
    if stretch == Stretch::Whole {
        return before.chain(behind).collect();
    }
    let begins = edits.start == 0
        || (parted(edits.start)
            && ADDS.contains(&word(edits.start))
            && !SCOPES.contains(&word(0))
            && !limits(before.clone()));
    let adds = ADDS.contains(&word(edits.end)) || word(edits.end).ends_with("ing");
    let ends = edits.end == source.len() || (parted(edits.end) && adds && !limits(behind.clone()));
    let mut all = Vec::new();
    all.extend(before.filter(|_| !begins));
    all.extend(behind.filter(|_| !ends));
    all
}

/// The stretch of the sentence that is nearest to the claim, and what has to be changed.
fn align(claim: &[ComparedWord], source: &[&ComparedWord]) -> WordEdits {
    let (rows, columns) = (claim.len() + 1, source.len() + 1);
    let mut cost = vec![0_usize; rows * columns];
    let at = |row: usize, column: usize| row * columns + column;
    for (row, here) in (1..rows).zip(claim) {
        cost[at(row, 0)] = row;
        for (column, there) in (1..columns).zip(source) {
            let diagonal = cost[at(row - 1, column - 1)];
            let mut least = cost[at(row - 1, column)].min(cost[at(row, column - 1)]) + 1;
            if here.is_told_by(there) {
                least = least.min(diagonal);
            } else if is_replaced(here, there) {
                least = least.min(diagonal + 1);
            }
            cost[at(row, column)] = least;
        }
    }
    let last = rows - 1;
    // Of equals the longest: a last number that was changed is another number, not one too many.
    let ends = (0..columns).rev();
    let end = ends
        .min_by_key(|column| cost[at(last, *column)])
        .unwrap_or_default();
    let mut edits = WordEdits {
        end,
        ..WordEdits::default()
    };
    let (mut row, mut column) = (last, end);
    while row > 0 {
        let here = cost[at(row, column)];
        let pair = (claim.get(row - 1)).zip(column.checked_sub(1).and_then(|c| source.get(c)));
        let diagonal = || cost[at(row - 1, column - 1)];
        if pair.is_some_and(|(c, s)| c.is_told_by(s)) && diagonal() == here {
            (row, column) = (row - 1, column - 1);
        } else if pair.is_some_and(|(c, s)| is_replaced(c, s)) && diagonal() + 1 == here {
            (row, column) = (row - 1, column - 1);
            edits.replaced.push((row, column));
        } else if column > 0 && cost[at(row, column - 1)] + 1 == here {
            column -= 1;
            edits.dropped.push(column);
        } else {
            row -= 1;
            edits.added.push(row);
        }
    }
    edits.start = column;
    edits.added.reverse();
    edits.dropped.reverse();
    edits
}

fn is_replaced(claim: &ComparedWord, source: &ComparedWord) -> bool {
    claim.is_other_number(source) || claim.points_against(source)
}
