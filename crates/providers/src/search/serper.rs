//! Serper: Google's results. Needs a key.

use serde_json::{Value, json};

use super::SearchAnswer;
use super::endpoint::{EngineCall, told_by};
use super::gather::HitDraft;
use crate::call::AttemptError;
use crate::lenient::text;

/// Its one word for a used up account, which it sends as a plain 400 without a code.
const NO_CREDITS: &str = "Not enough credits";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let query = call.query;
    let mut asked = json!({ "q": query.text(), "num": query.max_results() });
    if let Some(language) = query.language() {
        asked["hl"] = json!(language);
    }
    let request = call.post("search", &asked);
    let reply = call.send(request.key_header("x-api-key", call.key())).await;
    let reply =
        reply.map_err(|fault| told_by(fault, "message", NO_CREDITS, "insufficient_credits"))?;
    call.read(&reply, &["organic"], "searchParameters", hit)
}

fn hit(item: &Value) -> HitDraft<'_> {
    HitDraft {
        url: text(&item["link"]),
        title: text(&item["title"]),
        snippet: text(&item["snippet"]),
        date: text(&item["date"]),
        ..HitDraft::default()
    }
}
