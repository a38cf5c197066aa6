//! Reads the report, finds the article in it, says whether it can be appraised, and takes the facts out.

use fathom_evidence::{Document, Span};
use fathom_render::appraisal::TrialFact;
use fathom_workflow::{NodeError, NodeResult};

use super::super::article::{Article, articles};
use super::super::state::{ReadReport, State, StoredDocument, Update};
use super::super::{derived, design, facts};
use crate::reasoner::Ctx;
use crate::skills::read::file;

pub(crate) async fn preprocess(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let input = &state.input;
    let read = match file(ctx, "read/article", &input.document).await? {
        Ok(read) => read,
        Err(failure) => {
            let report = ReadReport {
                refused: Some(failure.message),
                ..ReadReport::default()
            };
            return Ok(Update::Read(Box::new(report)));
        }
    };
    let document = ctx.deps().documents.open(ctx, &read.snapshot).await?;
    let outcome = input.outcome.clone();
    let looked = tokio::task::spawn_blocking(move || look(&document, outcome.as_deref()));
    let looked = looked.await?;
    let mut report = ReadReport {
        refused: looked.refused,
        is_plan: looked.is_plan,
        facts: looked.facts,
        notes: looked.notes,
        article: Some(StoredDocument {
            snapshot: read.snapshot,
            about: read.about,
            span: looked.span,
        }),
        protocol: None,
    };
    if let Some(path) = &input.protocol {
        let read = file(ctx, "read/protocol", path).await?.map_err(|failure| {
            NodeError::new(format!("the protocol cannot be read: {}", failure.message))
        })?;
        let document = ctx.deps().documents.open(ctx, &read.snapshot).await?;
        report.protocol = Some(StoredDocument {
            snapshot: read.snapshot,
            about: read.about,
            span: Span::new(0, document.text.len()),
        });
    }
    Ok(Update::Read(Box::new(report)))
}

/// What a first look at a report brings.
struct FirstLook {
    span: Span,
    refused: Option<String>,
    is_plan: bool,
    facts: Vec<TrialFact>,
    notes: Vec<String>,
}

fn look(document: &Document, outcome: Option<&str>) -> FirstLook {
    let spans = articles(document);
    let read = spans
        .into_iter()
        .map(|span| (span, Article::new(document, span)));
    let read: Vec<(Span, Article)> = read.collect();
    let several = read.len();
    let title = document.about.title.as_deref();
    let refusal = |article: &Article| design::refusal(article, title);
    // The first that can be appraised is the one that is meant; where none can, the first says why.
    let able = read
        .iter()
        .position(|(_, article)| refusal(article).is_none());
    let chosen = able.unwrap_or(0);
    let Some((span, article)) = read.into_iter().nth(chosen) else {
        return FirstLook {
            span: Span::default(),
            refused: Some("there is no text in it".to_owned()),
            is_plan: false,
            facts: Vec::new(),
            notes: Vec::new(),
        };
    };
    let mut notes = document.lost.clone();
    if several > 1 {
        let nth = chosen + 1;
        notes.push(format!(
            "The file holds {several} articles; number {nth} was appraised. Split the file to appraise the others."
        ));
    }
    let refusal = refusal(&article);
    let is_plan = refusal.as_ref().is_some_and(|refusal| refusal.is_plan);
    let refused = refusal.map(|refusal| refusal.why);
    let refused = refused.or_else(|| unreported(&article, outcome));
    if refused.is_none() {
        notes.extend(design::variant_note(&article));
        notes.extend(design::missing_parts(&article));
    }
    FirstLook {
        span,
        facts: facts::facts(document, &article),
        refused,
        is_plan,
        notes,
    }
}

fn unreported(article: &Article, outcome: Option<&str>) -> Option<String> {
    let outcome = outcome?;
    let known = derived::reports_outcome(article, outcome);
    (!known).then(|| format!("the report does not speak of the outcome \"{outcome}\""))
}
