//! Puts an appraisal together: the five domains, the whole, and what a reader must know.

use fathom_evidence::validate::consistency::{Conflict, ConflictSide};
use fathom_render::appraisal::{
    Appraisal, AppraisalQuote, DomainAppraisal, Judgement, OverallAppraisal, QuotedConflict, Study,
};
use jiff::Timestamp;

use super::state::{DocumentRole, State};
use crate::rob2::{OverallRule, overall};

/// How the answers by phrases are called.
const PHRASE_RULES: &str = "phrase rules";

const NO_MODEL: &str = "No language model was used: rules over phrases answered what a quote or a count proves, and left every \
                        other question open (NI). A domain that hangs on an open question is not settled.";

/// The appraisal of what the run knows.
pub(super) fn appraisal(state: &State, finished_at: Timestamp) -> Appraisal {
    let mut models = state.asked.iter().filter_map(|one| one.by.as_deref());
    let appraiser = models.next().unwrap_or(PHRASE_RULES).to_owned();
    let mut notes = state.notes.clone();
    let appraised = state.refused.is_none() && !state.domains.is_empty();
    if appraised && appraiser == PHRASE_RULES {
        notes.push(NO_MODEL.to_owned());
    }
    if !state.conflicts.is_empty() {
        let count = state.conflicts.len();
        notes.push(match count {
            1 => "Two sentences among the evidence give different figures or deny each other.".to_owned(),
            _ => format!("{count} pairs of sentences among the evidence give different figures or deny each other."),
        });
    }
    let judged: Vec<Judgement> = state.domains.iter().map(|one| one.judgement).collect();
    let whole = overall(&judged, state.input.overall_rule);
    Appraisal {
        study: study(state),
        effect: state.input.effect,
        outcome: state.input.outcome.clone(),
        refused: state.refused.clone(),
        is_plan: state.is_plan,
        overall: appraised.then(|| OverallAppraisal {
            judgement: whole.judgement,
            rule: whole.rule,
            possible: possible_overall(&state.domains, state.input.overall_rule),
            replaced: overall_before(&state.domains, state.input.overall_rule),
        }),
        domains: state.domains.clone(),
        facts: state.facts.clone(),
        notes,
        conflicts: state.conflicts.iter().map(quoted).collect(),
        failed_questions: state.failed_questions().unwrap_or_default().to_vec(),
        validation_retry_log: state.retry.validation_retry_log.clone(),
        appraiser,
        review: state.review.clone(),
        finished_at,
    }
}

/// The whole without people's answers; nothing where nobody answered in person.
fn overall_before(domains: &[DomainAppraisal], rule: OverallRule) -> Option<Judgement> {
    let by_people = domains.iter().any(|one| one.replaced.is_some());
    let before = domains.iter();
    let before: Vec<Judgement> = before
        .map(|one| one.replaced.unwrap_or(one.judgement))
        .collect();
    by_people.then(|| overall(&before, rule).judgement)
}

/// Every judgement that some way of answering the open questions gives.
fn possible_overall(domains: &[DomainAppraisal], rule: OverallRule) -> Vec<Judgement> {
    let mut ways: Vec<Vec<Judgement>> = vec![Vec::new()];
    for domain in domains {
        let with_each = |way: &Vec<Judgement>| {
            let further = domain
                .possible
                .iter()
                .map(|one| [way.as_slice(), &[*one]].concat());
            further.collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(with_each).collect();
    }
    let mut possible: Vec<Judgement> = ways
        .iter()
        .map(|way| overall(way, rule).judgement)
        .collect();
    possible.sort_unstable();
    possible.dedup();
    possible
}

fn study(state: &State) -> Study {
    let path = &state.input.document;
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let about = state.article.as_ref().map(|article| &article.about);
    let author = about.and_then(|about| about.authors.first());
    let family = author.and_then(|name| name.split_whitespace().next_back());
    let year = about.and_then(|about| about.published.as_deref()?.get(..4));
    let label = match (family, year) {
        (Some(family), Some(year)) => format!("{family} {year}"),
        _ => stem,
    };
    Study {
        label,
        title: about.and_then(|about| about.title.clone()),
        file: path.to_string_lossy().into_owned(),
        protocol: state
            .input
            .protocol
            .as_ref()
            .map(|path| path.to_string_lossy().into_owned()),
    }
}

fn quoted(conflict: &Conflict) -> QuotedConflict {
    let side = |side: &ConflictSide| AppraisalQuote {
        text: side.quote.clone(),
        span: side.span,
        page: None,
        section: None,
        from_protocol: side.source == DocumentRole::Protocol.source(),
        relaxed: false,
    };
    QuotedConflict {
        left: side(&conflict.left),
        right: side(&conflict.right),
    }
}
