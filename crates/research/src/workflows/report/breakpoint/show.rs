//! What a person sees at a breakpoint: figures, and parts of the state in a few lines each.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use strum::IntoEnumIterator as _;

use super::Figure;
use crate::workflows::report::edits::Editable;
use crate::workflows::report::state::ReportState;

/// Lines of one part.
const LINES_MOST: usize = 30;

/// A part of the state that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Part {
    /// The plan.
    Plan,
    /// The sources found, with their titles.
    Sources,
    /// The findings, each in a sentence.
    Findings,
    /// What the sources disagree on.
    Contradictions,
    /// What is missing.
    Gaps,
    /// The draft.
    Draft,
    /// What the review found.
    Review,
    /// Failures that the run lived through.
    Errors,
}

impl Part {
    /// Fields for what can be edited, lines for all else; nothing where there is none yet.
    fn value(self, state: &ReportState) -> Option<Value> {
        let analysis = state.analysis.as_deref();
        let shown = match self {
            Self::Plan => {
                state.plan.as_ref()?;
                Editable::Plan.current(state)
            }
            Self::Draft => {
                state.draft.as_ref()?;
                Editable::Draft.current(state)
            }
            Self::Sources => lines(&state.sources, |source| {
                format!("[{}] {}", source.id.0, source.name())
            }),
            Self::Findings => lines(&analysis?.findings, |finding| finding.statement.clone()),
            Self::Contradictions => lines(&analysis?.contradictions, |two| {
                format!("“{}” against “{}”", two.left.quote, two.right.quote)
            }),
            Self::Gaps => lines(&analysis?.gaps, |gap| gap.missing.clone()),
            Self::Review => {
                let critique = state.review_of_draft()?;
                let draft = state.draft.as_deref()?;
                lines(&critique.items, |item| {
                    let (severity, place) = (item.severity.name(), draft.name(&item.place));
                    format!("{severity}, {place}: {}", item.description)
                })
            }
            Self::Errors => lines(&state.errors, |error| {
                format!("{}: {}", error.node, error.message)
            }),
        };
        Some(shown)
    }
}

fn lines<T>(all: &[T], line: impl Fn(&T) -> String) -> Value {
    let mut lines: Vec<String> = all.iter().take(LINES_MOST).map(line).collect();
    if all.len() > LINES_MOST {
        lines.push(format!("and {} more", all.len() - LINES_MOST));
    }
    json!(lines)
}

pub(super) fn shown(state: &ReportState, wanted: &[Part]) -> Value {
    let fitting: &[Part] = match (&state.plan, &state.analysis, &state.draft) {
        (_, _, Some(_)) => &[Part::Draft, Part::Review],
        (_, Some(_), None) => &[Part::Findings, Part::Contradictions, Part::Gaps],
        (Some(_), None, None) if state.sources.is_empty() => &[Part::Plan],
        (Some(_), None, None) => &[Part::Sources],
        (None, None, None) => &[],
    };
    let parts = if wanted.is_empty() { fitting } else { wanted };
    let figures = Figure::iter().filter_map(|figure| {
        let value = (figure.value(state)? * 100.0).round() / 100.0;
        let whole = (value.fract() == 0.0).then_some(value as u64);
        Some((figure.to_string(), whole.map_or(json!(value), Value::from)))
    });
    let mut shown = Map::new();
    shown.insert("figures".to_owned(), Value::Object(figures.collect()));
    for part in parts {
        let empty = |value: &Value| wanted.is_empty() && *value == json!([]);
        if let Some(value) = part.value(state).filter(|value| !empty(value)) {
            shown.insert(part.to_string(), value);
        }
    }
    Value::Object(shown)
}
