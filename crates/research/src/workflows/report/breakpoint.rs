//! A person's own breakpoints: where a run stops to ask, on what condition, how long it waits and what it shows.
//!
//! One is written as `after search if sources < 5`, or as a table with `at`, `when`, `timeout_s` and `show`. Asking
//! is left to the nodes.

mod condition;
mod parse;
mod show;

use serde::{Deserialize, Serialize};

use crate::workflows::report::state::ReportState;

pub use condition::{Comparison, Condition, Figure, Order};
pub use parse::{Malformed, WrittenBreakpoint};
pub use show::Part;

/// How long a run waits at a breakpoint that does not say.
const WAIT_S: u64 = 3_600;

/// A stop that a person set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Breakpoint {
    /// Where it stops.
    pub at: StopPlace,
    /// Every time, where nothing is said.
    pub when: Option<Condition>,
    /// Seconds that the run waits for an answer.
    pub timeout_s: u64,
    /// What is shown besides the figures; what fits the place, where nothing is said.
    pub show: Vec<Part>,
}

/// Between which steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StopPlace {
    /// On which side of the step.
    pub moment: Moment,
    /// The step.
    pub step: Step,
}

/// The side of a step that a stop is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Moment {
    /// Nothing of the step is done yet.
    Before,
    /// The step is done and will not be taken again at once.
    After,
}

/// The steps between which a run can be stopped.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Step {
    /// Making the plan.
    Plan,
    /// Searching and reading.
    Search,
    /// Making findings of the evidence.
    Analyse,
    /// Writing or revising the draft.
    Write,
    /// Checking its citations.
    Check,
    /// Reviewing it.
    Review,
    /// Handing the report over.
    Output,
}

impl Breakpoint {
    /// One that stops every time, waits for an hour and shows what fits the place.
    pub fn new(at: StopPlace) -> Self {
        Self {
            at,
            when: None,
            timeout_s: WAIT_S,
            show: Vec::new(),
        }
    }

    /// Whether a run stops here that is about to take `next`, or to give up where that is nothing. A step that is
    /// taken again at once, as a plan that was sent back, is not over.
    pub fn stops(&self, state: &ReportState, next: Option<Step>) -> bool {
        let step = Some(self.at.step);
        let here = match self.at.moment {
            Moment::Before => next == step,
            Moment::After => state.done == step && next != step,
        };
        let wanted = |condition: &Condition| condition.holds(state);
        here && self.when.as_ref().is_none_or(wanted)
    }

    /// Why it stops, as the beginning of a sentence.
    pub fn reason(&self) -> String {
        let at = self.at;
        match &self.when {
            Some(condition) => format!("you wanted to be asked {at} if {condition}"),
            None => format!("you wanted to be asked {at}"),
        }
    }

    /// What a person looks at: the figures, and the parts of the state that were named or fit the place.
    pub fn shown(&self, state: &ReportState) -> serde_json::Value {
        show::shown(state, &self.show)
    }
}

#[cfg(test)]
mod tests;
