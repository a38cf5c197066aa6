//! Real traffic of real endpoints, played back by a server on loopback and read by the real reader.
//!
//! Reads `$FATHOM_DATA/llm_recorded`; says so and does nothing where that is not set.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use fathom_providers::call::{CallContext, CallEvent, CallKind};
use fathom_providers::model::{Completion, Embedder, FinishReason, ModelApi, ModelSettings};
use fathom_providers::{FailureCause, HttpClient};
use serde_json::Value;

use crate::server::{Reply, Server};
use crate::world::{ModelWorld, caller, client, endpoint, request};

/// Folders with answers that are read, and the wire form of each.
const FOLDERS: &[(&str, ModelApi)] = &[
    ("openai_chat", ModelApi::OpenAi),
    ("openai_chat_tools", ModelApi::OpenAi),
    ("openai_chat_stream", ModelApi::OpenAi),
    ("compat", ModelApi::OpenAi),
    ("compat_stream", ModelApi::OpenAi),
    ("anthropic", ModelApi::Anthropic),
    ("anthropic_stream", ModelApi::Anthropic),
];

/// Recordings of an interface that we do not speak.
const LEFT_OUT: &[&str] = &["openai_responses", "openai_responses_stream"];

/// A reply that ends in an error in the midst of its stream, and is recorded as such.
const FAILING_STREAMS: usize = 2;

struct Recording {
    name: String,
    uri: String,
    response: Value,
}

impl Recording {
    fn reply(&self) -> Reply {
        let body = match &self.response["body"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Reply {
            status: u16::try_from(self.response["status"].as_u64().unwrap()).unwrap(),
            ..Reply::stream(body)
        }
    }
}

fn recordings(data: &Path, folder: &str) -> Vec<Recording> {
    let files = fs::read_dir(data.join("llm_recorded").join(folder)).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let mut file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        Recording {
            name: path.display().to_string(),
            uri: file["request"]["uri"].as_str().unwrap().to_owned(),
            response: file["response"].take(),
        }
    };
    files.iter().map(read).collect()
}

async fn replay(
    recording: &Recording,
    api: ModelApi,
    client: &HttpClient,
) -> Result<Completion, FailureCause> {
    let server = Server::with(vec![recording.reply()]).await;
    let world = ModelWorld::by(client, ModelSettings::new(vec![endpoint(api, &server)]));
    let served = world.ask(&request()).await.map(|served| served.value);
    served.map_err(|exhausted| {
        let failure = exhausted.decisive().unwrap();
        let status = failure.status.map(u64::from);
        assert_eq!(
            status,
            recording.response["status"].as_u64(),
            "{}",
            recording.name
        );
        failure.cause
    })
}

/// The count as it was recorded, in whichever event it came last.
fn recorded_output_tokens(response: &Value) -> Option<u64> {
    let of = |value: &Value| {
        let usage = &value["usage"];
        usage["completion_tokens"]
            .as_u64()
            .or_else(|| usage["output_tokens"].as_u64())
    };
    match &response["body"] {
        Value::String(stream) => stream
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter_map(|data| of(&serde_json::from_str(data).ok()?))
            .next_back(),
        body => of(body),
    }
}

#[tokio::test]
async fn every_recorded_answer_is_read() {
    let Some(data) = std::env::var_os("FATHOM_DATA") else {
        println!("did not run: FATHOM_DATA is not set");
        return;
    };
    let (data, client) = (Path::new(&data), client());
    let mut finishes: BTreeMap<String, usize> = BTreeMap::new();
    let (mut read, mut failing, mut all) = (0, 0, 0);
    for (folder, api) in FOLDERS {
        for recording in recordings(data, folder) {
            all += 1;
            match replay(&recording, *api, &client).await {
                Ok(completion) => {
                    read += 1;
                    check(&recording, &completion);
                    *finishes
                        .entry(format!("{:?}", completion.finish))
                        .or_default() += 1;
                }
                Err(cause) => {
                    failing += 1;
                    let body = recording.response["body"].as_str().unwrap_or_default();
                    assert!(
                        body.contains("event: error"),
                        "{cause:?}: {}",
                        recording.name
                    );
                }
            }
        }
    }
    let left_out: usize = LEFT_OUT
        .iter()
        .map(|folder| recordings(data, folder).len())
        .sum();
    println!(
        "read {read} of {all} recorded answers ({finishes:?}), {failing} end in a recorded error; \
         {left_out} of the Responses interface left out"
    );
    assert_eq!((read + failing, failing), (all, FAILING_STREAMS));
}

fn check(recording: &Recording, completion: &Completion) {
    let name = &recording.name;
    assert!(!completion.model.is_empty(), "{name}");
    let nothing = completion.text.is_empty() && completion.tool_calls.is_empty();
    assert!(
        !nothing || completion.finish == FinishReason::Length,
        "{name}"
    );
    let output = recorded_output_tokens(&recording.response);
    assert_eq!(completion.usage.estimated, output.is_none(), "{name}");
    assert!(
        output.is_none_or(|output| output == completion.usage.output),
        "{name}"
    );
    let message = &recording.response["body"]["choices"][0]["message"];
    if let Some(text) = message["content"].as_str() {
        assert_eq!(completion.text, text, "{name}");
    }
    if let Some(calls) = message["tool_calls"].as_array() {
        assert_eq!(completion.tool_calls.len(), calls.len(), "{name}");
        let arguments = completion.tool_calls.iter().map(|call| &call.arguments);
        assert!(
            arguments
                .into_iter()
                .all(|text| serde_json::from_str::<Value>(text).is_ok())
        );
    }
}

#[tokio::test]
async fn every_recorded_error_is_classed_by_its_status_and_code() {
    let Some(data) = std::env::var_os("FATHOM_DATA") else {
        println!("did not run: FATHOM_DATA is not set");
        return;
    };
    let (data, client) = (Path::new(&data), client());
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    let recordings = recordings(data, "errors");
    for recording in &recordings {
        let api = if recording.uri.contains("anthropic.com") {
            ModelApi::Anthropic
        } else {
            ModelApi::OpenAi
        };
        let cause = replay(recording, api, &client).await.unwrap_err();
        let expected = match recording.response["status"].as_u64() {
            Some(429) => FailureCause::RateLimited,
            _ => FailureCause::RequestRefused,
        };
        assert_eq!(cause, expected, "{}", recording.name);
        *causes.entry(format!("{cause:?}")).or_default() += 1;
    }
    println!(
        "classed {} of {} recorded errors: {causes:?}",
        recordings.len(),
        recordings.len()
    );
}

#[tokio::test]
async fn every_recorded_embedding_is_read() {
    let Some(data) = std::env::var_os("FATHOM_DATA") else {
        println!("did not run: FATHOM_DATA is not set");
        return;
    };
    let recordings = recordings(Path::new(&data), "embeddings");
    let mut lengths = Vec::new();
    for recording in &recordings {
        let texts = recording.response["body"]["data"].as_array().unwrap().len();
        let server = Server::with(vec![recording.reply()]).await;
        let embedder = Embedder::new(
            client(),
            caller(),
            endpoint(ModelApi::OpenAi, &server),
            "any",
        );
        let sink = |event: CallEvent| drop(event);
        let context = CallContext {
            kind: CallKind::Model,
            deadline: Duration::from_secs(600),
            sink: &sink,
        };
        let texts = vec![""; texts];
        let embedded = embedder.embed(&texts, &context).await.unwrap();
        lengths.push(embedded.vectors[0].len());
    }
    println!(
        "read {} of {} recorded embeddings, of lengths {lengths:?}",
        lengths.len(),
        recordings.len()
    );
}
