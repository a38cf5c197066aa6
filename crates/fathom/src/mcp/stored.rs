//! The stored text of a source: what a run has read, word for word.

use fathom_workflow::BlobHash;
use serde_json::{Value, json};

use super::arguments::SourceArguments;
use super::brought::ToolOutput;
use crate::http::Service;
use crate::http::access::{self, Caller, OwnedRun};
use crate::http::error::{ApiError, ApiResult};

/// Characters of a stored text that are given at a time.
const LIMIT_MOST: usize = 50_000;
const LIMIT: usize = 10_000;

/// Where the states of workflows keep their sources.
const SOURCE_LISTS: [&str; 2] = ["sources", "search_results"];

/// A source with its text.
pub struct StoredSource {
    title: String,
    location: String,
    /// All that is stored of it.
    pub text: String,
    /// Whether that is the whole document, or the passage that was found.
    is_whole: bool,
}

/// The tool `read_source`.
pub async fn read(
    service: &Service,
    caller: &Caller,
    asked: SourceArguments,
) -> ApiResult<ToolOutput> {
    let limit = asked.limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MOST).contains(&limit) {
        let why = format!("it is 1 to {LIMIT_MOST}");
        return Err(ApiError::invalid("limit", why));
    }
    let run = access::find(service, caller, &asked.run).await;
    let run = run.map_err(|error| error.renamed("id", "run"))?;
    let source = find(service, &run, asked.source).await?;
    let all = source.text.chars().count();
    if asked.from > all {
        let why = format!("the text has {all} characters");
        return Err(ApiError::invalid("from", why));
    }
    let text: String = source.text.chars().skip(asked.from).take(limit).collect();
    let next = asked.from + text.chars().count();
    let data = json!({
        "run": run.id(), "source": asked.source, "title": source.title, "location": source.location,
        "whole": source.is_whole, "characters": all, "from": asked.from,
        "next": (next < all).then_some(next),
    });
    Ok(ToolOutput::new(text, data))
}

/// The source of a number: as the report or answer cites it, or while there is none, as the run numbers it.
pub async fn find(service: &Service, run: &OwnedRun, number: u32) -> ApiResult<StoredSource> {
    let outcome = service.host.outcome(run.id()).await?.unwrap_or_default();
    let state = service.host.view(run.id(), None).await?.state;
    let cited = outcome["sources"].as_array();
    let cited = match cited {
        Some(cited) => cited.iter().find(|source| source["number"] == number),
        None => known(&state).find(|source| source["id"] == number),
    };
    let cited = cited.ok_or_else(|| {
        let message = format!("run {} has no source {number}", run.id());
        ApiError::not_found(message).at("source")
    })?;
    let location = part(cited, &["location"]);
    let title = [part(cited, &["title"]), part(cited, &["about", "title"])];
    let mut known = known(&state);
    let known = known.find(|source| source["location"] == location.as_str());
    let hash = text_hash(cited).or_else(|| known.and_then(text_hash));
    let (text, is_whole) = match hash {
        Some(hash) => (whole_text(service, hash).await?, true),
        None => {
            let texts = [part(cited, &["passage"]), part(cited, &["snippet"])];
            (texts.into_iter().find(|text| !text.is_empty()), false)
        }
    };
    let text = text.ok_or_else(|| {
        let message = format!("source {number} was found and never read: {location}");
        ApiError::not_found(message).at("source")
    })?;
    Ok(StoredSource {
        title: title
            .into_iter()
            .find(|title| !title.is_empty())
            .unwrap_or_default(),
        location,
        text,
        is_whole,
    })
}

/// The sources that a run's state holds.
fn known(state: &Value) -> impl Iterator<Item = &Value> {
    let lists = SOURCE_LISTS
        .iter()
        .filter_map(|list| state[*list].as_array());
    lists.flatten()
}

/// The hash of a source's text: a report names it itself, a state beside when it was read.
fn text_hash(source: &Value) -> Option<BlobHash> {
    let hash = [&source["snapshot"], &source["snapshot"]["text"]];
    let hash = hash.into_iter().find(|hash| hash.is_string())?;
    serde_json::from_value(hash.clone()).ok()
}

async fn whole_text(service: &Service, hash: BlobHash) -> ApiResult<Option<String>> {
    let bytes = service.host.store().blob(hash).await?;
    let text = bytes.map(String::from_utf8).transpose();
    text.map_err(ApiError::internal)
}

fn part(value: &Value, path: &[&str]) -> String {
    let part = path.iter().fold(value, |value, name| &value[*name]);
    part.as_str().unwrap_or_default().to_owned()
}
