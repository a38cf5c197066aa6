//! When a breakpoint stops a run: comparisons of figures of its state, all of which must hold.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::VariantNames as _;

use super::Malformed;
use crate::critique::Severity;
use crate::workflows::report::state::{ReportState, SearchOutcome};

/// As `sources < 5 and gaps > 0`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Condition(Vec<Comparison>);

/// One figure held against a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub figure: Figure,
    /// How it must stand to the number.
    pub order: Order,
    /// The number; finite.
    pub than: f64,
}

/// How a figure must stand to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
pub enum Order {
    /// Less than it.
    #[strum(serialize = "<")]
    Less,
    /// Not more than it.
    #[strum(serialize = "<=")]
    AtMost,
    /// The same.
    #[strum(serialize = "=")]
    Equal,
    /// Not less than it.
    #[strum(serialize = ">=")]
    AtLeast,
    /// More than it.
    #[strum(serialize = ">")]
    More,
}

/// What can be compared. A figure that is not known yet, such as the score of a draft that nobody has reviewed,
/// fits no comparison.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::EnumIter,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Figure {
    /// Queries that were put.
    Queries,
    /// Queries that no provider answered.
    FailedQueries,
    /// Sources that were found.
    Sources,
    /// Sources whose text was read.
    ReadSources,
    /// Times that the evidence was analysed.
    Rounds,
    /// Quotes that bear on a sub-question.
    Evidence,
    /// Findings of the last analysis.
    Findings,
    /// Contradictions of the last analysis.
    Contradictions,
    /// Gaps of the last analysis.
    Gaps,
    /// How complete the answer is, 0 to 1.
    Completeness,
    /// The number of the draft, from 1.
    Draft,
    /// Words of the draft.
    Words,
    /// Sentences of the draft that state something.
    Claims,
    /// Claims that their sources do not bear out.
    Unsupported,
    /// The score of the review, 0 to 10.
    Score,
    /// Critical remarks of the review.
    CriticalItems,
    /// Failures that the run lived through.
    Errors,
}

impl Figure {
    /// Its value, where it is known.
    pub fn value(self, state: &ReportState) -> Option<f64> {
        let analysis = state.analysis.as_deref();
        let draft = state.draft.as_deref();
        let (check, critique) = (state.check_of_draft(), state.review_of_draft());
        let count = match self {
            Self::Queries => queries(state, |_| true),
            Self::FailedQueries => queries(state, |outcome| {
                matches!(outcome, SearchOutcome::Failed { .. })
            }),
            Self::Sources => state.sources.len(),
            Self::ReadSources => {
                let read = state.sources.iter().filter(|one| one.snapshot.is_some());
                read.count()
            }
            Self::Rounds => state.rounds.len(),
            Self::Evidence => state.evidence.len(),
            Self::Findings => analysis?.findings.len(),
            Self::Contradictions => analysis?.contradictions.len(),
            Self::Gaps => analysis?.gaps.len(),
            Self::Draft => draft?.version as usize,
            Self::Words => draft?.words(),
            Self::Claims => check?.counts().claims,
            Self::Unsupported => check?.counts().unsupported,
            Self::CriticalItems => {
                let items = critique?.items.iter();
                items
                    .filter(|item| item.severity == Severity::Critical)
                    .count()
            }
            Self::Errors => state.errors.len(),
            Self::Completeness => return Some(state.rounds.last()?.signals.completeness),
            Self::Score => return Some(critique?.score),
        };
        Some(count as f64)
    }
}

/// Queries that were put and had such an outcome.
fn queries(state: &ReportState, wanted: impl Fn(&SearchOutcome) -> bool) -> usize {
    let outcomes = state
        .queries
        .iter()
        .filter_map(|asked| asked.outcome.as_ref());
    outcomes.filter(|outcome| wanted(outcome)).count()
}

impl Condition {
    /// Whether every comparison holds; one whose figure is not known does not.
    pub fn holds(&self, state: &ReportState) -> bool {
        self.0.iter().all(|comparison| comparison.holds(state))
    }
}

impl Comparison {
    fn holds(&self, state: &ReportState) -> bool {
        self.figure
            .value(state)
            .is_some_and(|value| match self.order {
                Order::Less => value < self.than,
                Order::AtMost => value <= self.than,
                Order::Equal => value == self.than,
                Order::AtLeast => value >= self.than,
                Order::More => value > self.than,
            })
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.figure, self.order, self.than)
    }
}

impl FromStr for Comparison {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let text = text.trim();
        let malformed = || Malformed::Comparison(text.to_owned());
        let is_sign = |c: char| "<>=!".contains(c);
        let start = text.find(is_sign).ok_or_else(malformed)?;
        let (name, rest) = text.split_at(start);
        let than = rest.trim_start_matches(is_sign);
        let sign = rest.get(..rest.len() - than.len()).unwrap_or_default();
        let (name, than) = (name.trim(), than.trim());
        let order = sign.parse().map_err(|_| malformed())?;
        let figure = name.parse().map_err(|_| Malformed::Figure {
            name: name.to_owned(),
            known: Figure::VARIANTS.join(", "),
        })?;
        match than.parse::<f64>() {
            Ok(than) if than.is_finite() => Ok(Self {
                figure,
                order,
                than,
            }),
            _ => Err(Malformed::Number(than.to_owned())),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(Comparison::to_string).collect();
        f.write_str(&all.join(" and "))
    }
}

impl FromStr for Condition {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let all = text.split(" and ").map(str::parse);
        Ok(Self(all.collect::<Result<_, _>>()?))
    }
}

impl TryFrom<String> for Condition {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        text.parse()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.to_string()
    }
}
