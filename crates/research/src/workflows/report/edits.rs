//! A person's edits of a plan or a draft: which fields may be changed, and whether a change fits.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::draft::Draft;
use crate::plan::{Plan, PlanFault};
use crate::workflows::report::state::State;

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

/// Why edits cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum InvalidEdit {
    /// The edits are no JSON object.
    #[error("edits are a table of fields with their new values")]
    NoTable,
    /// A field that is not there or may not be changed.
    #[error("{name}: there is no such field; edit {}", known.join(", "))]
    Unknown {
        /// As it was given.
        name: String,
        /// The fields that may be changed.
        known: &'static [&'static str],
    },
    /// The path names the value that does not fit, as `queries[0].kind`.
    #[error("{path}: {why}")]
    Value {
        /// A single `.` where the whole does not fit.
        path: String,
        /// What was expected there.
        why: String,
    },
    /// The plan breaks a rule after the edits.
    #[error("the edited plan cannot be used: {0}")]
    Plan(PlanFault),
    /// There is neither plan nor draft.
    #[error("there is nothing to edit yet; give feedback alone")]
    Nothing,
    /// The field, which evidence and findings refer to by now.
    #[error(
        "{0} stands since it was searched for; to change it, begin a new run from a step before: fathom runs fork"
    )]
    Settled(String),
    /// The run will write nothing more that could take it into account.
    #[error("that would not be heard here, since nothing is planned or written next")]
    Unheard,
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
    pub fn in_state(state: &State) -> Option<Self> {
        match (&state.plan, &state.draft) {
            (_, Some(_)) => Some(Self::Draft),
            (Some(_), None) => Some(Self::Plan),
            (None, None) => None,
        }
    }

    /// The fields as they stand.
    pub fn current(self, state: &State) -> Value {
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
    pub fn check(self, state: &State, edits: &Value) -> Result<(), InvalidEdit> {
        match (self, &state.plan, &state.draft) {
            (Self::Plan, Some(plan), _) => edited_plan(state, plan, edits).map(drop),
            (Self::Draft, _, Some(draft)) => edited_draft(draft, edits).map(drop),
            (Self::Plan, None, _) | (Self::Draft, _, None) => Err(InvalidEdit::Nothing),
        }
    }
}

/// The plan with a person's edits.
pub(crate) fn edited_plan(state: &State, plan: &Plan, edits: &Value) -> Result<Plan, InvalidEdit> {
    let settled = |name: &&&str| state.is_searched() && edits.get(**name).is_some();
    if let Some(name) = SETTLED_FIELDS.iter().find(settled) {
        return Err(InvalidEdit::Settled((*name).to_owned()));
    }
    let edited: Plan = merged(plan, edits, PLAN_FIELDS)?;
    match edited.faults().into_iter().next() {
        Some(fault) => Err(InvalidEdit::Plan(fault)),
        None => Ok(edited),
    }
}

/// The draft with a person's edits.
pub(crate) fn edited_draft(draft: &Draft, edits: &Value) -> Result<Draft, InvalidEdit> {
    merged(draft, edits, DRAFT_FIELDS)
}

/// Reads a value into a type; a misfit is told with the path to it.
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, InvalidEdit> {
    serde_path_to_error::deserialize(value).map_err(|error| InvalidEdit::Value {
        path: error.path().to_string(),
        why: error.into_inner().to_string(),
    })
}

/// Puts the edited fields in the place of the old ones.
fn merged<T: Serialize + DeserializeOwned>(
    old: &T,
    edits: &Value,
    known: &'static [&'static str],
) -> Result<T, InvalidEdit> {
    let Value::Object(edits) = edits else {
        return Err(InvalidEdit::NoTable);
    };
    let mut all = serde_json::to_value(old).map_err(|error| InvalidEdit::Value {
        path: "the old values".to_owned(),
        why: error.to_string(),
    })?;
    for (name, value) in edits {
        if !known.contains(&name.as_str()) {
            let name = name.clone();
            return Err(InvalidEdit::Unknown { name, known });
        }
        all[name] = value.clone();
    }
    typed(all)
}
