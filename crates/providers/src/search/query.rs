//! What is asked: words, a kind, and bounds on number and time, checked when they are set.

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};

/// Results asked for unless set otherwise.
pub const RESULTS_DEFAULT: usize = 10;
/// Results that may be asked for at once.
pub const RESULTS_MAX: usize = 50;

/// The longest question. Providers that take less get its beginning.
pub const QUERY_CHARS_MAX: usize = 2_000;

/// How far back news are looked for unless set otherwise.
const NEWS_DAYS: i32 = 30;

/// Shorter words tell nothing; GDELT refuses a whole query for one.
const TELLING_CHARS: usize = 3;

/// Words that are everywhere, and that some engines refuse. Their own lists are not public; these are the usual ones.
const COMMON: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "been", "but", "can", "could", "did",
    "does", "for", "from", "had", "has", "have", "how", "into", "its", "may", "more", "most",
    "not", "one", "other", "our", "out", "over", "said", "should", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "was", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
];

const YEARS: std::ops::RangeInclusive<i16> = 1_000..=2_999;

/// What is searched; each kind has its own chain of engines.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SearchKind {
    /// Pages of all kinds.
    Web,
    /// Scholarly works.
    Academic,
    /// News, by day.
    News,
    /// Source code.
    Code,
    /// Articles that give an overview.
    Encyclopaedia,
}

impl SearchKind {
    /// Every kind once.
    pub const ALL: [Self; 5] = [
        Self::Web,
        Self::Academic,
        Self::News,
        Self::Code,
        Self::Encyclopaedia,
    ];

    /// The name in settings and events.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A question for a search provider.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SearchQuery {
    kind: SearchKind,
    text: String,
    today: Date,
    max_results: usize,
    year_from: Option<i16>,
    year_to: Option<i16>,
    since: Option<Date>,
    language: Option<String>,
}

/// Why a query cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There are no words in it.
    #[error("the search query is empty; say what to look for")]
    Empty,
    /// No engine would take it.
    #[error("the search query has {chars} characters; the most is {QUERY_CHARS_MAX}")]
    TooLong {
        /// Its length.
        chars: usize,
    },
    /// None, or more than [`RESULTS_MAX`].
    #[error("{asked} results cannot be asked for; set 1 to {RESULTS_MAX}")]
    Results {
        /// The number that was asked for.
        asked: usize,
    },
    /// A span of years that is none.
    #[error("the years {} to {} are no span of years; set the earlier one first", year(*.from), year(*.to))]
    Years {
        /// The first year.
        from: Option<i16>,
        /// The last year.
        to: Option<i16>,
    },
    /// No two-letter code.
    #[error("`{0}` is no language; give a code of two or three letters, such as `en`")]
    Language(String),
}

fn year(year: Option<i16>) -> String {
    year.map_or_else(|| "any".to_owned(), |year| year.to_string())
}

impl SearchQuery {
    /// A query as of `today`, which gives relative dates and the span of news their meaning.
    pub fn parse(kind: SearchKind, raw: &str, today: Date) -> Result<Self, QueryError> {
        let text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let chars = text.chars().count();
        match chars {
            0 => Err(QueryError::Empty),
            1..=QUERY_CHARS_MAX => Ok(Self {
                kind,
                text,
                today,
                max_results: RESULTS_DEFAULT,
                year_from: None,
                year_to: None,
                since: None,
                language: None,
            }),
            _ => Err(QueryError::TooLong { chars }),
        }
    }

    /// From one to [`RESULTS_MAX`].
    pub fn with_max_results(self, asked: usize) -> Result<Self, QueryError> {
        match asked {
            1..=RESULTS_MAX => Ok(Self {
                max_results: asked,
                ..self
            }),
            _ => Err(QueryError::Results { asked }),
        }
    }

    /// Works from these years only, both included.
    pub fn with_years(self, from: Option<i16>, to: Option<i16>) -> Result<Self, QueryError> {
        let known = from.iter().chain(&to).all(|year| YEARS.contains(year));
        let ordered = from.zip(to).is_none_or(|(from, to)| from <= to);
        if !(known && ordered) {
            return Err(QueryError::Years { from, to });
        }
        Ok(Self {
            year_from: from,
            year_to: to,
            ..self
        })
    }

    /// News from this day on.
    pub fn with_since(self, day: Date) -> Self {
        Self {
            since: Some(day),
            ..self
        }
    }

    /// By its two-letter code, such as `de`.
    pub fn with_language(self, code: &str) -> Result<Self, QueryError> {
        let fits = (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphabetic());
        if !fits {
            return Err(QueryError::Language(code.chars().take(20).collect()));
        }
        Ok(Self {
            language: Some(code.to_ascii_lowercase()),
            ..self
        })
    }

    /// Which chain answers it.
    pub fn kind(&self) -> SearchKind {
        self.kind
    }

    /// Its words, with single blanks between them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The day by which "three days ago" is understood.
    pub fn today(&self) -> Date {
        self.today
    }

    /// How many hits are wanted at most.
    pub fn max_results(&self) -> usize {
        self.max_results
    }

    /// The first and last year of publication, each only if it is set.
    pub fn years(&self) -> (Option<i16>, Option<i16>) {
        (self.year_from, self.year_to)
    }

    /// The first day that news may be from; none for other kinds unless it was set.
    pub fn since(&self) -> Option<Date> {
        let month: Span = NEWS_DAYS.days();
        let usual = || (self.kind == SearchKind::News).then(|| self.today.saturating_sub(month));
        self.since.or_else(usual)
    }

    /// The two-letter code, if one is set.
    pub fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// The first telling words, without signs that some engines take for orders: engines that want every word of a query
    /// in a result find nothing for a whole question. All words where none is telling.
    pub(super) fn telling_words(&self, most: usize) -> Vec<&str> {
        let words = || {
            let words = self.text.split(|c: char| !c.is_alphanumeric());
            words.filter(|word| !word.is_empty())
        };
        let telling = |word: &&str| {
            word.chars().count() >= TELLING_CHARS && !COMMON.contains(&word.to_lowercase().as_str())
        };
        let mut kept: Vec<&str> = words().filter(telling).take(most).collect();
        if kept.is_empty() {
            kept = words().take(most).collect();
        }
        kept
    }

    /// The text's first whole words that fit into so many characters.
    pub(super) fn text_within(&self, chars: usize) -> &str {
        match self.text.char_indices().nth(chars) {
            None => &self.text,
            Some((end, _)) => {
                let cut = self.text.get(..end).unwrap_or(&self.text);
                cut.rfind(' ').and_then(|at| cut.get(..at)).unwrap_or(cut)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_question_is_cut_between_words() {
        let today = jiff::civil::date(2024, 3, 8);
        let query =
            SearchQuery::parse(SearchKind::Web, "where does é the tide turn", today).unwrap();
        assert_eq!(query.text_within(100), "where does é the tide turn");
        assert_eq!(query.text_within(14), "where does é");
        assert_eq!(query.text_within(3), "whe");
    }
}
