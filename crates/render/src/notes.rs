//! How a report came about, as lists of plain sentences that every format shows.

use fathom_evidence::Language;

use super::{Report, clean};
use crate::report::EXTRACTIVE;
use crate::report::claim::{ClaimVerdict, ModelVerdict, ReportClaim, SourceQuote};
use crate::report::method::FailureNote;
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
    let (method, words) = (&report.method, &report.phrases().figures);
    let errors = method.errors.iter();
    let errors =
        errors.map(|error| format!("{} ({}): {}", error.node, classed(error), error.message));
    // What stands among the caveats is not told again.
    let degraded = method.degraded.iter();
    let degraded = degraded.filter(|told| !report.caveats.contains(told));
    let all = [
        note(words.method, general(report), false),
        note(
            words.sub_questions,
            counted(report, besides(report, &method.sub_questions)),
            true,
        ),
        note(words.plan, plan(report), false),
        note(words.second_looks, second_looks(report), false),
        note(words.queries, besides(report, &method.queries), false),
        note(words.review, score(report), false),
        note(words.revisions, method.revisions.clone(), false),
        note(words.text_faults, remarks(report), false),
        note(words.degraded, degraded.cloned().collect(), false),
        note(words.errors, errors.collect(), false),
    ];
    all.into_iter()
        .filter(|note| !note.entries.is_empty())
        .collect()
}

/// The class of a failure, what it meant, and how often it was tried where that was more than once.
fn classed(error: &FailureNote) -> String {
    let tried = match error.attempts {
        0 | 1 => String::new(),
        attempts => format!("{attempts} attempts"),
    };
    let facts = [error.category.as_str(), &error.severity, &tried];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    facts.join(", ")
}

/// The sub-questions with how many results each had.
fn counted(report: &Report, texts: Vec<String>) -> Vec<String> {
    let results = &report.phrases().figures.results;
    let counts = report.method.coverage.iter().map(Some);
    let counts = counts.chain(std::iter::repeat(None));
    let texts = texts.into_iter().zip(counts);
    let told = texts.map(|(text, count)| match count {
        Some(count) => format!("{text} ({})", results.count(*count)),
        None => text,
    });
    told.collect()
}

/// How a model planned; what the built-in reasoner plans is the same for every question.
fn plan(report: &Report) -> Vec<String> {
    if !report.used_model() {
        return Vec::new();
    }
    let trace = report.method.trace.iter().map(|part| part.text.clone());
    trace
        .chain(report.method.warnings.iter().cloned())
        .collect()
}

/// What second looks changed, and whose evidence no other rules accepted.
fn second_looks(report: &Report) -> Vec<String> {
    let method = &report.method;
    let mut told: Vec<String> = Vec::new();
    for entry in &method.validation_retry_log {
        let changes = entry.changes.iter();
        let changes = changes.map(|one| format!("{}: {} → {}", one.setting, one.from, one.to));
        let changes: Vec<String> = changes.collect();
        let questions = entry.failed_questions.join(" · ");
        let line = format!("{questions} ({})", changes.join(", "));
        if !told.contains(&line) {
            told.push(line);
        }
    }
    if !method.relaxed.is_empty() {
        let numbers = method.relaxed.iter().map(|id| format!("[{}]", id.0));
        let words = report.phrases().figures.relaxed;
        told.push(words.replace("{numbers}", &numbers.collect::<String>()));
    }
    told
}

/// Texts that were made for the question; nothing where it alone was asked, in its own words.
fn besides(report: &Report, texts: &[String]) -> Vec<String> {
    let asked = clean::skeleton(&report.question.text);
    match texts {
        [only] if clean::skeleton(only) == asked => Vec::new(),
        texts => texts.to_vec(),
    }
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
    let (question, method) = (&report.question, &report.method);
    let words = &report.phrases().figures;
    let mut entries = Vec::new();
    if clean::skeleton(&report.title) != clean::skeleton(&question.text) {
        let asked = report.phrases().asked;
        entries.push(format!("{asked} {}", question.text));
    }
    let planned = match question.depth.as_str() {
        "auto" => words.planner_chose,
        _ => "",
    };
    let finished = report.finished_at.strftime("%Y-%m-%d %H:%M UTC");
    let run = words.run.replace("{style}", &question.style);
    let run = run.replace("{depth}", &format!("{}{planned}", method.depth));
    let run = run.replace("{asked}", &question.asked_on.to_string());
    entries.push(run.replace("{finished}", &finished.to_string()));
    let names = method.reasoners.iter().map(|name| match name.as_str() {
        EXTRACTIVE => words.built_in,
        model => model,
    });
    let names: Vec<&str> = names.collect();
    if report.used_model() {
        entries.push(words.reasoned_by.replace("{names}", &names.join(", ")));
    }
    let counts = [
        ("{queries}", method.queries.len() as u64),
        ("{rounds}", method.rounds.len() as u64),
        ("{drafts}", u64::from(method.drafts)),
        ("{steps}", method.steps),
        ("{words}", report.figures.words as u64),
    ];
    let counted = counts
        .iter()
        .fold(words.counts.to_owned(), |line, (name, count)| {
            line.replace(name, &count.to_string())
        });
    entries.push(counted);
    // Why a search ended is told in English only.
    let stop = method.rounds.last().and_then(|round| round.stop);
    let stop = stop.filter(|_| report.language == Language::ENGLISH && report.used_model());
    entries.extend(stop.map(|stop| format!("Searching stopped, because {}.", stop.sentence())));
    entries
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
        ClaimVerdict::NotChecked => "could not be checked",
    }
}

/// The beginning of the hash of the text that a proof stands in.
pub(super) fn short_hash(proof: &SourceQuote) -> String {
    let hash = proof.snapshot.as_deref().unwrap_or_default();
    hash.chars().take(HASH_DIGITS).collect()
}
