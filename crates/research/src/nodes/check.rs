//! Checks every sentence of a draft against the stored text of the sources it cites, and mends what fails.
//!
//! A claim that its source does not bear out gets a source that does, or a mark, or goes. A citation of a source that
//! does not exist never stays. What is left is checked once more: that second verdict is what the report shows.

mod mend;

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_evidence::citation::{self, Checked, SourceText, Sources, Support, check_text};
use fathom_evidence::claim::{Claim, Stated};
use fathom_evidence::{Document, Language};
use fathom_workflow::{NodeError, NodeResult};
use tokio::task::spawn_blocking;

use super::{Notes, language};
use crate::citations::{CheckedClaim, CitationCheck, Proof};
use crate::draft::{Draft, Place};
use crate::reasoner::Ctx;
use crate::source::{Source, SourceId};
use crate::state::{Change, State};

pub(crate) async fn check(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let draft = state.draft.as_deref();
    let draft = draft.ok_or_else(|| NodeError::new("there is no draft to check"))?;
    let (draft, check) = checked(state, ctx, draft.clone()).await?;
    for change in &check.changes {
        ctx.log(
            fathom_workflow::event::Level::Info,
            format!("{:?} “{}”: {}", change.done, change.claim, change.why),
        );
    }
    Ok(Notes::new().update(Change::Checked {
        draft: Arc::new(draft),
        check: Arc::new(check),
    }))
}

/// The draft with what failed mended, and the verdicts on what is left.
pub(crate) async fn checked(
    state: &State,
    ctx: &Ctx,
    draft: Draft,
) -> Result<(Draft, CitationCheck), NodeError> {
    let opened = ctx.deps().shelf.open_all(ctx, state).await?;
    let texts: Texts = opened
        .into_iter()
        .map(|(id, document)| (id.0, document))
        .collect();
    let language = language(state);
    let sources = state.sources.clone();
    Ok(spawn_blocking(move || all(draft, &sources, &texts, language)).await?)
}

/// A source's stored text, by its number.
type Texts = BTreeMap<u32, Arc<Document>>;

fn all(
    mut draft: Draft,
    known: &[Arc<Source>],
    texts: &Texts,
    language: Language,
) -> (Draft, CitationCheck) {
    let sources: Sources<'_> = texts
        .iter()
        .map(|(id, document)| (*id, SourceText::new(&document.text, document.language())))
        .collect();
    let settings = citation::Settings::default();
    let mut changes = Vec::new();
    let places: Vec<Place> = draft.texts().map(|(place, _)| place).collect();
    let mut claims = Vec::new();
    for place in &places {
        let Some(text) = draft.text_mut(place) else {
            continue;
        };
        let found = check_text(text, language, &sources, &settings);
        *text = mend::mended(text, place, &found, &sources, &mut changes);
        let found = check_text(text, language, &sources, &settings);
        let facts = found
            .into_iter()
            .filter(|(claim, _)| claim.stated == Stated::Fact);
        claims.extend(facts.map(|(claim, checked)| record(place, claim, checked, known, texts)));
    }
    (draft, CitationCheck { claims, changes })
}

fn record(
    place: &Place,
    claim: Claim,
    checked: Checked,
    known: &[Arc<Source>],
    texts: &Texts,
) -> CheckedClaim {
    let by = match &checked.support {
        Support::Supported { by } | Support::Contradicted { by } => by.as_slice(),
        Support::NotSupported | Support::NotChecked { .. } => &[],
    };
    let quoted = checked
        .quotes
        .iter()
        .map(|quote| (quote.source, quote.span));
    let mut places: Vec<_> = quoted
        .chain(by.iter().map(|by| (by.source, by.span)))
        .collect();
    places.sort_unstable_by_key(|(source, span)| (*source, span.start, span.end));
    places.dedup();
    let proof = |(source, span): (u32, fathom_evidence::Span)| {
        let known = known.get((source as usize).checked_sub(1)?)?;
        Some(Proof {
            source: SourceId(source),
            snapshot: known.snapshot.as_ref()?.text,
            span,
            quote: texts.get(&source)?.at(span)?.to_owned(),
        })
    };
    let mut cites: Vec<SourceId> = claim
        .citations
        .iter()
        .map(|cited| SourceId(cited.id))
        .collect();
    cites.sort_unstable();
    cites.dedup();
    CheckedClaim {
        place: place.clone(),
        text: claim.text,
        cites,
        support: checked.support,
        reasons: checked.reasons,
        proofs: places.into_iter().filter_map(proof).collect(),
    }
}
