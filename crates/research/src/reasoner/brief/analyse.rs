//! What the passages at hand amount to: one finding a passage, and whether they answer the question.

use fathom_evidence::question;
use fathom_render::report::Answered;

use super::phrases::Phrases;
use super::subject::subject_words;
use super::write::DISAGREEMENTS_MOST;
use crate::analysis::{Analysis, AnsweredVerdict, Finding, Gap, Quote};
use crate::library::WordMention;
use crate::plan::SubQuestionId;
use crate::reasoner::AnalyseTask;
use crate::skills::locate::excerpt::{Excerpt, Excerpts};
use crate::strength::StrengthScale;

/// Findings that are listed; the brief quotes more passages than these.
const FINDINGS_MOST: usize = 10;

/// An amount of money that was asked for stands in one of so many of the first passages, or is not told.
const PASSAGES_FOR_MONEY: usize = 20;

/// A sentence with so large a share of the question's words tells what something costs, if not in money.
const COST_TOLD_FROM: f64 = 0.75;

/// Where fewer than one in so many words of a question are absent, the others may still tell what it is about.
const ABSENT_OF: usize = 7;

/// Makes an analysis. The same task gives the same one.
pub fn analyse(task: &AnalyseTask<'_>) -> Analysis {
    let verdict = answered(task);
    let Excerpts {
        answer, further, ..
    } = task.excerpts;
    let quotes = answer.iter().filter_map(|one| {
        Some(Quote {
            source: task.evidence.get(one.evidence)?.source,
            span: one.span,
            text: one.text.clone(),
        })
    });
    let scale = StrengthScale::new(task.evidence, task.contradictions);
    let found = answer.iter().chain(further).take(FINDINGS_MOST);
    let findings: Vec<Finding> = found.map(|one| finding(one, &scale)).collect();
    let gaps = match verdict.answered {
        Answered::No => vec![gap(task, &verdict)],
        Answered::Yes | Answered::Partly => Vec::new(),
    };
    Analysis {
        answer: quotes.collect(),
        order: Vec::new(),
        themes: Vec::new(),
        // What a brief does not tell it does not list either.
        contradictions: task
            .contradictions
            .iter()
            .take(DISAGREEMENTS_MOST)
            .cloned()
            .collect(),
        confidence: task.evidence.first().map_or(0.0, |best| best.confidence),
        sufficient: !findings.is_empty(),
        answered: Some(verdict),
        gaps,
        findings,
    }
}

/// A passage is a finding of one source: whether another says the same is for a reader or a model to tell.
fn finding(one: &Excerpt, scale: &StrengthScale<'_>) -> Finding {
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
    if question::asks_for_money(task.question.text(), task.language) && !tells_cost(task) {
        return verdict(Answered::No, phrases.no_money.to_owned());
    }
    if task.excerpts.answers {
        verdict(Answered::Yes, phrases.matched.to_owned())
    } else {
        verdict(Answered::Partly, phrases.nearest.to_owned())
    }
}

/// Whether one of the first passages tells an amount of money, or a sentence has nearly all words of the question: a call may
/// cost time.
fn tells_cost(task: &AnalyseTask<'_>) -> bool {
    let mut first = task.evidence.iter().take(PASSAGES_FOR_MONEY);
    let mut quoted = task.excerpts.answer.iter();
    quoted.any(|one| one.covered >= COST_TOLD_FROM)
        || first.any(|piece| question::tells_money(&piece.quote))
}

/// Words of the subject that the documents do not mention. A name stands for the whole question; another word that is one
/// of many does not: people have their own words for what documents tell of.
fn absent<'t>(task: &'t AnalyseTask<'_>) -> Vec<&'t str> {
    let subject = subject_words(task.question.text(), task.language);
    let german = task.language.code() == "de";
    let is_name = |mention: &WordMention| {
        !german && mention.word.chars().next().is_some_and(char::is_uppercase)
    };
    let is_absent = |mention: &&WordMention| {
        subject.contains(&mention.word)
            && mention.nearest.is_none()
            && (mention.passages == 0 || is_name(mention) && !mention.as_written)
    };
    let absent: Vec<&WordMention> = task.mentions.iter().filter(is_absent).collect();
    let one_of_many = absent.len() * ABSENT_OF < task.mentions.len();
    if one_of_many && !absent.iter().any(|mention| is_name(mention)) {
        return Vec::new();
    }
    absent.iter().map(|mention| mention.word.as_str()).collect()
}
