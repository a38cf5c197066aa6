//! Reviews the draft: code adds what it can prove and what the check found, a reasoner gives its opinion, code computes
//! the verdict.

use std::sync::Arc;

use fathom_evidence::banned::banned;
use fathom_evidence::citation::CitationReason;
use fathom_workflow::{NodeError, NodeResult};

use super::{Notes, language, write};
use crate::citations::{CitationCheck, Judgement};
use crate::critique::{Critique, NoRevision, ReviewCategory, ReviewRemark, Severity};
use crate::degradation::{Degradation, JudgedPart};
use crate::draft::{Draft, DraftPlace};
use crate::reasoner::{Ctx, ReviewTask, judge_if_able};
use crate::skills::effort::{Effort, Schedule};
use crate::workflows::report::state::{ReportState, StateChange};

/// A report is far off its length outside of these shares of it.
const LENGTH_SHARES: std::ops::RangeInclusive<f64> = 0.4..=1.6;

pub(crate) async fn review(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    if state.check.is_none() {
        // A person has edited the draft in a fork. It is checked, and their word stands like one at a gate.
        return super::check::check(state, ctx).await;
    }
    let (Some(plan), Some(draft), Some(check)) = (&state.plan, &state.draft, &state.check) else {
        return Err(NodeError::new("there is no checked draft to review"));
    };
    let mut notes = Notes::new(ctx);
    let known = known(state, draft, check);
    let task = ReviewTask {
        question: &state.question,
        plan,
        caps: state.settings.caps,
        target_length: state.settings.target_length,
        draft,
        check,
        known: &known,
        language: language(state),
    };
    let schedule = Schedule::at_step(ctx, state.settings.model_patience()).await?;
    let reviewers: &[_] = match schedule.effort() {
        Effort::Full => &ctx.deps().reasoners.reviewers,
        Effort::Lean | Effort::Nothing => &[],
    };
    let judged = judge_if_able(reviewers, |reviewer| reviewer.review(ctx, &task)).await?;
    let critique = match judged {
        Ok(judged) => {
            let by = judged.by.clone();
            let mut opinion = notes.take(judged, JudgedPart::Review);
            for item in &mut opinion.items {
                item.proven = false;
            }
            let left = state.revisions() < state.settings.max_iterations;
            let thresholds = &state.settings.review;
            let critique = Critique::new(draft.version, opinion, known, left, thresholds);
            let no_revision = if !write::would_change(state, &critique) {
                Some(NoRevision::NothingToChange)
            } else if !schedule.fits_draft() {
                Some(NoRevision::NoTime)
            } else {
                None
            };
            Critique {
                by: Some(by),
                no_revision,
                ..critique
            }
        }
        Err(failures) => {
            if !failures.is_empty() {
                notes.degraded(Degradation::NotReviewed);
                notes.failures(failures);
            }
            Critique::without_review(draft.version, known)
        }
    };
    Ok(notes.update(StateChange::Reviewed(Arc::new(critique))))
}

/// What is known to be wrong before the review.
fn known(state: &ReportState, draft: &Draft, check: &CitationCheck) -> Vec<ReviewRemark> {
    let mut items = citation_items(check);
    items.extend(unstated_items(check));
    for (at, section) in draft.sections.iter().enumerate() {
        if section.text.trim().is_empty() {
            items.push(item(
                (ReviewCategory::Completeness, Severity::Major),
                DraftPlace::Section(at),
                format!("the section “{}” is empty", section.title),
            ));
        }
    }
    let planned = state.plan.iter().flat_map(|plan| &plan.sections);
    for missing in planned.skip(draft.sections.len()) {
        items.push(item(
            (ReviewCategory::Completeness, Severity::Major),
            DraftPlace::Whole,
            format!("the section “{}” is missing", missing.title),
        ));
    }
    for (place, text) in draft.texts() {
        for found in banned(text, &state.settings.banned_words, language(state)) {
            items.push(item(
                (ReviewCategory::Style, Severity::Minor),
                place.clone(),
                format!("the word “{}” is not to be used", found.word),
            ));
        }
    }
    items.extend(length_item(state, draft));
    items
}

fn citation_items(check: &CitationCheck) -> Vec<ReviewRemark> {
    let mut items = Vec::new();
    for claim in &check.claims {
        for reason in &claim.reasons {
            let (severity, what) = match reason {
                CitationReason::UnknownSource { id } => (
                    Severity::Critical,
                    format!("it cites source {id}, which does not exist"),
                ),
                CitationReason::NoCitation => (
                    Severity::Major,
                    "it states a fact and cites nothing".to_owned(),
                ),
                CitationReason::QuoteNotFound { .. }
                | CitationReason::NumberNotFound { .. }
                | CitationReason::NumberElsewhere { .. }
                | CitationReason::NameNotFound { .. }
                | CitationReason::DateNotFound { .. }
                | CitationReason::Opposed { .. }
                | CitationReason::LittleInCommon { .. }
                | CitationReason::WordsNotFound { .. }
                | CitationReason::WordsLeftOut { .. }
                | CitationReason::OtherOrder => continue,
            };
            let description = format!("“{}”: {what}", claim.text);
            items.push(item(
                (ReviewCategory::Citation, severity),
                claim.place.clone(),
                description,
            ));
        }
    }
    items
}

/// What a model found to say more than its passages, so that a revision puts it right.
fn unstated_items(check: &CitationCheck) -> impl Iterator<Item = ReviewRemark> {
    let unstated = check
        .claims
        .iter()
        .filter(|claim| claim.judged == Some(Judgement::NotSupported));
    unstated.map(|claim| {
        let what = "a model finds that its passages do not state it";
        let kind = (ReviewCategory::Accuracy, Severity::Major);
        ReviewRemark {
            proven: false,
            ..item(
                kind,
                claim.place.clone(),
                format!("“{}”: {what}", claim.text),
            )
        }
    })
}

fn length_item(state: &ReportState, draft: &Draft) -> Option<ReviewRemark> {
    let (words, target) = (draft.words(), state.settings.target_length);
    let share = words as f64 / f64::from(target.max(1));
    (!LENGTH_SHARES.contains(&share)).then(|| {
        item(
            (ReviewCategory::Style, Severity::Minor),
            DraftPlace::Whole,
            format!("it has {words} words; {target} were asked for"),
        )
    })
}

fn item(
    (category, severity): (ReviewCategory, Severity),
    place: DraftPlace,
    description: String,
) -> ReviewRemark {
    ReviewRemark {
        category,
        severity,
        place,
        description,
        fix: None,
        proven: true,
    }
}
