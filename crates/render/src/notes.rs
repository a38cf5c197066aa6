//! How a report came about, as lists of plain sentences that every format shows.

use super::{Report, clean};
use crate::report::EXTRACTIVE;
use crate::report::claim::{ClaimVerdict, ModelVerdict, ReportClaim, SourceQuote};
use crate::report::review::{ReviewVerdict, Severity};

/// A longer entry is cut: the full text stands in the JSON.
const ENTRY_MAX_CHARS: usize = 400;

/// So many digits of a hash tell two snapshots apart for a reader.
const HASH_DIGITS: usize = 12;

/// A list under a short label. Its entries are single lines, not yet escaped.
pub(super) struct MethodNote {
    pub(super) label: &'static str,
    pub(super) entries: Vec<String>,
    /// Whether the order of the entries has a meaning that others refer to.
    pub(super) numbered: bool,
}

pub(super) fn notes(report: &Report) -> Vec<MethodNote> {
    let method = &report.method;
    let errors = method.errors.iter();
    let errors =
        errors.map(|error| format!("{} ({}): {}", error.node, error.category, error.message));
    let all = [
        note("Method", general(report), false),
        note("Sub-questions", method.sub_questions.clone(), true),
        note("Queries", method.queries.clone(), false),
        note("Review by a model", score(report), false),
        note("Found in the text", remarks(report), false),
        note(
            "Done with less than planned",
            method.degraded.clone(),
            false,
        ),
        note("Errors along the way", errors.collect(), false),
    ];
    all.into_iter()
        .filter(|note| !note.entries.is_empty())
        .collect()
}

fn note(label: &'static str, entries: Vec<String>, numbered: bool) -> MethodNote {
    let entries = entries
        .iter()
        .map(|entry| clean::cut(entry, ENTRY_MAX_CHARS));
    MethodNote {
        label,
        entries: entries.filter(|entry| !entry.is_empty()).collect(),
        numbered,
    }
}

fn general(report: &Report) -> Vec<String> {
    let question = &report.question;
    let method = &report.method;
    let mut entries = vec![format!("Question: {}", question.text)];
    entries.push(format!(
        "Depth {}{}, style {}; asked on {}, finished at {}.",
        method.depth,
        match question.depth.as_str() {
            "auto" => ", chosen by the planner",
            _ => "",
        },
        question.style,
        question.asked_on,
        report.finished_at.strftime("%Y-%m-%d %H:%M UTC"),
    ));
    let names = method.reasoners.iter().map(|name| match name.as_str() {
        EXTRACTIVE => "the built-in extractive reasoner",
        model => model,
    });
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        let alone = match method.reasoners.as_slice() {
            [only] if only == EXTRACTIVE => ", without a language model",
            _ => "",
        };
        entries.push(format!("Reasoned by {}{alone}.", names.join(", then ")));
    }
    let (queries, drafts) = (method.queries.len(), method.drafts);
    entries.push(format!(
        "{queries} {}, {} {}, {drafts} {}, {} steps, {} words.",
        plural(queries, "query", "queries"),
        method.rounds.len(),
        plural(
            method.rounds.len(),
            "round of searching",
            "rounds of searching"
        ),
        plural(drafts as usize, "draft", "drafts"),
        method.steps,
        super::figures::grouped(report.figures.words as u64),
    ));
    let stop = method.rounds.last().and_then(|round| round.stop);
    entries.extend(stop.map(|stop| format!("Searching stopped, because {}.", stop.sentence())));
    entries
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

/// What a model thought of the draft; code finds faults, but gives no score.
fn score(report: &Report) -> Vec<String> {
    let told = report.model_review().map(|review| {
        let verdict = match review.verdict {
            ReviewVerdict::Approve => "was approved",
            ReviewVerdict::Revise => "was sent back",
            ReviewVerdict::Reject => "was rejected",
        };
        format!(
            "Draft {} scored {:.1} of 10 and {verdict}.",
            review.draft, review.score
        )
    });
    told.into_iter().collect()
}

/// What is wrong with the text and was not put right, whoever found it.
fn remarks(report: &Report) -> Vec<String> {
    let items = report.review.iter().flat_map(|review| &review.items);
    let grave = items.filter_map(|item| match item.severity {
        Severity::Critical => Some(format!("Critical: {}", item.description)),
        Severity::Major => Some(format!("Major: {}", item.description)),
        Severity::Minor | Severity::Suggestion => None,
    });
    grave.collect()
}

/// What a model says of a claim's meaning, where one was asked.
pub(super) fn judged(claim: &ReportClaim) -> Option<&'static str> {
    claim.judged.map(|judgement| match judgement {
        ModelVerdict::Supported => "judged supported by a model",
        ModelVerdict::Contradicted => "judged contradicted by a model",
        ModelVerdict::NotSupported => "judged not supported by a model",
        ModelVerdict::CouldNotCheck => "not judged by a model",
    })
}

/// What the check says of a claim, in a word or two.
pub(super) fn verdict(claim: &ReportClaim) -> &'static str {
    match claim.verdict {
        ClaimVerdict::Supported => "supported",
        ClaimVerdict::Contradicted => "contradicted",
        ClaimVerdict::NotSupported => "not supported",
        ClaimVerdict::NotChecked => "not checked",
    }
}

/// The beginning of the hash of the text that a proof stands in.
pub(super) fn short_hash(proof: &SourceQuote) -> String {
    let hash = proof.snapshot.as_deref().unwrap_or_default();
    hash.chars().take(HASH_DIGITS).collect()
}
