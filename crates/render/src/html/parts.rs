//! The parts of a page that are folded or led to from elsewhere in it: the method, references and proofs.

use super::prose::ProseWriter;
use super::tag::HtmlPage;
use crate::figures::figures;
use crate::notes::{judged, verdict};
use crate::references::{self, Reference};
use crate::report::claim::{ClaimVerdict, ReportClaim, SourceQuote};
use crate::{CitedSource, Report, SourceId, clean, written};
use fathom_evidence::Language;

/// Words of a source, in the language of the source.
fn blockquote(page: &mut HtmlPage, source: Option<&CitedSource>, quote: &str) {
    let snapshot = source.and_then(|source| source.snapshot.as_ref());
    let language = snapshot.and_then(|snapshot| snapshot.language.parse::<Language>().ok());
    let mut attributes = vec![("dir", "auto")];
    attributes.extend(language.as_ref().map(|language| ("lang", language.code())));
    page.element("blockquote", &attributes, &clean::line(quote));
}

/// The figures in full; how they came about is folded below them.
pub(super) fn method(writer: &mut ProseWriter<'_>, report: &Report) {
    let page = &mut writer.html;
    page.open("dl", &[("class", "figures")]);
    for figure in figures(report).into_iter().flatten() {
        page.open("div", &[]);
        page.element("dt", &[], figure.label);
        page.element("dd", &[("class", "value")], &figure.value);
        if let Some(detail) = &figure.detail {
            page.element("dd", &[("class", "detail")], detail);
        }
        page.close("div");
    }
    page.close("dl");
    page.line();
    page.open("details", &[]);
    page.element("summary", &[], report.phrases().figures.fold);
    writer.blocks(&written::notes(report));
    writer.html.close("details");
}

pub(super) fn references(writer: &mut ProseWriter<'_>, report: &Report) {
    writer.html.open("ol", &[("class", "references")]);
    writer.html.line();
    for reference in references::references(report) {
        one_reference(writer, report, &reference);
        writer.html.line();
    }
    writer.html.close("ol");
}

fn one_reference(writer: &mut ProseWriter<'_>, report: &Report, reference: &Reference) {
    let page = &mut writer.html;
    let anchor = format!("source-{}", reference.source.0);
    page.open("li", &[("id", &anchor), ("dir", "auto")]);
    writer.whole(&written::reference(reference));
    let page = &mut writer.html;
    let source = report.source(reference.source);
    let unread = source.and_then(|source| source.unread.as_deref());
    if let Some(why) = unread {
        page.element("p", &[("class", "where")], &clean::line(why));
    }
    cited_by(page, report, reference.source);
    page.close("li");
}

/// The claims that cite a source, with a way to each of them.
fn cited_by(page: &mut HtmlPage, report: &Report, source: SourceId) {
    let numbered = (1..).zip(&report.claims);
    let citing: Vec<u32> = numbered
        .filter(|(_, claim)| claim.sources.contains(&source))
        .map(|(number, _)| number)
        .collect();
    if citing.is_empty() {
        return;
    }
    page.open("p", &[("class", "where")]);
    page.text("Cited for claim ");
    for (at, number) in citing.iter().enumerate() {
        if at > 0 {
            page.text(", ");
        }
        let to = format!("#claim-{number}");
        page.element("a", &[("href", &to)], &number.to_string());
    }
    page.close("p");
}

pub(super) fn proofs(page: &mut HtmlPage, report: &Report) {
    page.open("details", &[("class", "proofs")]);
    let summary = match report.claims.len() {
        1 => "One claim and the stored words it rests on".to_owned(),
        count => format!("{count} claims and the stored words they rest on"),
    };
    page.element("summary", &[], &summary);
    page.element(
        "p",
        &[],
        "For each claim: the words it rests on, the source, the hash of the source’s stored text, and the bytes at which the words stand in it.",
    );
    page.open("ol", &[]);
    page.line();
    for (number, claim) in (1_u32..).zip(&report.claims) {
        one_claim(page, report, number, claim);
        page.line();
    }
    page.close("ol");
    page.close("details");
}

fn one_claim(page: &mut HtmlPage, report: &Report, number: u32, claim: &ReportClaim) {
    let anchor = format!("claim-{number}");
    page.open("li", &[("id", &anchor)]);
    page.open("p", &[("class", "claim"), ("dir", "auto")]);
    page.text(&clean::line(&claim.text));
    page.text(" ");
    let class = match claim.verdict {
        ClaimVerdict::Supported => "verdict good",
        ClaimVerdict::Contradicted | ClaimVerdict::NotSupported => "verdict bad",
        ClaimVerdict::NotChecked => "verdict open",
    };
    page.element("span", &[("class", class)], verdict(claim));
    if let Some(judged) = judged(claim) {
        page.text(&format!(" · {judged}"));
    }
    page.close("p");
    for proof in &claim.proofs {
        one_proof(page, report, proof);
    }
    if let Some(why) = &claim.why {
        page.element(
            "p",
            &[("class", "where"), ("dir", "auto")],
            &clean::line(why),
        );
    }
    page.close("li");
}

fn one_proof(page: &mut HtmlPage, report: &Report, proof: &SourceQuote) {
    let source = report.source(proof.source);
    blockquote(page, source, &proof.quote);
    page.open("p", &[("class", "where")]);
    if let Some(source) = source {
        let number = source.number.0;
        page.element(
            "a",
            &[("href", &format!("#source-{number}"))],
            &format!("[{number}]"),
        );
        page.text(" ");
        page.element("span", &[("dir", "auto")], &clean::name(source.name()));
        page.text(" · ");
    }
    page.element(
        "code",
        &[("class", "hash")],
        proof.snapshot.as_deref().unwrap_or_default(),
    );
    page.text(&format!(" · bytes {}–{}", proof.start, proof.end));
    if proof.relaxed {
        page.text(" · accepted under relaxed rules");
    }
    page.close("p");
}
