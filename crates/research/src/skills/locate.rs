//! From documents to evidence: passages, word for word, tied to the sub-questions they bear on.
//!
//! Takes a plan and the sources that were read; gives evidence, the best first, the conflicts that bear on it, and what a second
//! look changed. Plain functions without input or output. What ranks well is kept: whether it answers is for the
//! reasoner to say.

mod conflict;
mod copies;
pub(crate) mod excerpt;
mod passages;

use std::collections::BTreeSet;
use std::sync::Arc;

use fathom_evidence::passage::{self, Passage};
use fathom_evidence::terms::Terms;
use fathom_evidence::validate::completeness::completeness;
use fathom_evidence::validate::relevance::{Relevance, RelevanceVerdict};
use fathom_evidence::validate::retry::{Retry, RetryDecision, RetryEntry, RetrySettings};
use fathom_evidence::validate::{EvidenceCandidate, ValidatedEvidence, Validation, validate_each};
use fathom_evidence::{Document, Language};

use crate::analysis::{Contradiction, Evidence};
use crate::plan::{Plan, SubQuestionId};
use crate::skills::search::Asked;
use crate::source::{Source, SourceId};

use passages::RankedPassages;

/// From these shares of a sub-question's words on a passage answers it, or bears on it.
const DIRECT_FROM: f64 = 0.6;
const PARTIAL_FROM: f64 = 0.3;

/// Passages for the only sub-question of a plan; where there are several, each gets as many as the settings say.
const ONLY_QUESTION_PASSAGES: usize = 40;

/// A source that was read, cut into passages.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its number.
    pub source: SourceId,
    /// Its text and structure.
    pub document: Arc<Document>,
    /// The text in pieces that can be ranked.
    pub passages: Vec<Passage>,
}

impl Reading {
    /// Cuts a document into passages.
    pub fn new(source: SourceId, document: Arc<Document>) -> Self {
        let passages = passage::passages(&document, &passage::PassageSettings::default());
        Self {
            source,
            document,
            passages,
        }
    }
}

/// What is to be located, and where.
pub struct LocateTask<'a> {
    /// Whose sub-questions are served.
    pub plan: &'a Plan,
    /// Every query of the run by its id: it tells which sub-question a search was made for.
    pub queries: &'a [Asked],
    /// Every source of the run, with the passages that searches found in it.
    pub sources: &'a [Arc<Source>],
    /// Those that were read.
    pub readings: &'a [Reading],
    /// How often and how to look again where too little was found.
    pub settings: &'a RetrySettings,
    /// The language of the question.
    pub language: Language,
}

/// What was found in the sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// By sub-question, the best first.
    pub evidence: Vec<Evidence>,
    /// Conflicts between sources, each side quoted.
    pub contradictions: Vec<Contradiction>,
    /// What a second look under relaxed rules changed.
    pub retry_log: Vec<RetryEntry>,
    /// The sentences of the first pieces of evidence, in their order.
    pub(crate) sentences: Vec<excerpt::Sentence>,
}

/// Finds the evidence for every sub-question of a plan.
pub fn locate(task: &LocateTask<'_>) -> Located {
    let originals = copies::originals(task.readings, task.sources);
    let ranked = RankedPassages::new(task, originals);
    let mut retry = Retry::new(*task.settings);
    let mut found: Vec<QuestionEvidence> = task
        .plan
        .ids()
        .filter_map(|id| QuestionEvidence::find(task, &ranked, id, &retry.settings))
        .collect();
    // The retries are bounded by their settings.
    while let RetryDecision::Retry {
        failed_questions, ..
    } = retry.decide(&validation(&found, &retry.settings))
    {
        for one in &mut found {
            if failed_questions.contains(&one.question) {
                let again = QuestionEvidence::find(task, &ranked, one.id, &retry.settings);
                *one = again.unwrap_or_else(|| one.clone());
            }
        }
    }
    let evidence = marked(found);
    let contradictions = conflict::contradictions(task, &ranked, &evidence);
    Located {
        sentences: excerpt::of_evidence(&evidence, ranked.readings(), task.language),
        evidence,
        contradictions,
        retry_log: retry.validation_retry_log,
    }
}

/// All evidence. A passage that is found for several sub-questions is relaxed for all or for none.
fn marked(found: Vec<QuestionEvidence>) -> Vec<Evidence> {
    let place = |piece: &Evidence| (piece.source, piece.span);
    let (mut firm, mut relaxed) = (BTreeSet::new(), BTreeSet::new());
    for one in &found {
        for (piece, accepted) in one.evidence.iter().zip(&one.accepted_first) {
            if *accepted {
                firm.insert(place(piece));
            } else if piece.relaxed {
                relaxed.insert(place(piece));
            }
        }
    }
    let mut evidence: Vec<Evidence> = found.into_iter().flat_map(|one| one.evidence).collect();
    for piece in &mut evidence {
        piece.relaxed = relaxed.contains(&place(piece)) && !firm.contains(&place(piece));
    }
    evidence
}

/// The passages for one sub-question, with what the validators say of them.
#[derive(Clone)]
struct QuestionEvidence {
    /// Of each piece, whether the rules accept it that were not relaxed.
    accepted_first: Vec<bool>,
    id: SubQuestionId,
    question: String,
    evidence: Vec<Evidence>,
    validated: Vec<ValidatedEvidence>,
}

impl QuestionEvidence {
    fn find(
        task: &LocateTask<'_>,
        ranked: &RankedPassages<'_>,
        id: SubQuestionId,
        settings: &RetrySettings,
    ) -> Option<Self> {
        let question = task.plan.sub_question(id)?.text.clone();
        let most = match task.plan.sub_questions.len() {
            1 => ONLY_QUESTION_PASSAGES,
            _ => settings.top_k,
        };
        let terms = Terms::new(task.language);
        let wanted = excerpt::telling(&terms, &question);
        let (mut evidence, mut candidates) = (Vec::new(), Vec::new());
        for (reading, passage) in ranked.best(id, &question, most) {
            let Some(text) = passage.text(&reading.document) else {
                continue;
            };
            let covered = excerpt::coverage(&terms, &wanted, [text, &passage.sections.join(" ")]);
            candidates.push(candidate(&question, reading, passage, text, covered));
            evidence.push(Evidence {
                answers: id,
                source: reading.source,
                span: passage.span,
                quote: text.to_owned(),
                sections: passage.sections.clone(),
                page: passage.page,
                confidence: covered,
                relaxed: false,
            });
        }
        let text = |source: &str| {
            let of = |reading: &&&Reading| reading.source.0.to_string() == source;
            let reading = ranked.readings().iter().find(of)?;
            Some(reading.document.text.as_str())
        };
        let validated = validate_each(&candidates, text, &settings.rules);
        // What the first rules accept needs no mark, although it was found again under others.
        let first = validate_each(&candidates, text, &task.settings.rules);
        let first = first.iter().map(|validated| validated.accepted);
        let first: Vec<bool> = first.collect();
        let both = validated.iter().zip(&first);
        for (piece, (validated, first)) in evidence.iter_mut().zip(both) {
            piece.relaxed = validated.relaxed && !first;
        }
        Some(Self {
            accepted_first: first,
            id,
            question,
            evidence,
            validated,
        })
    }
}

fn candidate(
    question: &str,
    reading: &Reading,
    passage: &Passage,
    text: &str,
    covered: f64,
) -> EvidenceCandidate {
    let label = if covered >= DIRECT_FROM {
        Relevance::Direct
    } else if covered >= PARTIAL_FROM {
        Relevance::Partial
    } else {
        Relevance::None
    };
    EvidenceCandidate {
        question: question.to_owned(),
        source: reading.source.0.to_string(),
        span: passage.span,
        passage: text.to_owned(),
        verdict: RelevanceVerdict {
            label,
            confidence: covered,
            quote: Some(text.to_owned()),
        },
    }
}

/// All that was found so far, as the rule for retries sees it.
fn validation(found: &[QuestionEvidence], settings: &RetrySettings) -> Validation {
    let questions: Vec<String> = found.iter().map(|one| one.question.clone()).collect();
    let evidence: Vec<ValidatedEvidence> = found
        .iter()
        .flat_map(|one| one.validated.iter().cloned())
        .collect();
    Validation {
        conflicts: Vec::new(),
        completeness: completeness(&questions, &evidence, &settings.rules),
        evidence,
    }
}
