//! Libraries by their names. A request never holds a path: a name stands for a folder of the caller's own, or on this
//! machine for the folders that its person has added under it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::access::Caller;
use super::error::{ApiError, ApiResult};
use super::service::Service;
use crate::library_list::LibraryList;

/// Fields that name folders, in the inputs of all workflows.
const FIELDS: [&str; 2] = ["library", "libraries"];

/// Fields that name one document, as `LIBRARY/FILE`.
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

/// Puts the folders of the caller's libraries where an input names them, deep inside too.
pub fn resolve(
    service: &Service,
    caller: &Caller,
    input: &mut Map<String, Value>,
) -> ApiResult<()> {
    for (field, value) in input.iter_mut() {
        if FIELDS.contains(&field.as_str()) {
            resolve_names(service, caller, value).map_err(|error| error.at(field))?;
        } else if DOCUMENT_FIELDS.contains(&field.as_str()) {
            resolve_document(service, caller, value).map_err(|error| error.at(field))?;
        } else {
            resolve_within(service, caller, value)?;
        }
    }
    Ok(())
}

fn resolve_within(service: &Service, caller: &Caller, value: &mut Value) -> ApiResult<()> {
    match value {
        Value::Object(fields) => resolve(service, caller, fields),
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| resolve_within(service, caller, item)),
        _ => Ok(()),
    }
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

/// Puts the path of a file in one of the caller's libraries in the place of its name. Nothing outside that library is
/// reached, through links neither.
fn resolve_document(service: &Service, caller: &Caller, value: &mut Value) -> ApiResult<()> {
    let Value::String(named) = &*value else {
        return resolve_within(service, caller, value);
    };
    let Some((library, file)) = named.split_once('/') else {
        let why = "a document is given as LIBRARY/FILE";
        return Err(ApiError::invalid("document", why));
    };
    let folder = folder(service, caller, library)?;
    let missing = || ApiError::not_found(format!("there is no document \"{named}\""));
    let inside = folder.canonicalize().map_err(|_| missing())?;
    let path = inside.join(file).canonicalize().map_err(|_| missing())?;
    if !path.starts_with(&inside) || !path.is_file() {
        return Err(missing());
    }
    *value = Value::String(path.to_string_lossy().into_owned());
    Ok(())
}
