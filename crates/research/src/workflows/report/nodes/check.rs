//! Checks the draft's citations, and repairs what fails.

use std::sync::Arc;

use fathom_workflow::event::Level;
use fathom_workflow::{NodeError, NodeResult};

use super::{Notes, language, write};
use crate::citations::CheckedClaim;
use crate::degradation::Degradation;
use crate::draft::{Draft, DraftPlace};
use crate::reasoner::Ctx;
use crate::skills::cite::{self, CitationResult, CitationTask, MARK};
use crate::skills::effort::{Effort, Schedule};
use crate::workflows::report::state::{ReportState, StateChange};

pub(crate) async fn check(state: &ReportState, ctx: &Ctx) -> NodeResult<ReportState> {
    let draft = state.draft.as_deref();
    let draft = draft.ok_or_else(|| NodeError::new("there is no draft to check"))?;
    let mut task = task(state);
    // A slow model has no time for sentences that words alone bear out.
    let effort = Schedule::at_step(ctx, state.settings.model_patience())
        .await?
        .effort();
    task.settings.doubtful_only = effort != Effort::Full;
    task.settings.semantic_check &= effort != Effort::Nothing;
    let mut checked = cite::check(&task, ctx, Draft::clone(draft)).await?;
    if let Some(quoted) = with_quotes(state, &checked) {
        let (failures, open) = (checked.failures, checked.not_all_judged);
        let before = checked.check;
        task.before = Some(&before);
        // What a model thinks of the other sentences is known.
        task.settings.max_semantic_calls = 0;
        checked = cite::check(&task, ctx, quoted).await?;
        checked
            .check
            .changes
            .splice(0..0, before.changes.iter().cloned());
        checked.failures.splice(0..0, failures);
        checked.not_all_judged = open;
    }
    checked.draft.answer = confirmed_first(&checked.draft.answer);
    for change in &checked.check.changes {
        ctx.log(
            Level::Info,
            format!("{:?} “{}”: {}", change.done, change.claim, change.why),
        );
    }
    let mut notes = Notes::new(ctx);
    notes.failures(checked.failures);
    if checked.not_all_judged {
        notes.degraded(Degradation::NotAllJudged);
    }
    Ok(notes.update(StateChange::Checked {
        draft: Arc::new(checked.draft),
        check: Arc::new(checked.check),
    }))
}

/// The draft with the sources' own words where nobody could confirm a sentence of a model's part: in the place of the answer,
/// under a section. A summary or conclusion of that kind goes. Nothing where there is no such part.
fn with_quotes(state: &ReportState, checked: &CitationResult) -> Option<Draft> {
    let claims = &checked.check.claims;
    let of = |place: &DraftPlace| {
        let place = place.clone();
        claims.iter().filter(move |claim| claim.place == place)
    };
    let mut draft = checked.draft.clone();
    let quotes = write::quoted(state, state.plan.as_deref()?, state.analysis.as_deref()?);
    let mut is_changed = false;
    for (place, quoted) in quotes.texts() {
        let lost = of(&place).count();
        let text = draft.text_mut(&place);
        let Some(text) = text.filter(|_| lost > 0 && !of(&place).any(CheckedClaim::is_confirmed))
        else {
            continue;
        };
        is_changed = true;
        match place {
            DraftPlace::Section(_) => {
                text.push_str("\n\n");
                text.push_str(quoted);
                continue;
            }
            DraftPlace::Answer if !quoted.is_empty() => quoted.clone_into(text),
            DraftPlace::Answer => continue,
            DraftPlace::Title
            | DraftPlace::Summary
            | DraftPlace::Conclusion
            | DraftPlace::Whole => text.clear(),
        }
        draft.dropped += lost;
    }
    (draft.by_model && is_changed).then_some(draft)
}

/// An answer in which a model's sentences that nobody could confirm stand behind the sources' own words, and the others before.
fn confirmed_first(answer: &str) -> String {
    let paragraphs = answer.split("\n\n");
    let (quotes, own): (Vec<&str>, Vec<&str>) =
        paragraphs.partition(|paragraph| paragraph.starts_with("> "));
    if quotes.is_empty() || !answer.contains(MARK) {
        return answer.to_owned();
    }
    let (open, confirmed): (Vec<String>, Vec<String>) = own
        .iter()
        .flat_map(|paragraph| cited_sentences(paragraph))
        .partition(|sentence| sentence.ends_with(MARK));
    let own = [confirmed.join(" "), quotes.join("\n\n"), open.join(" ")];
    let parts = own.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The sentences of a paragraph that code set the citations of: each ends in one and a full stop, and a mark where it has one.
fn cited_sentences(paragraph: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for piece in paragraph.split_inclusive("].") {
        match (piece.strip_prefix(MARK), sentences.last_mut()) {
            (Some(next), Some(last)) => {
                last.push_str(MARK);
                sentences.push(next.trim_start().to_owned());
            }
            _ => sentences.push(piece.trim_start().to_owned()),
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// What this run holds a draft against.
pub(super) fn task(state: &ReportState) -> CitationTask<'_> {
    CitationTask {
        settings: state.settings.citation_check(),
        budget: state.settings.budget(state.started_at),
        language: language(state),
        sources: &state.sources,
        evidence: &state.evidence,
        before: state.check.as_deref(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_could_confirm_stands_behind_the_sources_own_words() {
        let answer = format!("Trees cool [1].{MARK}\n\n> Trees cooled it. [1]\n\n> By 1 °C. [2]");
        assert_eq!(
            confirmed_first(&answer),
            format!("> Trees cooled it. [1]\n\n> By 1 °C. [2]\n\nTrees cool [1].{MARK}")
        );
        let mixed = format!("They cost 2 € [3].{MARK} Trees cool [1].\n\n> By 1 °C. [2]");
        assert_eq!(
            confirmed_first(&mixed),
            format!("Trees cool [1].\n\n> By 1 °C. [2]\n\nThey cost 2 € [3].{MARK}")
        );
        let fine = "Trees cool [1].\n\n> Trees cooled it. [1]";
        assert_eq!(confirmed_first(fine), fine);
    }
}
