//! RoB 2: the Cochrane tool for the risk of bias of a randomised trial, as published on 22 August 2019.
//!
//! `questions` is the bank of signalling questions, under the published ids and in our own words; `rules` are the published
//! algorithms, which turn answers into a judgement and tell the path that led to it. Who answers is left to the workflow
//! `appraise`. Cluster and crossover trials have variants of the tool that are not here.

mod questions;
mod rules;

use std::collections::BTreeMap;

pub use fathom_render::appraisal::{Domain, Effect, Judgement, RulePath, SignalAnswer};
pub use questions::{Opening, SignallingQuestion, question, questions};
pub use rules::{DomainJudgement, OverallJudgement, OverallRule, judge, overall};

/// The answers to signalling questions, by the questions' ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers(BTreeMap<String, SignalAnswer>);

impl Answers {
    /// What was answered; "no information" where nobody answered.
    pub fn get(&self, id: &str) -> SignalAnswer {
        self.0
            .get(id)
            .copied()
            .unwrap_or(SignalAnswer::NoInformation)
    }

    /// Sets one answer.
    pub fn set(&mut self, id: &str, answer: SignalAnswer) {
        self.0.insert(id.to_owned(), answer);
    }
}

impl<'a> FromIterator<(&'a str, SignalAnswer)> for Answers {
    fn from_iter<I: IntoIterator<Item = (&'a str, SignalAnswer)>>(answers: I) -> Self {
        let owned = answers
            .into_iter()
            .map(|(id, answer)| (id.to_owned(), answer));
        Self(owned.collect())
    }
}

#[cfg(test)]
mod tests;
