//! A person's edits of a plan or a draft: which fields may be changed, and whether a change fits.

use fathom_workflow::{InvalidInput, read_input};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::draft::Draft;
use crate::plan::Plan;
use crate::workflows::report::state::ReportState;

/// What a person may change in a plan.
const PLAN_FIELDS: &[&str] = &[
    "sub_questions",
    "queries",
    "sections",
    "methodology",
    "warnings",
];

/// What of a plan stands once it was searched for: evidence and findings refer to it.
const SETTLED_FIELDS: &[&str] = &["sub_questions", "queries"];

/// What a person may change in a draft.
const DRAFT_FIELDS: &[&str] = &["title", "answer", "summary", "sections", "conclusion"];

/// The refusal of edits where there is neither plan nor draft.
pub(crate) fn nothing_to_edit() -> InvalidInput {
    InvalidInput::new("there is nothing to edit yet; give feedback alone")
}

/// What may be edited while a run waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Editable {
    /// The plan.
    Plan,
    /// The draft.
    Draft,
}

impl Editable {
    /// The draft once there is one, before it the plan.
    pub fn in_state(state: &ReportState) -> Option<Self> {
        match (&state.plan, &state.draft) {
            (_, Some(_)) => Some(Self::Draft),
            (Some(_), None) => Some(Self::Plan),
            (None, None) => None,
        }
    }

    /// The fields as they stand.
    pub fn current(self, state: &ReportState) -> Value {
        let (whole, known) = match self {
            Self::Plan => (serde_json::to_value(&state.plan), PLAN_FIELDS),
            Self::Draft => (serde_json::to_value(&state.draft), DRAFT_FIELDS),
        };
        let mut whole = whole.unwrap_or_default();
        let settled = self == Self::Plan && state.is_searched();
        if let Value::Object(fields) = &mut whole {
            fields.retain(|name, _| {
                let name = name.as_str();
                known.contains(&name) && !(settled && SETTLED_FIELDS.contains(&name))
            });
        }
        whole
    }

    /// Whether the edits fit what they change.
    pub fn check(self, state: &ReportState, edits: &Value) -> Result<(), InvalidInput> {
        match (self, &state.plan, &state.draft) {
            (Self::Plan, Some(plan), _) => edited_plan(state, plan, edits).map(drop),
            (Self::Draft, _, Some(draft)) => edited_draft(draft, edits).map(drop),
            (Self::Plan, None, _) | (Self::Draft, _, None) => Err(nothing_to_edit()),
        }
    }
}

/// The plan with a person's edits.
pub(crate) fn edited_plan(
    state: &ReportState,
    plan: &Plan,
    edits: &Value,
) -> Result<Plan, InvalidInput> {
    let settled = |name: &&&str| state.is_searched() && edits.get(**name).is_some();
    if let Some(name) = SETTLED_FIELDS.iter().find(settled) {
        return Err(InvalidInput::new(format!(
            "{name} stands since it was searched for; to change it, begin a new run from a step before: fathom runs fork"
        )));
    }
    let edited: Plan = merged(plan, edits, PLAN_FIELDS)?;
    match edited.faults(false).into_iter().next() {
        Some(fault) => Err(InvalidInput::new(format!(
            "the edited plan cannot be used: {fault}"
        ))),
        None => Ok(edited),
    }
}

/// The draft with a person's edits.
pub(crate) fn edited_draft(draft: &Draft, edits: &Value) -> Result<Draft, InvalidInput> {
    merged(draft, edits, DRAFT_FIELDS)
}

/// Puts the edited fields in the place of the old ones.
fn merged<T: Serialize + DeserializeOwned>(
    old: &T,
    edits: &Value,
    known: &[&str],
) -> Result<T, InvalidInput> {
    let Value::Object(edits) = edits else {
        return Err(InvalidInput::new(
            "edits are a table of fields with their new values",
        ));
    };
    let mut all = serde_json::to_value(old).map_err(InvalidInput::new)?;
    for (name, value) in edits {
        if !known.contains(&name.as_str()) {
            return Err(InvalidInput::unknown(name, known.iter().copied()));
        }
        all[name] = value.clone();
    }
    read_input(all)
}
