//! From the report of a trial to its risk of bias.
//!
//! ```text
//! preprocess → locate → validate (→ locate) → D1 → D2 → D3 → D4 → D5 (→ review) → aggregate
//! ```
//!
//! A document that is no report of a randomised trial goes from the first node to the last. The review is a person's, where
//! one was asked for.

use fathom_workflow::{END, Graph, GraphError, RunEnding};

use super::nodes::{aggregate, domain, locate, preprocess, review, validate};
use super::state::State;
use crate::services::Services;

/// The workflow's name, saved in every log.
pub const NAME: &str = "appraise";

/// Reads the report, takes it apart and says what kind of study it is. Names of nodes are saved in logs and stay.
pub const PREPROCESS: &str = "preprocess";
/// Finds the passages that bear on each question.
pub const LOCATE: &str = "locate";
/// Holds them to the rules on relevance, existence, consistency and completeness.
pub const VALIDATE: &str = "validate";
/// Answers and judges a domain.
pub const DOMAINS: [&str; 5] = [
    "d1_randomisation",
    "d2_deviations",
    "d3_missing_data",
    "d4_measurement",
    "d5_selection",
];
/// Lets a person look at the answers.
pub const REVIEW: &str = "review";
/// Judges the whole and hands the appraisal over.
pub const AGGREGATE: &str = "aggregate";

/// What no setting can exceed.
const RETRIES_MOST: u32 = 5;

/// Builds the graph; fails only if it is wired wrongly.
pub fn graph() -> Result<Graph<State, Services>, GraphError> {
    let [d1, d2, d3, d4, d5] = DOMAINS;
    Graph::new(NAME)
        .node(PREPROCESS, preprocess::preprocess)
        .node(LOCATE, locate::locate)
        .node(VALIDATE, validate::validate)
        .node(d1, domain::d1)
        .node(d2, domain::d2)
        .node(d3, domain::d3)
        .node(d4, domain::d4)
        .node(d5, domain::d5)
        .node(REVIEW, review::review)
        .node(AGGREGATE, aggregate::aggregate)
        .start(PREPROCESS)
        .route(PREPROCESS, [LOCATE, AGGREGATE], |state: &State| {
            if state.refused.is_some() {
                AGGREGATE
            } else {
                LOCATE
            }
        })
        .edge(LOCATE, VALIDATE)
        .route(VALIDATE, [LOCATE, d1], |state: &State| {
            if state.retries_now() {
                LOCATE
            } else {
                DOMAINS[0]
            }
        })
        .edge(d1, d2)
        .edge(d2, d3)
        .edge(d3, d4)
        .edge(d4, d5)
        .route(d5, [REVIEW, AGGREGATE], |state: &State| {
            if state.input.review {
                REVIEW
            } else {
                AGGREGATE
            }
        })
        .edge(REVIEW, AGGREGATE)
        .edge(AGGREGATE, END)
        .at_most(RETRIES_MOST, VALIDATE, LOCATE, d1)
        .ending(ending)
        .phase(PREPROCESS, |_| "planning")
        .phase(LOCATE, |_| "searching")
        .phase(VALIDATE, |_| "analyzing")
        .phase(d1, |_| "analyzing")
        .phase(d2, |_| "analyzing")
        .phase(d3, |_| "analyzing")
        .phase(d4, |_| "analyzing")
        .phase(d5, |_| "analyzing")
        .phase(REVIEW, |_| "reviewing")
        .phase(AGGREGATE, |_| "writing")
        .build()
}

/// How the end is listed: partial where the document was not appraised, or a judgement hangs on an unanswered question.
fn ending(state: &State) -> RunEnding {
    let Some(appraisal) = &state.appraisal else {
        return RunEnding::Complete;
    };
    if let Some(why) = &appraisal.refused {
        return RunEnding::Partial(format!("not appraised: {why}"));
    }
    if let Some(review) = appraisal
        .review
        .as_ref()
        .filter(|one| !one.result.is_accepted())
    {
        return RunEnding::Partial(format!("not accepted: {}", review.sentence()));
    }
    if appraisal.is_partial() {
        let why = "some judgements hang on questions that nobody answered";
        return RunEnding::Partial(why.to_owned());
    }
    RunEnding::Complete
}
