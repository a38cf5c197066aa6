//! Conflicts between pieces of evidence, both sides quoted.
//!
//! Takes passages; compares sentences that are on the same subject, which is to say that they share
//! most of their rarer words; gives the pairs that state other numbers in the same unit or other
//! dates, deny each other, or point opposite ways.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::claim::align::Alignment;
use crate::claim::number::{StatedNumber, figures};
use crate::claim::oppose::{Opposite, oppose};
use crate::claim::reading::{SentenceReader, SentenceWord};
use crate::date::{StatedDate, dates};
use crate::span::outside_brackets;
use crate::{Language, Span, sentences};

use super::ValidatedEvidence;

/// Sentences that share less of their words, rare ones counting most, are on different subjects.
const SAME_SUBJECT_MIN: f64 = 0.6;

/// A number stands against another only where nearly all else is said alike.
const SAME_QUANTITY_MIN: f64 = 0.75;

/// Of two sentences that differ in one number, each may have this many words of substance that the
/// other has not; with more they count something else.
const STRANGERS_MAX: usize = 1;

/// Of two sentences on the same subject, one word in this many may be such.
const STRANGERS_SHARE: usize = 5;

/// More sentences are not compared: the work grows with the pairs that share a rare word.
const SENTENCES_MAX: usize = 2_000;

/// A term in more sentences than this does not make two of them worth comparing.
const COMMON_MAX: usize = 50;

/// Words from a place in a source.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'t> {
    /// The id of the source; only told on, never compared.
    pub source: &'t str,
    /// Where the words begin in the source's text.
    pub start: usize,
    /// The words.
    pub text: &'t str,
}

impl<'t> Statement<'t> {
    pub(super) fn from_evidence(evidence: &'t ValidatedEvidence) -> Self {
        let candidate = &evidence.candidate;
        Self {
            source: &candidate.source,
            start: candidate.span.start,
            text: &candidate.passage,
        }
    }
}

/// What two statements differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// Other numbers in the same unit.
    Number,
    /// Other dates.
    Date,
    /// One denies what the other states.
    Denied,
    /// One points up where the other points down.
    Turned,
}

/// One side of a conflict, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConflictSide {
    /// The id of its source.
    pub source: String,
    /// Where the sentence stands in the source's text.
    pub span: Span,
    /// The sentence.
    pub quote: String,
}

/// Two sentences that cannot both be right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// What they differ in.
    pub difference: ConflictKind,
    /// The side that stands first among the statements given.
    pub left: ConflictSide,
    /// The other side.
    pub right: ConflictSide,
}

struct ComparedSentence {
    side: ConflictSide,
    words: Vec<SentenceWord>,
    about: BTreeSet<String>,
    numbers: Vec<StatedNumber>,
    dates: Vec<StatedDate>,
}

/// The conflicts between statements, in the order in which they stand.
pub fn conflicts(statements: &[Statement<'_>], language: Language) -> Vec<Conflict> {
    let reader = SentenceReader::new(language);
    let all = read(statements, &reader, language);
    let mut held: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, sentence) in all.iter().enumerate() {
        for term in &sentence.about {
            held.entry(term).or_default().push(i);
        }
    }
    let weigh = |term: &str| {
        let often = held.get(term).map_or(1, Vec::len) as f64;
        (1.0 + all.len() as f64 / often).ln()
    };
    let pairs = worth_comparing(&held);
    pairs
        .into_iter()
        .filter_map(|(l, r)| compare(all.get(l)?, all.get(r)?, &weigh))
        .collect()
}

fn read(
    statements: &[Statement<'_>],
    reader: &SentenceReader,
    language: Language,
) -> Vec<ComparedSentence> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for statement in statements {
        for span in sentences(statement.text, language) {
            let quote = span.of(statement.text).unwrap_or_default().to_owned();
            let side = ConflictSide {
                source: statement.source.to_owned(),
                span: span.moved(statement.start),
                quote,
            };
            if all.len() < SENTENCES_MAX && seen.insert(side.clone()) {
                all.push(ComparedSentence::new(side, reader));
            }
        }
    }
    all
}

impl ComparedSentence {
    fn new(side: ConflictSide, reader: &SentenceReader) -> Self {
        // What stands in brackets, such as the bounds of an interval, is told besides.
        let plain = outside_brackets(&side.quote);
        let outside = |span: Span| plain.iter().any(|part| part.holds(span));
        let mut words = reader.read(&side.quote);
        words.retain(|word| outside(word.span));
        let mut dates = dates(&side.quote);
        dates.retain(|date| outside(date.span));
        let mut numbers = figures(&side.quote).numbers;
        numbers.retain(|number| outside(number.span));
        let plain = |w: &&SentenceWord| {
            let dated = dates.iter().any(|date| date.span.holds(w.span));
            w.content && !w.denies && w.directions.is_empty() && !w.is_number() && !dated
        };
        Self {
            about: words.iter().filter(plain).map(|w| w.term.clone()).collect(),
            numbers,
            words,
            dates,
            side,
        }
    }
}

/// Pairs of sentences that share a term which is not everywhere.
fn worth_comparing(held: &BTreeMap<&str, Vec<usize>>) -> BTreeSet<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for places in held.values().filter(|places| places.len() <= COMMON_MAX) {
        for (i, left) in places.iter().enumerate() {
            let later = places.get(i + 1..).unwrap_or_default();
            pairs.extend(later.iter().map(|right| (*left, *right)));
        }
    }
    pairs
}

fn compare(
    left: &ComparedSentence,
    right: &ComparedSentence,
    weigh: &impl Fn(&str) -> f64,
) -> Option<Conflict> {
    let sum = |terms: &mut dyn Iterator<Item = &String>| terms.map(|t| weigh(t)).sum::<f64>();
    let shared = sum(&mut left.about.intersection(&right.about));
    let smaller = sum(&mut left.about.iter()).min(sum(&mut right.about.iter()));
    let larger = sum(&mut left.about.iter()).max(sum(&mut right.about.iter()));
    let alike = |w: &&SentenceWord| w.content && right.words.iter().any(|v| v.term == w.term);
    let few = left.words.iter().filter(alike).count() < 2;
    // Nearly all of the shorter sentence, and a good part of the longer one.
    if few
        || smaller <= 0.0
        || shared / smaller < SAME_SUBJECT_MIN
        || shared / larger < SAME_SUBJECT_MIN / 2.0
    {
        return None;
    }
    let pairs = Alignment::new(&left.words, &right.words);
    // A word of substance for another makes it another subject; one side may say more than the other.
    let swapped = strangers(left, &pairs) > 0 && strangers(right, &pairs.turned()) > 0;
    if swapped || !is_close(left, &pairs) || !is_close(right, &pairs.turned()) {
        return None;
    }
    let opposed = oppose(&left.words, &right.words, &pairs).map(|found| match found.kind {
        Opposite::Denied => ConflictKind::Denied,
        Opposite::Turned => ConflictKind::Turned,
    });
    let counted = || {
        (shared / smaller >= SAME_QUANTITY_MIN)
            .then(|| differ(left, right, &pairs))
            .flatten()
    };
    Some(Conflict {
        difference: opposed.or_else(counted)?,
        left: left.side.clone(),
        right: right.side.clone(),
    })
}

/// Other numbers or other dates.
fn differ(
    left: &ComparedSentence,
    right: &ComparedSentence,
    pairs: &Alignment,
) -> Option<ConflictKind> {
    let replaced = strangers(left, pairs) <= STRANGERS_MAX
        && strangers(right, &pairs.turned()) <= STRANGERS_MAX
        && replaced(left, right, pairs) == 1;
    let copied = one_number_differs(&left.side.quote, &right.side.quote);
    if copied || replaced || in_other_numbers(left, right) {
        return Some(ConflictKind::Number);
    }
    let agree = |x: &StatedDate| right.dates.iter().any(|y| x.is_told_by(y));
    let dated = !left.dates.is_empty() && !right.dates.is_empty();
    (dated && !left.dates.iter().any(agree)).then_some(ConflictKind::Date)
}

/// Whether two sentences are the same, word for word, but for one number. Then a number in brackets counts too.
fn one_number_differs(left: &str, right: &str) -> bool {
    let words = |text: &str| text.split_whitespace().count();
    let both = left.split_whitespace().zip(right.split_whitespace());
    let mut others = both.filter(|(one, other)| one != other);
    let changed = others.next().is_some_and(|(one, other)| {
        let [a, b] = [one, other].map(|word| figures(word).numbers);
        let [one, other] = [one, other].map(|word| word.replace(is_figure, ""));
        let same = |n: &StatedNumber| b.iter().any(|m| n.is_told_by(m) || m.is_told_by(n));
        one == other && !a.is_empty() && !b.is_empty() && !a.iter().any(same)
    });
    changed && others.next().is_none() && words(left) == words(right)
}

fn is_figure(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | ',')
}

/// Numbers in the same unit, where neither side states any of the other's.
fn in_other_numbers(left: &ComparedSentence, right: &ComparedSentence) -> bool {
    let (a, b) = (&left.numbers, &right.numbers);
    let alike = |n: &StatedNumber| b.iter().any(|m| n.is_told_by(m) || m.is_told_by(n));
    let measured = |n: &StatedNumber| n.unit.is_some() && b.iter().any(|m| n.unit == m.unit);
    a.iter().any(measured) && !a.iter().any(alike)
}

/// How many words of substance one side has that the other has not, those apart that count, deny
/// or point a way.
fn strangers(one: &ComparedSentence, pairs: &Alignment) -> usize {
    let plain =
        |w: &SentenceWord| w.content && !w.denies && w.directions.is_empty() && !w.is_number();
    let words = one.words.iter().enumerate();
    words
        .filter(|(at, word)| plain(word) && pairs.partner(*at).is_none())
        .count()
}

/// Whether nearly all that one side is about stands in the other: "A rose in men" does not stand
/// against "A fell in children".
fn is_close(one: &ComparedSentence, pairs: &Alignment) -> bool {
    let most = (one.about.len() / STRANGERS_SHARE).max(STRANGERS_MAX);
    strangers(one, pairs) <= most
}

/// How many numbers of the left have another number in their place on the right.
fn replaced(left: &ComparedSentence, right: &ComparedSentence, pairs: &Alignment) -> usize {
    let other = |number: &&StatedNumber| {
        let at = left
            .words
            .iter()
            .position(|word| word.span.overlaps(number.span));
        let place = at.and_then(|at| pairs.place(at)).unwrap_or(0..0);
        let free = place.filter(|at| pairs.back(*at).is_none());
        let words: Vec<Span> = free
            .filter_map(|at| Some(right.words.get(at)?.span))
            .collect();
        let there = |told: &&StatedNumber| words.iter().any(|word| word.overlaps(told.span));
        let mut told = right.numbers.iter().filter(there).peekable();
        told.peek().is_some()
            && !told.any(|told| number.is_told_by(told) || told.is_told_by(number))
    };
    left.numbers.iter().filter(other).count()
}
