//! Reads sources: fetches the document, takes its text out, and stores that as a snapshot.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fathom_evidence::Document;
use fathom_evidence::document::DocumentMetadata;
use fathom_evidence::extract::{CancelOnDrop, DocumentReader, ExtractLimits, FormatHint};
use fathom_providers::FailureCategory;
use fathom_workflow::{EffectCall, NodeError, fan_out};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use crate::calls::RecordedFailure;
use crate::plan::SourceKind;
use crate::reasoner::Ctx;
use crate::services::SourceScope;
use crate::skills::budget;
use crate::skills::search::{Candidate, SearchTask, page, quality};
use crate::source::{Snapshot, Source};

/// What was read in this step while searching, by the keys of the results.
#[derive(Default)]
pub(crate) struct AlreadyRead {
    reads: usize,
    taken: BTreeMap<String, Result<ReadDocument, RecordedFailure>>,
}

impl AlreadyRead {
    pub(crate) fn take(&mut self, read: Vec<(String, Result<ReadDocument, RecordedFailure>)>) {
        self.reads += read.len();
        for (key, taken) in read {
            // What one has read is not lost because another could not.
            if taken.is_ok() || !self.taken.contains_key(&key) {
                self.taken.insert(key, taken);
            }
        }
    }

    /// Puts into the source what was read of any of its hits; a failure only where every read of it failed.
    fn told(&mut self, candidate: &mut Candidate, today: Date) -> Option<RecordedFailure> {
        let source = &mut candidate.source;
        if source.snapshot.is_some() || source.unread.is_some() {
            return None;
        }
        let mut taken: Vec<_> = candidate
            .keys
            .iter()
            .filter_map(|key| self.taken.remove(key))
            .collect();
        taken.sort_by_key(Result::is_err);
        learn(source, taken.into_iter().next()?, today)
    }
}

/// Reads those that were not read yet, as far as the budget allows.
pub(crate) async fn all(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    candidates: Vec<Candidate>,
    mut already: AlreadyRead,
) -> Result<(Vec<Arc<Source>>, Vec<RecordedFailure>), NodeError> {
    let allowed = budget::left(task.settings.caps.fetches, ctx.spent(budget::FETCHES));
    let allowed = allowed.saturating_sub(already.reads);
    let mut begun = 0;
    let planned = candidates.into_iter().map(|mut candidate| {
        let failure = already.told(&mut candidate, task.question.asked_on);
        let source = &candidate.source;
        let wanted = source.snapshot.is_none() && source.unread.is_none() && begun < allowed;
        // Where the open copy cannot be read, the work's own page is.
        begun += usize::from(wanted) + usize::from(wanted && candidate.open_copy.is_some());
        (candidate, wanted, failure)
    });
    let planned: Vec<(Candidate, bool, Option<RecordedFailure>)> = planned.collect();
    let at_once = task.settings.max_concurrency;
    let read = fan_out(
        planned,
        at_once,
        |(candidate, wanted, failure)| async move {
            if wanted {
                one(task, ctx, candidate).await
            } else {
                Ok((candidate.source, failure))
            }
        },
    );
    let (mut sources, mut failures) = (Vec::new(), Vec::new());
    for read in read.await {
        let (source, failure) = read?;
        if let Some(failure) = failure {
            let message = format!("{} was not read: {}", source.name(), failure.message);
            failures.push(RecordedFailure { message, ..failure });
        }
        sources.push(Arc::new(source));
    }
    Ok((sources, failures))
}

/// What is recorded of reading a document.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReadDocument {
    pub(crate) snapshot: Snapshot,
    pub(crate) about: DocumentMetadata,
}

/// Reads one file that a person named, once; says in a sentence why not.
pub(crate) async fn file(
    ctx: &Ctx,
    key: &str,
    path: &Path,
) -> Result<Result<ReadDocument, RecordedFailure>, NodeError> {
    let read = ctx.effect(key, |call| async move {
        call.spend(budget::FETCHES, 1);
        let bytes = ctx.deps().libraries.read_file(path).await;
        let bytes =
            bytes.map_err(|fault| RecordedFailure::once(FailureCategory::Internal, fault))?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let bytes = Bytes {
            bytes,
            content_type: None,
            file_name: name,
        };
        take(ctx, bytes).await
    });
    Ok(read.await?)
}

async fn one(
    task: &SearchTask<'_>,
    ctx: &Ctx,
    candidate: Candidate,
) -> Result<(Source, Option<RecordedFailure>), NodeError> {
    let Candidate {
        mut source,
        text,
        open_copy,
        ..
    } = candidate;
    let key = format!("read/{}", source.id.0);
    let wanted = WantedDocument {
        kind: source.kind,
        location: &source.location,
        open_copy: open_copy.as_deref(),
        text: text.as_deref(),
    };
    let taken = taken(ctx, task.settings.scope, key, wanted).await?;
    let failure = learn(&mut source, taken, task.question.asked_on);
    Ok((source, failure))
}

/// A document to read.
#[derive(Clone, Copy)]
pub(crate) struct WantedDocument<'a> {
    pub(crate) kind: SourceKind,
    pub(crate) location: &'a str,
    /// A copy that can be read freely, which comes first: the page of a work often shows its abstract alone.
    pub(crate) open_copy: Option<&'a str>,
    /// Its text or abstract, where a search gave it: better than nothing if it cannot be read.
    pub(crate) text: Option<&'a str>,
}

/// Reads a document once; says in a sentence why not.
pub(crate) async fn taken(
    ctx: &Ctx,
    scope: SourceScope<'_>,
    key: String,
    wanted: WantedDocument<'_>,
) -> Result<Result<ReadDocument, RecordedFailure>, NodeError> {
    let taken = ctx.effect(key, |call| async move {
        let copy = match wanted.open_copy.filter(|copy| *copy != wanted.location) {
            Some(copy) => fetched(ctx, scope, &wanted, copy, &call).await.ok(),
            None => None,
        };
        let taken = match copy {
            Some(taken) => Ok(taken),
            None => fetched(ctx, scope, &wanted, wanted.location, &call).await,
        };
        match (taken, wanted.text) {
            (Ok(taken), _) => Ok(taken),
            // A page behind a wall often has its abstract in a register.
            (Err(_), Some(text)) => take(ctx, Bytes::from_text(text.to_owned())).await,
            (Err(why), None) => {
                call.spend(budget::FETCHES_FAILED, 1);
                Err(why)
            }
        }
    });
    Ok(taken.await?)
}

/// Reads the document from one of its places.
async fn fetched(
    ctx: &Ctx,
    scope: SourceScope<'_>,
    wanted: &WantedDocument<'_>,
    location: &str,
    call: &EffectCall,
) -> Result<ReadDocument, RecordedFailure> {
    call.spend(budget::FETCHES, 1);
    let bytes = bytes(ctx, scope, wanted.kind, location, call).await?;
    take(ctx, bytes).await
}

/// Puts what was read into the source; gives why not, where it was not.
fn learn(
    source: &mut Source,
    taken: Result<ReadDocument, RecordedFailure>,
    today: Date,
) -> Option<RecordedFailure> {
    let failure = match taken {
        Ok(taken) => {
            source.about.learn(&taken.about);
            source.snapshot = Some(taken.snapshot);
            None
        }
        Err(failure) => {
            source.unread = Some(failure.message.clone());
            Some(failure)
        }
    };
    source.quality = quality(source, today);
    failure
}

/// A document as it came, with what its origin says it is.
struct Bytes {
    bytes: Vec<u8>,
    content_type: Option<String>,
    file_name: Option<String>,
}

impl Bytes {
    fn from_text(text: String) -> Self {
        Self {
            bytes: text.into_bytes(),
            content_type: Some("text/plain; charset=utf-8".to_owned()),
            file_name: None,
        }
    }
}

async fn bytes(
    ctx: &Ctx,
    scope: SourceScope<'_>,
    kind: SourceKind,
    location: &str,
    call: &EffectCall,
) -> Result<Bytes, RecordedFailure> {
    match kind {
        SourceKind::Local => {
            let library = ctx.deps().library(scope);
            let library =
                library.ok_or_else(|| RecordedFailure::not_set_up("no library is configured"))?;
            let bytes = library
                .read(location)
                .await
                .map_err(|fault| RecordedFailure::once(FailureCategory::Internal, fault))?;
            Ok(Bytes {
                bytes,
                content_type: None,
                file_name: Some(location.to_owned()),
            })
        }
        SourceKind::Web | SourceKind::Academic | SourceKind::News | SourceKind::Code => {
            let web = ctx.deps().web(scope);
            let web =
                web.ok_or_else(|| RecordedFailure::not_set_up("no page reader is configured"))?;
            let read = page(ctx, web, location, call).await?;
            Ok(Bytes {
                bytes: read.bytes.to_vec(),
                content_type: read.content_type,
                file_name: None,
            })
        }
    }
}

async fn take(ctx: &Ctx, bytes: Bytes) -> Result<ReadDocument, RecordedFailure> {
    let reader = Arc::clone(&ctx.deps().reader);
    // A run that is cancelled drops this future, and with it the reading.
    let waiting = CancelOnDrop::default();
    let cancelled = waiting.flag();
    let document = spawn_blocking(move || text_of(&*reader, &bytes, &cancelled)).await;
    let document = document
        .map_err(|_| RecordedFailure::once(FailureCategory::Internal, "reading it failed"))??;
    let about = document.about.clone();
    let snapshot = ctx.deps().documents.keep(ctx, document, ctx.now());
    let unstored =
        |_| RecordedFailure::once(FailureCategory::Internal, "its text could not be stored");
    let snapshot = snapshot.map_err(unstored)?;
    Ok(ReadDocument { snapshot, about })
}

fn text_of(
    reader: &dyn DocumentReader,
    bytes: &Bytes,
    cancelled: &AtomicBool,
) -> Result<Document, RecordedFailure> {
    let hint = FormatHint {
        content_type: bytes.content_type.as_deref(),
        file_name: bytes.file_name.as_deref(),
        password: None,
        cancelled: Some(cancelled),
    };
    let read = reader.read(&bytes.bytes, &hint, &ExtractLimits::default());
    read.map_err(|error| RecordedFailure::once(FailureCategory::Parsing, error))
}
