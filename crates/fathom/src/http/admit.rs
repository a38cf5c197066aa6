//! How a run is begun over HTTP: only if there is room, only once for a key, and committed before it is acknowledged.

use std::sync::atomic::Ordering;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, http};
use fathom_workflow::{Error, NewRun, RunId};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::access::Caller;
use super::caps;
use super::error::{ApiError, ApiResult};
use super::libraries;
use super::run_bounds::OwnerRoom;
use super::service::Service;
use super::wire::Accepted;

/// The label that tells whether two requests with one key are the same.
const REQUEST: &str = "request";

/// After how many seconds a client that found no room should try again.
const RETRY_AFTER_S: u64 = 5;

const KEY_HEADER: &str = "idempotency-key";
const REPLAYED_HEADER: &str = "idempotent-replayed";
const KEY_CHARS: usize = 255;

/// What makes a repeated request recognisable, if the client gave it.
pub struct IdempotencyKey(Option<String>);

impl IdempotencyKey {
    /// For requests that cannot be repeated.
    pub fn none() -> Self {
        Self(None)
    }
}

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let Some(given) = parts.headers.get(KEY_HEADER) else {
            return Ok(Self(None));
        };
        let text = given.to_str().unwrap_or_default();
        if (1..=KEY_CHARS).contains(&text.len()) {
            Ok(Self(Some(text.to_owned())))
        } else {
            let why = format!("it has 1 to {KEY_CHARS} visible ASCII characters");
            Err(ApiError::invalid("Idempotency-Key", why))
        }
    }
}

/// A run that a client was given.
pub struct Begun {
    /// Which it is.
    pub run: RunId,
    /// Whether the same request had begun it before.
    pub replayed: bool,
    status: String,
}

impl IntoResponse for Begun {
    fn into_response(self) -> Response {
        let accepted = Accepted {
            id: self.run,
            status: self.status,
        };
        let mut response = (StatusCode::ACCEPTED, Json(accepted)).into_response();
        let headers = response.headers_mut();
        if let Ok(place) = HeaderValue::from_str(&format!("/runs/{}", self.run)) {
            headers.insert(header::LOCATION, place);
        }
        if self.replayed {
            let name = http::HeaderName::from_static(REPLAYED_HEADER);
            headers.insert(name, HeaderValue::from_static("true"));
        }
        response
    }
}

/// A run to begin: of a workflow, from JSON.
pub struct StartRequest {
    /// The workflow's name.
    pub workflow: String,
    /// Its input, as the client gave it.
    pub input: Map<String, Value>,
    /// Whether it is kept when finished runs expire.
    pub keep: bool,
}

/// The fields that a request gives; what it leaves out is the operator's to say.
pub fn given(fields: Value) -> Map<String, Value> {
    let fields = match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    given.collect()
}

/// Begins a run and leaves it to the background work.
pub async fn start(
    service: &Service,
    caller: &Caller,
    key: IdempotencyKey,
    request: StartRequest,
) -> ApiResult<Begun> {
    let StartRequest {
        workflow,
        mut input,
        keep,
    } = request;
    service.host.workflow(&workflow)?;
    let fingerprint = (workflow.as_str(), &input, keep);
    let new = new_run(caller, key, &fingerprint, keep)?;
    libraries::resolve(service, caller, &workflow, &mut input)?;
    let mut whole = service.input_defaults(&workflow, caller)?;
    overlay(&mut whole, Value::Object(input));
    admit(service, caller, new, |new, room| {
        room.limit_input(&workflow, &mut whole);
        service.host.start(&workflow, new, whole)
    })
    .await
}

/// Commits a new run if there is room and its owner may use more, and leaves it to the background work. One that the same
/// request has begun before is given again.
pub async fn admit<F>(
    service: &Service,
    caller: &Caller,
    new: NewRun,
    begin: impl FnOnce(NewRun, OwnerRoom) -> F,
) -> ApiResult<Begun>
where
    F: Future<Output = Result<RunId, Error>>,
{
    let (run, request) = (new.id, new.labels.get(REQUEST).cloned());
    let _keyed = match request {
        Some(_) => Some(service.keyed.lock().await),
        None => None,
    };
    if request.is_some()
        && let Ok(header) = service.host.header(run).await
    {
        return begun_before(&header, request);
    }
    let begun = {
        let _turn = AdmissionTurn::take(service).await?;
        let (room, _held) = caps::take(service, caller, None).await?;
        let begun = begin(new, room).await;
        if begun.is_ok() {
            service.host.hand_over(run).await;
        }
        begun
    };
    match begun {
        Ok(run) => Ok(Begun {
            run,
            replayed: false,
            status: "pending".to_owned(),
        }),
        Err(Error::RunExists { .. }) => begun_before(&service.host.header(run).await?, request),
        Err(error) => Err(error.into()),
    }
}

fn begun_before(
    header: &fathom_workflow::record::RunHeader,
    request: Option<String>,
) -> ApiResult<Begun> {
    if header.about.labels.get(REQUEST) != request.as_ref() {
        let why = "it was used for another request; use a new key for a new request";
        return Err(ApiError::invalid("Idempotency-Key", why));
    }
    Ok(Begun {
        run: header.id(),
        replayed: true,
        status: header.head.status.to_string(),
    })
}

/// A new run of the caller's. With a key its id follows from the key, so that a second run cannot be committed for it,
/// here or in another process.
pub fn new_run(
    caller: &Caller,
    key: IdempotencyKey,
    request: &impl serde::Serialize,
    keep: bool,
) -> ApiResult<NewRun> {
    let mut new = NewRun {
        keep,
        labels: caller.labels(),
        ..NewRun::untitled()
    };
    if let IdempotencyKey(Some(key)) = key {
        let request = serde_json::to_vec(request).map_err(ApiError::internal)?;
        let request: [u8; 32] = Sha256::digest(&request).into();
        let request = request.iter().map(|byte| format!("{byte:02x}")).collect();
        new.labels.insert(REQUEST.to_owned(), request);
        let mut hasher = Sha256::new();
        hasher.update(caller.folder().as_bytes());
        hasher.update([0]);
        hasher.update(key.as_bytes());
        let hash: [u8; 32] = hasher.finalize().into();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        new.id = RunId::from_uuid(uuid::Builder::from_custom_bytes(bytes).into_uuid());
    }
    Ok(new)
}

/// A place among those who are beginning a run: they count as waiting until their run is in the store.
struct AdmissionTurn<'a>(&'a Service);

impl<'a> AdmissionTurn<'a> {
    async fn take(service: &'a Service) -> ApiResult<Self> {
        let admitting = service.admitting.fetch_add(1, Ordering::AcqRel);
        let turn = Self(service);
        let most = service.limits.max_queue;
        let waiting = service.host.backlog(most).await?;
        if waiting + admitting >= most {
            let message = format!("{most} runs are waiting already; try again later");
            return Err(ApiError::overloaded(message, RETRY_AFTER_S));
        }
        Ok(turn)
    }
}

impl Drop for AdmissionTurn<'_> {
    fn drop(&mut self) {
        self.0.admitting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Puts what was given over what stands, deep inside too.
fn overlay(whole: &mut Value, given: Value) {
    match (whole, given) {
        (Value::Object(whole), Value::Object(given)) => {
            for (name, value) in given {
                match whole.get_mut(&name) {
                    Some(known) => overlay(known, value),
                    None => drop(whole.insert(name, value)),
                }
            }
        }
        (whole, given) => *whole = given,
    }
}
