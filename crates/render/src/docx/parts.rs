//! The parts of a document that code writes: its head, disagreements, what is not known, the method, references, proofs.

use super::body::{BULLETS, DocxBody, ListPosition, ParagraphStyle, RunFormat};
use super::prose::{self, bookmark, cite, sentence};
use crate::figures::{self, figures};
use crate::notes::{judged, notes, short_hash, verdict};
use crate::outline;
use crate::references::{self, ReferencePiece};
use crate::report::claim::{ReportClaim, SourceQuote};
use crate::report::{Answered, ReportAnswer};
use crate::{Report, clean};

const PLAIN: RunFormat = RunFormat::PLAIN;
const STRONG: RunFormat = RunFormat::STRONG;
const SLANTED: RunFormat = RunFormat::SLANTED;

/// What a reader must see first: that a report is partial, the line of figures, the answer, what to keep in mind.
pub(super) fn head(body: &mut DocxBody<'_>, report: &Report) {
    let phrases = report.phrases();
    if let Some(reason) = outline::partial_reason(report) {
        body.open(ParagraphStyle::Warning, ListPosition::Free);
        body.run(&format!("{} ", phrases.partial_note), STRONG);
        sentence(body, &reason, PLAIN);
        body.close();
    }
    body.open(ParagraphStyle::Text, ListPosition::Free);
    body.run(&figures::line(report), SLANTED);
    body.close();
    if let Some(given) = &report.answer {
        answer(body, report, given);
    }
    if !report.caveats.is_empty() {
        body.plain(ParagraphStyle::Lead, phrases.before_relying);
        for caveat in &report.caveats {
            item(body, BULLETS, |body| sentence(body, caveat, PLAIN));
        }
    }
}

/// The answer, whether it is one, and who says so. Where it is none, that comes first.
fn answer(body: &mut DocxBody<'_>, report: &Report, answer: &ReportAnswer) {
    let phrases = report.phrases();
    if answer.answered != Answered::No {
        prose::write(body, &answer.text);
    }
    body.open(ParagraphStyle::Text, ListPosition::Free);
    body.run(&format!("{} ", phrases.verdict(answer.answered)), STRONG);
    sentence(body, &clean::sentence(&answer.reason), PLAIN);
    if let Some(evidence) = phrases.evidence(answer.agree, answer.dispute) {
        body.run(&format!(" {evidence}"), PLAIN);
    }
    body.close();
    if answer.answered == Answered::No {
        prose::write(body, &answer.text);
    }
}

pub(super) fn disagreements(body: &mut DocxBody<'_>, report: &Report) {
    for pair in outline::disagreements(report) {
        body.open(ParagraphStyle::Lead, ListPosition::Free);
        sentence(body, &pair.about, PLAIN);
        body.close();
        for side in &pair.sides {
            quoted(body, report, side);
        }
        body.open(ParagraphStyle::Text, ListPosition::Free);
        match &pair.weighed {
            Some(weighed) => sentence(body, weighed, PLAIN),
            None => body.run(report.phrases().neither_side, PLAIN),
        }
        body.close();
    }
}

fn quoted(body: &mut DocxBody<'_>, report: &Report, side: &SourceQuote) {
    item(body, BULLETS, |body| {
        body.run(&format!("“{}” [", clean::line(&side.quote)), PLAIN);
        cite(body, side.source.0, PLAIN);
        let name = report
            .source(side.source)
            .map_or("", |source| source.name());
        body.run(&format!("] ({})", clean::name(name)), PLAIN);
    });
}

pub(super) fn unknown(body: &mut DocxBody<'_>, report: &Report) {
    for gap in &report.gaps {
        item(body, BULLETS, |body| {
            sentence(body, &gap.missing, PLAIN);
            if let Some(sub) = outline::unnamed_sub_question(report, gap) {
                let (number, sub) = (gap.sub_question, clean::line(sub));
                body.run(&format!(" (sub-question {number}: {sub})"), PLAIN);
            }
            if let Some(query) = outline::next_query(report, gap) {
                let search_next = report.phrases().search_next;
                body.run(&format!(" {search_next} “{query}”."), PLAIN);
            }
        });
    }
}

pub(super) fn method(body: &mut DocxBody<'_>, report: &Report) {
    for group in figures(report) {
        item(body, BULLETS, |body| {
            for (at, figure) in group.iter().enumerate() {
                let joint = if at > 0 { " · " } else { "" };
                body.run(&format!("{joint}{}: ", figure.label), STRONG);
                body.run(&figure.value, PLAIN);
                if let Some(detail) = &figure.detail {
                    body.run(&format!(" ({detail})"), PLAIN);
                }
            }
        });
    }
    for note in notes(report) {
        body.plain(ParagraphStyle::Lead, note.label);
        let list = if note.numbered {
            body.numbered(1)
        } else {
            BULLETS
        };
        for entry in &note.entries {
            item(body, list, |body| body.run(entry, PLAIN));
        }
    }
}

pub(super) fn references(body: &mut DocxBody<'_>, report: &Report) {
    let list = body.numbered(1);
    for reference in references::references(report) {
        item(body, list, |body| {
            body.bookmark(&bookmark(reference.source.0));
            for piece in &reference.pieces {
                match piece {
                    ReferencePiece::Text(words) => body.run(words, PLAIN),
                    ReferencePiece::Italic(words) => body.run(words, SLANTED),
                    ReferencePiece::Strong(words) => body.run(words, STRONG),
                    ReferencePiece::Link { to, shown } => body.link(to, shown, PLAIN),
                }
            }
        });
    }
}

pub(super) fn proofs(body: &mut DocxBody<'_>, report: &Report) {
    body.plain(
        ParagraphStyle::Text,
        "Each claim with the words it rests on, the source's number, the hash of the stored text, and the bytes where \
         the words stand in it.",
    );
    let list = body.numbered(1);
    for claim in &report.claims {
        item(body, list, |body| proof_of(body, claim));
    }
}

fn proof_of(body: &mut DocxBody<'_>, claim: &ReportClaim) {
    body.run(&clean::line(&claim.text), PLAIN);
    body.run(&format!(" — {}", verdict(claim)), SLANTED);
    if let Some(judged) = judged(claim) {
        body.run(&format!(", {judged}"), SLANTED);
    }
    for proof in &claim.proofs {
        body.line_break();
        body.run(&format!("“{}” [", clean::line(&proof.quote)), PLAIN);
        cite(body, proof.source.0, PLAIN);
        let hash = short_hash(proof);
        let (start, end) = (proof.start, proof.end);
        body.run(&format!("] {hash} {start}–{end}"), PLAIN);
    }
}

fn item(body: &mut DocxBody<'_>, list: usize, write: impl FnOnce(&mut DocxBody<'_>)) {
    body.open(
        ParagraphStyle::Text,
        ListPosition::Marked {
            list,
            depth: 0,
            quoted: false,
        },
    );
    write(body);
    body.close();
}
