//! Documents that a client sends: to a library of its own by name, or to a new one that a run may use.
//!
//! A request is looked at whole before any file is kept (`upload_place.rs`). Names are plain file names, sizes and numbers are
//! bounded while the bytes come in, and what is no document that can be read is refused.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::multipart::{Field, MultipartError, MultipartRejection};
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use fathom_evidence::extract::{DocumentFormat, ExtractLimits, FormatHint, detect};
use tempfile::NamedTempFile;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::ToSchema;

use super::access::Caller;
use super::error::{ApiError, ApiResult, ErrorResponse};
use super::libraries;
use super::service::{ServeLimits, Service, Shared};
use super::upload_place::{UploadPlace, Uploaded};

/// The field of the form that holds a document.
const FIELD: &str = "file";

/// Bytes of a document's name.
const NAME_BYTES: usize = 200;

/// How long the documents of one request may take to come in.
const UPLOAD_TIME: Duration = Duration::from_secs(600);

/// After how many seconds a client should try again that met too many uploads.
const RETRY_AFTER_S: u64 = 5;

/// Whether a path takes forms instead of JSON.
pub fn takes(path: &str) -> bool {
    path == "/uploads" || (path.starts_with("/libraries/") && path.ends_with("/documents"))
}

/// Documents as a form sends them: one field "file" for each.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes the form")]
pub struct UploadForm {
    /// A document: PDF, HTML, Word, Markdown, plain text, JSON, CSV or source code. The field may be there several times.
    #[schema(value_type = Value, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
}

/// Stores documents in a new library of the caller's, which runs may name.
#[utoipa::path(post, path = "/uploads", tag = "libraries",
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, description = "They are stored", body = Uploaded),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn upload(
    State(service): State<Shared>,
    caller: Caller,
    form: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, Json<Uploaded>)> {
    let name = format!("upload-{}", uuid::Uuid::now_v7());
    stored(&service, &caller, name, form).await
}

/// Stores documents in a library of the caller's, which is made where there is none.
#[utoipa::path(post, path = "/libraries/{name}/documents", tag = "libraries",
    params(("name" = String, Path, description = "The library's name: letters, digits, - and _")),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses((status = 201, description = "They are stored", body = Uploaded),
        (status = "4XX", description = "Refused, with the field", body = ErrorResponse)))]
pub async fn add_documents(
    State(service): State<Shared>,
    caller: Caller,
    library: libraries::LibraryInPath,
    form: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, Json<Uploaded>)> {
    stored(&service, &caller, library.0, form).await
}

async fn stored(
    service: &Service,
    caller: &Caller,
    library: String,
    form: Result<Multipart, MultipartRejection>,
) -> ApiResult<(StatusCode, Json<Uploaded>)> {
    let folder = libraries::folder(service, caller, &library).map_err(|error| error.at("name"))?;
    let form = form.map_err(|_| {
        let message = "documents are sent as multipart/form-data, with its boundary";
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        ApiError::new(status, "unsupported_media_type", message).at("Content-Type")
    })?;
    let turn = UploadTurn::take(&service.uploading)?;
    let own = folder.parent().map(Path::to_owned).unwrap_or_default();
    fathom_store::create_private_folder(&own).map_err(ApiError::internal)?;
    let received =
        tokio::time::timeout(UPLOAD_TIME, receive_all(&service.limits, form, &own, &turn));
    let received = received.await.map_err(|_| {
        let message = format!("it took longer than {} seconds", UPLOAD_TIME.as_secs());
        ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message)
    })??;
    let place = UploadPlace {
        library,
        folder: folder.clone(),
        limits: service.limits.clone(),
    };
    // One after the other, so that two together do not pass a bound.
    let alone = Arc::clone(&service.keeping).lock_owned().await;
    let open_libraries = Arc::clone(&service.open_libraries);
    let keeping = turn.work(move || {
        let _alone = alone;
        let uploaded = place.keep(received);
        open_libraries.look_anew(&folder);
        uploaded
    });
    Ok((StatusCode::CREATED, Json(keeping.await?)))
}

/// A place among the uploads under way. It is free again when the last work of the upload has ended, whether the client waits for
/// it or not.
#[derive(Clone)]
struct UploadTurn {
    _place: Arc<OwnedSemaphorePermit>,
}

impl UploadTurn {
    fn take(places: &Arc<Semaphore>) -> ApiResult<Self> {
        let place = Arc::clone(places).try_acquire_owned().map_err(|_| {
            let message = "too many documents are being sent; try again later";
            ApiError::overloaded(message, RETRY_AFTER_S)
        })?;
        Ok(Self {
            _place: Arc::new(place),
        })
    }

    /// Does work on files for the upload.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        let turn = self.clone();
        let working = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        working.await.map_err(ApiError::internal)?
    }
}

/// Takes in every document of a form.
async fn receive_all(
    limits: &ServeLimits,
    mut form: Multipart,
    beside: &Path,
    turn: &UploadTurn,
) -> ApiResult<Vec<ReceivedDocument>> {
    let mut received: Vec<ReceivedDocument> = Vec::new();
    let most = limits.max_library_documents;
    let mut left = limits.max_upload_bytes;
    while let Some(field) = form.next_field().await.map_err(broken)? {
        if received.len() == most {
            let message = format!("a library has at most {most} documents");
            return Err(too_large(message));
        }
        let document = receive(field, beside, left, turn).await?;
        left -= document.bytes;
        let same = |other: &ReceivedDocument| other.name == document.name;
        if received.iter().any(same) {
            let message = format!("\"{}\" is sent twice", document.name);
            return Err(ApiError::invalid(FIELD, message));
        }
        received.push(document);
    }
    if received.is_empty() {
        return Err(ApiError::invalid(FIELD, "there is no document in the form"));
    }
    Ok(received)
}

/// A document that came in whole, and lies beside the library until all have.
pub struct ReceivedDocument {
    /// The name that the client gave it.
    pub name: String,
    /// Its size.
    pub bytes: usize,
    /// Gone unless it is kept.
    pub file: NamedTempFile,
}

async fn receive(
    mut field: Field<'_>,
    beside: &Path,
    left: usize,
    turn: &UploadTurn,
) -> ApiResult<ReceivedDocument> {
    if field.name() != Some(FIELD) {
        let given = field.name().unwrap_or_default().to_owned();
        return Err(ApiError::invalid(
            &given,
            "documents are sent in the field \"file\"",
        ));
    }
    let name = plain_name(field.file_name().unwrap_or_default())?;
    let most = left.min(ExtractLimits::default().document_max_bytes);
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(broken)? {
        if bytes.len() + chunk.len() > most {
            let message = format!("\"{name}\" is too large: {most} bytes are left");
            return Err(too_large(message));
        }
        bytes.extend_from_slice(&chunk);
    }
    let beside = beside.to_owned();
    turn.work(move || store(name, &bytes, &beside)).await
}

/// Writes a document to a file that is gone unless it is kept.
fn store(name: String, bytes: &[u8], beside: &Path) -> ApiResult<ReceivedDocument> {
    check_format(&name, bytes)?;
    let file = tempfile::Builder::new()
        .prefix(".upload-")
        .tempfile_in(beside);
    let mut file = file.map_err(ApiError::internal)?;
    file.write_all(bytes).map_err(ApiError::internal)?;
    file.as_file().sync_all().map_err(ApiError::internal)?;
    Ok(ReceivedDocument {
        name,
        bytes: bytes.len(),
        file,
    })
}

/// A name without any path: a file of the library and of nothing else.
pub fn plain_name(name: &str) -> ApiResult<String> {
    let fault = if name.is_empty() {
        "the document has no file name"
    } else if name.len() > NAME_BYTES {
        "the file name has more than 200 bytes"
    } else if name.starts_with('.') || name.contains(['/', '\\', ':']) {
        "the file name has no path and does not begin with a dot"
    } else if name.chars().any(char::is_control) {
        "the file name has characters that cannot be shown"
    } else {
        return Ok(name.to_owned());
    };
    Err(ApiError::invalid("filename", fault))
}

fn check_format(name: &str, bytes: &[u8]) -> ApiResult<()> {
    let unsupported = |why: String| {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        let message = format!("\"{name}\" cannot be read as a document: {why}");
        ApiError::new(status, "unsupported_media_type", message).at(FIELD)
    };
    let hint = FormatHint {
        file_name: Some(name),
        ..FormatHint::default()
    };
    match detect(bytes, &hint) {
        Ok(DocumentFormat::Docx) if !name.to_lowercase().ends_with(".docx") => {
            Err(unsupported("it is an archive".to_owned()))
        }
        Ok(_) => Ok(()),
        Err(fathom_evidence::Error::Empty) => {
            Err(ApiError::invalid(FIELD, format!("\"{name}\" is empty")))
        }
        Err(error) => Err(unsupported(error.to_string())),
    }
}

/// Refuses what is more than fits.
pub fn too_large(message: String) -> ApiError {
    let status = StatusCode::PAYLOAD_TOO_LARGE;
    ApiError::new(status, "payload_too_large", message).at(FIELD)
}

fn broken(error: MultipartError) -> ApiError {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large("the form is too large".to_owned()),
        status => ApiError::new(status, "parsing", error.body_text()).at(FIELD),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_place_is_taken_until_the_work_of_an_upload_has_ended() {
        let places = Arc::new(Semaphore::new(1));
        let turn = UploadTurn::take(&places).unwrap();
        let (end, ended) = mpsc::channel();
        let work = Box::pin(turn.work(move || ended.recv().map_err(ApiError::internal)));
        // The client goes away once the work has begun.
        assert!(work.now_or_never().is_none());
        drop(turn);
        assert!(UploadTurn::take(&places).is_err());
        end.send(()).unwrap();
        let _free = places.acquire().await.unwrap();
    }
}
