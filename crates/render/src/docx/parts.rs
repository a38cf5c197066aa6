//! The parts of a document that code writes: its head, disagreements, what is not known, the method, references, proofs.

use super::body::{BULLETS, Body, Face, Stand, Style};
use super::prose::{bookmark, cite, sentence};
use crate::figures::{GROUPS, figures};
use crate::notes::{judged, notes, short_hash, verdict};
use crate::outline;
use crate::references::{self, ReferencePiece};
use crate::report::ReportStatus;
use crate::report::claim::{ReportClaim, SourceQuote};
use crate::{Report, clean};

const PLAIN: Face = Face::PLAIN;
const STRONG: Face = Face::STRONG;
const SLANTED: Face = Face::SLANTED;

/// What a reader must see first: that a report is partial, its figures, and what to keep in mind.
pub(super) fn head(body: &mut Body, report: &Report) {
    if let ReportStatus::Partial { reason } = &report.status {
        body.open(Style::Warning, Stand::Free);
        body.run("This is a partial report, not a full answer. ", STRONG);
        sentence(body, report, &clean::sentence(reason), PLAIN);
        body.close();
    }
    let figures = figures(report);
    for group in GROUPS {
        item(body, BULLETS, |body| {
            let of_group = figures.iter().filter(|figure| figure.group == group);
            for (at, figure) in of_group.enumerate() {
                let joint = if at > 0 { " · " } else { "" };
                body.run(&format!("{joint}{}: ", figure.label), STRONG);
                body.run(&figure.value, PLAIN);
                if let Some(detail) = &figure.detail {
                    body.run(&format!(" ({detail})"), PLAIN);
                }
            }
        });
    }
    if !report.caveats.is_empty() {
        body.plain(Style::Lead, "Before you rely on it");
        for caveat in &report.caveats {
            item(body, BULLETS, |body| sentence(body, report, caveat, PLAIN));
        }
    }
}

pub(super) fn disagreements(body: &mut Body, report: &Report) {
    for pair in outline::disagreements(report) {
        body.open(Style::Lead, Stand::Free);
        sentence(body, report, &pair.about, PLAIN);
        body.close();
        for side in &pair.sides {
            quoted(body, report, side);
        }
        body.open(Style::Text, Stand::Free);
        match &pair.weighed {
            Some(weighed) => sentence(body, report, weighed, PLAIN),
            None => body.run(
                "Nothing weighs clearly for either side; a person must judge.",
                PLAIN,
            ),
        }
        body.close();
    }
}

fn quoted(body: &mut Body, report: &Report, side: &SourceQuote) {
    item(body, BULLETS, |body| {
        body.run(&format!("“{}” [", clean::line(&side.quote)), PLAIN);
        cite(body, report, side.source.0, PLAIN);
        let name = report
            .source(side.source)
            .map_or("", |source| source.name());
        body.run(&format!("] ({})", clean::name(name)), PLAIN);
    });
}

pub(super) fn unknown(body: &mut Body, report: &Report) {
    for gap in &report.gaps {
        item(body, BULLETS, |body| {
            sentence(body, report, &gap.missing, PLAIN);
            if let Some(sub) = outline::unnamed_sub_question(report, gap) {
                let (number, sub) = (gap.sub_question, clean::line(sub));
                body.run(&format!(" (sub-question {number}: {sub})"), PLAIN);
            }
            if let Some(query) = outline::next_query(report, gap) {
                body.run(&format!(" To search for next: “{query}”."), PLAIN);
            }
        });
    }
}

pub(super) fn method(body: &mut Body, report: &Report) {
    for note in notes(report) {
        body.plain(Style::Lead, note.label);
        let list = match note.numbered {
            true => body.numbered(1),
            false => BULLETS,
        };
        for entry in &note.entries {
            item(body, list, |body| body.run(entry, PLAIN));
        }
    }
}

pub(super) fn references(body: &mut Body, report: &Report) {
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

pub(super) fn proofs(body: &mut Body, report: &Report) {
    body.plain(
        Style::Text,
        "Each claim with the words it rests on, the source's number, the hash of the stored text, and the bytes where \
         the words stand in it.",
    );
    let list = body.numbered(1);
    for claim in &report.claims {
        item(body, list, |body| proof_of(body, report, claim));
    }
}

fn proof_of(body: &mut Body, report: &Report, claim: &ReportClaim) {
    body.run(&clean::line(&claim.text), PLAIN);
    body.run(&format!(" — {}", verdict(claim)), SLANTED);
    if let Some(judged) = judged(claim) {
        body.run(&format!(", {judged}"), SLANTED);
    }
    for proof in &claim.proofs {
        body.line_break();
        body.run(&format!("“{}” [", clean::line(&proof.quote)), PLAIN);
        cite(body, report, proof.source.0, PLAIN);
        let hash = short_hash(proof);
        let (start, end) = (proof.start, proof.end);
        body.run(&format!("] {hash} {start}–{end}"), PLAIN);
    }
}

fn item(body: &mut Body, list: usize, write: impl FnOnce(&mut Body)) {
    body.open(
        Style::Text,
        Stand::Marked {
            list,
            depth: 0,
            quoted: false,
        },
    );
    write(body);
    body.close();
}
