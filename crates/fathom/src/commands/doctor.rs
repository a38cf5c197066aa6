//! `fathom doctor`: what works here now, and what a key would add.

use std::time::Duration;

use fathom_providers::HttpClient;
use fathom_providers::model::ModelEndpoint;
use fathom_providers::search::{SearchChains, SearchEngine, SearchKind};
use futures::future::join_all;

use crate::commands::library;
use crate::exit::{Exit, Problem, Result};
use crate::outside::{self, Outside};
use crate::screen::{self, TextColour, TextStyle};
use crate::settings::Settings;
use crate::wiring;

/// How long an address may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

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
    match Outside::open() {
        Ok(outside) => {
            let door = (!offline).then(|| outside.client());
            rows.push(("model", model(settings, door).await));
            rows.push(("encoder", encoder(settings, &outside)));
            rows.extend(searches(settings, &outside, door).await);
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
    let mut roots = settings.report.library.clone();
    if roots.is_empty() {
        match library::folders(&settings.home) {
            Ok(folders) => roots = folders,
            Err(problem) => return HealthFinding::Bad(problem.to_string().replace('\n', " ")),
        }
    }
    let Some(library) = wiring::library(roots) else {
        return HealthFinding::Absent("no folders yet; add one: fathom library add DIR".to_owned());
    };
    match library.folder().await.map_err(Problem::usage) {
        Ok(folder) => {
            let read = screen::counted(folder.documents().len() as u64, "document");
            let left_out = screen::counted(folder.skipped().len() as u64, "file");
            HealthFinding::Good(format!("{read}, {left_out} skipped"))
        }
        Err(problem) => HealthFinding::Bad(problem.to_string()),
    }
}

/// Asks each endpoint once whether anybody is there; nothing is sent without a door.
async fn model(settings: &Settings, door: Option<&HttpClient>) -> HealthFinding {
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
    let Some(door) = door else {
        return HealthFinding::Absent(format!("{}; not asked", named.join(", then ")));
    };
    let asked = endpoints
        .iter()
        .map(|one| door.reach(&one.address, PATIENCE));
    let silent = join_all(asked).await.into_iter().zip(&endpoints);
    let silent =
        silent.filter_map(|(asked, one)| Some(format!("{}: {}", one.address, asked.err()?)));
    match silent.collect::<Vec<_>>().as_slice() {
        [] => HealthFinding::Good(named.join(", then ")),
        silent => HealthFinding::Bad(format!(
            "{}; check the address, or whether the server runs",
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
    door: Option<&HttpClient>,
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
    let rows = kinds.map(async |(name, kind)| (name, providers(&chains, kind, door).await));
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

/// The providers of a kind, in the order in which they are asked, those that do not answer named apart.
async fn providers(
    chains: &SearchChains,
    kind: SearchKind,
    door: Option<&HttpClient>,
) -> HealthFinding {
    let ready: Vec<SearchEngine> = chains.ready(kind).collect();
    let names = |engines: &[SearchEngine]| {
        let names: Vec<&str> = engines.iter().map(|engine| engine.as_str()).collect();
        names.join(", then ")
    };
    let Some(door) = door else {
        return HealthFinding::Absent(match ready.as_slice() {
            [] => "not configured".to_owned(),
            ready => format!("{}; not asked", names(ready)),
        });
    };
    let asked = ready
        .iter()
        .map(async |engine| match chains.address(*engine) {
            Some(address) => door.reach(address, PATIENCE).await.is_ok(),
            None => false,
        });
    let answers = join_all(asked).await;
    let (answering, silent): (Vec<_>, Vec<_>) =
        ready.into_iter().zip(answers).partition(|(_, ok)| *ok);
    let engines = |all: Vec<(SearchEngine, bool)>| {
        all.into_iter()
            .map(|(engine, _)| engine)
            .collect::<Vec<_>>()
    };
    let (answering, silent) = (engines(answering), engines(silent));
    match (answering.as_slice(), silent.as_slice()) {
        ([], []) => HealthFinding::Absent("not configured".to_owned()),
        (answering, []) => HealthFinding::Good(names(answering)),
        ([], silent) => HealthFinding::Absent(format!("no answer from {}", names(silent))),
        (answering, silent) => HealthFinding::Good(format!(
            "{}; no answer from {}",
            names(answering),
            names(silent)
        )),
    }
}
