//! Conflicts between sources that code can prove: both sides quoted, with what their documents say on the difference.
//!
//! Every passage that a search found is compared, not only those that rank first: who contradicts the best passage seldom
//! uses the question's own words. What two sources differ in is left to their quotes; a name made of shared words reads
//! like a riddle.

use std::collections::BTreeSet;

use fathom_evidence::terms::Terms;
use fathom_evidence::validate::amounts::figures_are_close;
use fathom_evidence::validate::consistency::{ConflictKind, ConflictSide, Statement, conflicts};
use fathom_evidence::{Language, Span, sentences};

use super::passages::RankedPassages;
use super::{LocateTask, Reading, excerpt};
use crate::analysis::{Contradiction, Evidence, Side};
use crate::source::SourceId;

/// Contradictions beyond this are not shown.
const CONTRADICTIONS_MOST: usize = 20;

/// Passages of a sub-question that are compared.
const PASSAGES_COMPARED: usize = 100;

/// The share of a sub-question's words that both sides must have.
const SIDE_COVERS: f64 = 0.45;

/// Words by which a document speaks of results that differ from its own.
const EXPLAINS: &[&str] = &[
    "no conflict between",
    "in conflict with",
    "does not contradict",
    "do not contradict",
    "not comparable",
    "in contrast to",
    "replaces the earlier",
    "corrects the earlier",
    "kein widerspruch",
    "im widerspruch zu",
    "nicht vergleichbar",
    "en contradiction avec",
    "pas comparables",
    "en contradicción con",
    "no son comparables",
];

/// An explanation stands at most so many bytes from the words that it explains: further off it is on something else.
const EXPLANATION_WITHIN: usize = 2_000;

/// An explanation shares at least so many telling words with one of the sides.
const EXPLANATION_SHARES: usize = 2;

/// The conflicts between sentences of different sources, those of the best passages first.
pub(super) fn contradictions(
    task: &LocateTask<'_>,
    ranked: &RankedPassages<'_>,
    evidence: &[Evidence],
) -> Vec<Contradiction> {
    let said = said(task, ranked);
    let statements: Vec<Statement<'_>> = said.iter().map(SaidSentence::statement).collect();
    let holder = |side: &ConflictSide| {
        let holds = |one: &&SaidSentence<'_>| one.name == side.source && one.span.holds(side.span);
        said.iter().find(holds)
    };
    let is_evidence = |one: &SaidSentence<'_>| {
        let source = one.reading.source;
        let mut own = evidence.iter().filter(|piece| piece.source == source);
        own.any(|piece| piece.span.holds(one.span))
    };
    let bearing = QuestionTerms::new(task);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for conflict in conflicts(&statements, task.language) {
        // One source that says two things says them of two matters: two groups, two years.
        let same = conflict.left.source == conflict.right.source;
        let close = conflict.difference == ConflictKind::Number
            && figures_are_close(&conflict.left.quote, &conflict.right.quote);
        let (Some(left), Some(right)) = (holder(&conflict.left), holder(&conflict.right)) else {
            continue;
        };
        let told = (is_evidence(left) || is_evidence(right)) && bearing.covered(left, right);
        let key = [left, right].map(|one| (one.reading.source, one.span));
        if !same && !close && told && seen.insert(key) {
            found.push(Contradiction {
                about: String::new(),
                weighed: None,
                explained: explanation(left, right, &bearing.terms, task.language),
                left: left.side(),
                right: right.side(),
            });
        }
    }
    found.truncate(CONTRADICTIONS_MOST);
    found
}

/// A sentence of a passage.
struct SaidSentence<'e> {
    reading: &'e Reading,
    name: String,
    span: Span,
    quote: &'e str,
}

impl SaidSentence<'_> {
    fn statement(&self) -> Statement<'_> {
        Statement {
            source: &self.name,
            start: self.span.start,
            text: self.quote,
        }
    }

    fn side(&self) -> Side {
        side(self.reading.source, self.span, self.quote)
    }
}

fn side(source: SourceId, span: Span, quote: &str) -> Side {
    Side {
        source,
        span,
        quote: quote.to_owned(),
    }
}

/// The sentences of all passages that are compared, each once.
fn said<'r>(task: &LocateTask<'_>, ranked: &RankedPassages<'r>) -> Vec<SaidSentence<'r>> {
    let mut seen = BTreeSet::new();
    let mut said = Vec::new();
    for id in task.plan.ids() {
        let question = task.plan.sub_question(id).map_or("", |sub| &sub.text);
        for (reading, passage) in ranked.best(id, question, PASSAGES_COMPARED) {
            let text = passage.text(&reading.document).unwrap_or_default();
            for within in sentences(text, task.language) {
                let span = within.moved(passage.span.start);
                if let Some(quote) = within.of(text)
                    && seen.insert((reading.source, span))
                {
                    said.push(SaidSentence {
                        name: reading.source.0.to_string(),
                        reading,
                        span,
                        quote,
                    });
                }
            }
        }
    }
    said
}

/// The words of each sub-question.
struct QuestionTerms {
    terms: Terms,
    wanted: Vec<BTreeSet<String>>,
}

impl QuestionTerms {
    fn new(task: &LocateTask<'_>) -> Self {
        let terms = Terms::new(task.language);
        let subs = task.plan.sub_questions.iter();
        let wanted = subs.map(|sub| excerpt::telling(&terms, &sub.text));
        Self {
            wanted: wanted.collect(),
            terms,
        }
    }

    /// Whether both sides bear on the same sub-question.
    fn covered(&self, left: &SaidSentence<'_>, right: &SaidSentence<'_>) -> bool {
        let bears = |wanted: &BTreeSet<String>, one: &SaidSentence<'_>| {
            excerpt::coverage(&self.terms, wanted, [one.quote]) >= SIDE_COVERS
        };
        let mut subs = self.wanted.iter();
        subs.any(|wanted| bears(wanted, left) && bears(wanted, right))
    }
}

/// What one of the two documents says, near its side and in words of a side, on results that differ.
fn explanation(
    left: &SaidSentence<'_>,
    right: &SaidSentence<'_>,
    terms: &Terms,
    language: Language,
) -> Option<Side> {
    let sides = [left, right].map(|one| (one.quote, excerpt::telling(terms, one.quote)));
    let explains = |quote: &str| {
        let lower = quote.to_lowercase();
        let own = excerpt::telling(terms, quote);
        let shares = |words| own.intersection(words).count() >= EXPLANATION_SHARES;
        EXPLAINS.iter().any(|words| lower.contains(words))
            && sides.iter().any(|(_, words)| shares(words))
            && sides.iter().all(|(side, _)| *side != quote)
    };
    [left, right].into_iter().find_map(|one| {
        let near = Span::new(
            one.span.start.saturating_sub(EXPLANATION_WITHIN),
            one.span.end + EXPLANATION_WITHIN,
        );
        let passages = one.reading.passages.iter();
        let mut passages = passages.filter(|passage| near.overlaps(passage.span));
        passages.find_map(|passage| {
            let text = passage.text(&one.reading.document)?;
            let mut spans = sentences(text, language).into_iter();
            let span = spans.find(|span| span.of(text).is_some_and(explains))?;
            let quote = span.of(text)?;
            let source = one.reading.source;
            Some(side(source, span.moved(passage.span.start), quote))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fathom_evidence::extract::{FormatHint, read};

    use super::*;

    const RAISED: &str = "Closed canopy raised the night air temperature in narrow streets.";
    const LOWERED: &str = "Closed canopy lowered the night air temperature in narrow streets.";

    /// What is said to explain that `side` stands against a second document, where `more` follows it.
    fn explained(side: &str, more: &str) -> Option<String> {
        let reading = |source: u32, text: &str| {
            let document = read(text.as_bytes(), &FormatHint::default()).unwrap();
            Reading::new(SourceId(source), Arc::new(document))
        };
        let (own, other) = (reading(1, &format!("{side} {more}")), reading(2, LOWERED));
        let said = |reading, quote| SaidSentence {
            reading,
            name: String::new(),
            span: Span::new(0, str::len(quote)),
            quote,
        };
        let (left, right) = (said(&own, side), said(&other, LOWERED));
        let english = Language::ENGLISH;
        let found = explanation(&left, &right, &Terms::new(english), english);
        found.map(|found| found.quote)
    }

    #[test]
    fn an_explanation_has_words_of_a_side() {
        let explains = "This does not contradict the night records from wide streets.";
        assert_eq!(explained(RAISED, explains).as_deref(), Some(explains));
        let strange = "The pollen counts of the port are not comparable with ours.";
        assert_eq!(explained(RAISED, strange), None);
    }

    #[test]
    fn a_side_does_not_explain_itself() {
        let side = "In contrast to wide streets, closed canopy raised the night air temperature.";
        assert_eq!(explained(side, "It was measured by hand."), None);
    }
}
