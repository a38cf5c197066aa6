//! The nodes of the workflow, one verb a file. Each reads the state and gives an update.

pub(super) mod aggregate;
pub(super) mod domain;
pub(super) mod locate;
pub(super) mod preprocess;
pub(super) mod review;
pub(super) mod validate;

use std::sync::Arc;

use fathom_evidence::Document;
use fathom_workflow::NodeError;

use super::article::Article;
use super::state::{DocumentRole, State};
use crate::reasoner::Ctx;

/// A document of the run with its sentences.
pub(super) struct OpenDocument {
    pub(super) role: DocumentRole,
    pub(super) document: Arc<Document>,
    pub(super) article: Article,
}

/// The report and, where one was given, the protocol.
pub(super) struct OpenDocuments {
    pub(super) article: OpenDocument,
    pub(super) protocol: Option<OpenDocument>,
}

impl OpenDocuments {
    /// Opens what was stored.
    pub(super) async fn open(state: &State, ctx: &Ctx) -> Result<Self, NodeError> {
        let article = open(state, ctx, DocumentRole::Article).await?;
        let article = article.ok_or_else(|| NodeError::new("there is no report to appraise"))?;
        let protocol = open(state, ctx, DocumentRole::Protocol).await?;
        Ok(Self { article, protocol })
    }

    /// All of them, the report first.
    pub(super) fn all(&self) -> impl Iterator<Item = &OpenDocument> {
        [&self.article].into_iter().chain(&self.protocol)
    }

    /// The one of this role.
    pub(super) fn get(&self, role: DocumentRole) -> Option<&OpenDocument> {
        self.all().find(|one| one.role == role)
    }
}

async fn open(
    state: &State,
    ctx: &Ctx,
    role: DocumentRole,
) -> Result<Option<OpenDocument>, NodeError> {
    let Some(stored) = state.document(role) else {
        return Ok(None);
    };
    let document = ctx.deps().documents.open(ctx, &stored.snapshot).await?;
    let span = stored.span;
    let opened = tokio::task::spawn_blocking(move || {
        let article = Article::new(&document, span);
        OpenDocument {
            role,
            document,
            article,
        }
    });
    Ok(Some(opened.await?))
}
