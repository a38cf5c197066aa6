//! Asks a model one question, and then for a typed plan of research.
//!
//! ```sh
//! OPENAI_BASE_URL=http://127.0.0.1:8091/v1 FATHOM_MODEL=qwen \
//!     cargo run -p fathom-providers --example ask_model -- "Why do kelp forests shrink?"
//! ```
//! `OPENAI_API_KEY` is sent if it is set.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use fathom_providers::call::{self, CallContext, CallEvent, CallKind, Caller};
use fathom_providers::model::{
    ModelApi, ModelEndpoint, ModelRequest, ModelRole, ModelSettings, Models,
};
use fathom_providers::{BaseUrl, ClientSettings, Clock, HttpClient, Secret, SystemClock};
use rand::SeedableRng;
use rand::rngs::StdRng;
use schemars::JsonSchema;
use serde::Deserialize;

/// A plan of research.
#[derive(Deserialize, JsonSchema)]
struct ResearchPlan {
    /// Three questions that together answer the main one.
    #[schemars(length(min = 1, max = 3))]
    sub_questions: Vec<String>,
    /// What could go wrong, in one sentence; null if nothing.
    #[schemars(length(max = 200))]
    risk: Option<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let set = |name: &str| std::env::var(name).ok();
    let question = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "What is a fathom?".to_owned());
    let address = set("OPENAI_BASE_URL").unwrap_or_else(|| "https://api.openai.com/v1".to_owned());
    let key = set("OPENAI_API_KEY").and_then(|key| Secret::parse(&key));
    let mut endpoint = ModelEndpoint::new(ModelApi::OpenAi, BaseUrl::parse(&address)?, key);
    endpoint.model = set("FATHOM_MODEL");
    // A model on this machine may take its time to read the question.
    endpoint.first_byte = Duration::from_secs(120);

    let clock = Arc::new(SystemClock::default());
    let rng = Box::new(StdRng::from_os_rng());
    let caller = Arc::new(Caller::new(
        call::CallSettings::default(),
        clock.clone(),
        rng,
    ));
    let client = HttpClient::new(ClientSettings::default())?;
    let models = Models::new(&client, caller, ModelSettings::new(vec![endpoint]));
    let sink = |event: CallEvent| println!("  [{} took {} ms]", event.provider, event.took_ms);
    let context = CallContext {
        kind: CallKind::Model,
        deadline: clock.elapsed() + Duration::from_secs(600),
        sink: &sink,
    };

    let mut request = ModelRequest::new("Answer in one short sentence.", question.as_str());
    request.max_tokens = Some(80);
    let served = models.ask(ModelRole::Writer, &request, &context).await?;
    println!(
        "{}\n  {:?}, estimated input {}",
        served.value.text,
        served.value.usage,
        request.estimate_tokens()
    );

    let mut request = ModelRequest::new("You plan research.", question);
    request.max_tokens = Some(400);
    let typed = models
        .ask_typed::<ResearchPlan>(ModelRole::Planner, &request, &context)
        .await?;
    let ResearchPlan {
        sub_questions,
        risk,
    } = typed.value;
    for question in sub_questions {
        println!("- {question}");
    }
    println!("risk: {}", risk.as_deref().unwrap_or("none"));
    println!("  {:?}, mended: {}", typed.spent, typed.mended);
    Ok(())
}
