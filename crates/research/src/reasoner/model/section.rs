//! A section by a model.

use fathom_providers::FailureCategory;
use fathom_providers::model::ModelRole;
use serde_json::{Value, json};

use super::ModelReasoner;
use super::ask::ModelCall;
use super::echo::without_echo;
use super::{material, prompt};
use crate::analysis::{Contradiction, Finding};
use crate::calls::RecordedFailure;
use crate::reasoner::{Ctx, ReasonerError, Revision, SectionTask};

const PROMPT: &str = "section";

pub(super) async fn write(
    model: &ModelReasoner,
    ctx: &Ctx,
    task: &SectionTask<'_>,
) -> Result<String, ReasonerError> {
    let answered = &task.section.answers;
    let answers: Vec<&str> = answered
        .iter()
        .filter_map(|id| Some(task.plan.sub_question(*id)?.text.as_str()))
        .collect();
    let findings = task
        .analysis
        .findings
        .iter()
        .filter(|finding| answered.contains(&finding.answers));
    let findings: Vec<Value> = findings.map(|finding| shown(finding, task)).collect();
    let gaps = task
        .analysis
        .gaps
        .iter()
        .filter(|gap| answered.contains(&gap.answers));
    let gaps: Vec<&str> = gaps.map(|gap| gap.missing.as_str()).collect();
    let request = |cuts| {
        let evidence = material::pieces(task.evidence, task.sources, Some(answered), cuts);
        let own = |pair: &&Contradiction| {
            let stands = |source| evidence.iter().any(|piece| piece.source == source);
            stands(pair.left.source.0) || stands(pair.right.source.0)
        };
        let input = json!({
            "style": task.question.style.to_string(),
            "words": task.words,
            "banned": task.banned_words,
            "question": prompt::plain(task.question.text(), 2_000),
            "title": task.section.title,
            "answers": answers,
            "findings": findings,
            "contradictions": material::pairs(task.analysis.contradictions.iter().filter(own)),
            "evidence": evidence,
            "gaps": gaps,
            "revision": task.revision.as_ref().map(revision),
            "feedback": task.feedback.map(|feedback| prompt::plain(feedback, 2_000)),
        });
        prompt::request(PROMPT, &input)
    };
    let asking = ModelCall {
        role: ModelRole::Writer,
        key: format!("section/{}", task.place),
        caps: &task.caps,
    };
    let text = model.text(ctx, &asking, request).await?;
    let text = without_heading(&without_echo(PROMPT, &text), &task.section.title);
    if text.is_empty() {
        Err(ReasonerError::Failed(RecordedFailure::once(
            FailureCategory::Parsing,
            "the model wrote nothing but its instructions",
        )))
    } else {
        Ok(text)
    }
}

fn shown(finding: &Finding, task: &SectionTask<'_>) -> Value {
    let pieces = finding
        .evidence
        .iter()
        .filter_map(|at| task.evidence.get(*at));
    let mut sources: Vec<u32> = pieces.map(|piece| piece.source.0).collect();
    sources.sort_unstable();
    sources.dedup();
    json!({
        "statement": prompt::plain(&finding.statement, 600),
        "sources": sources,
        "strength": finding.strength,
    })
}

fn revision(revision: &Revision<'_>) -> Value {
    let items: Vec<String> = revision
        .items
        .iter()
        .map(|item| item.description.clone())
        .collect();
    json!({
        "text": revision.text,
        "items": items,
    })
}

/// Models like to repeat the title.
fn without_heading(text: &str, title: &str) -> String {
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let heading = first
        .trim()
        .trim_start_matches('#')
        .trim()
        .trim_matches('*')
        .trim();
    let repeats = first.trim_start().starts_with('#') || heading.eq_ignore_ascii_case(title.trim());
    if repeats {
        rest.trim().to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::without_heading;

    #[test]
    fn a_repeated_title_is_left_out_and_nothing_else() {
        assert_eq!(
            without_heading("## Cooling\n\nTrees cool [1].", "Cooling"),
            "Trees cool [1]."
        );
        assert_eq!(
            without_heading("**Cooling**\nTrees cool [1].", "Cooling"),
            "Trees cool [1]."
        );
        assert_eq!(
            without_heading("Trees cool [1].\nMore.", "Cooling"),
            "Trees cool [1].\nMore."
        );
    }
}
