//! What a client is told when something cannot be done: always the same shape, never a bare line of text.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fathom_workflow::{Error, InvalidInput};
use serde::Serialize;
use utoipa::ToSchema;

use crate::edits;
use crate::exit::Problem;

/// What every refusal looks like.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorResponse {
    /// What went wrong.
    pub error: ErrorBody,
}

/// What went wrong, for a program and for a person.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// The class of the error, such as validation, not_found, conflict or internal.
    pub r#type: &'static str,
    /// A sentence that says what is wrong and what would be right.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The field, parameter or header that is wrong, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// A refusal on its way to the client.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    body: ErrorBody,
    retry_after_s: Option<u64>,
}

/// What handlers give.
pub type ApiResult<T> = std::result::Result<T, ApiError>;

impl ApiError {
    /// A refusal of this class.
    pub fn new(status: StatusCode, r#type: &'static str, message: impl ToString) -> Self {
        let retryable = matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
        );
        let body = ErrorBody {
            r#type,
            message: message.to_string(),
            retryable,
            field: None,
        };
        Self {
            status,
            body,
            retry_after_s: None,
        }
    }

    /// A value that is not as it must be.
    pub fn invalid(field: &str, message: impl ToString) -> Self {
        let mut error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "validation", message);
        error.body.field = (!field.is_empty()).then(|| field.to_owned());
        error
    }

    /// What was asked for is not there, or not the caller's.
    pub fn not_found(message: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// It does not fit how things stand.
    pub fn conflict(message: impl ToString) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    /// There is no room now.
    pub fn overloaded(message: impl ToString, retry_after_s: u64) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", message).retry_after(retry_after_s)
    }

    /// A fault of ours. The client learns that there was one; the log learns which.
    pub fn internal(fault: impl std::fmt::Display) -> Self {
        tracing::error!(%fault, "a request failed");
        let message = "something went wrong in the service; its log says what";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// Says after how many seconds it may succeed.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// Names the field that is wrong.
    #[must_use]
    pub fn at(mut self, field: &str) -> Self {
        self.body.field = Some(field.to_owned());
        self
    }

    /// Calls a field by the name that this request has for it.
    #[must_use]
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        if self.body.field.as_deref() == Some(from) {
            self.body.field = Some(to.to_owned());
        }
        self
    }

    /// Calls a field without the table that this request does not have.
    #[must_use]
    pub fn without(mut self, table: &str) -> Self {
        let field = self.body.field.as_deref();
        if let Some(rest) = field.and_then(|field| field.strip_prefix(table)) {
            self.body.field = Some(rest.to_owned());
        }
        self
    }

    /// What is wrong in one sentence, with the field.
    pub fn sentence(&self) -> String {
        let message = &self.body.message;
        match &self.body.field {
            Some(field) if !message.contains(field.as_str()) => format!("{field}: {message}"),
            _ => message.clone(),
        }
    }

    /// What the client is told.
    pub fn body(self) -> ErrorResponse {
        ErrorResponse { error: self.body }
    }

    /// That the same request may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.body.retryable = true;
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorResponse { error: self.body })).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

impl From<InvalidInput> for ApiError {
    fn from(invalid: InvalidInput) -> Self {
        Self::invalid(&invalid.field, edits::explained(&invalid))
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidInput(invalid) => invalid.into(),
            Error::BadRunId { .. } => Self::invalid("id", error),
            Error::NoSuchRun { .. } => Self::not_found(error),
            Error::NoSuchStep { .. } => Self::not_found(error).at("at"),
            Error::NoSuchWorkflow { .. } => Self::invalid("workflow", error),
            Error::NotReady { .. } => Self::invalid("", error),
            Error::Held { .. } | Error::NotStopped { .. } => Self::conflict(error).retryable(),
            Error::RunExists { .. }
            | Error::Ended { .. }
            | Error::NothingAfter { .. }
            | Error::Waiting { .. }
            | Error::NotWaiting { .. }
            | Error::GateClosed { .. }
            | Error::OtherWorkflow { .. }
            | Error::NewerVersion { .. }
            | Error::UnknownWorkflow { .. }
            | Error::Superseded { .. }
            | Error::CrashLoop { .. } => Self::conflict(error),
            Error::StoreGone { .. } | Error::DiskFull => {
                tracing::error!(%error, "the store does not take part");
                Self::overloaded("the store does not answer; nothing recorded is lost", 5)
            }
            Error::Damaged { .. } => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error)
            }
            other => Self::internal(other),
        }
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self::internal(problem)
    }
}
