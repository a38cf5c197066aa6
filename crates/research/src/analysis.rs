//! What the evidence says: findings, themes, contradictions and gaps.

use fathom_evidence::{Language, Span};
use fathom_render::phrases::Phrases;
use fathom_render::report::{Answered, StrengthCounts};
use serde::{Deserialize, Serialize};

use crate::plan::SubQuestionId;
use crate::source::SourceId;

/// A span of a source, word for word, tied to a sub-question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The sub-question that it bears on.
    pub answers: SubQuestionId,
    /// The source that it stands in.
    pub source: SourceId,
    /// Where the quote stands in the source's stored text.
    pub span: Span,
    /// The words of that span.
    pub quote: String,
    /// The titles of the sections around it, outermost first.
    pub sections: Vec<String>,
    /// The page, in documents that have pages.
    pub page: Option<u32>,
    /// How sure the judge is that it bears on the sub-question, 0 to 1.
    pub confidence: f64,
    /// It was accepted under rules that had been relaxed for a second look.
    pub relaxed: bool,
}

/// Words of a source, and where they stand in its stored text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Who says it.
    pub source: SourceId,
    /// Where it stands.
    pub span: Span,
    /// The words of that span.
    pub text: String,
}

/// What a reasoner makes of all evidence at hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The quotes that answer the question most directly, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<Quote>,
    /// Places in the list of evidence in the order in which a writer is shown them; as they stand where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<usize>,
    /// What can be said, each with what it rests on.
    pub findings: Vec<Finding>,
    /// What several findings have in common.
    pub themes: Vec<Theme>,
    /// Where sources cannot both be right.
    pub contradictions: Vec<Contradiction>,
    /// Sub-questions that want more searching.
    pub gaps: Vec<Gap>,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether the reasoner thinks that the question can be answered now.
    pub sufficient: bool,
    /// Whether the evidence answers the question; nothing in analyses of versions that did not judge it.
    #[serde(default)]
    pub answered: Option<AnsweredVerdict>,
}

/// Whether the evidence answers the question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnsweredVerdict {
    /// How far it does.
    pub answered: Answered,
    /// Why, in one sentence for the reader.
    pub reason: String,
}

/// A factual statement with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What is found, in a sentence.
    pub statement: String,
    /// The sub-question that it answers.
    pub answers: SubQuestionId,
    /// Places in the list of evidence.
    pub evidence: Vec<usize>,
    /// How well sources bear it out, counted by code.
    pub strength: Strength,
    /// 0 to 1.
    pub confidence: f64,
}

/// How well sources bear a finding out, the weakest first.
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

/// What several findings have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Theme {
    /// A few words that name it.
    pub label: String,
    /// Places in the list of findings.
    pub findings: Vec<usize>,
}

/// Two statements that cannot both hold, each in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// One of the two.
    pub left: Side,
    /// The other.
    pub right: Side,
    /// What they differ in, in a sentence; empty where code found them and left it to their words.
    pub about: String,
    /// What the document of one side says on results that differ from its own.
    #[serde(default)]
    pub explained: Option<Side>,
    /// What weighs for one side, such as its date or its method; nothing where a person must judge.
    pub weighed: Option<String>,
}

/// One side of a contradiction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Who says it.
    pub source: SourceId,
    /// Where it stands in the source's stored text.
    pub span: Span,
    /// The words of that span.
    pub quote: String,
}

/// A sub-question, or a part of one, that nothing answers well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The sub-question.
    pub answers: SubQuestionId,
    /// What is not known, in a sentence.
    pub missing: String,
    /// What to search for next.
    pub query: String,
}

impl AnsweredVerdict {
    /// The verdict that a list of findings allows at best: none without a finding, and no yes where each is weak.
    pub(crate) fn held_to(self, findings: &[Finding], language: Language) -> Self {
        let reasons = &Phrases::new(language).reasons;
        let weak = |finding: &Finding| finding.strength <= Strength::Weak;
        let (most, reason) = match findings {
            [] => (Answered::No, reasons.nothing_answers),
            findings if findings.iter().all(weak) => (Answered::Partly, reasons.weak_only),
            _ => return self,
        };
        if self.answered <= most {
            return self;
        }
        Self {
            answered: most,
            reason: reason.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(answered: Answered, strengths: &[Strength]) -> AnsweredVerdict {
        let finding = |strength: &Strength| Finding {
            statement: String::new(),
            answers: SubQuestionId(0),
            evidence: Vec::new(),
            strength: *strength,
            confidence: 0.5,
        };
        let findings: Vec<Finding> = strengths.iter().map(finding).collect();
        let reason = "As judged.".to_owned();
        AnsweredVerdict { answered, reason }.held_to(&findings, Language::ENGLISH)
    }

    #[test]
    fn without_a_finding_nothing_is_answered_and_weak_ones_answer_in_part() {
        let none = held(Answered::Yes, &[]);
        assert_eq!(none.answered, Answered::No);
        assert_ne!(none.reason, "As judged.");
        let weak = held(Answered::Yes, &[Strength::Weak, Strength::Weak]);
        assert_eq!(weak.answered, Answered::Partly);
        assert_ne!(weak.reason, "As judged.");
    }

    #[test]
    fn a_verdict_that_the_findings_allow_stays_with_its_reason() {
        let good = held(Answered::Yes, &[Strength::Weak, Strength::Moderate]);
        assert_eq!(
            (good.answered, &*good.reason),
            (Answered::Yes, "As judged.")
        );
        let no = held(Answered::No, &[Strength::Strong]);
        assert_eq!((no.answered, &*no.reason), (Answered::No, "As judged."));
    }
}
