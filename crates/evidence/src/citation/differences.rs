//! In what a claim and the sentence nearest to it differ, told as reasons.

use crate::Span;
use crate::claim::name::names;
use crate::claim::{Claim, Opposite};
use crate::date::{StatedDate, dates};

use super::CitationReason;
use super::compared::ComparedWord;
use super::fit::{Difference, Fit};
use super::verdict::FittedSentence;

/// How many words of a difference are told.
const WORDS_TOLD: usize = 8;

/// What a sentence proves against a claim; nothing where it proves nothing.
pub(super) fn against(part: &FittedSentence<'_, '_>, claim: &Claim) -> Vec<CitationReason> {
    let Fit::Against(difference) = &part.fit else {
        return Vec::new();
    };
    let here = |at: &Option<usize>| told(&part.claim, at.as_slice(), &claim.text);
    let there = |at: &Option<usize>| told(part.sentence(), at.as_slice(), part.text());
    match difference {
        Difference::Number(places) => {
            let words = places.iter().filter_map(|at| part.claim.get(*at));
            words.filter_map(|word| number(word, part, claim)).collect()
        }
        Difference::Denied { claim, source } => vec![CitationReason::Opposed {
            kind: Opposite::Denied,
            claim: here(claim),
            source: there(source),
        }],
        Difference::Turned { claim, source } => vec![CitationReason::Opposed {
            kind: Opposite::Turned,
            claim: here(&Some(*claim)),
            source: there(&Some(*source)),
        }],
    }
}

/// What a claim says otherwise than the sentence nearest to it.
pub(super) fn differences(part: &FittedSentence<'_, '_>, claim: &Claim) -> Vec<CitationReason> {
    let Fit::Differs { added, dropped } = &part.fit else {
        return Vec::new();
    };
    let elsewhere = |word: &ComparedWord| part.sentence().iter().any(|told| word.is_told_by(told));
    let strange: Vec<usize> = added
        .iter()
        .copied()
        .filter(|at| part.claim.get(*at).is_some_and(|word| !elsewhere(word)))
        .collect();
    let details = details(&strange, part, claim);
    if !details.is_empty() {
        details
    } else if !strange.is_empty() {
        let words = told(&part.claim, &strange, &claim.text);
        vec![CitationReason::WordsNotFound { words }]
    } else if !added.is_empty() {
        vec![CitationReason::OtherOrder]
    } else {
        let words = told(part.sentence(), dropped, part.text());
        vec![CitationReason::WordsLeftOut { words }]
    }
}

/// The numbers, dates and names among some words of a claim that its source does not have.
fn details(places: &[usize], part: &FittedSentence<'_, '_>, claim: &Claim) -> Vec<CitationReason> {
    let dates: Vec<StatedDate> = dates(&claim.text);
    let names = names(&claim.text);
    let mut found: Vec<CitationReason> = Vec::new();
    for word in places.iter().filter_map(|at| part.claim.get(*at)) {
        let written = |span: Span| span.of(&claim.text).unwrap_or_default().to_owned();
        let date = dates.iter().find(|date| date.span.overlaps(word.span));
        let named = word.has_digits() || names.iter().any(|name| name.overlaps(word.span));
        let reason = if let Some(date) = date {
            let date_told = part.source().tells_date(date);
            (!date_told).then(|| CitationReason::DateNotFound {
                date: written(date.span),
            })
        } else if word.number.is_some() {
            number(word, part, claim)
        } else {
            let name = written(word.span);
            (named && !part.source().names(&name)).then_some(CitationReason::NameNotFound { name })
        };
        found.extend(reason.filter(|reason| !found.contains(reason)));
    }
    found
}

fn number(
    word: &ComparedWord,
    part: &FittedSentence<'_, '_>,
    claim: &Claim,
) -> Option<CitationReason> {
    let number = word.number.as_ref()?;
    let written = number.span.of(&claim.text)?.to_owned();
    Some(if part.source().tells(number) {
        CitationReason::NumberElsewhere { number: written }
    } else {
        CitationReason::NumberNotFound { number: written }
    })
}

/// Some words as they are written.
fn told(words: &[ComparedWord], places: &[usize], text: &str) -> String {
    let written = |at: &usize| words.get(*at)?.span.of(text);
    let all: Vec<&str> = places.iter().take(WORDS_TOLD).filter_map(written).collect();
    all.join(" ")
}
