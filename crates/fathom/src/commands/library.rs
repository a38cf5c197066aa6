//! `fathom library`: a person's own documents, kept in an index and searched there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_store::library::DocumentLibrary;
use serde_json::json;

use crate::cli::LibraryCommand;
use crate::exit::{Exit, Problem, Result};
use crate::library_list::{self, DEFAULT, LibraryList};
use crate::screen::{self, TextStyle};
use crate::settings::Settings;
use crate::{reading, wiring};

pub async fn run(command: LibraryCommand, settings: &Settings) -> Result<Exit> {
    match command {
        LibraryCommand::Add { paths, library } => add(paths, &name(library), settings).await?,
        LibraryCommand::List { skipped, library } => list(skipped, library, settings).await?,
        LibraryCommand::Search {
            query,
            library,
            limit,
            json,
        } => search(&query, &library, limit.into(), json, settings).await?,
        LibraryCommand::Remove { paths, library } => remove(&paths, library, settings)?,
        LibraryCommand::Update { library } => update(&library, settings).await?,
    }
    Ok(Exit::Complete)
}

fn name(given: Option<String>) -> String {
    given.unwrap_or_else(|| DEFAULT.to_owned())
}

async fn add(paths: Vec<PathBuf>, name: &str, settings: &Settings) -> Result<()> {
    let home = &settings.home;
    let mut list = LibraryList::load(home)?;
    let mut roots = Vec::new();
    for path in paths {
        let real = path.canonicalize().map_err(|error| {
            let path = path.display();
            Problem::usage(match error.kind() {
                std::io::ErrorKind::NotFound => {
                    format!("there is no folder or file {path}; check the path")
                }
                _ => format!("{path} cannot be read: {error}"),
            })
        })?;
        list.change(name, |folders| {
            if !folders.contains(&real) {
                folders.push(real.clone());
            }
        });
        roots.push(real);
    }
    // Kept before it is read: whoever stops the reading goes on with it later.
    let before = LibraryList::load(home)?;
    list.save(home)?;
    let read = read(list.folders(name).to_vec(), settings).await;
    let documents = match read {
        Ok(documents) => documents,
        Err(problem) if problem.exit == Exit::Usage => {
            before.save(home)?;
            return Err(problem);
        }
        Err(problem) => return Err(problem),
    };
    tell_counts(name, &documents)?;
    tell_skipped(&documents)
}

/// How much a library holds, in a line.
fn tell_counts(name: &str, documents: &DocumentLibrary) -> Result<()> {
    let counts = documents.counts().map_err(Problem::failed)?;
    let read = screen::counted(counts.documents as u64, "document");
    let passages = screen::counted(counts.passages as u64, "passage");
    let skipped = match counts.skipped {
        0 => String::new(),
        files => format!(", {} skipped", screen::counted(files as u64, "file")),
    };
    screen::print_line(&format!("{name}: {read}, {passages}{skipped}"))
}

fn tell_skipped(documents: &DocumentLibrary) -> Result<()> {
    for one in documents.skipped().map_err(Problem::failed)? {
        let line = format!("Skipped {}: {}", one.name, one.why);
        screen::tell(&screen::harmless(&line));
    }
    Ok(())
}

async fn list(skipped: bool, library: Option<String>, settings: &Settings) -> Result<()> {
    let list = LibraryList::load(&settings.home)?;
    let wanted = |name: &&str| library.as_deref().is_none_or(|only| only == *name);
    let names: Vec<&str> = list.names().filter(wanted).collect();
    if names.is_empty() {
        screen::tell("No folders yet. Add one: fathom library add DIR");
    }
    for name in names {
        let opened = open_index(&list, name, settings).await?;
        tell_counts(name, &opened)?;
        for folder in list.folders(name) {
            screen::print_line(&format!("  {}", folder.display()))?;
        }
        if skipped {
            for one in opened.skipped().map_err(Problem::failed)? {
                let line = format!("  skipped {}: {}", one.name, one.why);
                screen::print_line(&screen::harmless(&line))?;
            }
        }
    }
    Ok(())
}

/// A named library as it was last read.
async fn open_index(
    list: &LibraryList,
    name: &str,
    settings: &Settings,
) -> Result<Arc<DocumentLibrary>> {
    let index = list.index_folder(&settings.home, list.folders(name));
    let opening = tokio::task::spawn_blocking(move || {
        DocumentLibrary::open(&index, fathom_store::library::LibraryLimits::default())
    });
    let opened = opening.await.map_err(Problem::failed)?;
    opened.map(Arc::new).map_err(Problem::failed)
}

async fn search(
    query: &str,
    given: &[PathBuf],
    limit: usize,
    as_json: bool,
    settings: &Settings,
) -> Result<()> {
    let roots = LibraryList::load(&settings.home)?.resolve(given);
    if roots.is_empty() {
        return Err(Problem::usage("there is no library to search")
            .advise("Give --library DIR, or add one: fathom library add DIR"));
    }
    let documents = read(roots, settings).await?;
    let found = documents.search(query, limit).map_err(Problem::failed)?;
    let coloured = screen::stdout_is_coloured();
    for hit in &found {
        let line = if as_json {
            let hit = json!({
                "name": hit.name,
                "title": hit.title,
                "sections": hit.sections,
                "page": hit.page,
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

/// Takes folders out of a library, or a whole library that is named. Its documents stay as they are.
fn remove(given: &[PathBuf], library: Option<String>, settings: &Settings) -> Result<()> {
    let home = &settings.home;
    let mut list = LibraryList::load(home)?;
    let whole = given.is_empty();
    let name = name(library);
    if whole && list.folders(&name).is_empty() {
        return Err(Problem::usage(format!("there is no library {name}"))
            .advise("List the libraries with: fathom library list"));
    }
    if whole {
        list.change(&name, Vec::clear);
    }
    for folder in given {
        let real = folder
            .canonicalize()
            .or_else(|_| std::path::absolute(folder));
        let real = real.map_err(Problem::usage)?;
        let known = |one: &PathBuf| *one == real || one == folder;
        if !list.folders(&name).iter().any(known) {
            let folder = folder.display();
            return Err(Problem::usage(format!("{folder} is not in the library"))
                .advise("List its folders with: fathom library list"));
        }
        list.change(&name, |folders| folders.retain(|one| !known(one)));
    }
    list.save(home)?;
    if list.folders(&name).is_empty() {
        forget(&library_list::named_folder(home, &name))?;
    }
    Ok(())
}

/// Deletes an index, which nothing names any more.
fn forget(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let folder = folder.display();
            Err(Problem::failed(format!(
                "{folder} cannot be deleted: {error}"
            )))
        }
        _ => Ok(()),
    }
}

/// Brings libraries up to date: those that are named or given, else all that have a name.
async fn update(given: &[PathBuf], settings: &Settings) -> Result<()> {
    let list = LibraryList::load(&settings.home)?;
    if !given.is_empty() {
        let documents = read(list.resolve(given), settings).await?;
        let names: Vec<String> = given.iter().map(|one| one.display().to_string()).collect();
        return tell_counts(&names.join(", "), &documents);
    }
    if list.names().next().is_none() {
        screen::tell("No folders yet. Add one: fathom library add DIR");
    }
    for name in list.names() {
        let documents = read(list.folders(name).to_vec(), settings).await?;
        tell_counts(name, &documents)?;
    }
    Ok(())
}

/// The documents of these folders, up to date.
async fn read(roots: Vec<PathBuf>, settings: &Settings) -> Result<Arc<DocumentLibrary>> {
    match wiring::library(&settings.home, roots) {
        Some(library) => reading::shown(&library, false).await,
        None => Err(Problem::usage("there is no folder to read")),
    }
}
