//! What stands behind the text: how it was made, the references, the proofs.

use super::escape::{append, text};
use super::{MarkdownPage, cite};
use crate::figures::figures;
use crate::notes::{judged, notes, short_hash, verdict};
use crate::references::{self, ReferencePiece};
use crate::report::claim::{ReportClaim, SourceQuote};
use crate::{Report, clean};

/// The full words stand in the HTML and the JSON.
const CLAIM_MAX_CHARS: usize = 120;
const QUOTE_MAX_CHARS: usize = 200;

pub(super) fn method(page: &mut MarkdownPage, report: &Report) {
    page.list(figures(report).iter().map(|group| {
        let shown = group.iter().map(|figure| {
            let detail = figure.detail.as_ref();
            let detail = detail.map_or_else(String::new, |detail| format!(" ({})", text(detail)));
            format!("**{}:** {}{detail}", figure.label, text(&figure.value))
        });
        shown.collect::<Vec<_>>().join(" · ")
    }));
    for note in notes(report) {
        page.block(&format!("**{}**", note.label));
        let entries = note.entries.iter().map(|entry| text(entry));
        if note.numbered {
            page.numbered(entries);
        } else {
            page.list(entries);
        }
    }
}

pub(super) fn references(page: &mut MarkdownPage, report: &Report) {
    let lines = references::references(report).into_iter().map(|reference| {
        let mut line = String::new();
        for piece in &reference.pieces {
            match piece {
                ReferencePiece::Text(words) => append(&mut line, &text(words)),
                ReferencePiece::Italic(words) => append(&mut line, &format!("*{}*", text(words))),
                ReferencePiece::Strong(words) => append(&mut line, &format!("**{}**", text(words))),
                ReferencePiece::Link { to, shown } if to == shown => {
                    append(&mut line, &format!("<{to}>"))
                }
                ReferencePiece::Link { to, shown } => {
                    append(&mut line, &format!("[{}](<{to}>)", text(shown)));
                }
            }
        }
        line
    });
    page.numbered(lines);
}

pub(super) fn proofs(page: &mut MarkdownPage, report: &Report) {
    page.block(
        "Each claim with the words it rests on, the source's number, the hash of the stored text, and the bytes where \
         the words stand in it.",
    );
    page.numbered(report.claims.iter().map(|claim| proof_of(report, claim)));
}

fn proof_of(report: &Report, claim: &ReportClaim) -> String {
    let words = text(&clean::cut(&claim.text, CLAIM_MAX_CHARS));
    let proofs = claim.proofs.iter().map(|proof| stands(report, proof));
    let proofs: Vec<String> = proofs.collect();
    let verdict = match judged(claim) {
        Some(judged) => format!("{}, {judged}", verdict(claim)),
        None => verdict(claim).to_owned(),
    };
    if proofs.is_empty() {
        format!("{words} — *{verdict}*")
    } else {
        format!("{words} — *{verdict}*: {}", proofs.join("; "))
    }
}

fn stands(report: &Report, proof: &SourceQuote) -> String {
    format!(
        "“{}” {} `{}` {}–{}",
        text(&clean::cut(&proof.quote, QUOTE_MAX_CHARS)),
        cite(report, proof.source.0),
        short_hash(proof),
        proof.start,
        proof.end,
    )
}
