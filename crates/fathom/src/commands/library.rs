//! `fathom library`: a person's own documents, kept in an index and searched there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fathom_research::Encoder;
use fathom_store::library::DocumentLibrary;
use serde_json::json;

use crate::cli::LibraryCommand;
use crate::exit::{Exit, Problem, Result};
use crate::library_list::{self, DEFAULT, LibraryList};
use crate::library_pages::PagesLeft;
use crate::outside::{self, Outside};
use crate::screen::{self, TextStyle};
use crate::settings::Settings;
use crate::signals::Signals;
use crate::{library_pages, library_vectors, reading, unnamed_indexes, wiring};

/// Between two lines on the vectors that are computed.
const VECTORS_TOLD_EVERY: Duration = Duration::from_secs(5);

pub async fn run(command: LibraryCommand, settings: &Settings) -> Result<Exit> {
    unnamed_indexes::forget_unused(&settings.home, settings.unnamed_kept);
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
        LibraryCommand::Update { library, vectors } => {
            let encoder = if vectors {
                Some(encoder(settings)?)
            } else {
                None
            };
            for library in chosen(&library, settings)? {
                library.update(encoder.as_ref(), settings).await?;
            }
        }
        LibraryCommand::Watch {
            library,
            every,
            no_vectors,
        } => {
            let every = Duration::from_secs(every);
            return watch(&library, every, !no_vectors, settings).await;
        }
    }
    Ok(Exit::Complete)
}

fn name(given: Option<String>) -> String {
    given.unwrap_or_else(|| DEFAULT.to_owned())
}

async fn add(paths: Vec<PathBuf>, name: &str, settings: &Settings) -> Result<()> {
    let home = &settings.home;
    let mut list = LibraryList::load(home)?;
    let (addresses, paths): (Vec<_>, Vec<_>) = paths
        .into_iter()
        .partition(|path| library_pages::is_address(path));
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
        roots.push(real);
    }
    if !addresses.is_empty() {
        let pages = library_pages::folder(home, name);
        let fetcher = outside::fetcher(settings)?;
        for address in &addresses {
            library_pages::add(&fetcher, &pages, &address.to_string_lossy()).await?;
        }
        roots.push(pages.canonicalize().map_err(Problem::failed)?);
    }
    list.change(name, |folders| {
        for root in roots {
            if !folders.contains(&root) {
                folders.push(root);
            }
        }
    });
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
    let vectors = match counts.vectors {
        0 => String::new(),
        known => format!(", {known} with a vector"),
    };
    screen::print_line(&format!("{name}: {read}, {passages}{vectors}{skipped}"))
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
            let pages = library_pages::addresses(&settings.home, std::slice::from_ref(folder));
            if pages.is_empty() {
                screen::print_line(&format!("  {}", folder.display()))?;
            }
            for address in pages.values() {
                screen::print_line(&format!("  {}", screen::harmless(address)))?;
            }
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
    if query.trim().is_empty() {
        return Err(Problem::usage("there is nothing to search for")
            .advise("Give words, as in: fathom library search \"street trees\""));
    }
    let roots = LibraryList::load(&settings.home)?.resolve(given);
    if roots.is_empty() {
        return Err(Problem::usage("there is no library to search")
            .advise("Give --library DIR, or add one: fathom library add DIR"));
    }
    let documents = read(roots, settings).await?;
    let encoder = Outside::open(settings)?.encoder(settings)?;
    let vector = library_vectors::of_query(&documents, encoder.as_ref(), query).await;
    let found = documents.search(query, "", vector.as_ref(), limit);
    let found = found.map_err(Problem::failed)?;
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
    let pages = library_pages::folder(home, &name);
    if whole {
        list.change(&name, Vec::clear);
        library_pages::forget(&pages)?;
    }
    for folder in given {
        let mut folder = folder;
        if library_pages::is_address(folder) {
            match library_pages::remove(&pages, &folder.to_string_lossy())? {
                Some(PagesLeft::Some) => continue,
                Some(PagesLeft::None) => folder = &pages,
                None => {}
            }
        }
        let real = folder
            .canonicalize()
            .or_else(|_| std::path::absolute(folder));
        let real = real.map_err(Problem::usage)?;
        let known = |one: &PathBuf| *one == real || one == folder;
        if !list.folders(&name).iter().any(known) {
            let folder = folder.display();
            return Err(
                Problem::usage(format!("there is no {folder} in the library {name}"))
                    .advise("List its folders with: fathom library list"),
            );
        }
        list.change(&name, |folders| folders.retain(|one| !known(one)));
    }
    list.save(home)?;
    if list.folders(&name).is_empty() {
        library_pages::forget(&library_list::named_folder(home, &name))?;
        screen::tell(&format!("Removed the library {name}; your files stay."));
    } else {
        screen::tell(&format!(
            "Removed from the library {name}; your files stay."
        ));
    }
    Ok(())
}

/// Folders that are brought up to date together, under the name that they are told of.
struct ChosenLibrary {
    name: String,
    roots: Vec<PathBuf>,
}

/// What is named or given, else all libraries that have a name.
fn chosen(given: &[PathBuf], settings: &Settings) -> Result<Vec<ChosenLibrary>> {
    let list = LibraryList::load(&settings.home)?;
    if !given.is_empty() {
        let names: Vec<String> = given.iter().map(|one| one.display().to_string()).collect();
        return Ok(vec![ChosenLibrary {
            name: names.join(", "),
            roots: list.resolve(given),
        }]);
    }
    if list.names().next().is_none() {
        screen::tell("No folders yet. Add one: fathom library add DIR");
    }
    let named = list.names().map(|name| ChosenLibrary {
        name: name.to_owned(),
        roots: list.folders(name).to_vec(),
    });
    Ok(named.collect())
}

impl ChosenLibrary {
    async fn update(&self, encoder: Option<&Encoder>, settings: &Settings) -> Result<()> {
        let fetcher = outside::fetcher(settings)?;
        library_pages::refresh(&fetcher, &settings.home, &self.roots).await?;
        let documents = read(self.roots.clone(), settings).await?;
        if let Some(encoder) = encoder {
            let mut signals = Signals::listen()?;
            tokio::select! {
                filled = fill_vectors(&documents, encoder) => filled?,
                exit = signals.next() => {
                    let kept = "stopped; the vectors that were computed are kept";
                    return Err(Problem::stopped(exit, kept));
                }
            }
        }
        tell_counts(&self.name, &documents)
    }
}

/// The encoder, which must be there.
fn encoder(settings: &Settings) -> Result<Encoder> {
    let encoder = Outside::open(settings)?.encoder(settings)?;
    encoder.filter(Encoder::is_dense).ok_or_else(|| {
        Problem::usage("there is no encoder that gives vectors")
            .advise("Install one with: fathom encoder install")
    })
}

async fn fill_vectors(documents: &Arc<DocumentLibrary>, encoder: &Encoder) -> Result<()> {
    let counts = documents.counts().map_err(Problem::failed)?;
    let missing = counts.passages.saturating_sub(counts.vectors);
    let (begun, mut done, mut told) = (Instant::now(), 0, Instant::now());
    let filled = library_vectors::fill(documents, encoder, |more| {
        done += more;
        if told.elapsed() >= VECTORS_TOLD_EVERY {
            told = Instant::now();
            let rate = done as f64 / begun.elapsed().as_secs_f64();
            let left = missing.saturating_sub(done) as f64 / rate.max(0.1);
            let left = reading::left_over(Duration::from_secs_f64(left));
            screen::tell(&format!(
                "Computing vectors: {done} of {missing} passages, {rate:.0} a second, {left}."
            ));
        }
    });
    filled.await.map_err(Problem::failed)
}

/// Looks at the files again and again, and computes vectors in between. Ctrl-C ends it.
async fn watch(
    given: &[PathBuf],
    every: Duration,
    vectors: bool,
    settings: &Settings,
) -> Result<Exit> {
    let mut signals = Signals::listen()?;
    let encoder = Outside::open(settings)?.encoder(settings)?;
    let encoder = encoder.filter(|encoder| vectors && encoder.is_dense());
    let mut before = BTreeMap::new();
    loop {
        let round = async {
            for library in chosen(given, settings)? {
                let documents = read(library.roots.clone(), settings).await?;
                let counts = documents.counts().map_err(Problem::failed)?;
                if before.insert(library.name.clone(), counts) != Some(counts) {
                    tell_counts(&library.name, &documents)?;
                }
                if let Some(encoder) = &encoder {
                    let filling = fill_vectors(&documents, encoder);
                    // The rest is computed after the next look at the files.
                    if let Ok(filled) = tokio::time::timeout(every, filling).await {
                        filled?;
                    }
                }
            }
            tokio::time::sleep(every).await;
            Ok::<(), Problem>(())
        };
        tokio::select! {
            watched = round => watched?,
            _ = signals.next() => return Ok(Exit::Complete),
        }
    }
}

/// The documents of these folders, up to date.
async fn read(roots: Vec<PathBuf>, settings: &Settings) -> Result<Arc<DocumentLibrary>> {
    match wiring::library(&settings.home, roots) {
        Some(library) => reading::shown(&library, false).await,
        None => Err(Problem::usage("there is no folder to read")),
    }
}
