//! Which claim a citation in the prose belongs to.
//!
//! The check kept each claim by its words; here the words are found again in the block that holds the citation, by
//! letters and digits alone, since the prose has markup and the claim has not.

use super::{ProseInline, clean};
use crate::report::claim::ReportClaim;

/// For each citation of a block, in order and id by id, the claim that it stands in or behind.
pub(crate) fn claims_of<'c>(
    inlines: &[ProseInline],
    claims: &[&'c ReportClaim],
) -> Vec<Option<&'c ReportClaim>> {
    let mut words = String::new();
    let mut cites = Vec::new();
    walk(inlines, &mut words, &mut cites);
    if cites.is_empty() {
        return Vec::new();
    }
    let found: Vec<_> = claims
        .iter()
        .filter_map(|claim| {
            let letters = clean::skeleton(&claim.text);
            let start = words.find(&letters).filter(|_| !letters.is_empty())?;
            Some((start..start + letters.len(), *claim))
        })
        .collect();
    let owner = |(id, at): &(u32, usize)| {
        let fits = found.iter().find(|(range, claim)| {
            let cites_it = claim.sources.iter().any(|source| source.0 == *id);
            cites_it && range.start < *at && *at <= range.end
        });
        fits.map(|(_, claim)| *claim)
    };
    cites.iter().map(owner).collect()
}

/// Gathers the letters of a block, and for each citation how many bytes of letters stand before it.
fn walk(inlines: &[ProseInline], words: &mut String, cites: &mut Vec<(u32, usize)>) {
    for inline in inlines {
        match inline {
            ProseInline::Text(text) => words.push_str(&clean::skeleton(text)),
            ProseInline::Strong(inner) | ProseInline::Emphasis(inner) => walk(inner, words, cites),
            ProseInline::Link { text, .. } => walk(text, words, cites),
            ProseInline::Cite(ids) => cites.extend(ids.iter().map(|id| (*id, words.len()))),
            // The check reads code as the name of something, without its letters.
            ProseInline::Code(_) | ProseInline::Break => {}
        }
    }
}
