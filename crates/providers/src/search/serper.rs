//! Serper: Google's results. Needs a key.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::answer::{body, items};
use super::endpoint::{Endpoint, told};
use super::gather::{Draft, Gather};
use super::{Engine, Found, Kind, Query, Search};
use crate::call::{Attempt, Fault};
use crate::client::Reply;
use crate::lenient::text;

/// Its one word for a used up account, which it sends as a plain 400 without a code.
const NO_CREDITS: &str = "Not enough credits";

pub(super) struct Serper(pub(super) Endpoint);

#[async_trait]
impl Search for Serper {
    fn name(&self) -> &'static str {
        Engine::Serper.as_str()
    }

    fn kind(&self) -> Kind {
        Engine::Serper.kind()
    }

    async fn search(&self, query: &Query, attempt: &Attempt) -> Result<Found, Fault> {
        let mut asked = json!({ "q": query.text(), "num": query.max_results() });
        if let Some(language) = query.language() {
            asked["hl"] = json!(language);
        }
        let request = self
            .0
            .post(["search"], &asked)
            .key_header("x-api-key", self.0.key.as_ref());
        let reply = self.0.ask(attempt, request).await.map_err(understood)?;
        read(&reply, query)
    }
}

fn understood(fault: Fault) -> Fault {
    let Fault::Answer(answer) = &fault else {
        return fault;
    };
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if answer.status == 400 && body["message"] == NO_CREDITS {
        return told(400, answer.headers.clone(), "insufficient_credits");
    }
    fault
}

fn read(reply: &Reply, query: &Query) -> Result<Found, Fault> {
    let body = body(reply)?;
    let mut gather = Gather::new(query, Engine::Serper).bad_numbers(body.bad_numbers);
    for item in items(reply, &body.json, &["organic"], "searchParameters")? {
        let published = gather.date(text(&item["date"]).as_deref());
        gather.add(Draft {
            url: text(&item["link"]),
            title: text(&item["title"]),
            snippet: text(&item["snippet"]),
            published,
            ..Draft::default()
        });
    }
    Ok(gather.finish())
}
