//! Which sentences bear on a sub-question, and how surely.
//!
//! A sentence is read with its title and its passage: "the air was 1.9 °C cooler" says nothing of
//! trees, but it stands in a study of trees. Some of what is asked must stand in it all the same.

use fathom_evidence::validate::relevance::{Relevance, Verdict};

use super::focus::{Focus, synonyms};
use super::said::{Gathered, Said};
use crate::words;

/// What the sentence's own words count beside those around it.
const OWN_SHARE: f64 = 0.6;

/// What a word counts that only means the same.
const SYNONYM: f64 = 0.7;

/// A sentence that has most of what is asked is as good as one that has all.
const ENOUGH: f64 = 1.45;

/// From these confidences on a sentence answers, or bears on the matter.
const DIRECT_MIN: f64 = 0.6;
const PARTIAL_MIN: f64 = 0.3;

/// The least share of what is asked that a sentence itself must have, and what it must have where the
/// sort of answer is in its words already.
const OWN_MIN: f64 = 0.15;
const OWN_MIN_CUED: f64 = 0.04;

/// What the sort of answer, the signs of a finding and a hanging beginning count in the ranking.
const CUE_SHARE: f64 = 0.22;
const SECTION_SHARE: f64 = 0.12;
const TELLING_SHARE: f64 = 0.10;
const AGAINST_SHARE: f64 = 0.4;
const HANGS_COST: f64 = 0.3;

/// How a sentence serves a sub-question.
#[derive(Clone, Debug)]
pub(super) struct Rated {
    /// The place of the sentence among those gathered.
    pub(super) said: usize,
    pub(super) verdict: Verdict,
    /// What sentences are ordered by.
    pub(super) rank: f64,
}

/// Rates a sentence; nothing where it does not bear on the sub-question.
pub(super) fn rate(
    nth: usize,
    focus: &Focus,
    gathered: &Gathered<'_>,
    foreign: bool,
) -> Option<Rated> {
    let said = gathered.said.get(nth)?;
    let around = gathered.around(said)?;
    let (mut all, mut own, mut context) = (0.0, 0.0, 0.0);
    for (term, weight) in &focus.terms {
        let weight = weight * gathered.rarity(term);
        let alike = || synonyms(term).any(|other| said.terms.contains(other));
        let here = match said.terms.contains(term) {
            true => 1.0,
            false if alike() => SYNONYM,
            false => 0.0,
        };
        all += weight;
        own += weight * here;
        context += weight * if around.contains(term) { 1.0 } else { here };
    }
    if all <= 0.0 {
        return None;
    }
    let (own, context) = (own / all, context / all);
    let cue = cue(focus, said);
    let least = if cue > 0.0 { OWN_MIN_CUED } else { OWN_MIN };
    let mixed = OWN_SHARE * own + (1.0 - OWN_SHARE) * context;
    let confidence = (mixed * ENOUGH).min(1.0);
    let least_sure = if foreign { DIRECT_MIN } else { PARTIAL_MIN };
    if own < least || confidence < least_sure {
        return None;
    }
    let label = if confidence >= DIRECT_MIN {
        Relevance::Direct
    } else {
        Relevance::Partial
    };
    let section = section(focus, said);
    let rank =
        confidence + CUE_SHARE * cue + SECTION_SHARE * section + TELLING_SHARE * said.score.telling
            - AGAINST_SHARE * said.score.against
            - if said.hangs { HANGS_COST } else { 0.0 };
    Some(Rated {
        said: nth,
        verdict: Verdict {
            label,
            confidence,
            quote: Some(said.quote.to_owned()),
        },
        rank,
    })
}

/// How much a sentence sounds like the sort of answer that is wanted, 0 to 1.
fn cue(focus: &Focus, said: &Said<'_>) -> f64 {
    let Some(aspect) = focus.aspect else {
        return 0.0;
    };
    let cues = words::list("cues", aspect);
    let found = cues
        .iter()
        .filter(|cue| words::holds(&said.lower, cue))
        .count();
    let figures = aspect == "size" && said.lower.contains(|c: char| c.is_ascii_digit());
    match found + usize::from(figures) {
        0 => 0.0,
        1 => 0.6,
        _ => 1.0,
    }
}

/// Whether it stands in a section of that sort, as 0 or 1.
fn section(focus: &Focus, said: &Said<'_>) -> f64 {
    let Some(aspect) = focus.aspect else {
        return 0.0;
    };
    let wanted = words::list("cue sections", aspect);
    let fits = |title: &String| {
        let lower = title.to_lowercase();
        wanted.iter().any(|word| words::holds(&lower, word))
    };
    f64::from(u8::from(said.sections.last().is_some_and(fits)))
}
