//! What a person asks, parsed at the door: nothing further in sees raw text.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question has so many characters, counted without the blanks around it.
pub const QUESTION_CHARS: std::ops::RangeInclusive<usize> = 10..=2_000;

/// A question over documents that are at hand may be as short as "Why?".
const SHORT_LEAST: usize = 2;

/// What is said besides the question is cut after so many characters.
const CONTEXT_MAX_CHARS: usize = 8_000;

/// Why a text is no question that can be worked on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionFault {
    /// It says too little to plan from.
    #[error(
        "the question has {chars} characters; ask in {least} or more, such as \"How do street trees cool a town?\""
    )]
    TooShort {
        /// How many it has.
        chars: usize,
        /// How many it must have.
        least: usize,
    },
    /// It is a text rather than a question.
    #[error(
        "the question has {chars} characters; ask in {most} at most",
        most = QUESTION_CHARS.end()
    )]
    TooLong {
        /// How many it has.
        chars: usize,
    },
}

/// A question with what is known about the answer that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    text: String,
    /// What the asker said besides the question.
    pub context: Option<String>,
    /// Words of the field, such as "cardiology".
    pub domain: Vec<String>,
    /// How far to go.
    pub depth: AskedDepth,
    /// How to write.
    pub style: ReportStyle,
    /// The day it was asked: what is recent is counted from here.
    pub asked_on: Date,
}

impl Question {
    /// Takes a text as a question of standard depth, if its length is within bounds.
    pub fn parse(raw: &str, asked_on: Date) -> Result<Self, QuestionFault> {
        Self::parse_from(raw, *QUESTION_CHARS.start(), asked_on)
    }

    /// As [`Self::parse`], for a question that needs no plan: it may be as short as "Why?".
    pub fn parse_short(raw: &str, asked_on: Date) -> Result<Self, QuestionFault> {
        Self::parse_from(raw, SHORT_LEAST, asked_on)
    }

    fn parse_from(raw: &str, least: usize, asked_on: Date) -> Result<Self, QuestionFault> {
        let text = raw.split_whitespace().collect::<Vec<_>>().join(" ");
        let chars = text.chars().count();
        if chars < least {
            return Err(QuestionFault::TooShort { chars, least });
        }
        if chars > *QUESTION_CHARS.end() {
            return Err(QuestionFault::TooLong { chars });
        }
        Ok(Self {
            text,
            context: None,
            domain: Vec::new(),
            depth: AskedDepth::default(),
            style: ReportStyle::default(),
            asked_on,
        })
    }

    /// Adds what was said besides it; what is too long is cut, and blanks alone are nothing.
    #[must_use]
    pub fn with_context(mut self, context: &str) -> Self {
        let kept: String = context.trim().chars().take(CONTEXT_MAX_CHARS).collect();
        self.context = (!kept.is_empty()).then_some(kept);
        self
    }

    /// The words of the question, with single blanks.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// How far a run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// One fact, in minutes.
    Quick,
    /// An answer with its parts.
    #[default]
    Standard,
    /// All there is.
    Comprehensive,
}

/// What a depth allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DepthBounds {
    /// Rounds of searching.
    pub iterations: u32,
    /// Queries of a plan.
    pub queries: usize,
    /// Sources of a whole run, unless a setting says otherwise.
    pub sources: usize,
}

impl Depth {
    /// What this depth allows.
    pub fn bounds(self) -> DepthBounds {
        let (iterations, queries, sources) = match self {
            Self::Quick => (2, 3, 5),
            Self::Standard => (5, 10, 15),
            Self::Comprehensive => (10, 15, 20),
        };
        DepthBounds {
            iterations,
            queries,
            sources,
        }
    }
}

/// How far the asker wants a run to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum AskedDepth {
    /// As far as the planner thinks right.
    Auto,
    /// This far, whatever the planner thinks.
    Exactly(Depth),
}

impl AskedDepth {
    /// The depth to work at: what was asked for wins over what a planner chose.
    pub fn or(self, chosen: Option<Depth>) -> Depth {
        match self {
            Self::Auto => chosen.unwrap_or_default(),
            Self::Exactly(depth) => depth,
        }
    }
}

impl Default for AskedDepth {
    fn default() -> Self {
        Self::Exactly(Depth::default())
    }
}

impl From<Depth> for AskedDepth {
    fn from(depth: Depth) -> Self {
        Self::Exactly(depth)
    }
}

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportStyle {
    /// With methods and caveats, for readers of studies.
    #[default]
    Academic,
    /// With the workings, for people who build things.
    Technical,
    /// With the result first, for people who decide.
    Executive,
}

/// A word that names no choice, and the words that do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{word}\" is no {what}; choose one of {choices}")]
pub struct UnknownWord {
    what: &'static str,
    word: String,
    choices: &'static str,
}

impl FromStr for AskedDepth {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "auto" => Ok(Self::Auto),
            "quick" | "simple" => Ok(Self::Exactly(Depth::Quick)),
            "standard" => Ok(Self::Exactly(Depth::Standard)),
            "comprehensive" | "deep" => Ok(Self::Exactly(Depth::Comprehensive)),
            _ => Err(UnknownWord {
                what: "depth",
                word: word.to_owned(),
                choices: "quick, standard, comprehensive, auto",
            }),
        }
    }
}

impl TryFrom<String> for AskedDepth {
    type Error = UnknownWord;

    fn try_from(word: String) -> Result<Self, UnknownWord> {
        word.parse()
    }
}

impl From<AskedDepth> for String {
    fn from(depth: AskedDepth) -> Self {
        depth.to_string()
    }
}

impl FromStr for ReportStyle {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "academic" => Ok(Self::Academic),
            "technical" => Ok(Self::Technical),
            "executive" => Ok(Self::Executive),
            _ => Err(UnknownWord {
                what: "style",
                word: word.to_owned(),
                choices: "academic, technical, executive",
            }),
        }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Comprehensive => "comprehensive",
        })
    }
}

impl fmt::Display for AskedDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Exactly(depth) => depth.fmt(f),
        }
    }
}

impl fmt::Display for ReportStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Academic => "academic",
            Self::Technical => "technical",
            Self::Executive => "executive",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(raw: &str) -> Result<Question, QuestionFault> {
        Question::parse(raw, jiff::civil::date(2026, 11, 16))
    }

    #[test]
    fn a_question_is_kept_in_its_words_without_needless_blanks() {
        let question = parse("  How do \n trees   cool a town? ").unwrap();
        assert_eq!(question.text(), "How do trees cool a town?");
        assert_eq!(question.depth, Depth::Standard.into());
    }

    #[test]
    fn a_question_too_short_or_too_long_is_refused_with_its_length() {
        let refused = parse("  trees?  ").unwrap_err();
        assert_eq!(
            refused,
            QuestionFault::TooShort {
                chars: 6,
                least: 10
            }
        );
        assert!(refused.to_string().contains("ask in 10 or more"));
        let refused = parse(&"é".repeat(2_001)).unwrap_err();
        assert_eq!(refused, QuestionFault::TooLong { chars: 2_001 });
        assert!(parse(&"é".repeat(2_000)).is_ok());
        assert!(parse(&"é".repeat(10)).is_ok());
    }

    #[test]
    fn a_depth_goes_by_its_name_or_its_alias() {
        assert_eq!("deep".parse(), Ok(AskedDepth::from(Depth::Comprehensive)));
        assert_eq!("simple".parse(), Ok(AskedDepth::from(Depth::Quick)));
        let unknown = "bottomless".parse::<AskedDepth>().unwrap_err();
        let unknown = unknown.to_string();
        assert_eq!(
            unknown,
            "\"bottomless\" is no depth; choose one of quick, standard, comprehensive, auto"
        );
    }

    #[test]
    fn a_depth_that_was_asked_for_wins_over_one_that_a_planner_chose() {
        let quick = AskedDepth::from(Depth::Quick);
        assert_eq!(quick.or(Some(Depth::Comprehensive)), Depth::Quick);
        let auto = "auto".parse::<AskedDepth>().unwrap();
        assert_eq!(auto.or(Some(Depth::Comprehensive)), Depth::Comprehensive);
        assert_eq!(auto.or(None), Depth::Standard);
        let stored = serde_json::to_string(&auto).unwrap();
        assert_eq!(stored, "\"auto\"");
        assert_eq!(serde_json::from_str::<AskedDepth>(&stored).unwrap(), auto);
    }
}
