//! Checks what a text says against the sources it cites.
//!
//! Takes claims and the sources by their numbers; gives for each claim a verdict, the places it was
//! held against, and the reasons. A claim is *supported* only where a cited source says it in the same
//! words, and *contradicted* only on proof: the same words with another number, denial or direction.
//! What is put in any other way code cannot tell, and the verdict says so with the words that differ.

mod compared;
mod differences;
mod fit;
mod source;
mod verdict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Opposite, Stated, claims};
use crate::quote::{self, MatchKind};
use crate::{Language, Span};

pub use source::SourceText;

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
    /// Too few of its words stand in any sentence of a cited source.
    LittleInCommon {
        /// How much of it the nearest sentence has, from 0 to 1.
        share: f64,
    },
    /// It says more than the sentence that is nearest to it.
    WordsNotFound {
        /// The words that the sentence does not have there.
        words: String,
    },
    /// It leaves out what may limit what its source says.
    WordsLeftOut {
        /// The words of the source.
        words: String,
    },
    /// It has the words of its source in another order.
    OtherOrder,
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
    /// The sentences that are nearest to it, one of each cited source, whatever the verdict.
    pub nearest: Vec<SupportingPassage>,
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
) -> Vec<(Claim, ClaimVerdict)> {
    let all = claims(text, language).into_iter();
    all.map(|claim| {
        let checked = check(&claim, sources);
        (claim, checked)
    })
    .collect()
}

/// Holds one claim against the sources it cites.
pub fn check(claim: &Claim, sources: &CitedSources<'_>) -> ClaimVerdict {
    let mut checked = ClaimVerdict {
        support: Support::NotSupported,
        reasons: Vec::new(),
        nearest: Vec::new(),
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
    if checked.reasons.is_empty() {
        verdict::decide(claim, &cited, &mut checked);
    }
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
            // Titles stand in quotation marks too, and may be told in another form.
            None if is_title(quote) => {}
            None => checked.reasons.push(CitationReason::QuoteNotFound {
                quote: quote.clone(),
            }),
        }
    }
}

/// Whether a phrase has longer words with a capital and none without, as in a title or a name.
fn is_title(phrase: &str) -> bool {
    let mut words = phrase
        .split_whitespace()
        .filter(|word| word.chars().count() > 3);
    let is_capitalised = |word: &str| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        letters > 3 && word.starts_with(char::is_uppercase)
    };
    words.clone().any(is_capitalised)
        && words.all(|word| word.starts_with(|c: char| !c.is_lowercase()))
}

impl CitationReason {
    /// What is wrong, as the end of a sentence for people.
    pub fn explain(&self) -> String {
        match self {
            Self::NoCitation => "it cites nothing".to_owned(),
            Self::UnknownSource { id } => format!("there is no source {id}"),
            Self::QuoteNotFound { quote } => {
                format!("the words “{quote}” do not stand in its source")
            }
            Self::NumberNotFound { number } => {
                format!("its source does not have the number {number}")
            }
            Self::NumberElsewhere { number } => {
                format!("its source has the number {number} about something else")
            }
            Self::NameNotFound { name } => format!("its source does not name {name}"),
            Self::DateNotFound { date } => format!("its source does not have the date {date}"),
            Self::Opposed { claim, source, .. } if source.is_empty() => {
                format!("it says “{claim}” where its source does not")
            }
            Self::Opposed { claim, source, .. } if claim.is_empty() => {
                format!("it leaves out “{source}”, which its source says")
            }
            Self::Opposed { claim, source, .. } => {
                format!("it says “{claim}” where its source says “{source}”")
            }
            Self::LittleInCommon { .. } => {
                "no sentence of its source has most of its words".to_owned()
            }
            Self::WordsNotFound { words } => {
                format!("the nearest sentence of its source does not say “{words}”")
            }
            Self::WordsLeftOut { words } => {
                format!("it leaves out “{words}”, which may limit what its source says")
            }
            Self::OtherOrder => "it has the words of its source in another order".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
