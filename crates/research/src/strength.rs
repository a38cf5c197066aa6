//! How well sources bear a finding out: one rule, whoever made the finding.

use std::collections::BTreeSet;

use fathom_evidence::duplicate;

use crate::analysis::{Contradiction, Evidence, Strength};
use crate::source::SourceId;

/// From so many independent sources on a finding is strong, if some of them have data of their own.
const STRONG_SOURCES: usize = 3;
const STRONG_PRIMARY: usize = 2;

/// Texts of fewer words may be the same by chance.
const COPIED_WORDS: usize = 8;

/// Words of work that measured or counted for itself.
const MEASURED: &[&str] = &[
    "measured",
    "counted",
    "sensor",
    "thermometer",
    "survey",
    "trial",
    "interviewed",
    "sampled",
    "recorded",
    "readings",
    "confidence interval",
    "randomised",
    "randomized",
    "experiment",
    "field study",
    "pooled",
    "data",
];

/// What findings are weighed by, made once for all evidence of a run.
pub(crate) struct StrengthScale<'e> {
    evidence: &'e [Evidence],
    contradictions: &'e [Contradiction],
    /// Sources that tell somewhere what they measured or counted themselves.
    primary: BTreeSet<SourceId>,
}

impl<'e> StrengthScale<'e> {
    pub(crate) fn new(evidence: &'e [Evidence], contradictions: &'e [Contradiction]) -> Self {
        let primary = evidence.iter().filter(|one| is_primary(one));
        Self {
            evidence,
            contradictions,
            primary: primary.map(|one| one.source).collect(),
        }
    }

    /// The strength of a finding that rests on the evidence at these places.
    pub(crate) fn strength(&self, places: &[usize]) -> Strength {
        let members: Vec<&Evidence> = places
            .iter()
            .filter_map(|at| self.evidence.get(*at))
            .collect();
        let sources = independent(&members);
        let primary = sources.intersection(&self.primary).count();
        match sources.len() {
            0 => Strength::Gap,
            _ if members.iter().any(|one| self.is_disputed(one)) => Strength::Weak,
            1 => Strength::Weak,
            STRONG_SOURCES.. if primary >= STRONG_PRIMARY => Strength::Strong,
            _ => Strength::Moderate,
        }
    }

    /// Whether another source stands against this piece of evidence.
    pub(crate) fn is_disputed(&self, one: &Evidence) -> bool {
        let mut sides = self
            .contradictions
            .iter()
            .flat_map(|found| [&found.left, &found.right]);
        sides.any(|side| side.source == one.source && side.span.overlaps(one.span))
    }
}

/// The sources that speak for themselves: one whose words are another's is no second witness.
fn independent(members: &[&Evidence]) -> BTreeSet<SourceId> {
    let mut kept: Vec<&Evidence> = Vec::new();
    for one in members {
        let copied = kept
            .iter()
            .any(|other| other.source != one.source && is_copy(&one.quote, &other.quote));
        if !copied {
            kept.push(one);
        }
    }
    kept.into_iter().map(|one| one.source).collect()
}

/// Whether one text is the other in nearly the same words.
fn is_copy(one: &str, other: &str) -> bool {
    let long = |text: &str| text.split_whitespace().count() >= COPIED_WORDS;
    long(one) && long(other) && duplicate::sentences(&[one, other]).len() == 1
}

/// Whether a source tells what it measured or counted itself: figures among results, or words of measuring.
fn is_primary(one: &Evidence) -> bool {
    let lower = one.quote.to_lowercase();
    let figures = lower.contains(|c: char| c.is_ascii_digit());
    let measured = MEASURED.iter().any(|word| lower.contains(word));
    let section = one.sections.last().map(|title| title.to_lowercase());
    let results = section.is_some_and(|title| title.contains("result"));
    figures && (measured || results)
}

#[cfg(test)]
mod tests {
    use fathom_evidence::Span;

    use super::*;
    use crate::analysis::Side;
    use crate::plan::SubQuestionId;

    fn piece(source: u32, quote: &str) -> Evidence {
        Evidence {
            answers: SubQuestionId(0),
            source: SourceId(source),
            span: Span::new(0, 50),
            quote: quote.to_owned(),
            sections: Vec::new(),
            page: None,
            confidence: 0.8,
            relaxed: false,
        }
    }

    /// The strength of a finding that rests on all of these.
    fn strength(pieces: &[Evidence], contradictions: &[Contradiction]) -> Strength {
        let places: Vec<usize> = (0..pieces.len()).collect();
        StrengthScale::new(pieces, contradictions).strength(&places)
    }

    fn measured(source: u32) -> Evidence {
        piece(
            source,
            &format!("We measured {source}.5 degrees at site {source}."),
        )
    }

    fn told(source: u32) -> Evidence {
        piece(
            source,
            &format!("Author {source} writes that shade cools a street."),
        )
    }

    #[test]
    fn one_source_is_weak_however_often_it_speaks() {
        assert_eq!(strength(&[], &[]), Strength::Gap);
        assert_eq!(strength(&[measured(1)], &[]), Strength::Weak);
        assert_eq!(strength(&[measured(1), told(1)], &[]), Strength::Weak);
    }

    #[test]
    fn three_to_six_sources_are_strong_only_with_data_of_their_own() {
        assert_eq!(
            strength(&[measured(1), measured(2)], &[]),
            Strength::Moderate
        );
        for most in 3..=6 {
            let all: Vec<Evidence> = (1..=most).map(told).collect();
            assert_eq!(
                strength(&all, &[]),
                Strength::Moderate,
                "{most} without data"
            );
            let one = [vec![measured(1)], (2..=most).map(told).collect()].concat();
            assert_eq!(
                strength(&one, &[]),
                Strength::Moderate,
                "{most}, one with data"
            );
            let two = [
                vec![measured(1), measured(2)],
                (3..=most).map(told).collect(),
            ]
            .concat();
            assert_eq!(
                strength(&two, &[]),
                Strength::Strong,
                "{most}, two with data"
            );
        }
    }

    #[test]
    fn sources_in_conflict_are_weak() {
        let side = |source: u32, start: usize| Side {
            source: SourceId(source),
            span: Span::new(start, start + 10),
            quote: String::new(),
        };
        let against = |start: usize| Contradiction {
            left: side(1, start),
            right: side(9, 0),
            about: String::new(),
            explained: None,
            weighed: None,
        };
        let pieces: Vec<Evidence> = (1..=4).map(measured).collect();
        assert_eq!(strength(&pieces, &[against(20)]), Strength::Weak);
        assert_eq!(strength(&pieces, &[against(400)]), Strength::Strong);
    }

    #[test]
    fn a_source_that_repeats_another_word_for_word_is_no_second_witness() {
        let words = "Rows of street trees lowered the afternoon air temperature by 1.9 degrees.";
        assert_eq!(
            strength(&[piece(1, words), piece(2, words)], &[]),
            Strength::Weak
        );
    }
}
