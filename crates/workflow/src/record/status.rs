//! What a run is doing, and the word that lists and logs have for it.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Name;

/// What a run is doing, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Recorded, not begun.
    Pending,
    /// Under way; the name is the phase its node declares ("planning", "searching", …).
    Running(Name),
    /// Waits for a decision, or for the moment in the header's `wake_at`.
    Waiting,
    /// Every step has been taken.
    Completed,
    /// It could not go on; a person may resume it.
    Failed,
    /// Stopped on request, and can be resumed; or ended by a person for good, where no step is left.
    Cancelled,
}

impl Status {
    /// The word that lists and logs use.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::Running(phase) => phase,
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the word; any that is not a status is a phase of a running run.
    pub fn parse(text: &str) -> Self {
        match text {
            "pending" => Self::Pending,
            "waiting" => Self::Waiting,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            phase => Self::Running(Cow::Owned(phase.to_owned())),
        }
    }

    /// Whether the run has stopped for good unless somebody resumes it.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Pending | Self::Running(_) | Self::Waiting => false,
        }
    }

    /// Whether a run of this status may be removed once it is old. A cancelled one may not: whoever
    /// stopped it can still resume it.
    pub fn can_expire(&self) -> bool {
        match self {
            Self::Completed | Self::Failed => true,
            Self::Pending | Self::Running(_) | Self::Waiting | Self::Cancelled => false,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Status {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&Cow::<str>::deserialize(deserializer)?))
    }
}
