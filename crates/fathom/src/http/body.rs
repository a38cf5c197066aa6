//! Bodies and parameters: read into types, refused by the name of the field.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{ApiError, ApiResult};

/// A JSON body of this type, without fields that the type does not know.
pub struct JsonBody<T>(pub T);

impl<T, S> FromRequest<S> for JsonBody<T>
where
    T: Serialize + DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let given = json(request, state).await?;
        Ok(Self(fathom_workflow::read_input(given)?))
    }
}

/// A JSON body of this type; fields that the type does not know are passed over.
pub struct Lenient<T>(pub T);

impl<T, S> FromRequest<S> for Lenient<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> ApiResult<Self> {
        let given = json(request, state).await?;
        Ok(Self(fathom_workflow::read_lenient(given)?))
    }
}

/// The parameters behind the `?`, as this type.
pub struct Params<T>(pub T);

impl<T, S> FromRequestParts<S> for Params<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        read.map(|Query(read)| Self(read)).map_err(|error| {
            let text = error.body_text();
            let why = text.split_once(": ").map_or(text.as_str(), |(_, why)| why);
            match why.split_once(": ") {
                Some((field, why)) => ApiError::invalid(field, why),
                None => ApiError::invalid("", why),
            }
        })
    }
}

/// The body as JSON.
async fn json<S: Send + Sync>(request: Request, state: &S) -> ApiResult<Value> {
    let bytes = Bytes::from_request(request, state).await;
    let bytes = bytes.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            ApiError::new(status, "payload_too_large", "the body is too large")
        }
        _ => malformed(error.body_text()),
    })?;
    let read = serde_json::from_slice(&bytes);
    read.map_err(|error| malformed(format!("the body is not JSON: {error}")))
}

fn malformed(message: impl ToString) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "parsing", message)
}
