//! Checks every sentence of a draft against the stored text of the sources it cites, and repairs what fails.
//!
//! A claim that its source does not bear out gets a source that does, or a mark, or goes. A citation of a source that
//! does not exist never stays. What is left is checked once more: that second verdict is what the report shows. Where
//! there is a model, it then judges the meaning of what is left (`opinions`), and code does the rest (`repair`).

mod opinions;
mod passages;
mod repair;

use std::collections::BTreeMap;
use std::sync::Arc;

use fathom_evidence::citation::{CitedSources, ClaimVerdict, SourceText, Support, check_text};
use fathom_evidence::claim::{Claim, Stated};
use fathom_evidence::{Document, Language, Span};
use fathom_workflow::NodeError;
use tokio::task::spawn_blocking;

use self::opinions::Opinions;
pub(crate) use self::repair::{MARK, without_marks};
use crate::analysis::Evidence;
use crate::calls::RecordedFailure;
use crate::citations::{CheckedClaim, CitationCheck, ClaimChange, Proof};
use crate::draft::{Draft, DraftPlace};
use crate::reasoner::Ctx;
use crate::skills::budget::RunBudget;
use crate::source::{Source, SourceId};

/// How far citations are checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CitationCheckSettings {
    /// Whether a model, where there is one, judges if the cited passages bear the sentences out.
    pub(crate) semantic_check: bool,
    /// Whether a model is asked only about sentences that words alone do not bear out: a slow one has no time for more.
    pub(crate) doubtful_only: bool,
    /// Calls of the model for that, for each draft.
    pub(crate) max_semantic_calls: usize,
    /// Documents opened, and calls made, at once.
    pub(crate) max_concurrency: usize,
}

/// What a draft is held against.
#[derive(Clone, Copy)]
pub(crate) struct CitationTask<'a> {
    pub(crate) settings: CitationCheckSettings,
    pub(crate) budget: RunBudget,
    /// The language that the draft is written in.
    pub(crate) language: Language,
    pub(crate) sources: &'a [Arc<Source>],
    pub(crate) evidence: &'a [Evidence],
    /// The check of the draft before: what a model said of a sentence that still stands counts.
    pub(crate) before: Option<&'a CitationCheck>,
}

/// A draft with what failed repaired, and the verdicts on what is left.
pub(crate) struct CitationResult {
    pub(crate) draft: Draft,
    pub(crate) check: CitationCheck,
    /// Calls for an opinion that failed.
    pub(crate) failures: Vec<RecordedFailure>,
    /// Whether a model was to judge a sentence and could not.
    pub(crate) not_all_judged: bool,
}

/// Checks a draft and repairs it, with a model's opinions where there is one.
pub(crate) async fn check(
    task: &CitationTask<'_>,
    ctx: &Ctx,
    draft: Draft,
) -> Result<CitationResult, NodeError> {
    let checker = Arc::new(CitationChecker::open(task, ctx).await?);
    let checked = checker.check(draft).await?;
    let asked = opinions::ask(task, ctx, &checker, &checked).await?;
    let (draft, check) = checker.settle(checked, asked.opinions).await?;
    Ok(CitationResult {
        draft,
        check,
        failures: asked.failures,
        not_all_judged: asked.not_all_judged,
    })
}

/// A source's stored text, by its number.
type Texts = BTreeMap<u32, Arc<Document>>;

/// What sentences are held against.
struct CitationChecker {
    known: Vec<Arc<Source>>,
    texts: Texts,
    language: Language,
    /// Where evidence stands, and whether it was accepted under relaxed rules only.
    accepted: Vec<(SourceId, Span, bool)>,
}

/// A draft that code has checked and repaired.
struct CheckedDraft {
    draft: Draft,
    /// What is left of its facts, in reading order.
    facts: Vec<Fact>,
    changes: Vec<ClaimChange>,
}

/// A sentence that states something, with what code says of it.
struct Fact {
    place: DraftPlace,
    claim: Claim,
    checked: ClaimVerdict,
    record: CheckedClaim,
}

impl CitationChecker {
    async fn open(task: &CitationTask<'_>, ctx: &Ctx) -> Result<Self, NodeError> {
        let opened = ctx
            .deps()
            .documents
            .open_all(ctx, task.sources, task.settings.max_concurrency)
            .await?;
        Ok(Self {
            known: task.sources.to_vec(),
            texts: opened
                .into_iter()
                .map(|(id, document)| (id.0, document))
                .collect(),
            language: task.language,
            accepted: task
                .evidence
                .iter()
                .map(|piece| (piece.source, piece.span, piece.relaxed))
                .collect(),
        })
    }

    /// Checks a draft by code and repairs it.
    async fn check(self: &Arc<Self>, mut draft: Draft) -> Result<CheckedDraft, NodeError> {
        let checker = Arc::clone(self);
        let work = move || {
            let sources = checker.sources();
            let (mut facts, mut changes) = (Vec::new(), Vec::new());
            let places: Vec<DraftPlace> = draft.texts().map(|(place, _)| place).collect();
            for place in &places {
                let Some(text) = draft.text_mut(place) else {
                    continue;
                };
                // Marks are set by what is found now, not by what an earlier draft was found to be.
                *text = without_marks(text);
                let found = check_all(text, &checker, &sources);
                *text = repair::repaired(text, place, &found, &sources, &mut changes);
                facts.extend(checker.facts(place, text, &sources));
            }
            CheckedDraft {
                draft,
                facts,
                changes,
            }
        };
        Ok(spawn_blocking(work).await?)
    }

    /// Repairs what a model has spoken against, and gives the last word on what is left.
    async fn settle(
        self: &Arc<Self>,
        checked: CheckedDraft,
        opinions: Opinions,
    ) -> Result<(Draft, CitationCheck), NodeError> {
        let checker = Arc::clone(self);
        Ok(spawn_blocking(move || checker.settled(checked, opinions)).await?)
    }

    fn settled(&self, checked: CheckedDraft, mut opinions: Opinions) -> (Draft, CitationCheck) {
        let sources = self.sources();
        let CheckedDraft {
            mut draft,
            facts,
            mut changes,
        } = checked;
        let mut claims = Vec::new();
        let mut facts = facts.into_iter().peekable();
        let places: Vec<DraftPlace> = draft.texts().map(|(place, _)| place).collect();
        for place in &places {
            let mut own = Vec::new();
            while let Some(fact) = facts.next_if(|fact| fact.place == *place) {
                own.push(fact);
            }
            let Some(text) = draft.text_mut(place) else {
                continue;
            };
            let before = changes.len();
            *text = repair::judged(text, &own, &opinions, &sources, &mut changes);
            let made = changes.get(before..).unwrap_or_default();
            if !made.is_empty() {
                opinions.outdated(place, made);
                own = self.facts(place, text, &sources);
            }
            // An answer says of itself how well it fits.
            if *place != DraftPlace::Answer {
                *text = repair::mark_relaxed(text, &own);
            }
            claims.extend(own.into_iter().map(|fact| opinions.applied(fact.record)));
        }
        let check = CitationCheck {
            claims,
            changes,
            judge: opinions.judge,
        };
        (draft, check)
    }

    fn sources(&self) -> CitedSources<'_> {
        let texts = self.texts.iter();
        texts
            .map(|(id, document)| (*id, SourceText::new(&document.text, document.language())))
            .collect()
    }

    fn facts(&self, place: &DraftPlace, text: &str, sources: &CitedSources<'_>) -> Vec<Fact> {
        let found = check_all(text, self, sources).into_iter();
        let facts = found.filter(|(claim, _)| claim.stated == Stated::Fact);
        facts
            .map(|(claim, checked)| Fact {
                place: place.clone(),
                record: self.record(place, &claim, &checked),
                claim,
                checked,
            })
            .collect()
    }

    fn record(&self, place: &DraftPlace, claim: &Claim, checked: &ClaimVerdict) -> CheckedClaim {
        let by = match &checked.support {
            Support::Supported { by } | Support::Contradicted { by } => by.as_slice(),
            Support::NotSupported | Support::NotChecked { .. } => &[],
        };
        let quoted = checked
            .quotes
            .iter()
            .map(|quote| (quote.source, quote.span));
        let mut places: Vec<_> = quoted
            .chain(by.iter().map(|by| (by.source, by.span)))
            .collect();
        places.sort_unstable_by_key(|(source, span)| (*source, span.start, span.end));
        places.dedup();
        let mut cites: Vec<SourceId> = claim
            .citations
            .iter()
            .map(|cited| SourceId(cited.id))
            .collect();
        cites.sort_unstable();
        cites.dedup();
        CheckedClaim {
            place: place.clone(),
            text: claim.text.clone(),
            cites,
            support: checked.support.clone(),
            reasons: checked.reasons.clone(),
            proofs: places
                .into_iter()
                .filter_map(|(source, span)| self.proof(source, span))
                .collect(),
            judged: None,
        }
    }

    fn proof(&self, source: u32, span: Span) -> Option<Proof> {
        let known = self.known.get((source as usize).checked_sub(1)?)?;
        let source_id = SourceId(source);
        let at = self.accepted.iter();
        let mut at = at.filter(|(id, whole, _)| *id == source_id && whole.holds(span));
        // Words may stand in two pieces; one that the first rules accepted is enough.
        let relaxed = at.clone().next().is_some() && at.all(|(_, _, relaxed)| *relaxed);
        Some(Proof {
            source: source_id,
            snapshot: known.snapshot.as_ref()?.text,
            span,
            quote: self.texts.get(&source)?.at(span)?.to_owned(),
            relaxed,
        })
    }
}

fn check_all(
    text: &str,
    checker: &CitationChecker,
    sources: &CitedSources<'_>,
) -> Vec<(Claim, ClaimVerdict)> {
    // A mark belongs to the sentence before it; read as words, it would begin the next one.
    let words = text.replace(repair::MARK, &" ".repeat(repair::MARK.len()));
    check_text(&words, checker.language, sources)
}

#[cfg(test)]
mod tests {
    use fathom_evidence::extract::{FormatHint, read};

    use super::*;

    #[test]
    fn a_mark_belongs_to_the_sentence_before_it_and_not_to_the_next() {
        let document =
            |text: &str| Arc::new(read(text.as_bytes(), &FormatHint::default()).unwrap());
        let checker = CitationChecker {
            known: Vec::new(),
            texts: Texts::from([
                (1, document("Street trees cool the air by 2 degrees.")),
                (2, document("Rain fell on 12 days in May.")),
            ]),
            language: Language::ENGLISH,
            accepted: Vec::new(),
        };
        let marked = format!(
            "Street trees cool the air by 2 degrees [1].{} Rain fell on 12 days in May [2].",
            repair::MARK
        );
        let facts = checker.facts(&DraftPlace::Summary, &marked, &checker.sources());
        let plain = marked.replace(repair::MARK, "");
        let without = checker.facts(&DraftPlace::Summary, &plain, &checker.sources());
        let texts = |facts: &[Fact]| -> Vec<String> {
            facts.iter().map(|fact| fact.record.text.clone()).collect()
        };
        assert_eq!(texts(&facts).len(), 2);
        assert_eq!(texts(&facts), texts(&without));
        let second = facts.last().unwrap();
        assert!(marked[second.claim.span.start..].starts_with("Rain"));
    }

    #[test]
    fn a_figure_that_nobody_is_cited_for_goes_and_a_mere_doubt_is_marked() {
        let document =
            |text: &str| Arc::new(read(text.as_bytes(), &FormatHint::default()).unwrap());
        let checker = CitationChecker {
            known: Vec::new(),
            texts: Texts::from([(1, document("Rain fell on 12 days in May."))]),
            language: Language::ENGLISH,
            accepted: Vec::new(),
        };
        let sources = checker.sources();
        let repaired = |text: &str| {
            let found = check_all(text, &checker, &sources);
            repair::repaired(
                text,
                &DraftPlace::Summary,
                &found,
                &sources,
                &mut Vec::new(),
            )
        };
        let invented = "Street trees lower the air temperature by 4.7 degrees in every town.";
        assert_eq!(repaired(invented).trim(), "");
        let doubted = "Street trees lower the air temperature in every town.";
        assert_eq!(repaired(doubted), format!("{doubted}{}", repair::MARK));
    }
}
