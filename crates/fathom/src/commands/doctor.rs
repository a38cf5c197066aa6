//! `fathom doctor`: what works here now, and what a key would add.

use fathom_providers::model::ModelEndpoint;
use fathom_providers::search::{SearchEngine, SearchKind};

use crate::commands::library;
use crate::exit::{Exit, Problem, Result};
use crate::outside::{self, Outside};
use crate::screen::{self, TextColour, TextStyle};
use crate::settings::Settings;
use crate::wiring;

/// How a part of the set-up does.
enum HealthFinding {
    Good(String),
    /// Missing, and everything works without it.
    Absent(String),
    Bad(String),
}

pub async fn run(settings: &Settings) -> Result<Exit> {
    let mut rows = vec![
        ("data folder", data_folder(settings)),
        ("store", store(settings).await),
        ("library", own_documents(settings).await),
        ("model", model(settings)),
        ("encoder", encoder(settings)),
    ];
    rows.extend(searches(settings));
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
            let (read, left_out) = (folder.documents().len(), folder.skipped().len());
            HealthFinding::Good(format!("{read} documents, {left_out} files skipped"))
        }
        Err(problem) => HealthFinding::Bad(problem.to_string()),
    }
}

fn model(settings: &Settings) -> HealthFinding {
    let endpoints = match outside::endpoints(settings) {
        Ok(endpoints) => endpoints,
        Err(problem) => return HealthFinding::Bad(problem.to_string()),
    };
    let named = |endpoint: &ModelEndpoint| match &endpoint.model {
        Some(model) => format!("{model} at {}", endpoint.address),
        None => format!("a model for each role at {}", endpoint.address),
    };
    if !endpoints.is_empty() {
        let named: Vec<String> = endpoints.iter().map(named).collect();
        return HealthFinding::Good(named.join(", then "));
    }
    HealthFinding::Absent(
            "not configured, so the built-in reasoner is used; set OPENAI_API_KEY, OPENAI_BASE_URL for a local server, or ANTHROPIC_API_KEY with FATHOM_ANTHROPIC_MODEL"
                .to_owned(),
    )
}

/// What judges passages by their meaning. It is neither loaded nor asked.
fn encoder(settings: &Settings) -> HealthFinding {
    match Outside::open().and_then(|outside| outside.encoder(settings)) {
        Ok(Some(encoder)) => HealthFinding::Good(encoder.name().to_owned()),
        Ok(None) => HealthFinding::Absent(
            "none, so passages are found by their words alone; to find them by their meaning too: fathom encoder install"
                .to_owned(),
        ),
        Err(problem) => HealthFinding::Bad(problem.to_string().replace('\n', " ")),
    }
}

/// Which providers are asked for each kind of source, and which settings would add more. Nothing is sent.
fn searches(settings: &Settings) -> Vec<(&'static str, HealthFinding)> {
    let chains = match Outside::open().and_then(|outside| outside.chains(settings)) {
        Ok(chains) => chains,
        Err(problem) => return vec![("search", HealthFinding::Bad(problem.to_string()))],
    };
    let row = |(name, kind): (&'static str, SearchKind)| {
        let ready: Vec<&str> = chains.ready(kind).map(SearchEngine::as_str).collect();
        let finding = if ready.is_empty() {
            HealthFinding::Absent("not configured".to_owned())
        } else {
            HealthFinding::Good(ready.join(", then "))
        };
        (name, finding)
    };
    let kinds = [
        ("web", SearchKind::Web),
        ("academic", SearchKind::Academic),
        ("news", SearchKind::News),
        ("code", SearchKind::Code),
    ];
    let mut rows: Vec<_> = kinds.into_iter().map(row).collect();
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
