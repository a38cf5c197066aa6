//! A sentence as the check compares it: the words that matter, in order, each with its clause.
//!
//! Takes a text; gives its words without articles and the like. A number stands with its unit for one
//! word, the forms of "be" and "have" are one word each, and other words are compared by their stems.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::Span;
use crate::claim::StatedNumber;
use crate::claim::lexicon::{Direction, LEXICON, lines};
use crate::claim::number::figures;
use crate::claim::reading::{denials, words};
use crate::terms::Terms;

/// What is longer is a table or worse, and is not compared.
const WORDS_MAX: usize = 200;

static FREE: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| set(include_str!("free_words.txt")));
static FRAME: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| set(include_str!("frame_words.txt")));

fn set(list: &'static str) -> BTreeSet<&'static str> {
    lines(list).flat_map(str::split_whitespace).collect()
}

/// One word that must be on both sides.
#[derive(Clone, Debug)]
pub(super) struct ComparedWord {
    /// Where it stands in the text that was read.
    pub(super) span: Span,
    /// In lower case, the forms of "be" and "have" made one.
    pub(super) word: String,
    term: String,
    pub(super) number: Option<StatedNumber>,
    /// It belongs to words that turn a statement around.
    pub(super) denies: bool,
    directions: &'static [Direction],
    /// Counts up where a comma, a semicolon, a colon, a dash or a bracket stands.
    pub(super) clause: usize,
    /// It stands in brackets.
    pub(super) aside: bool,
}

impl ComparedWord {
    /// Whether a source that has `told` says this word.
    pub(super) fn is_told_by(&self, told: &Self) -> bool {
        match (&self.number, &told.number) {
            (Some(number), Some(told)) => number.is_told_by(told),
            (None, None) => self.term == told.term,
            _ => false,
        }
    }

    /// Whether it is a name such as "IL-6".
    pub(super) fn has_digits(&self) -> bool {
        self.number.is_none() && self.term.contains(|c: char| c.is_ascii_digit())
    }

    /// Whether both are numbers of one unit that rounding does not explain.
    pub(super) fn is_other_number(&self, told: &Self) -> bool {
        match (&self.number, &told.number) {
            (Some(number), Some(told)) => number.differs_from(told),
            _ => false,
        }
    }

    /// Whether the two point opposite ways, as "higher" and "lower" do.
    pub(super) fn points_against(&self, told: &Self) -> bool {
        self.directions.iter().any(|here| {
            let against = |there: &Direction| here.axis == there.axis && here.up != there.up;
            here.excludes && told.directions.iter().any(against)
        })
    }
}

/// The words of a text that are compared; nothing where there are none or too many.
pub(super) fn read(text: &str, terms: &Terms) -> Option<Vec<ComparedWord>> {
    let spans: Vec<Span> = words(text).take(WORDS_MAX + 1).collect();
    if spans.is_empty() || spans.len() > WORDS_MAX {
        return None;
    }
    let plain: Vec<String> = spans.iter().map(|span| plain(*span, text)).collect();
    let denying = denials(&plain);
    let stated = figures(text);
    let mut read: Vec<ComparedWord> = Vec::with_capacity(spans.len());
    let (mut clause, mut end, mut depth) = (0, 0, 0_usize);
    for (at, (span, word)) in spans.iter().zip(&plain).enumerate() {
        let between = text.get(end..span.start).unwrap_or_default();
        clause += usize::from(between.contains([',', ';', ':', '—', '(', ')', '[', ']']));
        depth += between.matches(['(', '[']).count();
        depth = depth.saturating_sub(between.matches([')', ']']).count());
        end = end.max(span.end);
        let number = stated.numbers.iter().find(|n| n.whole.overlaps(*span));
        if read.last().is_some_and(|last| last.span.overlaps(*span)) || FREE.contains(word.as_str())
        {
            continue;
        }
        let code = stated.codes.iter().find(|(code, _)| code.overlaps(*span));
        let covers = number.map_or(code.map_or(*span, |(code, _)| *code), |number| number.whole);
        let term = code.map_or_else(|| terms.term(word), |(_, code)| code.clone());
        read.push(ComparedWord {
            span: covers,
            word: word.clone(),
            directions: LEXICON.directions.get(&term).map_or(&[], Vec::as_slice),
            term,
            number: number.cloned().or_else(|| half(word, text, *span)),
            denies: denying.get(at).copied().unwrap_or(false),
            clause,
            aside: depth > 0,
        });
    }
    Some(read)
}

/// In lower case, without a genitive's s; a form of "be" or "have" as that word.
fn plain(span: Span, text: &str) -> String {
    let word = span.of(text).unwrap_or_default().to_lowercase();
    let word = word.replace('\u{2019}', "'");
    match word.strip_suffix("'s").unwrap_or(&word) {
        "is" | "are" | "was" | "were" | "been" | "being" | "am" => "be".to_owned(),
        "has" | "had" | "having" => "have".to_owned(),
        other => other.to_owned(),
    }
}

/// "Half of them" is 50 percent of them; "half-life" and "half an hour" are not.
fn half(word: &str, text: &str, span: Span) -> Option<StatedNumber> {
    let behind = text.get(span.end..).unwrap_or_default();
    let share = behind.starts_with(" of ") || behind.starts_with(" the ");
    (word == "half" && share).then(|| StatedNumber {
        span,
        value: 50.0,
        step: 1.0,
        unit: Some("percent".to_owned()),
        whole: span,
    })
}

/// How many words at the beginning only say who tells what follows: "The authors found that".
pub(super) fn frame(words: &[&ComparedWord]) -> usize {
    let framing = words
        .iter()
        .take_while(|word| FRAME.contains(word.word.as_str()));
    let length = framing.count();
    match words.get(length) {
        Some(next) if length > 0 && next.word == "that" => length + 1,
        Some(next) => {
            let last = length.checked_sub(1).and_then(|at| words.get(at));
            last.filter(|last| last.clause < next.clause)
                .map_or(0, |_| length)
        }
        None => length,
    }
}

/// Whether the words of a text that are not quoted only say who tells what is.
pub(super) fn is_framing(text: &str, quoted: impl Fn(Span) -> bool) -> bool {
    let mut own = words(text)
        .filter(|span| !quoted(*span))
        .map(|span| plain(span, text));
    own.all(|word| word == "that" || FREE.contains(word.as_str()) || FRAME.contains(word.as_str()))
}
