//! Where uploaded documents go: into a library whole, within its owner's bounds, or not at all.

use std::path::PathBuf;

use serde::Serialize;
use tempfile::{NamedTempFile, TempPath};
use utoipa::ToSchema;

use super::error::{ApiError, ApiResult};
use super::libraries;
use super::service::ServeLimits;
use super::uploads::{ReceivedDocument, too_large};

/// What was stored.
#[derive(Serialize, ToSchema)]
pub struct Uploaded {
    /// The library, to be named by runs.
    library: String,
    /// Its new documents.
    documents: Vec<UploadedDocument>,
}

/// A document that was stored.
#[derive(Serialize, ToSchema)]
pub struct UploadedDocument {
    /// Its name within the library.
    name: String,
    /// How it is named where a run takes one document: LIBRARY/NAME.
    document: String,
    /// Its size.
    bytes: usize,
    /// Whether one of this name was there before, and is gone.
    replaced: bool,
}

/// Where the documents of a request go.
pub struct UploadPlace {
    /// The library's name.
    pub library: String,
    /// Where it lies, there or not.
    pub folder: PathBuf,
    /// The bounds of the service.
    pub limits: ServeLimits,
}

impl UploadPlace {
    /// Puts all documents into the library, or leaves it as it was.
    pub fn keep(self, received: Vec<ReceivedDocument>) -> ApiResult<Uploaded> {
        let is_new = !self.folder.is_dir();
        self.check_room(&received, is_new)?;
        if is_new {
            fathom_store::create_private_folder(&self.folder).map_err(ApiError::internal)?;
        }
        let mut changes = FolderChanges::default();
        let mut documents = Vec::new();
        for document in received {
            let path = self.folder.join(&document.name);
            let replaced = path.exists();
            if let Err(error) = changes.put(document.file, path) {
                changes.undo();
                if is_new {
                    let _ = std::fs::remove_dir(&self.folder);
                }
                return Err(ApiError::internal(error));
            }
            documents.push(UploadedDocument {
                document: format!("{}/{}", self.library, document.name),
                name: document.name,
                bytes: document.bytes,
                replaced,
            });
        }
        Ok(Uploaded {
            library: self.library,
            documents,
        })
    }

    /// Whether the documents fit into the library, and the library among those of its owner.
    fn check_room(&self, received: &[ReceivedDocument], is_new: bool) -> ApiResult<()> {
        let limits = &self.limits;
        let own = self.folder.parent().unwrap_or(&self.folder);
        let libraries = libraries::contents(own)?;
        if is_new && libraries.len() >= limits.max_libraries {
            let message = format!("there are {} libraries already", limits.max_libraries);
            return Err(ApiError::conflict(message));
        }
        let kept: u64 = libraries.iter().map(libraries::LibraryInfo::bytes).sum();
        let same = libraries.iter().find(|one| one.name == self.library);
        let here = same.map_or(&[][..], |same| &same.documents);
        let replaced = here.iter().filter(|known| {
            let mut names = received.iter().map(|document| &document.name);
            names.any(|name| *name == known.name)
        });
        let (mut documents, mut bytes) = (here.len() + received.len(), kept);
        bytes += received.iter().map(|one| one.bytes as u64).sum::<u64>();
        for known in replaced {
            documents -= 1;
            bytes -= known.bytes;
        }
        if documents > limits.max_library_documents {
            let most = limits.max_library_documents;
            let message = format!("a library has at most {most} documents");
            return Err(too_large(message));
        }
        if bytes > limits.max_owner_bytes {
            let most = limits.max_owner_bytes;
            let message = format!(
                "your libraries hold {kept} bytes and may hold {most}; delete documents that you no longer need"
            );
            return Err(too_large(message));
        }
        Ok(())
    }
}

/// Files that were put into a folder, so that they can be taken back.
#[derive(Default)]
struct FolderChanges {
    /// Each with a copy of what stood there before.
    done: Vec<(PathBuf, Option<TempPath>)>,
}

impl FolderChanges {
    /// Puts a file in its place at once; what stands there is kept beside the folder until all is done.
    fn put(&mut self, file: NamedTempFile, path: PathBuf) -> std::io::Result<()> {
        let before = if path.exists() {
            let beside = file.path().with_extension("before");
            std::fs::hard_link(&path, &beside)?;
            Some(TempPath::try_from_path(beside)?)
        } else {
            None
        };
        file.persist(&path).map_err(|error| error.error)?;
        self.done.push((path, before));
        Ok(())
    }

    /// Leaves the folder as it was.
    fn undo(self) {
        for (path, before) in self.done.into_iter().rev() {
            let undone = match before {
                Some(before) => before.persist(&path).map_err(|error| error.error),
                None => std::fs::remove_file(&path),
            };
            if let Err(error) = undone {
                tracing::error!(%error, path = %path.display(), "an upload could not be taken back");
            }
        }
    }
}
