//! The live stream of a run's events, from any event on, as server-sent events.
//!
//! The number of an event is its id, so a client that was cut off sends `Last-Event-ID` and gets what it missed out of
//! the store. The stream ends with an event named `end` once the run has ended; without it, the client should come back.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use fathom_workflow::RunId;
use futures::{Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::access::OwnedRun;
use super::body::Params;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::service::{Service, Shared};

/// The header by which a client tells what it has seen.
const LAST_EVENT: &str = "last-event-id";

/// Where the stream begins.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventParams {
    /// The number of the last event that was seen, for clients that cannot set the header.
    after: Option<u64>,
}

/// The last event of a stream.
#[derive(Serialize)]
pub struct StreamEnd {
    /// How the run ended.
    status: String,
    /// Why, where there is something to say.
    reason: Option<String>,
}

/// Streams the events of a run: those that are stored, then those that come, until it ends.
#[utoipa::path(get, path = "/runs/{id}/events", tag = "runs",
    params(("id" = String, Path, description = "The run's id"), EventParams,
        ("Last-Event-ID" = Option<u64>, Header, description = "The number of the last event that was seen")),
    responses((status = 200, description = "Server-sent events", content_type = "text/event-stream", body = Object),
        (status = 404, description = "There is no such run", body = ErrorResponse),
        (status = 422, description = "There is no such event", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn run_events(
    State(service): State<Shared>,
    run: OwnedRun,
    headers: HeaderMap,
    Params(asked): Params<EventParams>,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let after = match headers.get(LAST_EVENT) {
        Some(given) => {
            let given = given
                .to_str()
                .ok()
                .and_then(|text| text.trim().parse().ok());
            given.ok_or_else(|| {
                ApiError::invalid("Last-Event-ID", "it is the number of an event, 0 or more")
            })?
        }
        None => asked.after.unwrap_or(0),
    };
    let last = run.header.head.events;
    if after > last {
        let why = format!("the run has {last} events so far");
        return Err(ApiError::invalid("Last-Event-ID", why));
    }
    let events = stream(&service, run.id(), after);
    let heartbeat = KeepAlive::new().interval(service.limits.heartbeat());
    Ok(Sse::new(events).keep_alive(heartbeat))
}

/// The events of a run above a number, then its end.
pub fn stream(
    service: &Arc<Service>,
    run: RunId,
    after: u64,
) -> impl Stream<Item = Result<Event, Infallible>> + Send + use<> {
    stream_with(service, run, after, futures::stream::empty())
}

/// The same with something more before the end. It breaks off when the service ends or a record cannot be read, without
/// the end marker, so that clients come back.
pub fn stream_with<M>(
    service: &Arc<Service>,
    run: RunId,
    after: u64,
    more: M,
) -> impl Stream<Item = Result<Event, Infallible>> + Send + use<M>
where
    M: Stream<Item = Option<Event>> + Send,
{
    let events = service
        .host
        .events(run, after)
        .map(move |event| match event {
            Ok(event) => {
                let told = Event::default().id(event.number.to_string());
                told.json_data(&event).ok()
            }
            Err(error) => {
                tracing::error!(%run, %error, "a stream of events broke off");
                None
            }
        });
    let stop = service.stop.clone();
    events
        .chain(more)
        .chain(end(Arc::clone(service), run))
        .take_while(|event| std::future::ready(event.is_some()))
        .filter_map(|event| std::future::ready(event.map(Ok)))
        .take_until(async move { stop.cancelled().await })
}

/// The end marker, if the run has ended.
fn end(service: Arc<Service>, run: RunId) -> impl Stream<Item = Option<Event>> + Send + use<> {
    futures::stream::once(async move {
        let head = service.host.header(run).await.ok()?.head;
        let end = StreamEnd {
            status: head.status.to_string(),
            reason: head.reason,
        };
        Event::default().event("end").json_data(end).ok()
    })
}
