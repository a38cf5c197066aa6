//! The two scores of a source: how good it may be, and how well it answers.

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::Source;

/// A snippet longer than this says something.
const SNIPPET_CHARS: usize = 100;
const SNIPPET_SHARE: f64 = 0.3;
const FULL_TEXT_SHARE: f64 = 0.2;
const CITATIONS_PER_SHARE: f64 = 1_000.0;
const CITATIONS_SHARE_MAX: f64 = 0.3;
const RECENT_SHARE: f64 = 0.2;
const RECENT_YEARS: i32 = 3;

/// What may be thought of a source before its question is known, from 0 to 1: a snippet of more than 100 characters
/// 0.3, the full text 0.2, a thousandth for each citation up to 0.3, published within three years 0.2.
pub fn quality_prior(source: &Source, today: Date) -> f64 {
    let when = |yes: bool, share: f64| if yes { share } else { 0.0 };
    let since = today.saturating_sub(RECENT_YEARS.years());
    let recent = source
        .published
        .is_some_and(|date| date.last_day() >= since);
    let citations = source.citations.unwrap_or(0) as f64 / CITATIONS_PER_SHARE;
    when(
        source.snippet.chars().count() > SNIPPET_CHARS,
        SNIPPET_SHARE,
    ) + when(source.full_text.is_some(), FULL_TEXT_SHARE)
        + citations.min(CITATIONS_SHARE_MAX)
        + when(recent, RECENT_SHARE)
}

/// How well a source's text answers its query, from 0 to 1: a retrieval score of the text, made where the text and a
/// retrieval are at hand. The scores of search providers are no such thing: each has a scale of its own.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Relevance(f64);

impl Relevance {
    /// None if it is no number from 0 to 1.
    pub fn new(score: f64) -> Option<Self> {
        (0.0..=1.0).contains(&score).then_some(Self(score))
    }

    /// A number from zero to one.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl From<Relevance> for f64 {
    fn from(relevance: Relevance) -> Self {
        relevance.0
    }
}

impl TryFrom<f64> for Relevance {
    type Error = &'static str;

    fn try_from(score: f64) -> Result<Self, Self::Error> {
        Self::new(score).ok_or("a relevance is a number from 0 to 1")
    }
}
