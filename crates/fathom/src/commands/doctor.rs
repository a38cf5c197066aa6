//! `fathom doctor`: what works here now, and what a key would add.

use crate::commands::library;
use crate::exit::{Exit, Problem, Result};
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
    let rows = [
        ("data folder", data_folder(settings)),
        ("store", store(settings).await),
        ("library", own_documents(settings).await),
        ("model", model(settings)),
        ("web search", search(settings)),
    ];
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
    let given = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];
    match given.iter().any(|name| settings.lookup(name).is_some()) {
        true => Finding::Good("an address or a key is set; it is tried when a run needs it".to_owned()),
        false => Finding::Absent(
            "none: the built-in reasoner is used; OPENAI_API_KEY, or OPENAI_BASE_URL for a local one, adds a language model"
                .to_owned(),
        ),
    }
}

fn search(settings: &Settings) -> Finding {
    const KEYS: [&str; 4] = [
        "SERPER_API_KEY",
        "TAVILY_API_KEY",
        "BRAVE_API_KEY",
        "FATHOM_SEARXNG_URL",
    ];
    let set: Vec<&str> = KEYS
        .into_iter()
        .filter(|name| settings.lookup(name).is_some())
        .collect();
    match set.is_empty() {
        false => Finding::Good(set.join(", ")),
        true => Finding::Absent(format!("none; one of {} adds the web", KEYS.join(", "))),
    }
}
