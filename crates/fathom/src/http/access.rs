//! Who asks, and what they may see.

use axum::extract::{FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use fathom_workflow::RunId;
use fathom_workflow::record::{Labels, RunHeader};

use super::error::{ApiError, ApiResult};
use super::service::{Service, Shared};

/// The label that says whose run it is.
const OWNER: &str = "owner";

/// Who is called when nobody gave a name.
const NOBODY: &str = "someone on this machine";

/// Routes that say nothing about anybody's runs: open without a token, so that a load balancer can ask.
const OPEN_ROUTES: [&str; 1] = ["/health"];

/// Who made a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Somebody on this machine, where no tokens are used. They see every run.
    Local,
    /// The owner of a token. They see their own runs.
    Owner(String),
}

impl Caller {
    /// Who decides at a gate, for the record.
    pub fn name(&self) -> &str {
        match self {
            Self::Local => NOBODY,
            Self::Owner(owner) => owner,
        }
    }

    /// The folder below which their libraries lie.
    pub fn folder(&self) -> &str {
        match self {
            Self::Local => "_local",
            Self::Owner(owner) => owner,
        }
    }

    /// What a new run of theirs is labelled with.
    pub fn labels(&self) -> Labels {
        match self {
            Self::Local => Labels::new(),
            Self::Owner(owner) => Labels::from([(OWNER.to_owned(), owner.clone())]),
        }
    }

    /// Whether a run is theirs to see.
    pub fn may_see(&self, run: &RunHeader) -> bool {
        match self {
            Self::Local => true,
            Self::Owner(owner) => run.about.labels.get(OWNER) == Some(owner),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let caller = parts.extensions.get::<Self>();
        caller.cloned().ok_or_else(unauthorized)
    }
}

/// Tells a request who its caller is, or refuses it. Open routes have no caller.
pub fn authenticate(service: &Service, request: &mut Request) -> ApiResult<Option<Caller>> {
    if OPEN_ROUTES.contains(&request.uri().path()) {
        return Ok(None);
    }
    let caller = caller(service, request.headers())?;
    request.extensions_mut().insert(caller.clone());
    Ok(Some(caller))
}

fn caller(service: &Service, headers: &HeaderMap) -> ApiResult<Caller> {
    if service.is_loopback && service.tokens.is_empty()? {
        return Ok(Caller::Local);
    }
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok());
    let token = given.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let token = token.ok_or_else(unauthorized)?;
    let owner = service.tokens.owner(token)?;
    owner.map(Caller::Owner).ok_or_else(unauthorized)
}

fn unauthorized() -> ApiError {
    let message = "a valid token is needed: Authorization: Bearer TOKEN";
    ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
}

/// The run that a path names, if the caller may see it. Another's run is not told from one that does not exist.
pub struct OwnedRun {
    /// Its header, just read.
    pub header: RunHeader,
}

impl OwnedRun {
    /// The run's id.
    pub fn id(&self) -> RunId {
        self.header.id()
    }
}

impl FromRequestParts<Shared> for OwnedRun {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, service: &Shared) -> ApiResult<Self> {
        let caller = Caller::from_request_parts(parts, service).await?;
        let named = Path::<String>::from_request_parts(parts, service).await;
        let Path(named) = named.map_err(|error| ApiError::invalid("id", error.body_text()))?;
        find(service, &caller, &named).await
    }
}

/// The run of an id, if the caller may see it.
pub async fn find(service: &Service, caller: &Caller, named: &str) -> ApiResult<OwnedRun> {
    let run: RunId = named.parse()?;
    let header = service.host.header(run).await?;
    if caller.may_see(&header) {
        Ok(OwnedRun { header })
    } else {
        Err(fathom_workflow::Error::NoSuchRun { run }.into())
    }
}
