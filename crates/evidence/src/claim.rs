//! Claims: what a text states, sentence by sentence, and what it cites for it.
//!
//! Takes prose in Markdown; gives each sentence with its exact place, its citations, the phrases it
//! quotes, and whether it states something that a source must bear out. Whether a source does is
//! for [`crate::citation`].

pub(crate) mod align;
mod block;
mod cite;
mod factual;
pub(crate) mod lexicon;
pub(crate) mod name;
pub(crate) mod number;
pub(crate) mod oppose;
mod quoted;
pub(crate) mod reading;

use serde::{Deserialize, Serialize};

use crate::{Language, Span, sentences};

pub use crate::date::StatedDate;
pub use block::BlockKind;
pub(crate) use block::blocks;
pub use cite::{Bracket, citations};
pub use factual::{NotFactual, Stated};
pub use number::StatedNumber;
pub use oppose::{Opposite, Opposition};
pub use quoted::quoted;
pub(crate) use quoted::quotes_of;

/// One sentence of a text. Spans refer to the text as given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// From its first to its last word, citations behind it not included.
    pub span: Span,
    /// Its words without markup and citations.
    pub text: String,
    /// What kind of block it stands in.
    pub place: BlockKind,
    /// What it cites, in order, with what it inherits from the sentence that leads in to its list.
    pub citations: Vec<Citation>,
    /// The phrases it puts in quotation marks; all of it where it is a quote set apart.
    pub quotes: Vec<String>,
    /// Whether it states something that a source must bear out.
    pub stated: Stated,
}

impl Claim {
    /// A claim that stands by itself, with the ids it cites.
    pub fn alone(text: &str, ids: &[u32]) -> Self {
        let whole = Span::new(0, text.len());
        let cite = |id: &u32| Citation {
            id: *id,
            span: Span::new(text.len(), text.len()),
        };
        Self {
            span: whole,
            text: text.to_owned(),
            place: BlockKind::Prose,
            citations: ids.iter().map(cite).collect(),
            quotes: quoted(text),
            stated: factual::stated(text, BlockKind::Prose),
        }
    }
}

/// A source's number, where it is cited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The number of the source.
    pub id: u32,
    /// Where the number stands; for a claim by itself, its end.
    pub span: Span,
}

/// The sentences of a Markdown text, in order. Code is left out, and so is the list of sources.
pub fn claims(text: &str, language: Language) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut among_references = false;
    let mut lead_in: Vec<Citation> = Vec::new();
    for block in blocks(text) {
        if block.place == BlockKind::Heading {
            among_references = factual::lists_sources(&block.words);
        }
        if among_references {
            continue;
        }
        let first = found.len();
        in_block(&block, text, language, &mut found);
        let own = found.get_mut(first..).unwrap_or_default();
        if block.place == BlockKind::ListItem {
            inherit(own, &lead_in);
        } else {
            lead_in = leading(own);
        }
    }
    found
}

/// What the last sentence before a list cites, when it leads in to the list.
fn leading(claims: &[Claim]) -> Vec<Citation> {
    let last = claims
        .last()
        .filter(|claim| claim.text.trim_end().ends_with(':'));
    last.map_or_else(Vec::new, |claim| claim.citations.clone())
}

/// An item without a citation rests on that of the sentence which leads in to its list.
fn inherit(item: &mut [Claim], lead_in: &[Citation]) {
    if item.iter().all(|claim| claim.citations.is_empty()) {
        item.iter_mut()
            .for_each(|claim| claim.citations = lead_in.to_vec());
    }
}

fn in_block(block: &block::MarkdownBlock, text: &str, language: Language, found: &mut Vec<Claim>) {
    let brackets = cite::citations(&block.words);
    let cut: Vec<Span> = brackets.iter().map(|bracket| bracket.span).collect();
    let plain = block.without(&cut);
    let first = found.len();
    let whole = [Span::new(0, plain.words.len()).trimmed(&plain.words)];
    let spans = match block.place {
        BlockKind::Table | BlockKind::Heading => whole.to_vec(),
        BlockKind::Prose | BlockKind::ListItem | BlockKind::Quote => {
            sentences(&plain.words, language)
        }
    };
    for span in &spans {
        let words = span.of(&plain.words).unwrap_or_default();
        let quotes = if block.place == BlockKind::Quote {
            vec![words.to_owned()]
        } else {
            quoted(words)
        };
        found.push(Claim {
            span: plain.origin(*span, text),
            text: words.to_owned(),
            place: block.place,
            citations: Vec::new(),
            quotes,
            stated: factual::stated(words, block.place),
        });
    }
    let own = first..found.len();
    let mut removed = 0;
    for bracket in &brackets {
        let at = bracket.span.start - removed;
        removed += bracket.span.len();
        // Behind a full stop it belongs to the sentence before; at the very start to the first.
        let owner = spans
            .partition_point(|span| span.start < at)
            .saturating_sub(1);
        let span = block.origin(bracket.span, text);
        if let Some(claim) = found.get_mut(first + owner) {
            claim
                .citations
                .extend(bracket.ids.iter().map(|id| Citation { id: *id, span }));
        }
    }
    if block.place == BlockKind::Quote {
        share_citations(found.get_mut(own).unwrap_or_default());
    }
}

/// A quote set apart is cited once, at its end, for all its sentences.
fn share_citations(quote: &mut [Claim]) {
    let cited: Vec<Citation> = quote
        .iter()
        .flat_map(|claim| claim.citations.clone())
        .collect();
    let bare = quote.iter_mut().filter(|claim| claim.citations.is_empty());
    bare.for_each(|claim| claim.citations.clone_from(&cited));
}

#[cfg(test)]
mod tests;
