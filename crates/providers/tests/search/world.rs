//! The world of these tests: a server that writes down what it is asked, and chains that ask it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response};
use fathom_providers::call::{
    CallContext, CallEvent, CallKind, Caller, ChainAnswer, ChainExhausted,
};
use fathom_providers::search::{
    EngineSettings, SearchAnswer, SearchChains, SearchEngine, SearchQuery, SearchSettings,
};
use fathom_providers::{BaseUrl, ClientSettings, Clock, HttpClient, Secret, SystemClock};
use jiff::Timestamp;
use jiff::civil::{Date, date};
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) const TODAY: Date = date(2024, 3, 8);

pub(crate) const CONTACT: &str = "me@example.org";

/// Waits between attempts are shorter, time limits longer.
const LONGEST_WAIT: Duration = Duration::from_secs(29);

/// What the client sends of itself, which no provider looks at.
const USUAL: [&str; 4] = ["accept-encoding", "content-length", "connection", "host"];

/// So that what is expected holds for the next version too.
const AGENT: &str = concat!("fathom/", env!("CARGO_PKG_VERSION"), " (research engine)");

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn new(status: u16, form: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".to_owned(), form.to_owned())],
            body: body.into(),
        }
    }
}

/// A server that gives its answers in turn, the last one for ever.
pub(crate) struct SearchServer {
    pub(crate) port: u16,
    script: Arc<Mutex<SearchScript>>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct SearchScript {
    asked: Vec<String>,
    answers: VecDeque<Answer>,
}

impl SearchServer {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let script = Arc::new(Mutex::new(SearchScript {
            asked: Vec::new(),
            answers: answers.into_iter().collect(),
        }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let app = Router::new().fallback(serve).with_state(script.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { port, script, task }
    }

    pub(crate) fn say(&self, answers: impl IntoIterator<Item = Answer>) {
        self.script.lock().unwrap().answers = answers.into_iter().collect();
    }

    /// The requests so far, each as lines: method and path, headers, body.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.script.lock().unwrap().asked.clone()
    }
}

impl Drop for SearchServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(State(script): State<Arc<Mutex<SearchScript>>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let line = format!("{} {}", head.method, head.uri);
    let mut lines = vec![line];
    lines.extend(headers(&head.headers));
    if !body.is_empty() {
        lines.push(String::from_utf8_lossy(&body).into_owned());
    }
    let mut script = script.lock().unwrap();
    script.asked.push(lines.join("\n"));
    let answer = match script.answers.len() {
        0 => Answer::new(500, "text/plain", "no answer is left"),
        1 => script.answers[0].clone(),
        _ => script.answers.pop_front().unwrap(),
    };
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(answer.body)).unwrap()
}

fn headers(headers: &HeaderMap) -> Vec<String> {
    let mut lines: Vec<String> = headers
        .iter()
        .filter(|(name, _)| !USUAL.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .map(|line| line.replace(AGENT, "fathom"))
        .filter(|line| line != "user-agent: fathom")
        .collect();
    lines.sort();
    lines
}

/// The machine's clock, which jumps over every wait between attempts.
#[derive(Default)]
struct Hasty {
    real: SystemClock,
    jumped: Mutex<Duration>,
}

#[async_trait]
impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        self.real.now()
    }

    fn elapsed(&self) -> Duration {
        self.real.elapsed() + *self.jumped.lock().unwrap()
    }

    async fn sleep(&self, time: Duration) {
        if time > LONGEST_WAIT {
            self.real.sleep(time).await;
        } else {
            *self.jumped.lock().unwrap() += time;
        }
    }
}

pub(crate) fn key(engine: SearchEngine) -> String {
    format!("canary-key-of-{engine}")
}

/// Settings in which every provider has a key and is reached at `port`, under a path of its name.
pub(crate) fn settings(port: u16) -> SearchSettings {
    let mut settings = SearchSettings {
        contact: Some(CONTACT.to_owned()),
        ..SearchSettings::default()
    };
    for engine in SearchEngine::ALL {
        let address = format!("http://127.0.0.1:{port}/{engine}");
        let key = engine
            .key_setting()
            .and_then(|_| Secret::parse(&key(engine)));
        let address = Some(BaseUrl::parse(&address).unwrap());
        settings
            .engines
            .insert(engine, EngineSettings { address, key });
    }
    settings
}

/// One for each test: setting up certificates takes time.
pub(crate) fn client() -> HttpClient {
    HttpClient::new(ClientSettings::default()).unwrap()
}

pub(crate) fn chains(settings: &SearchSettings, client: &HttpClient) -> SearchChains {
    let clock = Arc::new(Hasty::default());
    let rng = Box::new(StdRng::seed_from_u64(1));
    let caller = Caller::new(Default::default(), clock, rng);
    SearchChains::new(settings, client, Arc::new(caller))
}

/// Chains in which this provider alone answers for its kind.
pub(crate) fn alone(engine: SearchEngine, port: u16, client: &HttpClient) -> SearchChains {
    let mut settings = settings(port);
    settings.chains = [(engine.kind(), vec![engine])].into();
    chains(&settings, client)
}

pub(crate) async fn search(
    chains: &SearchChains,
    query: &SearchQuery,
) -> (
    Result<ChainAnswer<SearchAnswer>, ChainExhausted>,
    Vec<CallEvent>,
) {
    let events = Mutex::new(Vec::new());
    let sink = |event: CallEvent| events.lock().unwrap().push(event);
    let context = CallContext {
        kind: CallKind::Search,
        deadline: Duration::from_secs(600),
        sink: &sink,
    };
    let outcome = chains.search(query, &context).await;
    (outcome, events.into_inner().unwrap())
}

pub(crate) fn query(engine: SearchEngine, text: &str) -> SearchQuery {
    SearchQuery::parse(engine.kind(), text, TODAY).unwrap()
}
