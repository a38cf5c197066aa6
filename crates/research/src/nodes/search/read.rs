//! Reads sources: fetches the document, takes its text out, and stores that as a snapshot.

use std::sync::Arc;

use fathom_evidence::Document;
use fathom_evidence::document::About;
use fathom_evidence::extract::{self, Hint};
use fathom_workflow::{NodeError, fan_out};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::merge::quality;
use crate::budget;
use crate::nodes::Notes;
use crate::plan::Kind;
use crate::reasoner::Ctx;
use crate::source::{Snapshot, Source};
use crate::state::State;

/// Reads those that were not read yet, as far as the budget allows.
pub(super) async fn all(
    state: &State,
    ctx: &Ctx,
    sources: Vec<Source>,
    notes: &mut Notes,
) -> Result<Vec<Arc<Source>>, NodeError> {
    let allowed = budget::left(state.settings.caps.fetches, ctx.spent(budget::FETCHES));
    let mut begun = 0;
    let planned = sources.into_iter().map(|source| {
        let wanted = source.snapshot.is_none() && source.unread.is_none() && begun < allowed;
        begun += usize::from(wanted);
        (source, wanted)
    });
    let planned: Vec<(Source, bool)> = planned.collect();
    let at_once = state.settings.max_concurrency;
    let read = fan_out(planned, at_once, |(source, wanted)| async move {
        match wanted {
            true => one(state, ctx, source).await,
            false => Ok(source),
        }
    });
    let mut sources = Vec::new();
    for source in read.await {
        let source = source?;
        if let Some(why) = &source.unread {
            notes.error(
                ctx,
                "source",
                format!("{} was not read: {why}", source.name()),
            );
        }
        sources.push(Arc::new(source));
    }
    Ok(sources)
}

/// What is recorded of reading a document.
#[derive(Serialize, Deserialize)]
struct Taken {
    snapshot: Snapshot,
    about: About,
}

async fn one(state: &State, ctx: &Ctx, mut source: Source) -> Result<Source, NodeError> {
    let key = format!("read/{}", source.id.0);
    let (kind, location) = (source.kind, source.location.clone());
    let taken: Result<Taken, String> = ctx
        .effect(key, |call| async move {
            call.spend(budget::FETCHES, 1);
            let taken = take(ctx, kind, &location).await;
            if taken.is_err() {
                call.spend(budget::FETCHES_FAILED, 1);
            }
            taken
        })
        .await?;
    match taken {
        Ok(taken) => {
            source.about.learn(&taken.about);
            source.snapshot = Some(taken.snapshot);
        }
        Err(why) => source.unread = Some(why),
    }
    source.quality = quality(&source, state.question.asked_on);
    Ok(source)
}

async fn take(ctx: &Ctx, kind: Kind, location: &str) -> Result<Taken, String> {
    let bytes = match kind {
        Kind::Local => match &ctx.deps().library {
            Some(library) => library
                .read(location)
                .await
                .map_err(|fault| fault.to_string())?,
            None => return Err("no library is set up".to_owned()),
        },
        Kind::Web | Kind::Academic | Kind::News | Kind::Code => {
            return Err("no page reader is set up".to_owned());
        }
    };
    let name = location.to_owned();
    let document = spawn_blocking(move || text_of(&bytes, &name)).await;
    let document = document.map_err(|_| "reading it failed".to_owned())??;
    let about = document.about.clone();
    let snapshot = ctx.deps().shelf.keep(ctx, document, ctx.now());
    let snapshot = snapshot.map_err(|_| "its text could not be stored".to_owned())?;
    Ok(Taken { snapshot, about })
}

fn text_of(bytes: &[u8], name: &str) -> Result<Document, String> {
    let hint = Hint {
        file_name: Some(name),
        ..Hint::default()
    };
    extract::read(bytes, &hint).map_err(|error| error.to_string())
}
