//! The published algorithms: from the answers of a domain to its judgement, and from five judgements to one.
//!
//! Each function reads like the published diagram. A rule's id names the end of one path through it; `tables.txt` beside
//! this file has the published tables, against which the tests hold every combination of answers.

use fathom_render::appraisal::{Domain, Effect, Judgement, RulePath, SignalAnswer};
use serde::{Deserialize, Serialize};

use super::Answers;
use Judgement::{High, Low, SomeConcerns};
use Signal::{Negative, Open, Positive};

/// A domain's judgement and the path that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainJudgement {
    /// What is concluded.
    pub judgement: Judgement,
    /// By which rules and answers.
    pub path: RulePath,
}

/// Judges a domain by its answers.
pub fn judge(domain: Domain, effect: Effect, answers: &Answers) -> DomainJudgement {
    let mut walk = AlgorithmWalk {
        answers,
        path: RulePath::default(),
    };
    let judgement = match (domain, effect) {
        (Domain::D1, _) => walk.randomisation(),
        (Domain::D2, Effect::Assignment) => {
            let deviations = walk.deviations();
            deviations.max(walk.analysis())
        }
        (Domain::D2, Effect::Adherence) => walk.adherence(),
        (Domain::D3, _) => walk.missing_data(),
        (Domain::D4, _) => walk.measurement(),
        (Domain::D5, _) => walk.selection(),
    };
    DomainJudgement {
        judgement,
        path: walk.path,
    }
}

/// An answer as the algorithms take it: they never tell "yes" from "probably yes".
#[derive(Clone, Copy)]
enum Signal {
    /// Yes or probably yes.
    Positive,
    /// No or probably no.
    Negative,
    /// No information; also an answer that is missing where one was needed.
    Open,
}

impl Signal {
    fn from_answer(answer: SignalAnswer) -> Self {
        match answer {
            SignalAnswer::Yes | SignalAnswer::ProbablyYes => Positive,
            SignalAnswer::ProbablyNo | SignalAnswer::No => Negative,
            SignalAnswer::NoInformation | SignalAnswer::NotApplicable => Open,
        }
    }
}

/// One way through an algorithm, with what was read on it.
struct AlgorithmWalk<'a> {
    answers: &'a Answers,
    path: RulePath,
}

impl AlgorithmWalk<'_> {
    fn read(&mut self, id: &str) -> Signal {
        Signal::from_answer(self.read_answer(id))
    }

    fn read_answer(&mut self, id: &str) -> SignalAnswer {
        let answer = self.answers.get(id);
        self.path.answers.push((id.to_owned(), answer));
        answer
    }

    fn end(&mut self, rule: &str, judgement: Judgement) -> Judgement {
        self.path.rules.push(rule.to_owned());
        judgement
    }

    fn randomisation(&mut self) -> Judgement {
        match self.read("1.2") {
            Positive => match self.read("1.1") {
                Positive | Open => match self.read("1.3") {
                    Negative | Open => self.end("D1.1", Low),
                    Positive => self.end("D1.2", SomeConcerns),
                },
                Negative => self.end("D1.3", SomeConcerns),
            },
            Open => match self.read("1.3") {
                Negative | Open => self.end("D1.4", SomeConcerns),
                Positive => self.end("D1.5", High),
            },
            Negative => self.end("D1.6", High),
        }
    }

    /// Whether participants or those around them knew the assignment.
    fn somebody_aware(&mut self) -> bool {
        let aware = [self.read("2.1"), self.read("2.2")];
        aware.iter().any(|one| !matches!(one, Negative))
    }

    /// Part 1 for the effect of assignment.
    fn deviations(&mut self) -> Judgement {
        if !self.somebody_aware() {
            return self.end("D2.1", Low);
        }
        match self.read("2.3") {
            Negative => self.end("D2.2", Low),
            Open => self.end("D2.3", SomeConcerns),
            Positive => match self.read("2.4") {
                Negative => self.end("D2.4", SomeConcerns),
                Positive | Open => match self.read("2.5") {
                    Positive => self.end("D2.5", SomeConcerns),
                    Negative | Open => self.end("D2.6", High),
                },
            },
        }
    }

    /// Part 2 for the effect of assignment.
    fn analysis(&mut self) -> Judgement {
        match self.read("2.6") {
            Positive => self.end("D2.7", Low),
            Negative | Open => match self.read("2.7") {
                Negative => self.end("D2.8", SomeConcerns),
                Positive | Open => self.end("D2.9", High),
            },
        }
    }

    /// For the effect of adhering.
    fn adherence(&mut self) -> Judgement {
        let balanced = !self.somebody_aware()
            || match self.read_answer("2.3") {
                SignalAnswer::Yes | SignalAnswer::ProbablyYes | SignalAnswer::NotApplicable => true,
                SignalAnswer::No | SignalAnswer::ProbablyNo | SignalAnswer::NoInformation => false,
            };
        if balanced {
            let failures = [self.read_answer("2.4"), self.read_answer("2.5")];
            let none = |answer: &SignalAnswer| match answer {
                SignalAnswer::No | SignalAnswer::ProbablyNo | SignalAnswer::NotApplicable => true,
                SignalAnswer::Yes | SignalAnswer::ProbablyYes | SignalAnswer::NoInformation => {
                    false
                }
            };
            if failures.iter().all(none) {
                return self.end("D2p.1", Low);
            }
        }
        match self.read("2.6") {
            Positive => self.end("D2p.2", SomeConcerns),
            Negative | Open => self.end("D2p.3", High),
        }
    }

    fn missing_data(&mut self) -> Judgement {
        if let Positive = self.read("3.1") {
            return self.end("D3.1", Low);
        }
        if let Positive = self.read("3.2") {
            return self.end("D3.2", Low);
        }
        if let Negative = self.read("3.3") {
            return self.end("D3.3", Low);
        }
        match self.read("3.4") {
            Negative => self.end("D3.4", SomeConcerns),
            Positive | Open => self.end("D3.5", High),
        }
    }

    fn measurement(&mut self) -> Judgement {
        if let Positive = self.read("4.1") {
            return self.end("D4.1", High);
        }
        // Where it is not known whether measurement differed, nothing is better than some concerns.
        let (best, rules) = match self.read("4.2") {
            Positive => return self.end("D4.2", High),
            Negative => (Low, ["D4.3", "D4.4", "D4.5", "D4.6"]),
            Open => (SomeConcerns, ["D4.7", "D4.8", "D4.9", "D4.10"]),
        };
        let [unaware, uninfluenced, unlikely, likely] = rules;
        if let Negative = self.read("4.3") {
            return self.end(unaware, best);
        }
        if let Negative = self.read("4.4") {
            return self.end(uninfluenced, best);
        }
        match self.read("4.5") {
            Negative => self.end(unlikely, SomeConcerns),
            Positive | Open => self.end(likely, High),
        }
    }

    fn selection(&mut self) -> Judgement {
        match (self.read("5.2"), self.read("5.3")) {
            (Positive, _) | (_, Positive) => self.end("D5.1", High),
            (Negative, Negative) => match self.read("5.1") {
                Positive => self.end("D5.2", Low),
                Negative | Open => self.end("D5.3", SomeConcerns),
            },
            (Open, _) | (_, Open) => self.end("D5.4", SomeConcerns),
        }
    }
}

/// When several domains with some concerns make a high risk overall. The published tool leaves it to the reviewer.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OverallRule {
    /// Never: the worst domain decides.
    #[default]
    Published,
    /// Four or five of them do.
    Strict,
}

/// The judgement of the result as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverallJudgement {
    /// What is concluded.
    pub judgement: Judgement,
    /// The id of the rule that applied.
    pub rule: String,
}

/// So many domains with some concerns are high risk under the strict rule.
const STRICT_CONCERNS: usize = 4;

/// Puts the judgements of the domains together; "some concerns" where there are none to put together.
pub fn overall(domains: &[Judgement], rule: OverallRule) -> OverallJudgement {
    let concerns = domains.iter().filter(|one| **one == SomeConcerns).count();
    let (judgement, rule) = match domains.iter().max() {
        None => (SomeConcerns, "overall.none"),
        Some(Low) => (Low, "overall.low"),
        Some(High) => (High, "overall.high"),
        Some(SomeConcerns) if rule == OverallRule::Strict && concerns >= STRICT_CONCERNS => {
            (High, "overall.strict")
        }
        Some(SomeConcerns) => (SomeConcerns, "overall.some_concerns"),
    };
    OverallJudgement {
        judgement,
        rule: rule.to_owned(),
    }
}
