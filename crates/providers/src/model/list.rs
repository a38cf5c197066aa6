//! Which models a server has: one request that costs nothing, to learn whether it answers and takes the key.

use std::time::Duration;

use serde_json::Value;

use super::settings::{ModelApi, ModelEndpoint};
use crate::HttpClient;

/// Models of one server that are named.
const MODELS_MAX: usize = 200;

/// The longest name that is taken for one.
const NAME_CHARS_MAX: usize = 200;

/// The models that a server says it has, none where it does not say; else why it cannot be used, in a few words. The
/// request is made once.
pub async fn list_models(
    client: &HttpClient,
    endpoint: &ModelEndpoint,
    within: Duration,
) -> Result<Vec<String>, String> {
    let header = match endpoint.api {
        ModelApi::OpenAi => ("authorization", "Bearer "),
        ModelApi::Anthropic => ("x-api-key", ""),
    };
    let url = endpoint.address.join(["models"]);
    let key = endpoint.key.as_ref().map(|key| (header, key));
    let (status, body) = client.glance(url, key, within).await?;
    match status {
        401 | 403 => Err("the key was refused".to_owned()),
        200..=299 => Ok(names(&serde_json::from_slice(&body).unwrap_or_default())),
        500..=599 => Err(format!("it answers with an error ({status})")),
        // Not every server has a list.
        _ => Ok(Vec::new()),
    }
}

fn names(body: &Value) -> Vec<String> {
    let listed = body["data"].as_array().into_iter().flatten();
    let names = listed.filter_map(|model| model["id"].as_str());
    let plain = |name: &&str| {
        (1..=NAME_CHARS_MAX).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    names
        .filter(plain)
        .take(MODELS_MAX)
        .map(str::to_owned)
        .collect()
}
