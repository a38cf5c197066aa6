//! What the passages at hand amount to: one finding a passage, and whether they answer the question.

use fathom_evidence::Language;
use fathom_evidence::question::{AskedAmount, document_words};
use fathom_render::report::Answered;

use super::phrases::Phrases;
use super::subject::{is_term, names_nothing, subject_words};
use super::write::DISAGREEMENTS_MOST;
use crate::analysis::{Analysis, AnsweredVerdict, Finding, Gap, Quote};
use crate::library::WordMention;
use crate::plan::SubQuestionId;
use crate::reasoner::AnalyseTask;
use crate::skills::locate::excerpt::{Excerpt, Excerpts, QuestionWords};
use crate::strength::StrengthScale;

/// Findings that are listed; the brief quotes more passages than these.
const FINDINGS_MOST: usize = 10;

/// An amount that was asked for stands in one of so many of the first passages, or is not told.
const PASSAGES_FOR_AMOUNT: usize = 20;

/// A sentence with so large a share of the question's words tells what was asked for, if not in that unit.
const AMOUNT_TOLD_FROM: f64 = 0.75;

/// The nearest passages that tell the language of the documents.
const PASSAGES_FOR_LANGUAGE: usize = 5;

/// Words that stand in no document, told of where the question is answered in part.
const MISSING_TOLD: usize = 3;

/// A shorter word is likely to have forms that documents use for it, as "cool" has "cooler", or to say little.
const MISSING_LETTERS: usize = 6;

/// Where fewer than one in so many words of a question are absent, the others may still tell what it is about.
const ABSENT_OF: usize = 7;

/// Where the documents do not answer, a quote with a smaller share of the question's words only confuses.
const NEAR_COVERED: f64 = 0.3;

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

/// The quotes of an answer that are worth a reader's time: all of them, or those near the question where it is not answered.
pub(crate) fn quotes_shown<'a>(
    analysis: &'a Analysis,
    words: &QuestionWords,
) -> impl Iterator<Item = &'a Quote> {
    let verdict = analysis.answered.as_ref();
    let unanswered = verdict.is_some_and(|verdict| verdict.answered == Answered::No);
    let quotes = analysis.answer.iter();
    quotes.filter(move |quote| !unanswered || words.covered([&quote.text]) >= NEAR_COVERED)
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
    let absent = absent(task);
    let unanswered = if !absent.is_empty() {
        Some(phrases.not_mentioned(&absent))
    } else if task.evidence.is_empty() {
        Some(phrases.nothing_found.to_owned())
    } else {
        AskedAmount::read(task.question.text(), task.language)
            .filter(|amount| !is_told(task, amount))
            .map(|amount| phrases.no_amount(amount.unit.as_deref()))
    };
    let (answered, reason) = match unanswered {
        Some(reason) if in_other_language(task) => {
            (Answered::No, format!("{reason} {}", phrases.other_language))
        }
        Some(reason) => (Answered::No, reason),
        None if task.excerpts.answers => (Answered::Yes, phrases.matched.to_owned()),
        None => {
            let missing = missing(task);
            let told = (!missing.is_empty()).then(|| phrases.not_contained(&missing));
            let told = told.into_iter().chain([phrases.nearest.to_owned()]);
            (Answered::Partly, told.collect::<Vec<_>>().join(" "))
        }
    };
    AnsweredVerdict { answered, reason }
}

/// Whether the nearest passages are plainly not in the language of the question.
fn in_other_language(task: &AnalyseTask<'_>) -> bool {
    let nearest = task.evidence.iter().take(PASSAGES_FOR_LANGUAGE);
    let texts: Vec<&str> = nearest.map(|piece| piece.quote.as_str()).collect();
    Language::detect(&texts.join("\n")).is_some_and(|language| language != task.language)
}

/// Words of the question that stand in no document, a few of them, but those for which documents have others.
fn missing<'t>(task: &'t AnalyseTask<'_>) -> Vec<&'t str> {
    let is_missing = |mention: &&WordMention| {
        let long = mention.word.chars().count() >= MISSING_LETTERS;
        let absent = mention.passages == 0 && mention.nearest.is_none();
        let says_little = task.language.has_frequent(&mention.word)
            || names_nothing(&mention.word.to_lowercase());
        long && absent && !says_little && document_words(&mention.word, task.language).is_empty()
    };
    let missing = task.mentions.iter().filter(is_missing);
    missing
        .map(|mention| mention.word.as_str())
        .take(MISSING_TOLD)
        .collect()
}

/// Whether one of the first passages tells an amount of this kind, or a sentence has nearly all words of the question: a call may
/// cost time.
fn is_told(task: &AnalyseTask<'_>, amount: &AskedAmount) -> bool {
    let mut first = task.evidence.iter().take(PASSAGES_FOR_AMOUNT);
    let mut quoted = task.excerpts.answer.iter();
    quoted.any(|one| one.covered >= AMOUNT_TOLD_FROM)
        || first.any(|piece| amount.is_told_in(&piece.quote))
}

/// Words of the subject that the documents do not mention. A name stands for the whole question; another word that is one
/// of many does not: people have their own words for what documents tell of.
fn absent<'t>(task: &'t AnalyseTask<'_>) -> Vec<&'t str> {
    let subject = subject_words(task.question.text(), task.language);
    let german = task.language.code() == "de";
    let is_capitalised =
        |mention: &WordMention| !german && mention.word.starts_with(char::is_uppercase);
    let is_name =
        |mention: &WordMention| is_capitalised(mention) || is_term(&mention.word, task.language);
    let is_absent = |mention: &&WordMention| {
        subject.contains(&mention.word)
            && mention.nearest.is_none()
            && (mention.passages == 0 || is_capitalised(mention) && !mention.as_written)
    };
    let absent: Vec<&WordMention> = task.mentions.iter().filter(is_absent).collect();
    let one_of_many = absent.len() * ABSENT_OF < task.mentions.len();
    if one_of_many && !absent.iter().any(|mention| is_name(mention)) {
        return Vec::new();
    }
    absent.iter().map(|mention| mention.word.as_str()).collect()
}
