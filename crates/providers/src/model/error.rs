//! Why a model gave no usable answer, told to programs and to people.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::completion::{Completion, TokenUsage};
use super::json::UnusableJson;
use super::price::ModelCost;
use crate::call::{ChainExhausted, ProviderName};
use crate::error::{FailureCategory, FailureSeverity};

/// What all the answers to one question took together, also those that were no use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpending {
    /// Tokens of all answers together.
    pub usage: TokenUsage,
    /// The sum of the costs that are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelCost>,
    /// Answers that came.
    pub answers: u32,
}

impl ModelSpending {
    pub(super) fn add(&mut self, completion: &Completion) {
        self.usage += completion.usage;
        self.answers = self.answers.saturating_add(1);
        if let Some(cost) = completion.cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }
}

/// Why a model gave no usable answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelError {
    /// Nobody answered.
    Call {
        /// Every endpoint and its failure.
        exhausted: ChainExhausted,
        /// What earlier answers to the same question took.
        spent: ModelSpending,
    },
    /// The answers did not fit the type, even when asked again.
    Unreadable {
        /// Who answered last.
        by: ProviderName,
        /// What was wrong with the last answer.
        why: UnusableJson,
        /// The last answer was cut off by the limit on tokens.
        cut_off: bool,
        /// What the answers took all the same.
        spent: ModelSpending,
    },
    /// The model declined, or a filter stopped it.
    Refused {
        /// Who declined.
        by: ProviderName,
        /// What the answers took all the same.
        spent: ModelSpending,
    },
}

impl ModelError {
    /// The class under which it is counted.
    pub fn category(&self) -> FailureCategory {
        match self {
            Self::Call { exhausted, .. } => exhausted
                .decisive()
                .map_or(FailureCategory::ApiError, |failure| failure.category),
            Self::Unreadable { .. } => FailureCategory::Parsing,
            Self::Refused { .. } => FailureCategory::Validation,
        }
    }

    /// Whether the same question may well be answered later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Call { exhausted, .. } => exhausted
                .decisive()
                .is_some_and(|failure| failure.severity == FailureSeverity::Recoverable),
            Self::Unreadable { .. } => true,
            Self::Refused { .. } => false,
        }
    }

    /// What the question took, although it failed.
    pub fn spent(&self) -> &ModelSpending {
        match self {
            Self::Call { spent, .. }
            | Self::Unreadable { spent, .. }
            | Self::Refused { spent, .. } => spent,
        }
    }

    /// The error for programs, without anything that the model said.
    pub fn response(&self) -> ErrorResponse {
        ErrorResponse {
            error: ErrorBody {
                category: self.category(),
                message: self.to_string(),
                retryable: self.is_retryable(),
            },
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call { exhausted, .. } => exhausted.fmt(f),
            Self::Unreadable {
                by, cut_off: true, ..
            } => write!(
                f,
                "{by} was cut off by the limit on tokens, twice; raise the role's max_tokens"
            ),
            Self::Unreadable { by, why, .. } => write!(
                f,
                "{by} answered in a form that cannot be used, even when asked again ({why}); \
                 try again, or set a stronger model"
            ),
            Self::Refused { by, .. } => write!(
                f,
                "{by} declined to answer; put the question differently, or set another model"
            ),
        }
    }
}

impl std::error::Error for ModelError {}

/// An error as it is handed to programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorResponse {
    /// The only field, so that programs can tell an error by its name.
    pub error: ErrorBody,
}

/// What a program needs to know of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The class under which it is counted.
    #[serde(rename = "type")]
    pub category: FailureCategory,
    /// For people: what happened and what to do.
    pub message: String,
    /// Whether the same question may be answered later.
    pub retryable: bool,
}
