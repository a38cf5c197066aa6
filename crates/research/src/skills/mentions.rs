//! How often the words of a question occur in a library, and what that says of their spelling.

use std::sync::Arc;

use fathom_evidence::Language;
use fathom_evidence::terms::Terms;
use fathom_providers::FailureCategory;
use fathom_render::phrases::Phrases;
use fathom_workflow::NodeError;

use crate::analysis::Analysis;
use crate::calls::{self, RecordedFailure};
use crate::library::{Library, WordMention};
use crate::plan::SourceKind;
use crate::reasoner::{Ctx, brief};
use crate::services::SourceScope;
use crate::source::Source;

/// The words of a question that are worth counting: its subject first, then all that tell something.
pub(crate) fn words_counted(question: &str, language: Language) -> Vec<String> {
    let mut words = brief::subject_words(question, language);
    let telling = Terms::new(language).telling_at(question);
    let telling = telling.iter().filter_map(|(_, span)| span.of(question));
    for word in telling.map(str::to_owned) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// How often the words of a question occur in the own documents. Nothing where there are none, or where a source from elsewhere
/// was found: what the own documents leave out, that one may tell.
pub(crate) async fn of_question(
    ctx: &Ctx,
    scope: SourceScope<'_>,
    question: &str,
    language: Language,
    sources: &[Arc<Source>],
) -> Result<Result<Vec<WordMention>, RecordedFailure>, NodeError> {
    let elsewhere = sources
        .iter()
        .any(|source| source.kind != SourceKind::Local);
    match ctx.deps().library(scope) {
        Some(library) if !elsewhere => {
            count(ctx, &library, &words_counted(question, language)).await
        }
        _ => Ok(Ok(Vec::new())),
    }
}

/// Counts words in a library, once for the step.
pub(crate) async fn count(
    ctx: &Ctx,
    library: &Arc<dyn Library>,
    words: &[String],
) -> Result<Result<Vec<WordMention>, RecordedFailure>, NodeError> {
    let counted = calls::recorded(ctx, "mentions".to_owned(), |_| async {
        let counted = library.mentions(words).await;
        counted.map_err(|fault| RecordedFailure::once(FailureCategory::Internal, fault))
    });
    Ok(counted.await?)
}

/// Says of words of the subject that do not occur which ones are spelled most like them.
pub(crate) fn tell_spelling(
    analysis: &mut Analysis,
    question: &str,
    language: Language,
    mentions: &[WordMention],
) {
    let Some(verdict) = analysis.answered.as_mut().filter(|_| !mentions.is_empty()) else {
        return;
    };
    let phrases = Phrases::new(language);
    let subject = brief::subject_words(question, language);
    let absent = mentions.iter().filter(|one| subject.contains(&one.word));
    let told = absent.filter_map(|one| {
        let nearest = one.nearest.as_deref()?;
        let words = phrases.reasons.spelled_otherwise;
        Some(
            words
                .replace("{word}", &one.word)
                .replace("{nearest}", nearest),
        )
    });
    let told: Vec<String> = told.chain([verdict.reason.clone()]).collect();
    verdict.reason = told.join(" ");
}
