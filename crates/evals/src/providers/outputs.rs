//! T19: malformed model outputs, through the whole way from the wire to a Rust value.
//!
//! A server on loopback spoils every reply in one of many ways, drawn from the seed. Each question must end in a
//! value or a typed error, in time, within its bound of requests; and what is given out must not be made up.

mod make;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::serve::{Listener, ListenerExt};
use fathom_providers::call::{self, CallContext, CallEvent, CallKind, Caller};
use fathom_providers::model::{
    self, ModelApi, ModelEndpoint, ModelError, ModelRole, ModelSettings, Models, TypedAnswer,
};
use fathom_providers::{BaseUrl, ClientSettings, HttpClient, SystemClock};
use futures::{StreamExt, stream};
use rand::SeedableRng;
use rand::rngs::StdRng;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;

use self::make::{GOOD, MalformedWay, Spoilt};
use crate::proofs::{Proof, Setting};

/// Questions under way at once.
const AT_ONCE: usize = 16;

/// A question that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Two asks of three attempts, each with as many forms as there are.
const REQUESTS_MAX: usize = 2 * 3 * 7;

pub(super) fn proof() -> Proof {
    Proof {
        id: "T19",
        what: "malformed model outputs",
        run: |setting| Box::pin(run(setting)),
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
struct OutputPlan {
    title: String,
    queries: Vec<Query>,
    note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
struct Query {
    text: String,
    priority: u8,
}

async fn run(setting: Setting) -> Result<String> {
    let outputs = setting.size.pick(1_500, 10_000);
    let server = OutputServer::start(setting.seed).await?;
    let client = HttpClient::new(ClientSettings::default())?;
    let mut ends: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut most = 0;
    let asking = (0..outputs).map(|number| {
        let (server, client) = (server.clone(), client.clone());
        let told = move || {
            format!(
                "output {number} (again: --only T19 --seed {})",
                setting.seed
            )
        };
        async move {
            // A task of its own, so that a panic is an error here.
            let ended = tokio::spawn(one(server, client, number)).await;
            ended
                .map_err(|panic| anyhow!("{panic}"))
                .flatten()
                .with_context(told)
        }
    });
    let mut asked = stream::iter(asking).buffer_unordered(AT_ONCE);
    while let Some(ended) = asked.next().await {
        let (end, requests) = ended?;
        *ends.entry(end).or_default() += 1;
        most = most.max(requests);
    }
    let each: Vec<String> = ends
        .iter()
        .map(|(end, count)| format!("{count} {end}"))
        .collect();
    Ok(format!(
        "{outputs} questions in {} ways: {}; at most {most} requests a question; 0 panics, 0 hangs, 0 made-up values",
        MalformedWay::ALL.len(),
        each.join(", ")
    ))
}

/// Asks one question; gives how it ended, and how many requests it took.
async fn one(
    server: Arc<OutputServer>,
    client: HttpClient,
    number: u64,
) -> Result<(&'static str, usize)> {
    let models = models(&server, &client, number)?;
    let sink = |event: CallEvent| drop(event);
    let terms = CallContext {
        kind: CallKind::Model,
        deadline: PATIENCE * 2,
        sink: &sink,
    };
    let request = model::ModelRequest::new("You plan research.", "Why do kelp forests shrink?");
    let asking = models.ask_typed::<OutputPlan>(ModelRole::Planner, &request, &terms);
    let outcome = tokio::time::timeout(PATIENCE, asking)
        .await
        .context("it hangs")?;
    let requests = server.requests(number);
    ensure!(
        requests <= REQUESTS_MAX,
        "{requests} requests for one question"
    );
    let end = match outcome {
        Ok(typed) => {
            ensure!(
                !is_made_up(&typed, server.keeps_words(number)),
                "made up: {typed:?}"
            );
            if typed.mended { "mended" } else { "read" }
        }
        Err(error) => legal(&error)?,
    };
    Ok((end, requests))
}

fn models(server: &OutputServer, client: &HttpClient, number: u64) -> Result<Models> {
    let address = format!("http://127.0.0.1:{}/{number}/v1", server.port);
    let endpoint = ModelEndpoint::new(ModelApi::OpenAi, BaseUrl::parse(&address)?, None);
    let mut settings = call::CallSettings::default();
    settings.retry.backoff_base = Duration::ZERO;
    settings.retry.rate_base = Duration::ZERO;
    settings.limit.rate_least = 1e6;
    let rng = Box::new(StdRng::seed_from_u64(number));
    let caller = Caller::new(settings, Arc::new(SystemClock::default()), rng);
    Ok(Models::new(
        client,
        Arc::new(caller),
        ModelSettings::new(vec![endpoint]),
    ))
}

/// Whether a value holds what the model never wrote. Only ways that leave the words alone can be judged so.
fn is_made_up(typed: &TypedAnswer<OutputPlan>, keeps_words: bool) -> bool {
    let good: OutputPlan = serde_json::from_str(GOOD).unwrap_or_else(|_| typed.value.clone());
    let OutputPlan {
        title,
        queries,
        note,
    } = &typed.value;
    let known = queries.iter().all(|query| good.queries.contains(query));
    let same = *title == good.title && known && (note.is_none() || *note == good.note);
    keeps_words && !same
}

/// The end states that the contract knows.
fn legal(error: &ModelError) -> Result<&'static str> {
    let response = serde_json::to_value(error.response())?;
    let complete = ["type", "message", "retryable"]
        .iter()
        .all(|field| !response["error"][field].is_null());
    ensure!(complete, "not the agreed form: {response}");
    match error {
        ModelError::Unreadable { .. } => Ok("unreadable"),
        ModelError::Refused { .. } => Ok("refused"),
        ModelError::Call { exhausted, .. } => {
            exhausted.decisive().context("no reason is given")?;
            Ok("failed calls")
        }
    }
}

/// Spoils replies: the one of question 7 at request 2 is always the same.
struct OutputServer {
    port: u16,
    seed: u64,
    requests: Mutex<BTreeMap<u64, usize>>,
}

impl OutputServer {
    async fn start(seed: u64) -> Result<Arc<Self>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let server = Arc::new(Self {
            port: listener.local_addr()?.port(),
            seed,
            requests: Mutex::default(),
        });
        let router = Router::new().fallback(answer).with_state(server.clone());
        // Ends with the process: the proof is its only user.
        tokio::spawn(async move { axum::serve(prompt(listener), router).await });
        Ok(server)
    }

    fn spoilt(&self, question: u64, request: usize) -> Spoilt {
        let place = question.wrapping_mul(1_000).wrapping_add(request as u64);
        make::spoilt(question, &mut StdRng::seed_from_u64(self.seed ^ place))
    }

    fn requests(&self, question: u64) -> usize {
        self.counts().get(&question).copied().unwrap_or(0)
    }

    fn keeps_words(&self, question: u64) -> bool {
        self.spoilt(question, 0).keeps_words
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, usize>> {
        self.requests
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Pieces go out at once, instead of waiting for the one before to be acknowledged.
fn prompt(listener: TcpListener) -> impl Listener<Addr = SocketAddr> {
    listener.tap_io(|wire| {
        // Slower is no fault.
        let _ = wire.set_nodelay(true);
    })
}

async fn answer(State(server): State<Arc<OutputServer>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let question = path
        .split('/')
        .nth(1)
        .and_then(|part| part.parse().ok())
        .unwrap_or(0);
    let number = {
        let mut counts = server.counts();
        let count = counts.entry(question).or_default();
        *count += 1;
        *count - 1
    };
    // A body that is not read would break the connection.
    let _ = axum::body::to_bytes(request.into_body(), usize::MAX).await;
    server.spoilt(question, number).response()
}
