//! Whether a quote really stands in its passage, and the passage in its source.

use serde::{Deserialize, Serialize};

use crate::Span;
use crate::quote::{self, SearchedText};

use super::EvidenceCandidate;

/// How closely the words must agree. There is no mode in which a missing quote passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuoteMode {
    /// Letter by letter.
    #[default]
    Exact,
    /// Apart from typography: quotation marks, dashes, blanks, ligatures.
    Normalised,
}

/// What is not where it was said to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotThere {
    /// There is no source of this id.
    #[error("there is no source \"{0}\"")]
    Source(String),
    /// The source has other words at the place given.
    #[error("the passage does not stand in its source at the place given")]
    Passage,
    /// The passage does not have these words.
    #[error("the quote does not stand in its passage: \"{0}\"")]
    Quote(String),
}

/// The place of the quote in the source; nothing when there is no quote to look for.
pub fn exists(
    candidate: &EvidenceCandidate,
    text: Option<&str>,
    mode: QuoteMode,
) -> Result<Option<Span>, NotThere> {
    let text = text.ok_or_else(|| NotThere::Source(candidate.source.clone()))?;
    let settings = quote::QuoteSettings {
        quote_exact: mode == QuoteMode::Exact,
        ..quote::QuoteSettings::default()
    };
    let stored = candidate.span.of(text).ok_or(NotThere::Passage)?;
    let same =
        stored == candidate.passage || quote::find(stored, &candidate.passage, &settings).is_some();
    if !same {
        return Err(NotThere::Passage);
    }
    let Some(quote) = &candidate.verdict.quote else {
        return Ok(None);
    };
    let found = SearchedText::new(stored).find(quote, &settings);
    let found = found.ok_or_else(|| NotThere::Quote(quote.clone()))?;
    Ok(Some(found.span.moved(candidate.span.start)))
}
