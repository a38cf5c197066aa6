//! What a run knows, in the form in which a finished report holds it: numbers count from 1 and refer to cited sources.

use fathom_evidence::citation::Support;
use fathom_evidence::sentences;
use fathom_evidence::validate::retry::RetryEntry;
use fathom_render::report::claim::{
    ClaimVerdict, Disagreement, ModelVerdict, ReportClaim, SourceQuote, TextPlace,
};
use fathom_render::report::method::{FailureNote, TracePart};
use fathom_render::report::review::{ReportReview, ReviewItem};
use fathom_render::report::source::{CitedSource, StoredText};
use fathom_render::report::{AskedQuestion, EXTRACTIVE, OpenQuestion, ReportSection};

use super::renumber::Numbers;
use crate::analysis::{Analysis, Contradiction, Gap, Side};
use crate::citations::{CheckedClaim, Judgement, Proof};
use crate::critique::{Critique, ReviewRemark};
use crate::draft::{DraftPlace, DraftSection};
use crate::plan::{Plan, PlanTrace, SubQuestionId};
use crate::question::Question;
use crate::skills::cite::MARK;
use crate::skills::compose::{says_no_more, without_markup};
use crate::source::{Source, SourceId};
use crate::workflows::report::nodes::language;
use crate::workflows::report::state::{ErrorEntry, ReportState};

/// Characters of one part of how a plan was reasoned.
const TOLD_CHARS: usize = 400;

pub(super) fn question(question: &Question) -> AskedQuestion {
    AskedQuestion {
        text: question.text().to_owned(),
        context: question.context.clone(),
        domain: question.domain.clone(),
        depth: question.depth.to_string(),
        style: question.style.to_string(),
        asked_on: question.asked_on,
    }
}

pub(super) fn section(section: DraftSection) -> ReportSection {
    ReportSection {
        title: section.title,
        sub_questions: section.answers.iter().map(number).collect(),
        text: section.text,
    }
}

pub(super) fn source(source: &Source, new: u32) -> CitedSource {
    let work = &source.about;
    let snapshot = source.snapshot.as_ref().map(|snapshot| StoredText {
        text: snapshot.text.to_string(),
        words: snapshot.words,
        language: snapshot.language.clone(),
        taken_at: snapshot.taken_at,
        lost: snapshot.lost.clone(),
    });
    CitedSource {
        number: SourceId(new),
        kind: source.kind,
        location: source.location.clone(),
        title: work.title.clone(),
        authors: work.authors.clone(),
        published: work.published.clone(),
        venue: work.venue.clone(),
        doi: work.doi.clone(),
        citations: work.citations,
        retracted: work.retracted,
        relevance: source.relevance,
        quality: source.quality,
        snippet: source.snippet.clone(),
        snapshot,
        unread: source.unread.clone(),
        reference: String::new(),
    }
}

/// A claim with the sources that are still cited; proofs from others go.
pub(super) fn claim(number: usize, claim: &CheckedClaim, numbers: &Numbers) -> ReportClaim {
    let (place, section) = place(&claim.place);
    let (verdict, why) = match &claim.support {
        Support::Supported { .. } => (ClaimVerdict::Supported, None),
        Support::Contradicted { .. } => (ClaimVerdict::Contradicted, None),
        Support::NotSupported => (ClaimVerdict::NotSupported, None),
        Support::NotChecked { why } => (ClaimVerdict::NotChecked, Some(why.clone())),
    };
    let judged = claim.judged.as_ref().map(|judgement| match judgement {
        Judgement::Supported => ModelVerdict::Supported,
        Judgement::Contradicted => ModelVerdict::Contradicted,
        Judgement::NotSupported => ModelVerdict::NotSupported,
        Judgement::CouldNotCheck { .. } => ModelVerdict::CouldNotCheck,
    });
    let sources = claim.cites.iter().filter_map(|id| numbers.new_of(*id));
    let proofs = claim.proofs.iter();
    let proofs = proofs.filter_map(|proof| Some(quote(proof, numbers.new_of(proof.source)?)));
    ReportClaim {
        number,
        place,
        section,
        text: claim.text.clone(),
        verdict,
        why,
        reasons: claim.reasons.clone(),
        judged,
        sources: sources.collect(),
        proofs: proofs.collect(),
    }
}

fn quote(proof: &Proof, source: SourceId) -> SourceQuote {
    SourceQuote {
        source,
        quote: proof.quote.clone(),
        snapshot: Some(proof.snapshot.to_string()),
        start: proof.span.start,
        end: proof.span.end,
        relaxed: proof.relaxed,
    }
}

/// A contradiction whose sides have their new numbers already.
pub(super) fn disagreement(pair: &Contradiction, sources: &[CitedSource]) -> Disagreement {
    let side = |side: &Side| {
        let cited = sources.iter().find(|source| source.number == side.source);
        let stored = cited.and_then(|source| source.snapshot.as_ref());
        SourceQuote {
            source: side.source,
            quote: side.quote.clone(),
            snapshot: stored.map(|stored| stored.text.clone()),
            start: side.span.start,
            end: side.span.end,
            relaxed: false,
        }
    };
    Disagreement {
        about: pair.about.clone(),
        sides: [side(&pair.left), side(&pair.right)],
        explained: pair.explained.as_ref().map(side),
        weighed: pair.weighed.clone(),
    }
}

/// What is missing, with the numbers that the report has; a model's words are marked.
pub(super) fn gap(gap: &Gap, state: &ReportState, numbers: &Numbers) -> OpenQuestion {
    OpenQuestion {
        sub_question: number(&gap.answers),
        missing: marked(&numbers.text(&gap.missing), state),
        next_query: if adds_words(&gap.query, state) {
            String::new()
        } else {
            gap.query.clone()
        },
    }
}

/// A model's words that are shown as they are, where they say no more than the question; else with the mark of what nobody
/// could confirm. The brief has no words of its own.
pub(crate) fn marked(words: &str, state: &ReportState) -> String {
    if adds_words(words, state) {
        format!("{words}{MARK}")
    } else {
        words.to_owned()
    }
}

/// A sub-question or a search: it may have the words of the evidence too, for it asks and does not state.
pub(super) fn marked_question(words: &str, state: &ReportState) -> String {
    let quotes = state.evidence.iter().map(|piece| piece.quote.as_str());
    let known: Vec<&str> = quotes.chain([state.question.text()]).collect();
    let known = known.join(" ");
    if adds_words(words, state) && !says_no_more(words, &known, language(state)) {
        format!("{words}{MARK}")
    } else {
        words.to_owned()
    }
}

/// Whether a model had its part in a run and words say more than the question does.
fn adds_words(words: &str, state: &ReportState) -> bool {
    let by_model = state.reasoners.iter().any(|name| name != EXTRACTIVE);
    by_model && !says_no_more(words, state.question.text(), language(state))
}

/// Texts of an analysis that may cite sources.
pub(super) fn told_by_model(analysis: &Analysis) -> Vec<&str> {
    let pairs = analysis.contradictions.iter();
    let pairs = pairs.flat_map(|pair| [Some(pair.about.as_str()), pair.weighed.as_deref()]);
    let gaps = analysis.gaps.iter().map(|gap| gap.missing.as_str());
    pairs.flatten().chain(gaps).collect()
}

pub(super) fn review(critique: &Critique) -> ReportReview {
    ReportReview {
        draft: critique.version,
        by: critique.by.clone(),
        score: critique.score,
        scores: critique.scores,
        verdict: critique.verdict,
        potential: critique.potential,
        summary: opinion(&critique.summary),
        items: critique.items.iter().map(item).collect(),
    }
}

/// A reviewer's words: an opinion that nobody checked.
fn opinion(words: &str) -> String {
    match without_markup(words) {
        words if words.is_empty() => words,
        words => format!("{words}{MARK}"),
    }
}

fn item(item: &ReviewRemark) -> ReviewItem {
    let (place, section) = place(&item.place);
    ReviewItem {
        category: item.category,
        severity: item.severity,
        place,
        section,
        description: if item.proven {
            item.description.clone()
        } else {
            opinion(&item.description)
        },
        fix: item.fix.as_deref().map(opinion),
        proven: item.proven,
    }
}

/// The parts of how the planner thought that say something, in its own words.
pub(super) fn trace(trace: &PlanTrace, state: &ReportState) -> Vec<TracePart> {
    let parts = [
        ("understanding", &trace.understanding),
        ("decomposition", &trace.decomposition),
        ("strategy", &trace.strategy),
        ("outline", &trace.outline),
        ("risks", &trace.risks),
    ];
    let filled = parts.iter().filter(|(_, text)| !text.trim().is_empty());
    filled
        .map(|(part, text)| TracePart {
            part: (*part).to_owned(),
            text: marked_sentences(text, state),
        })
        .collect()
}

/// A planner's warnings, in its own words.
pub(super) fn warnings(plan: &Plan, state: &ReportState) -> Vec<String> {
    let warnings = plan.warnings.iter();
    let warnings = warnings.map(|warning| marked_sentences(warning, state));
    warnings.filter(|warning| !warning.is_empty()).collect()
}

/// A model's words, each sentence with the mark of what nobody could confirm where it says more than the question. What
/// is too long to be shown goes by whole sentences, so that no mark is cut off.
fn marked_sentences(words: &str, state: &ReportState) -> String {
    let words = without_markup(words);
    let spans = sentences(&words, language(state)).into_iter();
    let mut told = String::new();
    for sentence in spans.filter_map(|span| span.of(&words)) {
        let sentence = marked(sentence.trim(), state);
        if told.chars().count() + sentence.chars().count() >= TOLD_CHARS {
            break;
        }
        if !told.is_empty() {
            told.push(' ');
        }
        told.push_str(&sentence);
    }
    told
}

/// A second look, with the sub-questions that it was for.
pub(super) fn retry(entry: &RetryEntry, state: &ReportState) -> RetryEntry {
    let questions = entry.failed_questions.iter();
    RetryEntry {
        failed_questions: questions
            .map(|question| marked_question(question, state))
            .collect(),
        ..entry.clone()
    }
}

pub(super) fn failure(error: &ErrorEntry) -> FailureNote {
    FailureNote {
        node: error.node.clone(),
        at: error.at,
        category: error.category.to_string(),
        severity: error.severity.to_string(),
        attempts: error.attempts,
        message: error.message.clone(),
    }
}

fn number(sub_question: &SubQuestionId) -> u32 {
    sub_question.0.saturating_add(1)
}

/// A place, and the number of the section where it is one.
fn place(place: &DraftPlace) -> (TextPlace, Option<usize>) {
    match place {
        DraftPlace::Title => (TextPlace::Title, None),
        DraftPlace::Answer => (TextPlace::Answer, None),
        DraftPlace::Summary => (TextPlace::Summary, None),
        DraftPlace::Section(at) => (TextPlace::Section, Some(at.saturating_add(1))),
        DraftPlace::Conclusion => (TextPlace::Conclusion, None),
        DraftPlace::Whole => (TextPlace::Whole, None),
    }
}
