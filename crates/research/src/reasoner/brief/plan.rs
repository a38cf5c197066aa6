//! A plan that asks the question as it stands, of every kind of source that its depth calls for.

use fathom_evidence::question;
use fathom_evidence::terms::Terms;

use super::phrases::Phrases;
use crate::plan::{Plan, PlanTrace, PlannedSection, Query, SourceKind, SubQuestion, SubQuestionId};
use crate::question::Depth;
use crate::reasoner::{PlanTask, RefineTask};

const ONLY: SubQuestionId = SubQuestionId(0);

/// How sure the plan is: nothing was understood of the question but its words.
const CONFIDENCE: f64 = 0.5;

/// A question as words to search for.
pub(crate) fn as_query(question: &str) -> &str {
    question.trim_end_matches(['?', '？', ' '])
}

/// Plans how a question is answered. The same task gives the same plan.
pub fn plan(task: &PlanTask<'_>) -> Plan {
    let text = task.question.text();
    let phrases = Phrases::for_language(question::language(text));
    let asked = as_query(text).to_owned();
    let wished = task.feedback.map(|wish| format!("{asked} {wish}"));
    let wordings = [Some(asked), wished].into_iter().flatten();
    let queries = wordings.flat_map(|wording| {
        kinds(task).map(move |kind| Query {
            terms: Vec::new(),
            text: wording.clone(),
            intent: text.to_owned(),
            kind,
            priority: 1,
            serves: ONLY,
        })
    });
    Plan {
        sub_questions: vec![SubQuestion {
            text: text.to_owned(),
            needs: Vec::new(),
        }],
        queries: queries.collect(),
        sections: vec![PlannedSection {
            title: phrases.each_source.to_owned(),
            answers: vec![ONLY],
        }],
        methodology: phrases.method.to_owned(),
        confidence: CONFIDENCE,
        warnings: Vec::new(),
        depth: None,
        trace: PlanTrace::default(),
    }
}

/// The kinds of sources to search, of those that can be searched: the own documents always.
fn kinds<'t>(task: &'t PlanTask<'_>) -> impl Iterator<Item = SourceKind> + use<'t> {
    let wanted: &[SourceKind] = match task.question.depth.or(None) {
        Depth::Quick => &[SourceKind::Local, SourceKind::Web],
        Depth::Standard => &[SourceKind::Local, SourceKind::Web, SourceKind::Academic],
        Depth::Comprehensive => &[
            SourceKind::Local,
            SourceKind::Web,
            SourceKind::Academic,
            SourceKind::News,
        ],
    };
    let reachable = wanted.iter().filter(|kind| task.kinds.contains(kind));
    let mut kinds: Vec<SourceKind> = reachable.copied().collect();
    if kinds.is_empty() {
        kinds.extend(task.kinds.first());
    }
    kinds.into_iter()
}

/// A poor query without the words that tell nothing; nothing where that was tried.
pub(super) fn refined(task: &RefineTask<'_>) -> Option<Query> {
    let text = &task.query.text;
    let language = question::language(task.question.text());
    let telling = Terms::new(language).telling_at(text);
    let words: Vec<&str> = telling
        .iter()
        .filter_map(|(_, span)| span.of(text))
        .collect();
    let fewer = words.join(" ");
    let tried = task.tried.iter().chain([text]).any(|known| *known == fewer);
    (!tried && !fewer.is_empty()).then(|| Query {
        terms: Vec::new(),
        text: fewer,
        ..task.query.clone()
    })
}
