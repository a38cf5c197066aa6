//! Where things are kept: the data folder and the store.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Environment;
use crate::exit::{Problem, Result};

/// Where runs are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// In this process: runs are lost when it ends.
    Memory,
    /// One file.
    Sqlite(PathBuf),
    /// A server, by its address; it may hold a password.
    Postgres(String),
}

impl StoreLocation {
    pub(super) fn parse(text: &str) -> Result<Self> {
        if text == "memory" {
            return Ok(Self::Memory);
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        match text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            Some(path) => Ok(Self::Sqlite(path.trim_start_matches("//").into())),
            None => Err(Problem::usage("this kind of store is unknown")
                .advise("Choose memory, sqlite:PATH or postgres://user:password@host/database")),
        }
    }
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("memory"),
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            // What stands before the last @ and behind the ? may hold a password.
            Self::Postgres(url) => {
                let place = url.split('?').next().unwrap_or_default();
                match place.rsplit_once('@') {
                    Some((_, host)) => write!(f, "postgres://…@{host}"),
                    None => f.write_str(place),
                }
            }
        }
    }
}

/// The data folder and the variable that named it, if one did: FATHOM_HOME, else where the system keeps a person's data.
pub(super) fn home(environment: &Environment) -> Result<(PathBuf, Option<String>)> {
    let given = |name: &str| environment.get(name).filter(|value| !value.is_empty());
    if let Some(home) = given("FATHOM_HOME") {
        return Ok((PathBuf::from(home), Some("FATHOM_HOME".to_owned())));
    }
    let data = given("XDG_DATA_HOME").map(PathBuf::from);
    // As the standard says, a path that is not absolute is ignored.
    let data = data.filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(Path::new(given("HOME")?).join(".local/share")));
    match data {
        Some(data) => Ok((data.join("fathom"), None)),
        None => Err(Problem::usage("there is no home folder to keep data in")
            .advise("Name one: FATHOM_HOME=/path/to/folder")),
    }
}
