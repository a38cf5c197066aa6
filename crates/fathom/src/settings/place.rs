//! Where things are kept: the data folder and the store.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Lookup, Origin};
use crate::exit::{Problem, Result};

/// Where runs are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Memory,
    Sqlite(PathBuf),
    Postgres(String),
}

impl Place {
    fn parse(text: &str) -> Result<Self> {
        if text == "memory" {
            return Ok(Self::Memory);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        match text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            Some(path) => Ok(Self::Sqlite(path.trim_start_matches("//").into())),
            None => Err(Problem::usage(
                "the store is none that is known; choose memory, sqlite:PATH or postgres://user:password@host/database",
            )),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            // The part before the last @ may hold a password.
            Self::Postgres(url) => match url.rsplit_once('@') {
                Some((_, host)) => write!(f, "postgres://…@{host}"),
                None => f.write_str(url),
            },
        }
    }
}

/// The data folder: FATHOM_HOME, else where the system keeps a person's data.
pub(super) fn home(environment: Lookup<'_>) -> Result<(PathBuf, Origin)> {
    let given = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(home) = given("FATHOM_HOME") {
        let origin = Origin::Environment("FATHOM_HOME".to_owned());
        return Ok((PathBuf::from(home), origin));
    }
    let data = given("XDG_DATA_HOME").map(PathBuf::from);
    // As the standard says, a path that is not absolute is to be ignored.
    let data = data.filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(Path::new(&given("HOME")?).join(".local/share")));
    match data {
        Some(data) => Ok((data.join("fathom"), Origin::Default)),
        None => Err(Problem::usage("there is no home folder to keep data in")
            .advise("Name one: FATHOM_HOME=/path/to/folder")),
    }
}

/// The store that is named, else a file in the data folder.
pub(super) fn store(named: Option<&Value>, home: &Path) -> Result<Place> {
    match named.and_then(Value::as_str) {
        Some(text) => Place::parse(text),
        None => Ok(Place::Sqlite(home.join("runs.db"))),
    }
}

/// A database that other programs are told of too; one of another kind is not ours.
pub(super) fn shared_database(environment: Lookup<'_>) -> Option<String> {
    environment("DATABASE_URL").filter(|url| url.starts_with("postgres"))
}
