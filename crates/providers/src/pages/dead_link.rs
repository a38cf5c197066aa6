//! Links that lead nowhere, so that a list of sources can say so.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{CallFailure, FailureCause};

/// Why a link is dead. A server that fails, hangs or refuses us is not: the page may be there for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadLink {
    /// Status 404.
    NotFound,
    /// Status 410.
    Gone,
    /// Nobody has the host's name.
    NoSuchHost,
}

impl DeadLink {
    /// What the failure of a page says about its link: by its status, or because nobody has the host's name.
    pub fn from_failure(failure: &CallFailure) -> Option<Self> {
        match (failure.status, failure.cause) {
            (Some(404), _) => Some(Self::NotFound),
            (Some(410), _) => Some(Self::Gone),
            (None, FailureCause::NoSuchHost) => Some(Self::NoSuchHost),
            _ => None,
        }
    }
}

impl fmt::Display for DeadLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "dead link (404)",
            Self::Gone => "dead link (410)",
            Self::NoSuchHost => "dead link (no such host)",
        })
    }
}
