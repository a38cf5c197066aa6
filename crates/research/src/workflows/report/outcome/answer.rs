//! The answer of a report: its text, whether it is one, and how many sources agree with it or dispute it.

use std::collections::BTreeSet;

use fathom_render::phrases::Phrases;
use fathom_render::report::{Answered, ReportAnswer};

use super::renumber::cited;
use crate::analysis::{Analysis, AnsweredVerdict, Evidence};
use crate::citations::{CheckedClaim, CitationCheck, Proof};
use crate::draft::{Draft, DraftPlace};
use crate::source::SourceId;
use crate::workflows::report::nodes::language;
use crate::workflows::report::state::ReportState;

/// The answer of a draft whose citations still have the numbers of the run. Nothing where the evidence was not judged
/// for it, as in runs that were begun by an earlier version.
pub(super) fn answer(
    state: &ReportState,
    draft: &Draft,
    check: Option<&CitationCheck>,
) -> Option<ReportAnswer> {
    let analysis = state.analysis.as_deref();
    let by_writer = written_verdict(draft, analysis, check);
    let verdict = by_writer.or_else(|| verdict(state, analysis, &draft.answer));
    let AnsweredVerdict { answered, reason } = verdict?;
    let (agree, dispute) = analysis.map_or_else(Default::default, |analysis| {
        sides(&draft.answer, analysis, &state.evidence, check)
    });
    Some(ReportAnswer {
        answered,
        reason,
        text: draft.answer.clone(),
        agree: agree.len(),
        dispute: dispute.len(),
    })
}

/// The verdict of the model that wrote the answer, held to what the check left of it: a yes wants most sentences
/// confirmed.
fn written_verdict(
    draft: &Draft,
    analysis: Option<&Analysis>,
    check: Option<&CitationCheck>,
) -> Option<AnsweredVerdict> {
    let said = draft.answered?;
    let claims = check.map_or(&[][..], |check| &check.claims);
    // Passages that are quoted under it are the sources' words and not the model's.
    let written = draft.answer.lines().filter(|line| !line.starts_with("> "));
    let written: Vec<&str> = written.collect();
    let is_own = |claim: &&CheckedClaim| {
        let words = claim.text.trim_end_matches(['.', '!']);
        claim.place == DraftPlace::Answer && written.iter().any(|line| line.contains(words))
    };
    let own = claims.iter().filter(is_own);
    own.clone().next()?;
    let answered = if CheckedClaim::most_confirmed(own) {
        said
    } else {
        said.min(Answered::Partly)
    };
    let analyst = analysis.and_then(|analysis| analysis.answered.as_ref());
    let analyst = analyst.filter(|verdict| verdict.answered == answered);
    let missing = draft.missing.clone().filter(|_| answered != Answered::Yes);
    let reason = missing.or_else(|| analyst.map(|verdict| verdict.reason.clone()));
    Some(AnsweredVerdict {
        answered,
        reason: reason.unwrap_or_default(),
    })
}

/// The analyst's verdict, held to what there is to show.
fn verdict(
    state: &ReportState,
    analysis: Option<&Analysis>,
    text: &str,
) -> Option<AnsweredVerdict> {
    let reasons = &Phrases::new(language(state)).reasons;
    let no = |reason: &str| AnsweredVerdict {
        answered: Answered::No,
        reason: reason.to_owned(),
    };
    let Some(analysis) = analysis else {
        return Some(no(if state.sources.is_empty() {
            reasons.nothing_found
        } else {
            reasons.not_weighed
        }));
    };
    let Some(verdict) = analysis.answered.clone() else {
        let none = analysis.findings.is_empty();
        return none.then(|| no(reasons.nothing_answers));
    };
    if verdict.answered == Answered::Yes && text.trim().is_empty() {
        return Some(AnsweredVerdict {
            answered: Answered::Partly,
            reason: reasons.no_short_answer.to_owned(),
        });
    }
    Some(verdict)
}

/// The sources that say what the answer says, and those that say otherwise.
///
/// Sources agree that the answer cites, or whose evidence stands in a finding with words that it rests on. A source
/// disputes it that stands against such words in a contradiction; where the answer cites both, the later one.
fn sides(
    text: &str,
    analysis: &Analysis,
    evidence: &[Evidence],
    check: Option<&CitationCheck>,
) -> (BTreeSet<SourceId>, BTreeSet<SourceId>) {
    let order = cited(text);
    let claims = check.map_or(&[][..], |check| &check.claims);
    let own = claims
        .iter()
        .filter(|claim| claim.place == DraftPlace::Answer);
    let proofs: Vec<&Proof> = own.flat_map(|claim| &claim.proofs).collect();
    let rests_on = |source: SourceId, span: fathom_evidence::Span| {
        let mut proofs = proofs.iter();
        proofs.any(|proof| proof.source == source && proof.span.overlaps(span))
    };
    let mut agree: BTreeSet<SourceId> = order.iter().copied().collect();
    for finding in &analysis.findings {
        let pieces = finding.evidence.iter().filter_map(|at| evidence.get(*at));
        if pieces
            .clone()
            .any(|piece| rests_on(piece.source, piece.span))
        {
            agree.extend(pieces.map(|piece| piece.source));
        }
    }
    let mut dispute = BTreeSet::new();
    let met = |source: SourceId| order.iter().position(|cited| *cited == source);
    for pair in &analysis.contradictions {
        let [left, right] = [&pair.left, &pair.right].map(|side| rests_on(side.source, side.span));
        let later = || {
            if met(pair.left.source) > met(pair.right.source) {
                pair.left.source
            } else {
                pair.right.source
            }
        };
        match (left, right) {
            (true, false) => dispute.insert(pair.right.source),
            (false, true) => dispute.insert(pair.left.source),
            (true, true) => dispute.insert(later()),
            (false, false) => continue,
        };
    }
    agree.retain(|source| !dispute.contains(source));
    // Quotes that stand side by side need not say the same.
    if text.lines().any(|line| line.starts_with("> ")) {
        agree.clear();
    }
    (agree, dispute)
}

#[cfg(test)]
mod tests {
    use fathom_evidence::Span;
    use fathom_evidence::citation::Support;
    use fathom_workflow::BlobHash;

    use super::*;
    use crate::analysis::{Contradiction, Finding, Side, Strength};
    use crate::citations::CheckedClaim;
    use crate::plan::SubQuestionId;

    fn piece(source: u32, start: usize) -> Evidence {
        Evidence {
            answers: SubQuestionId(0),
            source: SourceId(source),
            span: Span::new(start, start + 20),
            quote: String::new(),
            sections: Vec::new(),
            page: None,
            confidence: 1.0,
            relaxed: false,
        }
    }

    fn side(source: u32, start: usize) -> Side {
        Side {
            source: SourceId(source),
            span: Span::new(start, start + 10),
            quote: String::new(),
        }
    }

    fn analysis(pairs: &[(Side, Side)]) -> Analysis {
        let pair = |(left, right): &(Side, Side)| Contradiction {
            left: left.clone(),
            right: right.clone(),
            about: String::new(),
            explained: None,
            weighed: None,
        };
        Analysis {
            findings: vec![Finding {
                statement: String::new(),
                answers: SubQuestionId(0),
                evidence: vec![0, 1],
                strength: Strength::Moderate,
                confidence: 0.8,
            }],
            contradictions: pairs.iter().map(pair).collect(),
            ..Analysis::default()
        }
    }

    /// The numbers of those that agree and of those that dispute; the answer rests on words of the sources it cites.
    fn counted(text: &str, pairs: &[(Side, Side)]) -> (Vec<u32>, Vec<u32>) {
        let proof = |source: SourceId| Proof {
            source,
            snapshot: BlobHash::from_content(b"text"),
            span: Span::new(0, 20),
            quote: String::new(),
            relaxed: false,
        };
        let check = CitationCheck {
            claims: vec![CheckedClaim {
                place: DraftPlace::Answer,
                text: String::new(),
                cites: cited(text),
                support: Support::NotSupported,
                reasons: Vec::new(),
                proofs: cited(text).into_iter().map(proof).collect(),
                judged: None,
            }],
            ..CitationCheck::default()
        };
        let evidence = [piece(1, 5), piece(2, 300), piece(3, 0)];
        let (agree, dispute) = sides(text, &analysis(pairs), &evidence, Some(&check));
        let numbers = |all: BTreeSet<SourceId>| all.into_iter().map(|id| id.0).collect();
        (numbers(agree), numbers(dispute))
    }

    #[test]
    fn a_models_yes_holds_where_most_of_its_sentences_are_confirmed() {
        let claim = |text: &str, support: Support| CheckedClaim {
            place: DraftPlace::Answer,
            text: text.to_owned(),
            cites: vec![SourceId(1)],
            support,
            reasons: Vec::new(),
            proofs: Vec::new(),
            judged: None,
        };
        let answered = |confirmed: usize| {
            let texts = ["It is 2 °C.", "It rains.", "It is dry."];
            let draft = Draft {
                answered: Some(Answered::Yes),
                ..Draft::of_answer(texts.join(" "))
            };
            let claims = texts.iter().enumerate().map(|(at, text)| {
                let support = if at < confirmed {
                    Support::Supported { by: Vec::new() }
                } else {
                    Support::NotSupported
                };
                claim(text, support)
            });
            let check = CitationCheck {
                claims: claims.collect(),
                ..CitationCheck::default()
            };
            written_verdict(&draft, None, Some(&check)).map(|verdict| verdict.answered)
        };
        assert_eq!(answered(0), Some(Answered::Partly));
        assert_eq!(answered(1), Some(Answered::Partly));
        assert_eq!(answered(2), Some(Answered::Yes));
    }

    #[test]
    fn sources_of_the_same_finding_agree_though_the_answer_does_not_cite_them() {
        assert_eq!(counted("It is 2 °C [1].", &[]), (vec![1, 2], vec![]));
    }

    #[test]
    fn a_source_that_stands_against_the_words_of_the_answer_disputes_it() {
        let against = [(side(1, 10), side(4, 0))];
        assert_eq!(counted("It is 2 °C [1].", &against), (vec![1, 2], vec![4]));
        let elsewhere = [(side(1, 900), side(4, 0))];
        assert_eq!(counted("It is 2 °C [1].", &elsewhere), (vec![1, 2], vec![]));
    }

    #[test]
    fn where_the_answer_cites_both_sides_the_later_one_disputes() {
        let both = [(side(3, 0), side(1, 0))];
        let text = "It is 2 °C [1]. Another found nothing [3].";
        assert_eq!(counted(text, &both), (vec![1, 2], vec![3]));
    }
}
