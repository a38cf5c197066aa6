//! `fathom doctor`: what works here now, and what a key would add.

use std::time::Duration;

use fathom_providers::call::{CallContext, CallEvent, CallKind};
use fathom_providers::model::{ModelApi, ModelEndpoint, list_models};
use fathom_providers::search::{SearchChains, SearchEngine, SearchKind, SearchQuery};
use fathom_providers::{CallFailure, FailureCause, HttpClient};
use futures::future::join_all;
use jiff::Zoned;

use crate::exit::{Exit, Result};
use crate::library_list::LibraryList;
use crate::outside::{self, Outside};
use crate::screen::{self, TextColour, TextStyle};
use crate::settings::Settings;
use crate::wiring;

/// How long a provider may take to answer, and a server on this machine.
const PATIENCE: Duration = Duration::from_secs(5);
const NEARBY_PATIENCE: Duration = Duration::from_secs(1);

/// Every provider knows something of it.
const ASKED_FOR: &str = "water";

/// How a part of the set-up does.
enum HealthFinding {
    Good(String),
    /// Missing, and everything works without it.
    Absent(String),
    Bad(String),
}

pub async fn run(settings: &Settings, offline: bool) -> Result<Exit> {
    let mut rows = vec![
        ("data folder", data_folder(settings)),
        ("store", store(settings).await),
        ("library", own_documents(settings).await),
    ];
    match Outside::asking_once(settings) {
        Ok(outside) => {
            let client = (!offline).then(|| outside.client());
            rows.push(("model", model(settings, client).await));
            if let Some(client) = client {
                rows.extend(servers(settings, client).await);
            }
            rows.push(("encoder", encoder(settings, &outside)));
            rows.extend(searches(settings, &outside, offline).await);
        }
        Err(problem) => rows.push(("web", HealthFinding::Bad(problem.to_string()))),
    }
    let mut healthy = true;
    for (name, finding) in rows {
        let (mark, colour, text) = match &finding {
            HealthFinding::Good(text) => ("✓", TextColour::Green, text),
            HealthFinding::Absent(text) => ("–", TextColour::Yellow, text),
            HealthFinding::Bad(text) => ("✗", TextColour::Red, text),
        };
        healthy &= !matches!(finding, HealthFinding::Bad(_));
        let mark = TextStyle::in_colour(colour).paint(mark, screen::stdout_is_coloured());
        screen::print_line(&format!("{mark} {name:<12} {}", screen::harmless(text)))?;
    }
    screen::print_line(
        "\nWithout any key Fathom plans, quotes and cites from your own documents: fathom report \"QUESTION\" --library DIR",
    )?;
    Ok(if healthy {
        Exit::Complete
    } else {
        Exit::Failed
    })
}

fn data_folder(settings: &Settings) -> HealthFinding {
    let home = &settings.home;
    let writable = std::fs::create_dir_all(home).and_then(|()| tempfile::tempfile_in(home));
    match writable {
        Ok(_) => HealthFinding::Good(home.display().to_string()),
        Err(error) => HealthFinding::Bad(format!(
            "{} is not writable: {error}; name another folder with FATHOM_HOME",
            home.display()
        )),
    }
}

async fn store(settings: &Settings) -> HealthFinding {
    match wiring::store(&settings.store).await {
        Ok(store) if store.is_durable() => HealthFinding::Good(settings.store.to_string()),
        Ok(_) => HealthFinding::Good("memory: runs are lost when the program ends".to_owned()),
        Err(problem) => HealthFinding::Bad(problem.to_string().replace('\n', " ")),
    }
}

async fn own_documents(settings: &Settings) -> HealthFinding {
    let roots = match LibraryList::load(&settings.home) {
        Ok(list) => list.resolve(&settings.report.library),
        Err(problem) => return HealthFinding::Bad(problem.to_string().replace('\n', " ")),
    };
    let Some(library) = wiring::library(&settings.home, roots) else {
        return HealthFinding::Absent("no folders yet; add one: fathom library add DIR".to_owned());
    };
    let documents = library.documents().await;
    match documents.and_then(|documents| documents.counts()) {
        Ok(counts) => {
            let read = screen::counted(counts.documents as u64, "document");
            let left_out = screen::counted(counts.skipped as u64, "file");
            HealthFinding::Good(format!("{read}, {left_out} skipped"))
        }
        Err(fault) => HealthFinding::Bad(fault.to_string()),
    }
}

/// Asks each endpoint once which models it has; nothing is sent without a client.
async fn model(settings: &Settings, client: Option<&HttpClient>) -> HealthFinding {
    let endpoints = match outside::endpoints(settings) {
        Ok(endpoints) => endpoints,
        Err(problem) => return HealthFinding::Bad(problem.to_string()),
    };
    if endpoints.is_empty() {
        return HealthFinding::Absent(
            "not configured, so the built-in reasoner is used; set OPENAI_API_KEY, OPENAI_BASE_URL for a local server, or ANTHROPIC_API_KEY with FATHOM_ANTHROPIC_MODEL"
                .to_owned(),
        );
    }
    let named = |endpoint: &ModelEndpoint| match &endpoint.model {
        Some(model) => format!("{model} at {}", endpoint.address),
        None => format!("a model for each role at {}", endpoint.address),
    };
    let named: Vec<String> = endpoints.iter().map(named).collect();
    let Some(client) = client else {
        return HealthFinding::Absent(format!("{}; not asked", named.join(", then ")));
    };
    let asked = endpoints
        .iter()
        .map(|one| list_models(client, one, PATIENCE));
    let silent = join_all(asked).await.into_iter().zip(&endpoints);
    let silent =
        silent.filter_map(|(asked, one)| Some(format!("{}: {}", one.address, asked.err()?)));
    match silent.collect::<Vec<_>>().as_slice() {
        [] => HealthFinding::Good(named.join(", then ")),
        silent => HealthFinding::Bad(format!(
            "{}; check the address, the key, or whether the server runs",
            silent.join(", ")
        )),
    }
}

/// What judges passages by their meaning. It is neither loaded nor asked.
fn encoder(settings: &Settings, outside: &Outside) -> HealthFinding {
    match outside.encoder(settings) {
        Ok(Some(encoder)) => HealthFinding::Good(encoder.name().to_owned()),
        Ok(None) => HealthFinding::Absent(
            "none, so passages are found by their words alone; to find them by their meaning too: fathom encoder install"
                .to_owned(),
        ),
        Err(problem) => HealthFinding::Bad(problem.to_string().replace('\n', " ")),
    }
}

/// Which providers answer for each kind of source, and which settings would add more.
async fn searches(
    settings: &Settings,
    outside: &Outside,
    offline: bool,
) -> Vec<(&'static str, HealthFinding)> {
    let chains = match outside.chains(settings) {
        Ok(chains) => chains,
        Err(problem) => return vec![("search", HealthFinding::Bad(problem.to_string()))],
    };
    let kinds = [
        ("web", SearchKind::Web),
        ("academic", SearchKind::Academic),
        ("news", SearchKind::News),
        ("code", SearchKind::Code),
    ];
    let rows = kinds.map(async |(name, kind)| {
        let ready: Vec<SearchEngine> = chains.ready(kind).collect();
        let finding = match (ready.as_slice(), offline) {
            ([], _) => HealthFinding::Absent("not configured".to_owned()),
            (ready, true) => HealthFinding::Absent(format!("{}; not asked", names(ready))),
            (ready, false) => providers(&chains, outside, ready).await,
        };
        (name, finding)
    });
    let mut rows = join_all(rows).await;
    let left_out: Vec<String> = chains
        .left_out()
        .iter()
        .map(|left| left.setting.clone())
        .collect();
    if !left_out.is_empty() {
        rows.push((
            "",
            HealthFinding::Absent(format!("more with {}", left_out.join(", "))),
        ));
    }
    rows
}

fn names(engines: &[SearchEngine]) -> String {
    let names: Vec<&str> = engines.iter().map(|engine| engine.as_str()).collect();
    names.join(", then ")
}

/// Has each provider search once, for one result, and tells who answers and why others do not. A refused key is a fault;
/// a provider that is down is not.
async fn providers(
    chains: &SearchChains,
    outside: &Outside,
    ready: &[SearchEngine],
) -> HealthFinding {
    let asked = ready.iter().map(async |engine| {
        let query = SearchQuery::parse(engine.kind(), ASKED_FOR, Zoned::now().date());
        let query = query.and_then(|query| query.with_max_results(1));
        let query = query.map_err(|fault| (fault.to_string(), false))?;
        let context = CallContext {
            kind: CallKind::Search,
            deadline: outside.clock().elapsed() + PATIENCE,
            sink: &|_: CallEvent| {},
        };
        let answered = chains.ask_engine(*engine, &query, &context).await;
        let refused = |failure: CallFailure| failure.cause == FailureCause::KeyRefused;
        answered.map_err(|failure| (failure.to_string(), refused(failure)))
    });
    let answers = join_all(asked).await;
    let mut answering = Vec::new();
    let mut silent = Vec::new();
    let mut key_refused = false;
    for (engine, answer) in ready.iter().zip(answers) {
        match answer {
            Ok(_) => answering.push(*engine),
            Err((why, refused)) => {
                silent.push(why);
                key_refused |= refused;
            }
        }
    }
    let told = match (answering.as_slice(), silent.is_empty()) {
        (answering, true) => names(answering),
        ([], false) => silent.join("; "),
        (answering, false) => format!("{}; {}", names(answering), silent.join("; ")),
    };
    match (key_refused, answering.is_empty()) {
        (true, _) => HealthFinding::Bad(told),
        (false, true) => HealthFinding::Absent(told),
        (false, false) => HealthFinding::Good(told),
    }
}

/// Model servers that run on this machine and are not in use yet, each with the lines that would use it.
async fn servers(settings: &Settings, client: &HttpClient) -> Vec<(&'static str, HealthFinding)> {
    let used = outside::endpoints(settings).unwrap_or_default();
    let used: Vec<String> = used.iter().map(|one| one.address.to_string()).collect();
    let listed = settings.lookup("FATHOM_MODEL_SERVERS").unwrap_or_default();
    let found = listed.split(',').map(async |entry| {
        let (name, port) = entry.trim().rsplit_once(':')?;
        let port: u16 = port.parse().ok()?;
        let address = format!("http://127.0.0.1:{port}/v1");
        let key = None;
        let endpoint =
            outside::endpoint(ModelApi::OpenAi, "FATHOM_MODEL_SERVERS", &address, key).ok()?;
        if used.contains(&endpoint.address.to_string()) {
            return None;
        }
        let models = list_models(client, &endpoint, NEARBY_PATIENCE).await.ok()?;
        let first = models.first()?;
        let others = match models.len() {
            1 => String::new(),
            count => format!(" and {}", screen::counted(count as u64 - 1, "other model")),
        };
        Some(format!(
            "{name} has {first}{others}; to use it: export OPENAI_BASE_URL={address} FATHOM_MODEL={first}"
        ))
    });
    let found = join_all(found).await.into_iter().flatten();
    found
        .map(|line| ("found here", HealthFinding::Absent(line)))
        .collect()
}
