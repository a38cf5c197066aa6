//! The words of RoB 2, the Cochrane tool for the risk of bias of a randomised trial: domains, answers, judgements.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What an appraisal looks at, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Domain {
    /// The randomisation process.
    D1,
    /// Deviations from the intended interventions.
    D2,
    /// Missing outcome data.
    D3,
    /// Measurement of the outcome.
    D4,
    /// Selection of the reported result.
    D5,
}

impl Domain {
    /// All five, in their order.
    pub const ALL: [Self; 5] = [Self::D1, Self::D2, Self::D3, Self::D4, Self::D5];

    /// `D1` to `D5`, as tables head their columns.
    pub fn code(self) -> &'static str {
        match self {
            Self::D1 => "D1",
            Self::D2 => "D2",
            Self::D3 => "D3",
            Self::D4 => "D4",
            Self::D5 => "D5",
        }
    }

    /// What it is about, as plots name it.
    pub fn title(self) -> &'static str {
        match self {
            Self::D1 => "Randomisation process",
            Self::D2 => "Deviations from the intended interventions",
            Self::D3 => "Missing outcome data",
            Self::D4 => "Measurement of the outcome",
            Self::D5 => "Selection of the reported result",
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// The effect that a review is interested in. It decides which questions domain 2 asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Of being assigned to an intervention, whether it was followed or not ("intention to treat").
    #[default]
    Assignment,
    /// Of adhering to an intervention as the protocol has it ("per protocol").
    Adherence,
}

impl Effect {
    /// The word by which a person chooses it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Assignment => "assignment",
            Self::Adherence => "adherence",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// An answer to a signalling question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SignalAnswer {
    /// Yes.
    #[serde(rename = "Y")]
    Yes,
    /// Probably yes.
    #[serde(rename = "PY")]
    ProbablyYes,
    /// Probably no.
    #[serde(rename = "PN")]
    ProbablyNo,
    /// No.
    #[serde(rename = "N")]
    No,
    /// No information.
    #[serde(rename = "NI")]
    NoInformation,
    /// Not applicable: an earlier answer closed the question.
    #[serde(rename = "NA")]
    NotApplicable,
}

impl SignalAnswer {
    /// All six, as the tool lists them.
    pub const ALL: [Self; 6] = [
        Self::Yes,
        Self::ProbablyYes,
        Self::ProbablyNo,
        Self::No,
        Self::NoInformation,
        Self::NotApplicable,
    ];

    /// As forms have it: `Y`, `PY`, `PN`, `N`, `NI`, `NA`.
    pub fn code(self) -> &'static str {
        match self {
            Self::Yes => "Y",
            Self::ProbablyYes => "PY",
            Self::ProbablyNo => "PN",
            Self::No => "N",
            Self::NoInformation => "NI",
            Self::NotApplicable => "NA",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::ProbablyYes => "probably yes",
            Self::ProbablyNo => "probably no",
            Self::No => "no",
            Self::NoInformation => "no information",
            Self::NotApplicable => "not applicable",
        }
    }
}

impl fmt::Display for SignalAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// A word that is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not an answer: use Y, PY, PN, N, NI or NA")]
pub struct UnknownAnswer(String);

impl FromStr for SignalAnswer {
    type Err = UnknownAnswer;

    fn from_str(word: &str) -> Result<Self, UnknownAnswer> {
        let same = |answer: &Self| {
            word.trim().eq_ignore_ascii_case(answer.code())
                || word.trim().eq_ignore_ascii_case(answer.words())
        };
        let found = Self::ALL.into_iter().find(same);
        found.ok_or_else(|| UnknownAnswer(word.to_owned()))
    }
}

/// What is concluded of a domain, or of the trial's result as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Judgement {
    /// Low risk of bias.
    #[serde(rename = "Low")]
    Low,
    /// Some concerns.
    #[serde(rename = "Some concerns")]
    SomeConcerns,
    /// High risk of bias.
    #[serde(rename = "High")]
    High,
}

impl Judgement {
    /// All three, the best first.
    pub const ALL: [Self; 3] = [Self::Low, Self::SomeConcerns, Self::High];

    /// As robvis and other tools read it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "Low",
            Self::SomeConcerns => "Some concerns",
            Self::High => "High",
        }
    }

    /// The sign that traffic-light plots put in the circle.
    pub fn sign(self) -> char {
        match self {
            Self::Low => '+',
            Self::SomeConcerns => '-',
            Self::High => 'X',
        }
    }

    /// The colour that such plots use, as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        match self {
            Self::Low => "#02c100",
            Self::SomeConcerns => "#e2df07",
            Self::High => "#bf0000",
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How a judgement was reached: the rules that applied, and the answers that led to them, in the order they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulePath {
    /// Ids of rules, such as `D1.2`; two where a domain has two parts.
    pub rules: Vec<String>,
    /// Each question that decided, with its answer.
    pub answers: Vec<(String, SignalAnswer)>,
}

impl fmt::Display for RulePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answers = self.answers.iter();
        let answers: Vec<String> = answers
            .map(|(id, answer)| format!("{id} {answer}"))
            .collect();
        write!(f, "{}: {}", self.rules.join(" and "), answers.join(", "))
    }
}
