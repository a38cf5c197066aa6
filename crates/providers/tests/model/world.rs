//! What a test needs to ask: models over real HTTP, a plan to ask for, and the events that were told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_providers::call::{
    self, CallContext, CallEvent, CallKind, Caller, ChainAnswer, ChainExhausted,
};
use fathom_providers::model::{
    Completion, ModelApi, ModelEndpoint, ModelError, ModelRequest, ModelRole, ModelSettings,
    Models, TypedAnswer,
};
use fathom_providers::{ClientSettings, HttpClient, Secret, SystemClock};
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

pub fn request() -> ModelRequest {
    ModelRequest::new("You plan research.", "Why do kelp forests shrink?")
}

pub struct ModelWorld {
    pub models: Models,
    pub events: Mutex<Vec<CallEvent>>,
}

/// A call layer that waits for nothing.
pub fn caller() -> Arc<Caller> {
    let mut settings = call::CallSettings::default();
    settings.retry.backoff_base = Duration::ZERO;
    settings.retry.rate_base = Duration::ZERO;
    settings.limit.rate_least = 1e6;
    let rng = Box::new(StdRng::seed_from_u64(1));
    Arc::new(Caller::new(settings, Arc::new(SystemClock::default()), rng))
}

pub fn client() -> HttpClient {
    HttpClient::new(ClientSettings::default()).unwrap()
}

pub fn endpoint(api: ModelApi, server: &Server) -> ModelEndpoint {
    ModelEndpoint::new(api, server.address(), Secret::parse(CANARY))
}

impl ModelWorld {
    pub fn new(endpoints: Vec<ModelEndpoint>) -> Self {
        Self::with(ModelSettings::new(endpoints))
    }

    pub fn with(settings: ModelSettings) -> Self {
        Self::by(&client(), settings)
    }

    pub fn by(client: &HttpClient, settings: ModelSettings) -> Self {
        Self {
            models: Models::new(client, caller(), settings),
            events: Mutex::default(),
        }
    }

    pub fn openai(server: &Server) -> Self {
        Self::new(vec![endpoint(ModelApi::OpenAi, server)])
    }

    pub fn anthropic(server: &Server) -> Self {
        let mut endpoint = endpoint(ModelApi::Anthropic, server);
        endpoint.model = Some("tiny".to_owned());
        Self::new(vec![endpoint])
    }

    pub async fn ask(
        &self,
        request: &ModelRequest,
    ) -> Result<ChainAnswer<Completion>, ChainExhausted> {
        let sink = |event: CallEvent| self.events.lock().unwrap().push(event);
        let context = context(&sink);
        self.models.ask(ModelRole::Planner, request, &context).await
    }

    pub async fn plan(&self) -> Result<TypedAnswer<Plan>, ModelError> {
        let sink = |event: CallEvent| self.events.lock().unwrap().push(event);
        let context = context(&sink);
        self.models
            .ask_typed(ModelRole::Planner, &request(), &context)
            .await
    }
}

fn context<'a>(sink: &'a (impl Fn(CallEvent) + Send + Sync)) -> CallContext<'a> {
    CallContext {
        kind: CallKind::Model,
        deadline: Duration::from_secs(600),
        sink,
    }
}
