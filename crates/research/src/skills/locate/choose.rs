//! Which sentences bear on a sub-question, and how surely.
//!
//! A sentence is read with its title and its passage: "the air was 1.9 °C cooler" says nothing of
//! trees, but it stands in a study of trees. Some of what is asked must stand in it all the same.

use std::collections::BTreeSet;

use fathom_evidence::validate::relevance::{Relevance, RelevanceVerdict};
use fathom_evidence::validate::times::NamedTimes;

use super::profile::{QuestionProfile, synonyms, units_of};
use super::sentence::{Gathered, QuotableSentence};
use crate::definition::defines;
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

/// What the sort of answer and the signs of a finding count in the ranking.
const CUE_SHARE: f64 = 0.22;
const SECTION_SHARE: f64 = 0.12;
const TELLING_SHARE: f64 = 0.10;
const AGAINST_SHARE: f64 = 0.4;

/// A sentence ranked lower serves nobody.
const RANK_MIN: f64 = 0.6;

/// What a sentence loses without any word of the sort of answer that is wanted, and what every sentence loses for
/// a sub-question that only asks for background: others are served first.
const UNCUED_COST: f64 = 0.15;
const BACKGROUND_COST: f64 = 0.12;

/// What a sentence loses that measures something else of the same name.
const OTHER_MEASURE_COST: f64 = 0.25;

/// What a sentence loses that tells of another time of day, season or year than the one asked for.
const OTHER_TIME_COST: f64 = 0.25;

/// What a sentence gains that says what the thing asked for is, where that is asked, and one that speaks of all
/// that is compared.
const DEFINES_GAIN: f64 = 0.4;
const COMPARES_GAIN: f64 = 0.4;

/// The share of what the question turns on that a sentence has, or what stands around it where it has fewer.
const CORE_MIN: f64 = 0.25;
const CORE_AROUND_MIN: f64 = 0.7;

/// Sorts of answer that may be what is not known.
const LACK_ASKED: [&str; 4] = ["limits", "quality", "against", "agreement"];

/// Sorts of answer that may be what was done and not what was found.
const PROCEDURE_ASKED: [&str; 3] = ["method", "quality", "definition"];

/// How a sentence serves a sub-question.
#[derive(Clone, Debug)]
pub(super) struct Rated {
    /// The place of the sentence among those gathered.
    pub(super) said: usize,
    pub(super) verdict: RelevanceVerdict,
    /// What sentences are ordered by.
    pub(super) rank: f64,
}

/// A term that is wanted, among the sentences at hand: what it counts, its number and those of its units, and the
/// numbers of those that may stand for it.
struct Wanted {
    weight: f64,
    itself: Vec<usize>,
    alike: Vec<usize>,
}

impl Wanted {
    fn new(term: &str, weight: f64, gathered: &Gathered<'_>) -> Self {
        let alike = synonyms(term).filter_map(|other| gathered.number(other));
        let units = units_of(term).filter_map(|unit| gathered.number(unit));
        let itself = gathered.number(term).into_iter();
        Self {
            weight: weight * gathered.rarity(term),
            itself: itself.chain(units).collect(),
            alike: alike.collect(),
        }
    }

    /// How much of it stands among some terms: all, something that means the same, or nothing.
    fn held(&self, terms: &BTreeSet<usize>) -> f64 {
        if self.itself.iter().any(|number| terms.contains(number)) {
            1.0
        } else if self.alike.iter().any(|number| terms.contains(number)) {
            SYNONYM
        } else {
            0.0
        }
    }
}

/// A sub-question made ready for the sentences at hand.
pub(super) struct Judge<'f> {
    focus: &'f QuestionProfile,
    terms: Vec<Wanted>,
    core: Vec<Wanted>,
    /// Of each thing that is compared: the numbers of its terms.
    compared: Vec<Vec<usize>>,
}

impl<'f> Judge<'f> {
    pub(super) fn new(focus: &'f QuestionProfile, gathered: &Gathered<'_>) -> Self {
        let terms = focus.terms.iter();
        let core = focus.core.iter();
        let compared = focus.compared.iter();
        let numbers = |one: &BTreeSet<String>| -> Vec<usize> {
            let numbers = one.iter().filter_map(|term| gathered.number(term));
            numbers.collect()
        };
        Self {
            focus,
            terms: terms
                .map(|(term, weight)| Wanted::new(term, *weight, gathered))
                .collect(),
            core: core.map(|term| Wanted::new(term, 1.0, gathered)).collect(),
            compared: compared.map(numbers).collect(),
        }
    }
}

/// Rates a sentence; nothing where it does not bear on the sub-question.
pub(super) fn rate(
    nth: usize,
    judge: &Judge<'_>,
    gathered: &Gathered<'_>,
    foreign: bool,
) -> Option<Rated> {
    let focus = judge.focus;
    let said = gathered.said.get(nth)?;
    let around = gathered.around(said)?;
    let cue = cue(focus, said);
    let barred = said.hangs
        || tells_procedure(focus, said)
        || is_unasked_opinion(focus, said)
        || is_unasked_lack(focus, said);
    if barred || is_elsewhere(judge, around, said, cue) {
        return None;
    }
    let (own, context) = (
        share(&judge.terms, &said.terms),
        share(&judge.terms, around),
    );
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
            - if focus.aspect.is_some() && cue == 0.0 {
                UNCUED_COST
            } else {
                0.0
            }
            - if focus.measure.is_other(&said.lower) {
                OTHER_MEASURE_COST
            } else {
                0.0
            }
            - if focus.aspect == Some("background") {
                BACKGROUND_COST
            } else {
                0.0
            }
            + fit(judge, said, gathered);
    if rank < RANK_MIN {
        return None;
    }
    Some(Rated {
        said: nth,
        verdict: RelevanceVerdict {
            label,
            confidence,
            quote: Some(said.quote.to_owned()),
        },
        rank,
    })
}

/// What a sentence gains or loses by what the question itself asks for.
fn fit(judge: &Judge<'_>, said: &QuotableSentence<'_>, gathered: &Gathered<'_>) -> f64 {
    let focus = judge.focus;
    let mut fit = 0.0;
    if !focus.when.is_open() && focus.when.differ_from(&NamedTimes::read(said.quote)) {
        fit -= OTHER_TIME_COST;
    }
    let is = |aspect: &str| focus.aspect == Some(aspect);
    if is("definition") && defines(said.quote, &focus.subject, gathered.terms()) {
        fit += DEFINES_GAIN;
    }
    let named = |one: &Vec<usize>| one.iter().any(|term| said.terms.contains(term));
    if is("comparison") && judge.compared.len() > 1 && judge.compared.iter().all(named) {
        fit += COMPARES_GAIN;
    }
    fit
}

/// The share of what is wanted that some terms hold, 0 to 1.
fn share(wanted: &[Wanted], terms: &BTreeSet<usize>) -> f64 {
    let all: f64 = wanted.iter().map(|one| one.weight).sum();
    let held: f64 = wanted.iter().map(|one| one.weight * one.held(terms)).sum();
    if all > 0.0 { held / all } else { 0.0 }
}

/// Whether it says nothing of what the question turns on. What sounds like the sort of answer may leave
/// that to its title and its neighbours.
fn is_elsewhere(
    judge: &Judge<'_>,
    around: &BTreeSet<usize>,
    said: &QuotableSentence<'_>,
    cue: f64,
) -> bool {
    if judge.core.is_empty() || share(&judge.core, &said.terms) >= CORE_MIN {
        return false;
    }
    let around = share(&judge.core, around);
    match judge.focus.aspect {
        Some("background") => around < CORE_MIN,
        _ => cue == 0.0 || around < CORE_AROUND_MIN,
    }
}

/// Whether it tells how something was done, where that is not asked.
fn tells_procedure(focus: &QuestionProfile, said: &QuotableSentence<'_>) -> bool {
    let asked = |aspect: &str| PROCEDURE_ASKED.contains(&aspect);
    if focus.aspect.is_some_and(asked) {
        return false;
    }
    let mut openings = words::all("procedure");
    let opens = openings.any(|opening| {
        let rest = said.lower.strip_prefix(opening);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let title = said.sections.last().map(|title| title.to_lowercase());
    let mut sections = words::all("procedure sections");
    let announces = || words::all("announces").any(|said_so| words::holds(&said.lower, said_so));
    opens || announces() || title.is_some_and(|title| sections.any(|name| title == name))
}

/// Whether it says what a source does not tell, where that is not asked.
fn is_unasked_lack(focus: &QuestionProfile, said: &QuotableSentence<'_>) -> bool {
    let asked = focus
        .aspect
        .is_some_and(|aspect| LACK_ASKED.contains(&aspect));
    !asked && words::all("lacks").any(|word| words::holds(&said.lower, word))
}

/// Whether it tells what somebody thinks or wants, where that is not asked.
fn is_unasked_opinion(focus: &QuestionProfile, said: &QuotableSentence<'_>) -> bool {
    let asked = focus.text.to_lowercase();
    let is_asked = words::all("opinion asked").any(|word| words::holds(&asked, word));
    !is_asked && words::all("opinion").any(|word| words::holds(&said.lower, word))
}

/// How much a sentence sounds like the sort of answer that is wanted, 0 to 1.
fn cue(focus: &QuestionProfile, said: &QuotableSentence<'_>) -> f64 {
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
fn section(focus: &QuestionProfile, said: &QuotableSentence<'_>) -> f64 {
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
