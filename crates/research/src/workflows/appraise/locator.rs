//! Where the answers to the signalling questions usually stand, and how they are put.

use std::sync::LazyLock;

use fathom_evidence::locate::LocatorRules;

/// The rules in text, by kind of question.
pub const LOCATOR_RULES: &str = include_str!("locator.txt");

static RULES: LazyLock<Option<LocatorRules>> =
    LazyLock::new(|| LocatorRules::parse(LOCATOR_RULES).ok());

/// The rules, parsed once.
pub(super) fn rules() -> Option<LocatorRules> {
    RULES.clone()
}

/// The kind of a signalling question, by which the rules name it.
pub fn kind(id: &str) -> &'static str {
    match id {
        "1.1" => "sequence",
        "1.2" => "concealment",
        "1.3" => "baseline",
        "2.1" | "2.2" => "performance",
        "2.3" | "2.4" | "2.5" => "deviations",
        "2.6" | "2.7" => "analysis",
        "3.1" | "3.2" | "3.3" | "3.4" => "attrition",
        "4.1" | "4.2" => "measurement",
        "4.3" | "4.4" | "4.5" => "assessment",
        _ => "reporting",
    }
}

#[cfg(test)]
mod tests {
    use fathom_evidence::locate::LocateQuestion;

    use super::*;
    use crate::rob2::{Domain, Effect, questions};

    #[test]
    fn every_question_has_a_rule() {
        let rules = rules().unwrap();
        for question in Domain::ALL
            .into_iter()
            .flat_map(|one| questions(one, Effect::Assignment))
        {
            let asked = LocateQuestion {
                text: question.text,
                kind: Some(kind(question.id)),
            };
            assert!(rules.rule(asked).is_some(), "{}", question.id);
        }
    }
}
