//! One verdict from all the sentences that a claim may rest on.
//!
//! A claim is held against single sentences, as it stands and with its clauses turned around, and,
//! where it joins two sentences, in two parts. The best fit decides.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Span;
use crate::claim::{Claim, quotes_of};
use crate::quote::QuoteSettings;

use super::compared::{ComparedWord, frame, is_framing, read};
use super::differences::{against, differences};
use super::fit::{Fit, Stretch, fit};
use super::{CitationReason, ClaimVerdict, SourceText, Support, SupportingPassage};

/// Two sentences of a source that a claim joins stand at most this far apart.
const APART_MAX: usize = 2;

/// A part of a claim that rests on a sentence of its own has at least this many words.
const PART_MIN: usize = 3;

/// With more words that a sentence does not have, no other order of a claim's clauses fits it.
const STRANGERS_MAX: usize = 2;

/// A sentence with a smaller share of a claim's terms is on something else.
const SHARE_MIN: f64 = 0.25;

/// What joins two sentences to one.
const JOINS: [&str; 3] = ["and", "while", "whereas"];

/// Sources by the numbers that a claim cites.
type Cited<'a, 't> = [(u32, &'a SourceText<'t>)];

/// A sentence that is near a claim.
struct NearSentence<'a, 't> {
    id: u32,
    source: &'a SourceText<'t>,
    at: usize,
    words: Vec<ComparedWord>,
    /// How much of the claim's terms its source's nearest sentence has, from 0 to 1.
    share: f64,
}

/// A sentence of a source, and what came of holding a claim or a part of it against it.
pub(super) struct FittedSentence<'a, 't> {
    near: &'a NearSentence<'a, 't>,
    /// The words of the claim in the order in which they fit best.
    pub(super) claim: Vec<ComparedWord>,
    pub(super) fit: Fit,
}

impl<'t> FittedSentence<'_, 't> {
    fn place(&self) -> Option<SupportingPassage> {
        let span = *self.near.source.sentences().get(self.near.at)?;
        let source = self.near.id;
        Some(SupportingPassage { source, span })
    }

    pub(super) fn source(&self) -> &SourceText<'t> {
        self.near.source
    }

    pub(super) fn sentence(&self) -> &[ComparedWord] {
        &self.near.words
    }

    pub(super) fn text(&self) -> &str {
        let text = self.near.source.sentence(self.near.at);
        text.unwrap_or_default()
    }
}

/// The verdict on a claim whose sources and quotes are all there.
pub(super) fn decide(claim: &Claim, cited: &Cited<'_, '_>, checked: &mut ClaimVerdict) {
    let by = word_for_word(claim, cited, checked);
    if !by.is_empty() {
        checked.support = Support::Supported { by };
        return;
    }
    let english: Vec<_> = cited
        .iter()
        .copied()
        .filter(|(_, source)| source.is_english())
        .collect();
    let Some((_, first)) = english.first() else {
        checked.support = not_checked("only English can be compared word by word");
        return;
    };
    let Some(words) = read(&claim.text, first.terms()) else {
        checked.support = not_checked("it is too long to be compared word by word");
        return;
    };
    let opening = frame(&words.iter().collect::<Vec<_>>());
    let words = words.get(opening..).unwrap_or_default();
    let near = near(&claim.text, &english);
    let fitted: Vec<FittedSentence<'_, '_>> = near.iter().map(|near| fitted(words, near)).collect();
    checked.nearest = nearest(&fitted);
    let Some(best) = best(fitted) else {
        let why = CitationReason::LittleInCommon { share: 0.0 };
        checked.support = not_checked(&why.explain());
        checked.reasons.push(why);
        return;
    };
    match best.fit {
        Fit::Says | Fit::Against(_) => settle(&[best], claim, checked),
        Fit::Differs { .. } => match in_two_parts(words, &near) {
            Some(parts) => settle(&parts, claim, checked),
            None => settle(&[best], claim, checked),
        },
    }
}

fn not_checked(why: &str) -> Support {
    Support::NotChecked {
        why: why.to_owned(),
    }
}

fn settle(parts: &[FittedSentence<'_, '_>], claim: &Claim, checked: &mut ClaimVerdict) {
    let by: Vec<SupportingPassage> = parts.iter().filter_map(FittedSentence::place).collect();
    let opposed: Vec<CitationReason> = parts.iter().flat_map(|part| against(part, claim)).collect();
    if !opposed.is_empty() {
        checked.reasons = opposed;
        checked.support = Support::Contradicted { by };
        return;
    }
    let open = parts.iter().find(|part| part.fit != Fit::Says);
    let Some(open) = open else {
        checked.support = Support::Supported { by };
        return;
    };
    checked.reasons = if open.near.share < SHARE_MIN {
        vec![CitationReason::LittleInCommon {
            share: open.near.share,
        }]
    } else {
        differences(open, claim)
    };
    let why: Vec<String> = checked
        .reasons
        .iter()
        .map(CitationReason::explain)
        .collect();
    checked.support = not_checked(&why.join("; "));
}

/// Where a claim stands word for word: as a whole, or in quotation marks with nothing but who says it
/// around them.
fn word_for_word(
    claim: &Claim,
    cited: &Cited<'_, '_>,
    checked: &ClaimVerdict,
) -> Vec<SupportingPassage> {
    let whole = claim.text.trim().replace(" .", ".");
    let found = cited.iter().find_map(|(id, source)| {
        // English that stands there in other typography is found by its words.
        let settings = QuoteSettings {
            quote_exact: source.is_english(),
            ..QuoteSettings::default()
        };
        let found = source.searched().find(&whole, &settings)?;
        let one = found.parts.len() == 1 && whole.ends_with(['.', '!', '?', '。']);
        one.then_some(SupportingPassage {
            source: *id,
            span: found.span,
        })
    });
    if let Some(found) = found {
        return vec![found];
    }
    let quotes = quotes_of(&claim.text, &claim.quotes);
    let quoted = |span: Span| quotes.iter().any(|quote| quote.holds(span));
    let is_all_found = checked.quotes.len() == claim.quotes.len();
    if !is_all_found || !is_framing(&claim.text, quoted) {
        return Vec::new();
    }
    let places = checked.quotes.iter();
    places
        .map(|quote| SupportingPassage {
            source: quote.source,
            span: quote.span,
        })
        .collect()
}

/// The sentences of the cited sources that share most of a claim.
fn near<'a, 't>(text: &str, cited: &Cited<'a, 't>) -> Vec<NearSentence<'a, 't>> {
    let mut all = Vec::new();
    for (id, source) in cited {
        let candidates = source.nearest(text);
        let read = |at: usize| {
            Some(NearSentence {
                id: *id,
                source,
                at,
                words: read(source.sentence(at)?, source.terms())?,
                share: candidates.share,
            })
        };
        all.extend(candidates.places.iter().copied().filter_map(read));
    }
    all
}

fn fitted<'a, 't>(
    words: &[ComparedWord],
    near: &'a NearSentence<'a, 't>,
) -> FittedSentence<'a, 't> {
    let (claim, fit) = best_order(words, &near.words);
    FittedSentence { near, claim, fit }
}

/// The sentence that fits best; of equals the one that is nearer by its terms.
fn best<'a, 't>(
    fitted: impl IntoIterator<Item = FittedSentence<'a, 't>>,
) -> Option<FittedSentence<'a, 't>> {
    fitted.into_iter().min_by_key(|one| one.fit.distance())
}

/// Of each source the place that fits best.
fn nearest(fitted: &[FittedSentence<'_, '_>]) -> Vec<SupportingPassage> {
    let sources = fitted.chunk_by(|a, b| a.near.id == b.near.id);
    let best =
        |own: &[FittedSentence<'_, '_>]| own.iter().min_by_key(|one| one.fit.distance())?.place();
    sources.filter_map(best).collect()
}

/// The claim as it stands, or with its first words behind the others where that is a whole sentence.
fn best_order(words: &[ComparedWord], sentence: &[ComparedWord]) -> (Vec<ComparedWord>, Fit) {
    let straight = fit(words, sentence, Stretch::Clauses);
    let strange = |word: &&ComparedWord| !sentence.iter().any(|told| word.is_told_by(told));
    let strangers = words.iter().filter(strange).count();
    if straight == Fit::Says || strangers > STRANGERS_MAX {
        return (words.to_vec(), straight);
    }
    for at in turns(words, sentence) {
        let (first, second) = words.split_at(at);
        let turned = [second, first].concat();
        match fit(&turned, sentence, Stretch::Whole) {
            found @ (Fit::Says | Fit::Against(_)) => return (turned, found),
            Fit::Differs { .. } => {}
        }
    }
    (words.to_vec(), straight)
}

/// Where a claim may be turned around: where a clause of it begins, or one of the sentence would.
fn turns(words: &[ComparedWord], sentence: &[ComparedWord]) -> BTreeSet<usize> {
    let plain: Vec<ComparedWord> = sentence
        .iter()
        .filter(|word| !word.aside)
        .cloned()
        .collect();
    let theirs = boundaries(&plain).filter_map(|at| words.len().checked_sub(at));
    boundaries(words).chain(theirs).collect()
}

/// Where a new clause begins.
fn boundaries(words: &[ComparedWord]) -> impl Iterator<Item = usize> {
    let parted = |at: &usize| match words.get(at - 1..=*at) {
        Some([before, behind]) => before.clause < behind.clause,
        _ => false,
    };
    (1..words.len()).filter(parted)
}

/// Two sentences, near each other or of two sources, of which each settles a part of the claim.
fn in_two_parts<'a, 't>(
    words: &[ComparedWord],
    near: &'a [NearSentence<'a, 't>],
) -> Option<[FittedSentence<'a, 't>; 2]> {
    boundaries(words).find_map(|at| {
        let joined = words
            .get(at)
            .is_some_and(|word| JOINS.contains(&word.word.as_str()));
        let part = |range: Range<usize>| {
            let part = words.get(range).filter(|part| part.len() >= PART_MIN)?;
            let found = best(near.iter().map(|near| fitted(part, near)));
            found.filter(|one| !matches!(one.fit, Fit::Differs { .. }))
        };
        let first = part(0..at)?;
        let second = part(at + usize::from(joined)..words.len())?;
        let (a, b) = (first.near, second.near);
        (a.id != b.id || a.at.abs_diff(b.at) <= APART_MAX).then_some([first, second])
    })
}
