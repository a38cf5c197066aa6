//! Holds the located passages to the rules, and decides whether to go on or to look again under relaxed ones.
//!
//! What a question got before a retry stays; only the failed ones are judged anew, and only what is accepted then is marked
//! as accepted under relaxed rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use fathom_evidence::Language;
use fathom_evidence::validate::completeness::completeness;
use fathom_evidence::validate::consistency::{Conflict, Statement, conflicts};
use fathom_evidence::validate::relevance::{Relevance, RelevanceVerdict};
use fathom_evidence::validate::{
    EvidenceCandidate, ValidatedEvidence, Validation, ValidationRules, validate as validated,
};
use fathom_workflow::NodeResult;

use super::super::phrases;
use super::super::state::{LocatedPassage, State, Update};
use super::OpenDocuments;
use crate::reasoner::Ctx;
use crate::rob2::{Domain, Effect, questions};

/// How sure the rules are of a sentence that answers, of one that has a phrase of the question's list, and of a passage
/// that only shares words with the question.
const ANSWERS: f64 = 0.9;
const BEARS: f64 = 0.6;
const SHARES_WORDS: f64 = 0.35;

pub(crate) async fn validate(state: &State, ctx: &Ctx) -> NodeResult<State> {
    let opened = OpenDocuments::open(state, ctx).await?;
    let (located, before) = (state.located.clone(), Arc::clone(&state.evidence));
    let mut retry = state.retry.clone();
    let again = state.failed_questions().map(<[String]>::to_vec);
    let effect = state.input.effect;
    let working = tokio::task::spawn_blocking(move || {
        let asked = Domain::ALL.into_iter();
        let asked = asked.flat_map(|domain| questions(domain, effect));
        let asked: Vec<String> = asked.map(|one| one.id.to_owned()).collect();
        let now = |id: &String| again.as_ref().is_none_or(|ids| ids.contains(id));
        let mut candidates = Vec::new();
        for (id, passages) in located.iter().filter(|(id, _)| now(id)) {
            let put = passages.iter();
            candidates.extend(put.filter_map(|one| candidate(&opened, id, one, effect)));
        }
        let kept = before.iter().filter(|one| !now(&one.candidate.question));
        let fresh = judged(&opened, &asked, &candidates, &retry.settings.rules);
        let evidence: Vec<ValidatedEvidence> = kept.cloned().chain(fresh).collect();
        let validation = Validation {
            conflicts: contradictions(&evidence, opened.article.document.language()),
            completeness: completeness(&asked, &evidence, &retry.settings.rules),
            evidence,
        };
        let decision = retry.decide(&validation);
        Update::Validated {
            evidence: Arc::new(validation.evidence),
            conflicts: validation.conflicts,
            retry,
            decision,
        }
    });
    Ok(working.await?)
}

fn judged(
    opened: &OpenDocuments,
    asked: &[String],
    candidates: &[EvidenceCandidate],
    rules: &ValidationRules,
) -> Vec<ValidatedEvidence> {
    let text = |source: &str| {
        let document = opened.all().find(|one| one.role.source() == source)?;
        Some(document.document.text.as_str())
    };
    let language = opened.article.document.language();
    validated(asked, candidates, text, language, rules).evidence
}

/// Conflicts between accepted passages, each passage counted once however many questions it serves.
fn contradictions(evidence: &[ValidatedEvidence], language: Language) -> Vec<Conflict> {
    let mut met = BTreeSet::new();
    let accepted = evidence.iter().filter(|one| one.accepted);
    let candidates = accepted.map(|one| &one.candidate);
    let once = candidates.filter(|one| met.insert((one.source.clone(), one.span)));
    let statements = once.map(|one| Statement {
        source: &one.source,
        start: one.span.start,
        text: &one.passage,
    });
    let statements: Vec<Statement<'_>> = statements.collect();
    conflicts(&statements, language)
}

/// A located passage with the verdict of the phrase rules.
fn candidate(
    opened: &OpenDocuments,
    id: &str,
    located: &LocatedPassage,
    effect: Effect,
) -> Option<EvidenceCandidate> {
    let document = opened.get(located.document)?;
    let within = document.article.within(located.span);
    let sentences = || {
        within
            .clone()
            .filter_map(|at| document.article.sentences.get(at))
    };
    let has_phrase = |plain: &str| {
        let mut phrases = located.phrases.iter();
        phrases.any(|phrase| plain.contains(phrase.as_str()))
    };
    let answers = sentences().find(|one| phrases::answers(id, effect, &one.plain));
    let bears = || sentences().find(|one| has_phrase(&one.plain));
    let (label, confidence, sentence) = match answers {
        Some(one) => (Relevance::Direct, ANSWERS, Some(one)),
        None => match bears() {
            Some(one) => (Relevance::Partial, BEARS, Some(one)),
            None => (Relevance::Partial, SHARES_WORDS, None),
        },
    };
    let quote = sentence.and_then(|one| document.document.at(one.span));
    Some(EvidenceCandidate {
        question: id.to_owned(),
        source: located.document.source().to_owned(),
        span: located.span,
        passage: document.document.at(located.span)?.to_owned(),
        verdict: RelevanceVerdict {
            label,
            confidence,
            quote: quote.map(str::to_owned),
        },
    })
}
