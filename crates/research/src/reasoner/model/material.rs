//! What a model is shown of the evidence, and what is left out when that is too long.

use std::collections::BTreeSet;

use serde::Serialize;

use super::prompt::plain;
use crate::analysis::{Contradiction, Evidence};
use crate::plan::SubQuestionId;
use crate::source::{Source, SourceId};

/// Characters of a quote that are shown, and after the second cut.
const QUOTE_CHARS: usize = 1_200;
const QUOTE_CHARS_CUT: usize = 500;

/// Sources that are left after the first cut.
const SOURCES_LEFT: usize = 10;

/// Of the evidence for each sub-question, after the third cut.
const PIECES_LEFT: usize = 2;

/// A piece of evidence as it is shown.
#[derive(Serialize)]
pub(super) struct ShownEvidence {
    /// Its place in the whole list of evidence, from 1.
    pub(super) number: usize,
    pub(super) answers: u32,
    pub(super) source: u32,
    pub(super) quote: String,
}

#[derive(Serialize)]
pub(super) struct ShownSource {
    pub(super) id: u32,
    pub(super) about: String,
}

#[derive(Serialize)]
pub(super) struct Pair {
    left_source: u32,
    left: String,
    right_source: u32,
    right: String,
    weighed: Option<String>,
}

/// The evidence that bears on these sub-questions: first all of it, then the ten best sources, then shorter quotes,
/// then fewer.
pub(super) fn pieces(
    evidence: &[Evidence],
    sources: &[std::sync::Arc<Source>],
    answers: Option<&[SubQuestionId]>,
    cuts: u8,
) -> Vec<ShownEvidence> {
    let best = best(sources);
    let chars = if cuts >= 2 {
        QUOTE_CHARS_CUT
    } else {
        QUOTE_CHARS
    };
    let mut counts = std::collections::BTreeMap::new();
    let mut pieces = Vec::new();
    for (piece, number) in evidence.iter().zip(1..) {
        let wanted = answers.is_none_or(|answers| answers.contains(&piece.answers));
        if !wanted || (cuts >= 1 && !best.contains(&piece.source)) {
            continue;
        }
        let count: &mut usize = counts.entry(piece.answers).or_default();
        *count += 1;
        if cuts >= 3 && *count > PIECES_LEFT {
            continue;
        }
        pieces.push(ShownEvidence {
            number,
            answers: piece.answers.0 + 1,
            source: piece.source.0,
            quote: plain(&piece.quote, chars),
        });
    }
    pieces
}

fn best(sources: &[std::sync::Arc<Source>]) -> BTreeSet<SourceId> {
    let mut all: Vec<&Source> = sources.iter().map(|source| &**source).collect();
    all.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.id.cmp(&b.id)));
    all.iter()
        .take(SOURCES_LEFT)
        .map(|source| source.id)
        .collect()
}

/// The sources behind the pieces, each in a line.
pub(super) fn sources(
    pieces: &[ShownEvidence],
    sources: &[std::sync::Arc<Source>],
) -> Vec<ShownSource> {
    let used: BTreeSet<u32> = pieces.iter().map(|piece| piece.source).collect();
    let line = |source: &Source| {
        let year = source.about.published.as_deref().unwrap_or("no date");
        let retracted = if source.about.retracted {
            ", retracted"
        } else {
            ""
        };
        format!("{} ({year}{retracted})", plain(source.name(), 200))
    };
    sources
        .iter()
        .filter(|source| used.contains(&source.id.0))
        .map(|source| ShownSource {
            id: source.id.0,
            about: line(source),
        })
        .collect()
}

/// What one of the two documents says on the difference.
fn explained(pair: &Contradiction) -> Option<String> {
    let side = pair.explained.as_ref()?;
    let quote = plain(&side.quote, QUOTE_CHARS_CUT);
    Some(format!("[{}] says: “{quote}”", side.source.0))
}

pub(super) fn pairs<'a>(contradictions: impl Iterator<Item = &'a Contradiction>) -> Vec<Pair> {
    contradictions
        .map(|pair| Pair {
            left_source: pair.left.source.0,
            left: plain(&pair.left.quote, QUOTE_CHARS_CUT),
            right_source: pair.right.source.0,
            right: plain(&pair.right.quote, QUOTE_CHARS_CUT),
            weighed: pair.weighed.clone().or_else(|| explained(pair)),
        })
        .collect()
}
