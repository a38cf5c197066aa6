//! Bodies and parameters: read into types, refused by the name of the field.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use fathom_workflow::InvalidInput;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

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
        let pairs = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Query(pairs) = pairs.map_err(|error| malformed(error.body_text()))?;
        let mut given = Map::new();
        for (name, text) in pairs {
            if given.contains_key(&name) {
                return Err(ApiError::invalid(&name, "it is given twice"));
            }
            given.insert(name, Value::String(text));
        }
        Ok(Self(read_params(given)?))
    }
}

/// Reads parameters as a body with the same fields would be read. They come as texts: one that must be something else is
/// taken for the number, or the true or false, that it spells.
fn read_params<T: DeserializeOwned>(mut given: Map<String, Value>) -> Result<T, InvalidInput> {
    loop {
        let refused = match fathom_workflow::read_lenient(Value::Object(given.clone())) {
            Ok(read) => return Ok(read),
            Err(refused) => refused,
        };
        // No text comes of it, so that the loop ends with the parameters.
        match given
            .get_mut(&refused.field)
            .map(|text| (spelled(text), text))
        {
            Some((Some(spelled), text)) => *text = spelled,
            _ => return Err(refused),
        }
    }
}

/// The number, or the true or false, that a text spells.
fn spelled(text: &Value) -> Option<Value> {
    let read: Value = serde_json::from_str(text.as_str()?).ok()?;
    (read.is_number() || read.is_boolean()).then_some(read)
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        text: Option<String>,
        limit: Option<u64>,
        #[serde(default)]
        whole: bool,
        form: Option<Form>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Form {
        Md,
        Html,
    }

    fn read(given: Value) -> Result<Asked, InvalidInput> {
        read_params(given.as_object().unwrap().clone())
    }

    #[test]
    fn parameters_are_read_by_what_their_fields_are() {
        let asked =
            read(json!({"text": "7", "limit": "7", "whole": "true", "form": "md"})).unwrap();
        assert_eq!(asked.text.as_deref(), Some("7"));
        assert_eq!((asked.limit, asked.whole), (Some(7), true));
        assert_eq!(asked.form, Some(Form::Md));
    }

    #[test]
    fn a_parameter_that_does_not_fit_is_told_in_words() {
        for (given, told) in [
            (
                json!({"limit": "many"}),
                "limit: it must be a whole number, 0 or more, not the text \"many\"",
            ),
            (
                json!({"limit": "-1"}),
                "limit: it must be a whole number, 0 or more, not -1",
            ),
            (
                json!({"whole": "yes"}),
                "whole: it must be true or false, not the text \"yes\"",
            ),
            (json!({"form": "pdf"}), "form: \"pdf\" is none of md, html"),
            (json!({"colour": "red"}), "colour: there is no such field"),
        ] {
            assert_eq!(read(given).unwrap_err().to_string(), told);
        }
    }
}
