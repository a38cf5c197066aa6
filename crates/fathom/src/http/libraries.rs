//! Libraries by their names. A request never holds a path: a name stands for a folder of the caller's own, or on this
//! machine for the folders that its person has added under it.

use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use fathom_research::workflows::appraise;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::access::Caller;
use super::error::{ApiError, ApiResult, ErrorResponse};
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
pub struct LibraryInPath(pub String);

impl FromRequestParts<Shared> for LibraryInPath {
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

/// The folders that a name stands for: the one that uploads filled, and on this machine those that its person has added.
fn folders_of(service: &Service, caller: &Caller, name: &str) -> ApiResult<Vec<PathBuf>> {
    let folder = folder(service, caller, name)?;
    let mut folders = match caller {
        Caller::Local => LibraryList::load(&service.settings.home)?
            .folders(name)
            .to_vec(),
        Caller::Owner(_) => Vec::new(),
    };
    if folder.is_dir() {
        folders.push(folder);
    }
    if folders.is_empty() {
        return Err(no_library(name));
    }
    Ok(folders)
}

fn no_library(name: &str) -> ApiError {
    ApiError::not_found(format!("there is no library \"{name}\""))
}

/// A library that was filled by uploads.
#[derive(Serialize, ToSchema)]
pub struct LibraryInfo {
    /// By which runs name it.
    pub name: String,
    /// What it holds, by name.
    pub documents: Vec<DocumentInfo>,
}

impl LibraryInfo {
    /// What its documents hold together.
    pub fn bytes(&self) -> u64 {
        self.documents.iter().map(|document| document.bytes).sum()
    }
}

/// A document of a library.
#[derive(Serialize, ToSchema)]
pub struct DocumentInfo {
    /// Its name within the library.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// The libraries in the folder of an owner, by name; none where there is no folder.
pub fn contents(own: &std::path::Path) -> ApiResult<Vec<LibraryInfo>> {
    let library = |folder: DirEntry| {
        let documents = visible(&folder.path())?.into_iter().map(|entry| {
            let bytes = entry.metadata().map_or(0, |about| about.len());
            let name = entry.file_name().to_string_lossy().into_owned();
            DocumentInfo { name, bytes }
        });
        Ok(LibraryInfo {
            name: folder.file_name().to_string_lossy().into_owned(),
            documents: documents.collect(),
        })
    };
    let folders = visible(own)?.into_iter();
    let folders = folders.filter(|entry| entry.path().is_dir());
    folders.map(library).collect()
}

/// What lies in a folder and is not hidden, by name.
fn visible(folder: &std::path::Path) -> ApiResult<Vec<DirEntry>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ApiError::internal(error)),
    };
    let shown = listed.flatten().filter(|entry| {
        let name = entry.file_name();
        !name.as_encoded_bytes().starts_with(b".")
    });
    let mut shown: Vec<DirEntry> = shown.collect();
    shown.sort_by_key(DirEntry::file_name);
    Ok(shown)
}

/// Lists the caller's libraries that were filled by uploads, with their documents.
#[utoipa::path(get, path = "/libraries", tag = "libraries",
    responses((status = 200, description = "The libraries by name", body = [LibraryInfo])))]
pub async fn list_libraries(
    State(service): State<Shared>,
    caller: Caller,
) -> ApiResult<Json<Vec<LibraryInfo>>> {
    let own = service.libraries.join(caller.folder());
    let listed = tokio::task::spawn_blocking(move || contents(&own));
    Ok(Json(listed.await.map_err(ApiError::internal)??))
}

/// Deletes a library that was filled by uploads, with all its documents.
#[utoipa::path(delete, path = "/libraries/{name}", tag = "libraries",
    params(("name" = String, Path, description = "The library's name")),
    responses((status = 204, description = "It is gone"),
        (status = 404, description = "There is no such library", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn delete_library(
    State(service): State<Shared>,
    caller: Caller,
    library: LibraryInPath,
) -> ApiResult<StatusCode> {
    let LibraryInPath(name) = library;
    let folder = folder(&service, &caller, &name).map_err(|error| error.at("name"))?;
    let whole = folder.clone();
    let removed = remove(&service, folder, move || std::fs::remove_dir_all(whole));
    gone(removed.await?, || no_library(&name))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes a document of a library that was filled by uploads. Runs that have read it keep what they have read.
#[utoipa::path(delete, path = "/libraries/{name}/documents/{document}", tag = "libraries",
    params(("name" = String, Path, description = "The library's name"),
        ("document" = String, Path, description = "The document's name within it")),
    responses((status = 204, description = "It is gone"),
        (status = 404, description = "There is no such document", body = ErrorResponse),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn delete_document(
    State(service): State<Shared>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
) -> ApiResult<StatusCode> {
    let path = path.map_err(|error| ApiError::invalid("name", error.body_text()))?;
    let Path((name, document)) = path;
    let folder = folder(&service, &caller, &name).map_err(|error| error.at("name"))?;
    let document = super::uploads::plain_name(&document).map_err(|error| error.at("document"))?;
    let file = folder.join(&document);
    let removed = remove(&service, folder, move || std::fs::remove_file(file));
    gone(removed.await?, || {
        ApiError::not_found(format!("there is no document \"{name}/{document}\""))
    })?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes something of a library. Nobody else changes it until that is done, whether the client waits for it or not.
async fn remove(
    service: &Service,
    library: PathBuf,
    removal: impl FnOnce() -> std::io::Result<()> + Send + 'static,
) -> ApiResult<std::io::Result<()>> {
    let turn = Arc::clone(&service.keeping).lock_owned().await;
    let open_libraries = Arc::clone(&service.open_libraries);
    let removing = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let removed = removal();
        open_libraries.look_anew(&library);
        removed
    });
    removing.await.map_err(ApiError::internal)
}

/// What a client is told of a removal.
fn gone(removed: std::io::Result<()>, missing: impl FnOnce() -> ApiError) -> ApiResult<()> {
    removed.map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::NotADirectory => missing(),
        _ => ApiError::internal(error),
    })
}
