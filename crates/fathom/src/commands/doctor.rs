//! `fathom doctor`: what works here now, and what a key would add.

use fathom_providers::model::ModelEndpoint;
use fathom_providers::search::{SearchEngine, SearchKind};

use crate::commands::library;
use crate::exit::{Exit, Problem, Result};
use crate::outside::{self, Outside};
use crate::screen::{self, Colour, Style};
use crate::settings::Settings;
use crate::wiring;

/// How a part does.
enum Finding {
    Good(String),
    /// Not there, and nothing needs it.
    Absent(String),
    Bad(String),
}

pub async fn run(settings: &Settings) -> Result<Exit> {
    let mut rows = vec![
        ("data folder", data_folder(settings)),
        ("store", store(settings).await),
        ("library", own_documents(settings).await),
        ("model", model(settings)),
    ];
    rows.extend(searches(settings));
    let mut healthy = true;
    for (name, finding) in rows {
        let (mark, colour, text) = match &finding {
            Finding::Good(text) => ("✓", Colour::Green, text),
            Finding::Absent(text) => ("–", Colour::Yellow, text),
            Finding::Bad(text) => ("✗", Colour::Red, text),
        };
        healthy &= !matches!(finding, Finding::Bad(_));
        let mark = Style::in_colour(colour).paint(mark, screen::stdout_is_coloured());
        screen::print_line(&format!("{mark} {name:<12} {}", screen::harmless(text)))?;
    }
    screen::print_line(
        "\nWithout any key Fathom plans, quotes and cites from your own documents: fathom report \"QUESTION\" --library DIR",
    )?;
    Ok(match healthy {
        true => Exit::Complete,
        false => Exit::Failed,
    })
}

fn data_folder(settings: &Settings) -> Finding {
    let home = &settings.home;
    let writable = std::fs::create_dir_all(home).and_then(|()| tempfile::tempfile_in(home));
    match writable {
        Ok(_) => Finding::Good(home.display().to_string()),
        Err(error) => Finding::Bad(format!(
            "{} cannot be written: {error}; name another with FATHOM_HOME",
            home.display()
        )),
    }
}

async fn store(settings: &Settings) -> Finding {
    match wiring::store(&settings.store).await {
        Ok(store) if store.is_durable() => Finding::Good(settings.store.to_string()),
        Ok(_) => Finding::Good("memory: runs are lost when the program ends".to_owned()),
        Err(problem) => Finding::Bad(problem.to_string().replace('\n', " ")),
    }
}

async fn own_documents(settings: &Settings) -> Finding {
    let mut roots = settings.report.library.clone();
    if roots.is_empty() {
        match library::folders(&settings.home) {
            Ok(folders) => roots = folders,
            Err(problem) => return Finding::Bad(problem.to_string().replace('\n', " ")),
        }
    }
    let Some(library) = wiring::library(roots) else {
        return Finding::Absent("no folder was added; add one: fathom library add DIR".to_owned());
    };
    match library.folder().await.map_err(Problem::usage) {
        Ok(folder) => {
            let (read, left_out) = (folder.documents().len(), folder.skipped().len());
            Finding::Good(format!("{read} documents, {left_out} files left out"))
        }
        Err(problem) => Finding::Bad(problem.to_string()),
    }
}

fn model(settings: &Settings) -> Finding {
    let endpoints = match outside::endpoints(settings) {
        Ok(endpoints) => endpoints,
        Err(problem) => return Finding::Bad(problem.to_string()),
    };
    let named = |endpoint: &ModelEndpoint| match &endpoint.model {
        Some(model) => format!("{model} at {}", endpoint.address),
        None => format!("a model for each role at {}", endpoint.address),
    };
    match endpoints.is_empty() {
        false => Finding::Good(endpoints.iter().map(named).collect::<Vec<_>>().join(", then ")),
        true => Finding::Absent(
            "none: the built-in reasoner is used; OPENAI_API_KEY, OPENAI_BASE_URL for a local one, or ANTHROPIC_API_KEY with FATHOM_ANTHROPIC_MODEL adds a language model"
                .to_owned(),
        ),
    }
}

/// Who is asked for what, and who is left out and why. Nothing is sent.
fn searches(settings: &Settings) -> Vec<(&'static str, Finding)> {
    let chains = match Outside::open().and_then(|outside| outside.chains(settings)) {
        Ok(chains) => chains,
        Err(problem) => return vec![("search", Finding::Bad(problem.to_string()))],
    };
    let row = |(name, kind): (&'static str, SearchKind)| {
        let ready: Vec<&str> = chains.ready(kind).map(SearchEngine::as_str).collect();
        let finding = match ready.is_empty() {
            false => Finding::Good(ready.join(", then ")),
            true => Finding::Absent("nobody is set up".to_owned()),
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
        let more = format!("these would add more: {}", left_out.join(", "));
        rows.push(("", Finding::Absent(more)));
    }
    rows
}
