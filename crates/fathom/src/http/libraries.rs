//! Libraries by their names. A request never holds a path: a name stands for a folder of the caller's own, or on this
//! machine for the folders that its person has added under it.

use std::path::PathBuf;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use fathom_research::workflows::appraise;
use serde_json::{Map, Value};

use super::access::Caller;
use super::error::{ApiError, ApiResult};
use super::service::{Service, Shared};
use crate::library_list::LibraryList;

/// Fields that name folders, in the inputs of all workflows.
const FIELDS: [&str; 2] = ["library", "libraries"];

/// Fields that name a document of a library, in the input of an appraisal.
const DOCUMENT_FIELDS: [&str; 2] = ["document", "protocol"];

const NAME_CHARS: usize = 64;

/// The folder of one of the caller's libraries, whether it exists or not.
pub fn folder(service: &Service, caller: &Caller, name: &str) -> ApiResult<PathBuf> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let fits = (1..=NAME_CHARS).contains(&name.len()) && name.chars().all(plain);
    if fits {
        Ok(service.libraries.join(caller.folder()).join(name))
    } else {
        Err(ApiError::invalid(
            "library",
            format!("a library is called by 1 to {NAME_CHARS} letters, digits, - and _"),
        ))
    }
}

/// The library that a path of the service names.
pub struct NamedLibrary(pub String);

impl FromRequestParts<Shared> for NamedLibrary {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, service: &Shared) -> ApiResult<Self> {
        let named = Path::<String>::from_request_parts(parts, service).await;
        let named = named.map_err(|error| ApiError::invalid("name", error.body_text()))?;
        Ok(Self(named.0))
    }
}

/// Puts the folders of the caller's libraries where an input of a workflow names them, deep inside too, and the files of
/// documents where an appraisal does.
pub fn resolve(
    service: &Service,
    caller: &Caller,
    workflow: &str,
    input: &mut Map<String, Value>,
) -> ApiResult<()> {
    for (field, value) in input.iter_mut() {
        let name = field.as_str();
        if FIELDS.contains(&name) {
            resolve_names(service, caller, value).map_err(|error| error.at(name))?;
        } else if workflow == appraise::NAME
            && DOCUMENT_FIELDS.contains(&name)
            && !value.is_object()
        {
            resolve_document(service, caller, value).map_err(|error| error.at(name))?;
        } else {
            resolve_within(service, caller, workflow, value)?;
        }
    }
    Ok(())
}

fn resolve_within(
    service: &Service,
    caller: &Caller,
    workflow: &str,
    value: &mut Value,
) -> ApiResult<()> {
    match value {
        Value::Object(fields) => resolve(service, caller, workflow, fields),
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| resolve_within(service, caller, workflow, item)),
        _ => Ok(()),
    }
}

/// Whether a path leads down only, to nothing hidden.
fn is_plain(file: &str) -> bool {
    let mut parts = file.split('/');
    parts.all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains('\\'))
}

/// A document as `LIBRARY/FILE` becomes the path of a file within the folder of that library, and of no other.
fn resolve_document(service: &Service, caller: &Caller, value: &mut Value) -> ApiResult<()> {
    if value.is_null() {
        return Ok(());
    }
    let named = value.as_str().and_then(|named| named.split_once('/'));
    let named = named.filter(|(library, file)| !library.is_empty() && is_plain(file));
    let Some((library, file)) = named else {
        let message = "a document is given as LIBRARY/FILE, as the upload told";
        return Err(ApiError::invalid("document", message));
    };
    let folder = folder(service, caller, library)?;
    let missing = || ApiError::not_found(format!("there is no document \"{library}/{file}\""));
    let inside = folder.canonicalize().map_err(|_| missing())?;
    let path = inside.join(file).canonicalize().map_err(|_| missing())?;
    if !path.starts_with(&inside) || !path.is_file() {
        return Err(missing());
    }
    *value = Value::String(path.to_string_lossy().into_owned());
    Ok(())
}

fn resolve_names(service: &Service, caller: &Caller, value: &mut Value) -> ApiResult<()> {
    let by_name = || ApiError::invalid("library", "libraries are given as a list of names");
    let names = match value {
        Value::Null => return Ok(()),
        Value::Array(names) => names,
        _ => return Err(by_name()),
    };
    let mut folders = Vec::new();
    for name in names.iter() {
        folders.extend(folders_of(
            service,
            caller,
            name.as_str().ok_or_else(by_name)?,
        )?);
    }
    *names = folders
        .iter()
        .map(|folder| Value::String(folder.to_string_lossy().into_owned()))
        .collect();
    Ok(())
}

/// The folders that a name stands for.
fn folders_of(service: &Service, caller: &Caller, name: &str) -> ApiResult<Vec<PathBuf>> {
    let folder = folder(service, caller, name)?;
    if folder.is_dir() {
        return Ok(vec![folder]);
    }
    let added = match caller {
        Caller::Local => LibraryList::load(&service.settings.home)?
            .folders(name)
            .to_vec(),
        Caller::Owner(_) => Vec::new(),
    };
    if added.is_empty() {
        let message = format!("there is no library \"{name}\"");
        return Err(ApiError::not_found(message));
    }
    Ok(added)
}
