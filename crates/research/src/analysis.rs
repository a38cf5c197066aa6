//! What the evidence says: findings, themes, contradictions and gaps.

use fathom_evidence::Span;
use fathom_render::report::StrengthCounts;
use serde::{Deserialize, Serialize};

use crate::plan::SubQuestionId;
use crate::source::SourceId;

/// A span of a source, word for word, tied to a sub-question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub answers: SubQuestionId,
    pub source: SourceId,
    /// Where the quote stands in the source's stored text.
    pub span: Span,
    pub quote: String,
    /// The titles of the sections around it, outermost first.
    pub sections: Vec<String>,
    pub page: Option<u32>,
    /// How sure the judge is that it bears on the sub-question, 0 to 1.
    pub confidence: f64,
    /// It was accepted under rules that had been relaxed for a second look.
    pub relaxed: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    pub findings: Vec<Finding>,
    pub themes: Vec<Theme>,
    pub contradictions: Vec<Contradiction>,
    pub gaps: Vec<Gap>,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether the reasoner thinks that the question can be answered now.
    pub sufficient: bool,
}

/// A factual statement with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub statement: String,
    pub answers: SubQuestionId,
    /// Places in the list of evidence.
    pub evidence: Vec<usize>,
    pub strength: Strength,
    /// 0 to 1.
    pub confidence: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Nothing answers.
    Gap,
    /// One source, or sources in conflict.
    Weak,
    /// Two or three sources agree.
    Moderate,
    /// Several independent sources with data of their own agree.
    Strong,
}

/// How many findings have each strength.
pub fn strength_counts(findings: &[Finding]) -> StrengthCounts {
    let count = |strength: Strength| {
        let alike = findings.iter().filter(|one| one.strength == strength);
        alike.count()
    };
    StrengthCounts {
        strong: count(Strength::Strong),
        moderate: count(Strength::Moderate),
        weak: count(Strength::Weak),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Theme {
    pub label: String,
    /// Places in the list of findings.
    pub findings: Vec<usize>,
}

/// Two statements that cannot both hold, each in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    pub left: Side,
    pub right: Side,
    /// What they differ in, in a sentence.
    pub about: String,
    /// What weighs for one side, such as its date or its method; nothing where a person must judge.
    pub weighed: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    pub source: SourceId,
    pub span: Span,
    pub quote: String,
}

/// A sub-question, or a part of one, that nothing answers well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub answers: SubQuestionId,
    pub missing: String,
    /// What to search for next.
    pub query: String,
}

/// How much is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sufficiency {
    Sufficient,
    Minor,
    Major,
}

impl Analysis {
    pub fn sufficiency(&self) -> Sufficiency {
        match self.gaps.len() {
            0 => Sufficiency::Sufficient,
            1 | 2 => Sufficiency::Minor,
            _ => Sufficiency::Major,
        }
    }
}
