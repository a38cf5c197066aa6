//! What a test needs to ask: models over real HTTP, a plan to ask for, and the events that were told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_providers::call::{self, Caller, Event, Exhausted, Kind, Served, Terms};
use fathom_providers::model::{
    Api, Completion, Endpoint, Error, Models, Progress, Request, Role, Settings, Typed,
};
use fathom_providers::{Client, ClientSettings, Secret, SystemClock};
use rand::SeedableRng;
use rand::rngs::StdRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::server::Server;

pub const CANARY: &str = "sk-canary-4711";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    pub title: String,
    pub queries: Vec<String>,
}

pub const PLAN: &str = r#"{"title": "Kelp", "queries": ["kelp growth", "kelp and urchins"]}"#;

pub fn plan() -> Plan {
    serde_json::from_str(PLAN).unwrap()
}

pub fn request() -> Request {
    Request::new("You plan research.", "Why do kelp forests shrink?")
}

pub struct World {
    pub models: Models,
    pub events: Mutex<Vec<Event>>,
}

/// A call layer that waits for nothing.
pub fn caller() -> Arc<Caller> {
    let mut settings = call::Settings::default();
    settings.retry.backoff_base = Duration::ZERO;
    settings.retry.rate_base = Duration::ZERO;
    settings.limit.rate_least = 1e6;
    let rng = Box::new(StdRng::seed_from_u64(1));
    Arc::new(Caller::new(settings, Arc::new(SystemClock::default()), rng))
}

pub fn client() -> Client {
    Client::new(ClientSettings::default()).unwrap()
}

pub fn endpoint(api: Api, server: &Server) -> Endpoint {
    Endpoint::new(api, server.address(), Secret::parse(CANARY))
}

impl World {
    pub fn new(endpoints: Vec<Endpoint>) -> Self {
        Self::with(Settings::new(endpoints))
    }

    pub fn with(settings: Settings) -> Self {
        Self::by(&client(), settings)
    }

    pub fn by(client: &Client, settings: Settings) -> Self {
        Self {
            models: Models::new(client, caller(), settings),
            events: Mutex::default(),
        }
    }

    pub fn openai(server: &Server) -> Self {
        Self::new(vec![endpoint(Api::OpenAi, server)])
    }

    pub fn anthropic(server: &Server) -> Self {
        let mut endpoint = endpoint(Api::Anthropic, server);
        endpoint.model = Some("tiny".to_owned());
        Self::new(vec![endpoint])
    }

    pub async fn ask(&self, request: &Request) -> Result<Served<Completion>, Exhausted> {
        self.ask_watched(request, None).await
    }

    pub async fn ask_watched(
        &self,
        request: &Request,
        progress: Option<&dyn Progress>,
    ) -> Result<Served<Completion>, Exhausted> {
        let sink = |event: Event| self.events.lock().unwrap().push(event);
        let terms = terms(&sink);
        self.models
            .ask(Role::Planner, request, &terms, progress)
            .await
    }

    pub async fn plan(&self) -> Result<Typed<Plan>, Error> {
        let sink = |event: Event| self.events.lock().unwrap().push(event);
        let terms = terms(&sink);
        self.models
            .ask_typed(Role::Planner, &request(), &terms)
            .await
    }
}

fn terms<'a>(sink: &'a (impl Fn(Event) + Send + Sync)) -> Terms<'a> {
    Terms {
        kind: Kind::Model,
        deadline: Duration::from_secs(600),
        sink,
    }
}
