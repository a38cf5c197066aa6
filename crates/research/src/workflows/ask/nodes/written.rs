//! The answer as a language model writes it, where there is one: from the passages alone, sentence by sentence, each
//! checked against the passages that it names.

use std::sync::Arc;

use fathom_evidence::extract::{self, FormatHint};
use fathom_evidence::{Document, Span};
use fathom_render::phrases::Phrases;
use fathom_workflow::NodeError;

use super::StageTimer;
use crate::analysis::{AnsweredVerdict, Evidence};
use crate::degradation::{self, Degradation, JudgedPart};
use crate::library::LocalPassage;
use crate::plan::{SourceKind, SubQuestionId};
use crate::reasoner::{AnswerTask, Ctx, EarlierTurn, TaskPassage};
use crate::skills::cite::{CitationCheckSettings, CitationTask};
use crate::skills::compose::{self, Composed};
use crate::source::{Source, SourceId, Work};
use crate::workflows::ask::input::AskedTurn;
use crate::workflows::ask::outcome::{AskDraft, AskSentence};
use crate::workflows::ask::state::AskState;

/// Sentences of an answer.
const SENTENCES_MOST: usize = 5;

/// Calls of a model that judge whether sentences say what their passages say.
const SEMANTIC_CALLS: usize = 2;

/// Nothing where there is no model, or where nothing that it wrote can be shown: the quotes stand then.
pub(super) async fn write(
    state: &AskState,
    ctx: &Ctx,
    timer: &mut StageTimer,
) -> Result<Option<AskDraft>, NodeError> {
    if ctx.deps().reasoners.answer_writers.is_empty() || state.ranked.is_empty() {
        return Ok(None);
    }
    let material = Material::keep(state, ctx)?;
    let turns = turns(&state.earlier);
    let budget = state.settings.budget(state.started_at);
    let language = state.language();
    let task = AnswerTask {
        budget,
        key: "answer",
        question: state.text(),
        turns: &turns,
        instructions: None,
        passages: &material.passages,
        max_sentences: SENTENCES_MOST,
        language,
    };
    let check = CitationTask {
        settings: CitationCheckSettings {
            semantic_check: true,
            doubtful_only: false,
            max_semantic_calls: SEMANTIC_CALLS,
            max_concurrency: state.settings.max_concurrency,
        },
        budget,
        language,
        sources: &material.sources,
        evidence: &material.evidence,
        before: None,
    };
    match compose::compose(ctx, &task, &check).await? {
        Ok(composed) if composed.text.trim().is_empty() => {
            timer.caveat(Phrases::new(language).reasons.no_short_answer);
            Ok(None)
        }
        Ok(composed) => Ok(Some(draft(composed))),
        Err(_) => {
            let quoted = Degradation::MadeBy {
                part: JudgedPart::Text,
                reasoner: fathom_render::report::EXTRACTIVE.to_owned(),
            };
            timer
                .caveats
                .extend(degradation::sentences(&[quoted], language));
            Ok(None)
        }
    }
}

/// What was said before, as the model is told it.
pub(super) fn turns(earlier: &[AskedTurn]) -> Vec<EarlierTurn> {
    let turn = |turn: &AskedTurn| EarlierTurn {
        question: turn.in_full.as_ref().unwrap_or(&turn.question).clone(),
        answer: turn.answer.clone(),
    };
    earlier.iter().map(turn).collect()
}

fn draft(composed: Composed) -> AskDraft {
    let sentences = composed.claims.iter().map(|claim| AskSentence {
        text: closed(&claim.text),
        quoted: false,
        confirmed: claim.is_confirmed(),
        passages: claim.cites.clone(),
    });
    AskDraft {
        sentences: sentences.collect(),
        verdict: AnsweredVerdict {
            answered: composed.answered,
            reason: composed.missing.unwrap_or_default(),
        },
        reasoner: composed.by,
    }
}

/// A sentence without the blank before its full stop that its citation leaves.
fn closed(text: &str) -> String {
    match text.strip_suffix('.') {
        Some(words) => format!("{}.", words.trim_end()),
        None => text.trim_end().to_owned(),
    }
}

/// The first passages as sources of their own, whose stored text is the passage: a sentence is held against nothing else.
struct Material {
    passages: Vec<TaskPassage>,
    sources: Vec<Arc<Source>>,
    evidence: Vec<Evidence>,
}

impl Material {
    fn keep(state: &AskState, ctx: &Ctx) -> Result<Self, NodeError> {
        let mut material = Self {
            passages: Vec::new(),
            sources: Vec::new(),
            evidence: Vec::new(),
        };
        let first = state.ranked.iter().take(state.settings.max_results);
        for (number, passage) in (1..).map(SourceId).zip(first) {
            let document = document(&passage.text)?;
            let text = document.text.clone();
            let snapshot = ctx.deps().documents.keep(ctx, document, ctx.now())?;
            let source = Source {
                snapshot: Some(snapshot),
                ..source(number, passage)
            };
            material
                .passages
                .push(TaskPassage::new(&source, &passage.sections, &text));
            material.evidence.push(Evidence {
                answers: SubQuestionId(0),
                source: number,
                span: Span::new(0, text.len()),
                quote: text,
                sections: passage.sections.clone(),
                page: passage.page,
                confidence: 1.0,
                relaxed: false,
            });
            material.sources.push(Arc::new(source));
        }
        Ok(material)
    }
}

fn document(text: &str) -> Result<Document, NodeError> {
    let hint = FormatHint {
        content_type: Some("text/plain; charset=utf-8"),
        ..FormatHint::default()
    };
    Ok(extract::read(text.as_bytes(), &hint)?)
}

fn source(id: SourceId, passage: &LocalPassage) -> Source {
    Source {
        id,
        kind: SourceKind::Local,
        location: passage.name.clone(),
        // Two passages of one file are two sources here.
        key: format!("{}#{}", passage.name, passage.passage),
        about: Work {
            title: passage.title.clone(),
            ..Work::default()
        },
        found_by: Vec::new(),
        relevance: 1.0,
        quality: 1.0,
        snapshot: None,
        snippet: String::new(),
        unread: None,
        passages: Vec::new(),
    }
}
