//! Checks what a text says against the sources it cites.
//!
//! Takes claims and the sources by their numbers; gives for each claim a verdict, the places that
//! bear it out or speak against it, and the reasons: a source that is not there, a quote, number,
//! name or date that does not stand in it, a denial. It compares words, so it knows what is
//! missing and what is turned around, and says so when a claim is put too freely to tell.

mod against;
mod details;
mod source;
mod support;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Opposite, Stated, claims};
use crate::quote::{self, MatchKind};
use crate::{Language, Span};

use against::Comparison;
pub use source::SourceText;

/// A claim of as many words of substance is a long one.
const LONG: usize = 9;

/// Of a claim on the same matter more of its neighbouring words are neighbours in the source.
const SIDE_BY_SIDE_MIN: f64 = 0.2;

/// How much a claim and a source must have in common. Shares are between 0 and 1, rare words
/// counting most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CitationSettings {
    /// From this share on a claim is supported when nothing speaks against it.
    pub citation_support_min: f64,
    /// Under this share it is not supported; between the two, words alone cannot tell.
    pub citation_doubt_min: f64,
    /// The same for a claim of many words: of those a source on the same matter holds more, and
    /// some of them side by side.
    pub citation_doubt_min_long: f64,
    /// From this share on, the best sentence is on the same matter, so that a denial in it counts.
    pub citation_same_matter_min: f64,
}

impl Default for CitationSettings {
    fn default() -> Self {
        Self {
            citation_support_min: 0.60,
            citation_doubt_min: 0.25,
            citation_doubt_min_long: 0.45,
            citation_same_matter_min: 0.50,
        }
    }
}

/// What the cited sources say of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// A cited source says it.
    Supported {
        /// Where it says so.
        by: Vec<SupportingPassage>,
    },
    /// A cited source says otherwise.
    Contradicted {
        /// Where it says so.
        by: Vec<SupportingPassage>,
    },
    /// No cited source says it.
    NotSupported,
    /// Words alone cannot tell.
    NotChecked {
        /// The reason in a sentence for people.
        why: String,
    },
}

/// A place in a source that a claim was held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SupportingPassage {
    /// The number by which the source is cited.
    pub source: u32,
    /// Where it stands in the source's text.
    pub span: Span,
}

/// What was found wrong with a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CitationReason {
    /// It states a fact and cites nothing.
    NoCitation,
    /// It cites a number that no source has.
    UnknownSource {
        /// The number cited.
        id: u32,
    },
    /// It quotes words that stand in no cited source.
    QuoteNotFound {
        /// The words.
        quote: String,
    },
    /// It states a number that no cited source has.
    NumberNotFound {
        /// The number as it is written.
        number: String,
    },
    /// It stands in the source, but not where the source speaks of this.
    NumberElsewhere {
        /// The number as it is written.
        number: String,
    },
    /// It names somebody or something that no cited source names.
    NameNotFound {
        /// The name.
        name: String,
    },
    /// It states a date that no cited source has.
    DateNotFound {
        /// The date as it is written.
        date: String,
    },
    /// A sentence of a cited source says the opposite.
    Opposed {
        /// In which way.
        kind: Opposite,
        /// The word of the claim.
        claim: String,
        /// The word of the source.
        source: String,
    },
    /// Too few of its words stand in any cited source.
    LittleInCommon {
        /// How much of it the best source has, from 0 to 1.
        share: f64,
    },
}

/// A phrase in quotation marks and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundQuote {
    /// The quoted words as the claim has them.
    pub quote: String,
    /// The number by which the source is cited.
    pub source: u32,
    /// Where it stands in the source's text.
    pub span: Span,
    /// How closely the words agree.
    pub matched: MatchKind,
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimVerdict {
    /// The verdict.
    pub support: Support,
    /// What spoke against the claim; empty where nothing did.
    pub reasons: Vec<CitationReason>,
    /// The share of the claim that its best source has.
    pub score: f64,
    /// The claim's quotes that stand in a cited source.
    pub quotes: Vec<FoundQuote>,
}

/// Sources by the numbers that a text cites them with.
pub type CitedSources<'t> = BTreeMap<u32, SourceText<'t>>;

/// Every sentence of a Markdown text with its verdict.
pub fn check_text(
    text: &str,
    language: Language,
    sources: &CitedSources<'_>,
    settings: &CitationSettings,
) -> Vec<(Claim, ClaimVerdict)> {
    let all = claims(text, language).into_iter();
    all.map(|claim| {
        let checked = check(&claim, sources, settings);
        (claim, checked)
    })
    .collect()
}

/// Holds one claim against the sources it cites.
pub fn check(
    claim: &Claim,
    sources: &CitedSources<'_>,
    settings: &CitationSettings,
) -> ClaimVerdict {
    let mut checked = ClaimVerdict {
        support: Support::NotSupported,
        reasons: Vec::new(),
        score: 0.0,
        quotes: Vec::new(),
    };
    if claim.citations.is_empty() {
        return uncited(claim, checked);
    }
    let mut cited = Vec::new();
    for citation in &claim.citations {
        match sources.get(&citation.id) {
            Some(source) => cited.push((citation.id, source)),
            None => checked
                .reasons
                .push(CitationReason::UnknownSource { id: citation.id }),
        }
    }
    find_quotes(claim, &cited, &mut checked);
    if !checked.reasons.is_empty() || cited.is_empty() {
        return checked;
    }
    let compared: Vec<Comparison> = cited
        .iter()
        .map(|(id, source)| Comparison::new(*id, claim, source, settings))
        .collect();
    decide(&compared, settings, &mut checked);
    checked
}

fn uncited(claim: &Claim, mut checked: ClaimVerdict) -> ClaimVerdict {
    match claim.stated {
        Stated::Fact => checked.reasons.push(CitationReason::NoCitation),
        Stated::Nothing { .. } => {
            let why = "it states nothing that a source could bear out".to_owned();
            checked.support = Support::NotChecked { why };
        }
    }
    checked
}

/// A quote must stand in one of the sources that are cited for it.
fn find_quotes(claim: &Claim, cited: &[(u32, &SourceText<'_>)], checked: &mut ClaimVerdict) {
    let settings = quote::QuoteSettings::default();
    for quote in &claim.quotes {
        let found = cited.iter().find_map(|(id, source)| {
            let found = source.searched().find(quote, &settings)?;
            Some((*id, found))
        });
        match found {
            Some((source, found)) => checked.quotes.push(FoundQuote {
                quote: quote.clone(),
                source,
                span: found.span,
                matched: found.matched,
            }),
            None => checked.reasons.push(CitationReason::QuoteNotFound {
                quote: quote.clone(),
            }),
        }
    }
}

/// One verdict from the comparisons with each cited source. A detail is missing when it stands in
/// none of them; a denial counts in the source that has most of the claim.
fn decide(compared: &[Comparison], settings: &CitationSettings, checked: &mut ClaimVerdict) {
    let mut ranked: Vec<&Comparison> = compared.iter().collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    let Some(best) = ranked.first() else { return };
    checked.score = best.score;
    let together = |c: &&Comparison| c.score >= settings.citation_doubt_min;
    let by: Vec<SupportingPassage> = ranked
        .iter()
        .filter(|c| together(c))
        .flat_map(|c| c.by.clone())
        .collect();
    let missing = best.missing.iter().filter(|reason| {
        compared
            .iter()
            .all(|other| other.missing.iter().any(|r| r.is_same_detail(reason)))
    });
    checked.reasons.extend(missing.cloned());
    checked.support = if let Some(opposed) = &best.opposed {
        checked.reasons.push(opposed.clone());
        Support::Contradicted { by }
    } else if !checked.reasons.is_empty() {
        let elsewhere = |r: &CitationReason| {
            matches!(
                r,
                CitationReason::NumberElsewhere { .. } | CitationReason::NumberNotFound { .. }
            )
        };
        if best.score >= settings.citation_support_min
            && checked.reasons.iter().all(elsewhere)
            && best.other_numbers
        {
            Support::Contradicted { by }
        } else {
            Support::NotSupported
        }
    } else if best.score >= settings.citation_support_min {
        Support::Supported { by }
    } else if !is_foreign(best, settings) {
        let why = "it is put too freely for its words to tell".to_owned();
        Support::NotChecked { why }
    } else {
        checked
            .reasons
            .push(CitationReason::LittleInCommon { share: best.score });
        Support::NotSupported
    };
}

/// Whether a claim and its best source have hardly anything in common.
fn is_foreign(best: &Comparison, settings: &CitationSettings) -> bool {
    let long = best.terms >= LONG && best.in_runs < SIDE_BY_SIDE_MIN;
    best.score < settings.citation_doubt_min
        || (long && best.score < settings.citation_doubt_min_long)
}

impl CitationReason {
    /// Whether both are about the same number, name or date.
    fn is_same_detail(&self, other: &CitationReason) -> bool {
        fn detail(reason: &CitationReason) -> Option<&str> {
            match reason {
                CitationReason::NumberNotFound { number }
                | CitationReason::NumberElsewhere { number } => Some(number),
                CitationReason::NameNotFound { name } => Some(name),
                CitationReason::DateNotFound { date } => Some(date),
                CitationReason::NoCitation
                | CitationReason::UnknownSource { .. }
                | CitationReason::QuoteNotFound { .. }
                | CitationReason::Opposed { .. }
                | CitationReason::LittleInCommon { .. } => None,
            }
        }
        detail(self) == detail(other)
    }
}

#[cfg(test)]
mod tests;
