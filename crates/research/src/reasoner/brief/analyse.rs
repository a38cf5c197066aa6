//! What the passages at hand amount to: one finding a passage, and whether they answer the question.

use std::collections::BTreeSet;

use fathom_evidence::terms::Terms;
use fathom_render::report::Answered;

use super::phrases::Phrases;
use super::subject::subject_words;
use crate::analysis::{Analysis, AnsweredVerdict, Evidence, Finding, Gap, Quote};
use crate::library::WordMention;
use crate::plan::SubQuestionId;
use crate::reasoner::AnalyseTask;
use crate::skills::locate::excerpt;
use crate::strength::StrengthScale;

/// Excerpts in the answer.
const ANSWER_EXCERPTS: usize = 3;

/// Findings that are listed; the brief quotes more passages than these.
const FINDINGS_MOST: usize = 10;

/// From this weighed share of the question's words on, within one passage and its headings, it is taken to answer.
const ANSWERS_FROM: f64 = 0.8;

/// Makes an analysis. The same task gives the same one.
pub fn analyse(task: &AnalyseTask<'_>) -> Analysis {
    let verdict = answered(task);
    let shown = task.excerpts.iter().take(ANSWER_EXCERPTS);
    let quotes = shown.filter_map(|one| {
        Some(Quote {
            source: task.evidence.get(one.evidence)?.source,
            span: one.span,
            text: one.text.clone(),
        })
    });
    let scale = StrengthScale::new(task.evidence, task.contradictions);
    let found = task.excerpts.iter().take(FINDINGS_MOST);
    let findings: Vec<Finding> = found.map(|one| finding(one, &scale)).collect();
    let gaps = match verdict.answered {
        Answered::No => vec![gap(task, &verdict)],
        Answered::Yes | Answered::Partly => Vec::new(),
    };
    Analysis {
        answer: quotes.collect(),
        themes: Vec::new(),
        contradictions: task.contradictions.to_vec(),
        confidence: task.evidence.first().map_or(0.0, |best| best.confidence),
        sufficient: !findings.is_empty(),
        answered: Some(verdict),
        gaps,
        findings,
    }
}

/// A passage is a finding of one source: whether another says the same is for a reader or a model to tell.
fn finding(one: &excerpt::Excerpt, scale: &StrengthScale<'_>) -> Finding {
    Finding {
        statement: one.text.clone(),
        answers: SubQuestionId(0),
        evidence: vec![one.evidence],
        strength: scale.strength(&[one.evidence]),
        confidence: one.covered,
    }
}

fn gap(task: &AnalyseTask<'_>, verdict: &AnsweredVerdict) -> Gap {
    Gap {
        answers: SubQuestionId(0),
        missing: verdict.reason.clone(),
        query: task.question.text().to_owned(),
    }
}

/// Whether the passages answer, by how well they match the question's subject and its other words.
fn answered(task: &AnalyseTask<'_>) -> AnsweredVerdict {
    let phrases = Phrases::for_language(task.language);
    let verdict = |answered, reason: String| AnsweredVerdict { answered, reason };
    let absent = absent(task);
    if !absent.is_empty() {
        return verdict(Answered::No, phrases.not_mentioned(&absent));
    }
    if task.evidence.is_empty() {
        return verdict(Answered::No, phrases.nothing_found.to_owned());
    }
    let weights = Weights::new(task);
    let best = task.evidence.iter().take(ANSWER_EXCERPTS);
    let best = best.map(|piece| weights.covered(piece)).fold(0.0, f64::max);
    if best >= ANSWERS_FROM {
        verdict(Answered::Yes, phrases.matched.to_owned())
    } else {
        verdict(Answered::Partly, phrases.nearest.to_owned())
    }
}

/// Words of the subject that the documents do not mention.
fn absent<'t>(task: &'t AnalyseTask<'_>) -> Vec<&'t str> {
    let subject = subject_words(task.question.text(), task.language);
    let is_absent = |mention: &&WordMention| {
        let name = mention.word.chars().next().is_some_and(char::is_uppercase);
        let elsewhere = name && task.language.code() != "de" && !mention.as_written;
        subject.contains(&mention.word)
            && mention.nearest.is_none()
            && (mention.passages == 0 || elsewhere)
    };
    let absent = task.mentions.iter().filter(is_absent);
    absent.map(|mention| mention.word.as_str()).collect()
}

/// What each word of the question counts: the more, the fewer passages have it.
struct Weights {
    terms: Terms,
    weighed: Vec<(String, f64)>,
}

impl Weights {
    fn new(task: &AnalyseTask<'_>) -> Self {
        let terms = Terms::new(task.language);
        let weight = |term: &String| {
            let mention = task
                .mentions
                .iter()
                .find(|one| terms.term(&one.word) == *term);
            mention.map_or(1.0, |one| {
                (1.0 + one.of as f64 / (one.passages as f64 + 0.5)).ln()
            })
        };
        let wanted = excerpt::telling(&terms, task.question.text());
        let weighed = wanted.into_iter().map(|term| {
            let weight = weight(&term);
            (term, weight)
        });
        Self {
            weighed: weighed.collect(),
            terms,
        }
    }

    /// The weighed share of the question's words that a passage and its headings have.
    fn covered(&self, piece: &Evidence) -> f64 {
        let headings = piece.sections.join(" ");
        let texts = [piece.quote.as_str(), &headings];
        let held: BTreeSet<String> = texts
            .iter()
            .flat_map(|text| self.terms.telling(text))
            .collect();
        let all: f64 = self.weighed.iter().map(|(_, weight)| weight).sum();
        let has = self.weighed.iter().filter(|(term, _)| held.contains(term));
        has.map(|(_, weight)| weight).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    }
}
