//! `fathom library`: the folders that are searched when none is named.

use std::path::{Path, PathBuf};

use fathom_store::library::{self as documents, DocumentLibrary};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cli::LibraryCommand;
use crate::exit::{Exit, Problem, Result};
use crate::screen::{self, TextStyle};
use crate::settings::Settings;
use crate::{files, reading, wiring};

const FILE: &str = "library.toml";

/// The file that lists the folders.
#[derive(Default, Serialize, Deserialize)]
struct LibraryList {
    folders: Vec<PathBuf>,
}

pub async fn run(command: LibraryCommand, settings: &Settings) -> Result<Exit> {
    match command {
        LibraryCommand::Add { folders } => add(folders, settings).await?,
        LibraryCommand::List => list(settings)?,
        LibraryCommand::Search {
            query,
            library,
            limit,
            json,
        } => search(&query, library, limit.into(), json, settings).await?,
        LibraryCommand::Remove { folders } => remove(&folders, settings)?,
    }
    Ok(Exit::Complete)
}

/// The folders that were added.
pub fn folders(home: &Path) -> Result<Vec<PathBuf>> {
    let path = home.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let path = path.display();
            return Err(Problem::failed(format!("{path} cannot be read: {error}")));
        }
    };
    let listed: LibraryList = toml::from_str(&text).map_err(|error| {
        let problem = Problem::failed(format!(
            "{} is damaged: {}",
            path.display(),
            error.message()
        ));
        problem.advise("Repair it, or delete it and add your folders again.")
    })?;
    Ok(listed.folders)
}

fn keep(home: &Path, folders: Vec<PathBuf>) -> Result<()> {
    std::fs::create_dir_all(home)
        .map_err(|error| Problem::failed(format!("{} cannot be made: {error}", home.display())))?;
    let text = toml::to_string_pretty(&LibraryList { folders }).map_err(Problem::failed)?;
    files::write(&home.join(FILE), text.as_bytes())
}

async fn add(given: Vec<PathBuf>, settings: &Settings) -> Result<()> {
    let mut known = folders(&settings.home)?;
    for folder in given {
        let opened = read(vec![folder.clone()]).await?;
        let real = folder.canonicalize().map_err(Problem::usage)?;
        let count = screen::counted(opened.documents().len() as u64, "document");
        screen::print_line(&format!("{}: {count}", real.display()))?;
        for one in opened.skipped() {
            screen::tell(&screen::harmless(&format!(
                "Skipped {}: {}",
                one.name, one.why
            )));
        }
        if !known.contains(&real) {
            known.push(real);
        }
    }
    keep(&settings.home, known)
}

fn list(settings: &Settings) -> Result<()> {
    let known = folders(&settings.home)?;
    if known.is_empty() {
        screen::tell("No folders yet. Add one: fathom library add DIR");
    }
    for folder in known {
        let about = match documents::count(&folder) {
            Ok(count) => screen::counted(count as u64, "file"),
            Err(fault) => fault.to_string(),
        };
        screen::print_line(&format!("{}  ({about})", folder.display()))?;
    }
    Ok(())
}

async fn search(
    query: &str,
    given: Vec<PathBuf>,
    limit: usize,
    as_json: bool,
    settings: &Settings,
) -> Result<()> {
    let roots = if given.is_empty() {
        folders(&settings.home)?
    } else {
        given
    };
    if roots.is_empty() {
        return Err(Problem::usage("there is no library to search")
            .advise("Give --library DIR, or add one: fathom library add DIR"));
    }
    let opened = read(roots).await?;
    let found = opened.search(query, limit);
    let coloured = screen::stdout_is_coloured();
    for hit in &found {
        let line = if as_json {
            let hit = json!({
                "name": hit.name,
                "title": hit.title,
                "sections": hit.sections,
                "text": hit.text,
            });
            hit.to_string()
        } else {
            format!(
                "{} {}\n  {}",
                TextStyle::BOLD.paint(&screen::harmless(&hit.title), coloured),
                TextStyle::DIM.paint(&screen::harmless(&hit.name), coloured),
                screen::harmless(&hit.text),
            )
        };
        screen::print_line(&line)?;
    }
    if found.is_empty() {
        screen::tell("No matches.");
    }
    Ok(())
}

fn remove(given: &[PathBuf], settings: &Settings) -> Result<()> {
    let mut known = folders(&settings.home)?;
    for folder in given {
        let real = folder
            .canonicalize()
            .or_else(|_| std::path::absolute(folder));
        let real = real.map_err(Problem::usage)?;
        let before = known.len();
        known.retain(|one| *one != real && one != folder);
        if known.len() == before {
            let folder = folder.display();
            return Err(Problem::usage(format!("{folder} is not in the library"))
                .advise("List its folders with: fathom library list"));
        }
    }
    keep(&settings.home, known)
}

async fn read(roots: Vec<PathBuf>) -> Result<std::sync::Arc<DocumentLibrary>> {
    match wiring::library(roots) {
        Some(library) => {
            let read = reading::shown(library.progress(), false, library.folder());
            read.await.map_err(Problem::usage)
        }
        None => Err(Problem::usage("there is no folder to read")),
    }
}
