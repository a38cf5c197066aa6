//! The parts of a report that code writes, as prose that every form can set.

use super::clean;
use super::figures::figures as key_figures;
use super::notes::{judged, notes as method_notes, short_hash, verdict as claim_verdict};
use super::outline;
use super::prose::{ProseBlock, ProseInline, cited, parse};
use super::references::{Reference, ReferencePiece};
use crate::Report;
use crate::report::claim::{ReportClaim, SourceQuote};
use crate::report::{Answered, OpenQuestion, ReportAnswer};

/// What stands behind a model's words that nobody could confirm, where the words around it are plain.
const MARK: &str = "*(not confirmed)*";

/// That a report is partial, and why; nothing for a full one.
pub(super) fn partial_note(report: &Report) -> Option<Vec<ProseInline>> {
    let reason = outline::partial_reason(report)?;
    Some(labelled(report.phrases().partial_note, sentence(&reason)))
}

/// The answer, whether it is one, and who says so. Where it is none, that comes first.
pub(super) fn answer(report: &Report) -> Vec<ProseBlock> {
    let Some(answer) = &report.answer else {
        return Vec::new();
    };
    let mut text = parse(&answer.text);
    let mut said = vec![ProseBlock::Paragraph(verdict(report, answer))];
    let evidence = report.phrases().evidence(answer.agree, answer.dispute);
    said.extend(evidence.map(|line| paragraph(&line)));
    match answer.answered {
        Answered::No => said.extend(text),
        Answered::Yes | Answered::Partly => {
            text.extend(said);
            said = text;
        }
    }
    said
}

/// Whether the question is answered, and why.
pub(super) fn verdict(report: &Report, answer: &ReportAnswer) -> Vec<ProseInline> {
    let reason = clean::sentence(&answer.reason);
    labelled(report.phrases().verdict(answer.answered), sentence(&reason))
}

/// What to keep in mind.
pub(super) fn caveats(report: &Report) -> Vec<ProseBlock> {
    if report.caveats.is_empty() {
        return Vec::new();
    }
    let caveats = report.caveats.iter().map(|caveat| sentence(caveat));
    vec![
        lead(report.phrases().before_relying),
        list(None, caveats.collect()),
    ]
}

/// Both sides of each contradiction that the text does not quote itself.
pub(super) fn disagreements(report: &Report) -> Vec<ProseBlock> {
    let mut blocks = Vec::new();
    for pair in outline::disagreements(report) {
        let phrases = report.phrases();
        let about = match pair.about.trim() {
            "" => phrases.disagreements,
            about => about,
        };
        blocks.push(ProseBlock::Lead(sentence(about)));
        let sides = pair.sides.iter().chain(&pair.explained);
        let sides = sides.map(|side| quoted(report, side));
        blocks.push(list(None, sides.collect()));
        let weighed = pair.weighed.as_deref().unwrap_or(phrases.neither_side);
        blocks.push(ProseBlock::Paragraph(sentence(weighed)));
    }
    blocks
}

fn quoted(report: &Report, side: &SourceQuote) -> Vec<ProseInline> {
    let quote = format!("“{}” ", clean::line(&side.quote));
    let mut words = vec![text(&quote), ProseInline::Cite(vec![side.source.0])];
    let name = report.source(side.source).map(|source| source.name());
    words.extend(name.map(|name| text(&format!(" ({})", clean::name(name)))));
    words
}

/// What nothing answers, and what to search for next.
pub(super) fn unknown(report: &Report) -> Vec<ProseBlock> {
    let gaps = report.gaps.iter().map(|gap| one_unknown(report, gap));
    vec![list(None, gaps.collect())]
}

fn one_unknown(report: &Report, gap: &OpenQuestion) -> Vec<ProseInline> {
    let mut words = sentence(&gap.missing);
    if let Some(sub) = outline::unnamed_sub_question(report, gap) {
        words.push(text(&format!(" ({})", clean::line(sub))));
    }
    if let Some(query) = outline::next_query(report, gap) {
        let search_next = report.phrases().search_next;
        words.push(text(&format!(" {search_next} “{query}”.")));
    }
    words
}

/// All figures, a line for each group of them.
pub(super) fn figures(report: &Report) -> ProseBlock {
    let groups = key_figures(report).into_iter().map(|group| {
        let mut words = Vec::new();
        for (at, figure) in group.into_iter().enumerate() {
            let joint = if at > 0 { " · " } else { "" };
            let detail = figure.detail.map(|detail| format!(" ({detail})"));
            let value = format!("{}{}", figure.value, detail.unwrap_or_default());
            words.push(text(joint));
            words.extend(labelled(&format!("{}:", figure.label), vec![text(&value)]));
        }
        words
    });
    list(None, groups.collect())
}

/// How the report came about.
pub(super) fn notes(report: &Report) -> Vec<ProseBlock> {
    let mut blocks = Vec::new();
    for note in method_notes(report) {
        blocks.push(lead(note.label));
        let entries = note.entries.iter();
        let entries = entries.map(|entry| marked(entry, |words| vec![text(words)]));
        blocks.push(list(note.numbered.then_some(1), entries.collect()));
    }
    blocks
}

/// A reference as it stands in the list.
pub(super) fn reference(reference: &Reference) -> Vec<ProseInline> {
    let pieces = reference.pieces.iter().map(|piece| match piece {
        ReferencePiece::Text(words) => text(words),
        ReferencePiece::Italic(words) => ProseInline::Emphasis(vec![text(words)]),
        ReferencePiece::Strong(words) => ProseInline::Strong(vec![text(words)]),
        ReferencePiece::Link { to, shown } => ProseInline::Link {
            to: to.clone(),
            text: vec![text(shown)],
        },
    });
    pieces.collect()
}

/// Each claim with the words that it rests on.
pub(super) fn proofs(report: &Report) -> Vec<ProseBlock> {
    let claims = report.claims.iter().map(proof_of);
    vec![
        paragraph(
            "Each claim with the words it rests on, the source's number, the hash of the stored text, and the bytes where \
             the words stand in it.",
        ),
        list(Some(1), claims.collect()),
    ]
}

fn proof_of(claim: &ReportClaim) -> Vec<ProseInline> {
    let verdict = match judged(claim) {
        Some(judged) => format!("{}, {judged}", claim_verdict(claim)),
        None => claim_verdict(claim).to_owned(),
    };
    let mut words = vec![
        text(&format!("{} — ", clean::line(&claim.text))),
        ProseInline::Emphasis(vec![text(&verdict)]),
    ];
    for (at, proof) in claim.proofs.iter().enumerate() {
        let joint = if at == 0 { ": " } else { "; " };
        words.push(text(&format!("{joint}“{}” ", clean::line(&proof.quote))));
        words.push(ProseInline::Cite(vec![proof.source.0]));
        words.push(text(" "));
        words.push(ProseInline::Code(short_hash(proof)));
        words.push(text(&format!(" {}–{}", proof.start, proof.end)));
        if proof.relaxed {
            words.push(text(", accepted under relaxed rules"));
        }
    }
    words
}

/// A plain sentence, which may cite sources and bear the mark of what nobody could confirm.
fn sentence(plain: &str) -> Vec<ProseInline> {
    marked(&clean::line(plain), |words| cited(words.to_owned()))
}

/// Plain words, with their marks set apart.
fn marked(line: &str, set: impl Fn(&str) -> Vec<ProseInline>) -> Vec<ProseInline> {
    let mut words = Vec::new();
    for (at, part) in line.split(MARK).enumerate() {
        if at > 0 {
            words.push(ProseInline::Emphasis(vec![text(MARK.trim_matches('*'))]));
        }
        if !part.is_empty() {
            words.extend(set(part));
        }
    }
    words
}

fn labelled(label: &str, mut words: Vec<ProseInline>) -> Vec<ProseInline> {
    words.splice(0..0, [ProseInline::Strong(vec![text(label)]), text(" ")]);
    words
}

fn list(first: Option<u64>, items: Vec<Vec<ProseInline>>) -> ProseBlock {
    let items = items
        .into_iter()
        .map(|words| vec![ProseBlock::Paragraph(words)]);
    ProseBlock::List {
        first,
        items: items.collect(),
    }
}

fn lead(words: &str) -> ProseBlock {
    ProseBlock::Lead(vec![text(words)])
}

fn paragraph(words: &str) -> ProseBlock {
    ProseBlock::Paragraph(vec![text(words)])
}

fn text(words: &str) -> ProseInline {
    ProseInline::Text(words.to_owned())
}
