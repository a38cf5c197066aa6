//! Asks a model whether the cited passages bear each sentence out, and keeps its opinions.
//!
//! Takes what code has left of a draft; gives an opinion on each sentence that is more than a quotation, for a
//! quotation is proven to the byte. A sentence that stands in several places, or stood in the draft before with the
//! same citations, is asked about once. Calls are bounded, leave the share of the budget that is kept for writing, and may fail:
//! then the sentence could not be checked. What follows from an opinion is decided in `repair`.

use std::collections::BTreeMap;

use fathom_evidence::citation::Support;
use fathom_workflow::{NodeError, fan_out};

use super::{CheckedDraft, CitationChecker, CitationTask, Fact, passages};
use crate::calls::RecordedFailure;
use crate::citations::{CheckedClaim, CitationCheck, ClaimChange, Done, Judgement};
use crate::draft::DraftPlace;
use crate::reasoner::{CitedSentence, Ctx, Opinion, ReasonerError, SupportJudge, SupportTask};
use crate::skills::budget;
use crate::source::SourceId;

/// Sentences that are judged in one call.
const SENTENCES_A_CALL: usize = 8;

/// A sentence and what it cites: the same opinion holds wherever both stand.
type Key = (String, Vec<SourceId>);

/// What a model holds of sentences.
#[derive(Default)]
pub(super) struct Opinions {
    pub(super) judge: Option<String>,
    held: BTreeMap<Key, Opinion>,
    /// Sentences that cite another source since.
    moved: Vec<(DraftPlace, String)>,
}

/// Sentences of one place for one call.
struct Batch {
    part: String,
    keys: Vec<Key>,
    sentences: Vec<CitedSentence>,
}

/// What asking for opinions brought.
#[derive(Default)]
pub(super) struct AskedOpinions {
    pub(super) opinions: Opinions,
    /// Calls that failed.
    pub(super) failures: Vec<RecordedFailure>,
    /// Whether a sentence was to be judged and could not be.
    pub(super) not_all_judged: bool,
}

/// Opinions on the facts of a draft; none where there is no model, or where the setting says so.
pub(super) async fn ask(
    task: &CitationTask<'_>,
    ctx: &Ctx,
    checker: &CitationChecker,
    checked: &CheckedDraft,
) -> Result<AskedOpinions, NodeError> {
    let judge = ctx.deps().reasoners.support_judges.first();
    let Some(judge) = judge.filter(|_| task.settings.semantic_check) else {
        return Ok(AskedOpinions::default());
    };
    let mut opinions = Opinions::known(task.before);
    opinions.judge = Some(judge.name().to_owned());
    let mut batches = batches(task, checker, &checked.facts, &mut opinions);
    for batch in batches.split_off(calls_left(task, ctx).min(batches.len())) {
        let why = "the calls or the budget for it were used up";
        opinions.unable(batch.keys, why);
    }
    let at_once = task.settings.max_concurrency;
    let answers = fan_out(&batches, at_once, |batch| one(task, ctx, &**judge, batch));
    let answers = answers.await;
    let mut failures = Vec::new();
    for (batch, answer) in batches.into_iter().zip(answers) {
        match answer? {
            Ok(held) => opinions.take(batch.keys, held),
            Err(failure) => {
                opinions.unable(batch.keys, &failure.message);
                failures.push(failure);
            }
        }
    }
    Ok(AskedOpinions {
        not_all_judged: opinions.has_gap(&checked.facts),
        opinions,
        failures,
    })
}

fn calls_left(task: &CitationTask<'_>, ctx: &Ctx) -> usize {
    match budget::only_reserve_left(&task.budget, ctx) {
        Some(_) => 0,
        None => task.settings.max_semantic_calls,
    }
}

/// One call; says why where it failed.
async fn one(
    task: &CitationTask<'_>,
    ctx: &Ctx,
    judge: &dyn SupportJudge,
    batch: &Batch,
) -> Result<Result<Vec<Opinion>, RecordedFailure>, NodeError> {
    let support = SupportTask {
        caps: task.budget.caps,
        part: &batch.part,
        sentences: &batch.sentences,
    };
    match judge.judge_support(ctx, &support).await {
        Ok(held) => Ok(Ok(held)),
        Err(ReasonerError::Halted(halt)) => Err(halt),
        Err(ReasonerError::Failed(failure)) => Ok(Err(failure)),
    }
}

/// The sentences that nothing is held of yet, by place, some to a call.
fn batches(
    task: &CitationTask<'_>,
    checker: &CitationChecker,
    facts: &[Fact],
    opinions: &mut Opinions,
) -> Vec<Batch> {
    let mut batches: Vec<(DraftPlace, Batch)> = Vec::new();
    let mut asked: Vec<Key> = Vec::new();
    let doubtful = |fact: &&Fact| !matches!(fact.checked.support, Support::Supported { .. });
    let wanted = |fact: &&Fact| !task.settings.doubtful_only || doubtful(fact);
    for fact in facts
        .iter()
        .filter(|fact| is_for_judging(fact))
        .filter(wanted)
    {
        let key = key(&fact.record);
        if opinions.held.contains_key(&key) || asked.contains(&key) {
            continue;
        }
        let passages = passages::shown_for(fact, checker, task.evidence);
        if passages.is_empty() {
            opinions.unable(vec![key], "no passage of its sources is near it");
            continue;
        }
        asked.push(key.clone());
        let sentence = CitedSentence {
            sentence: fact.record.text.clone(),
            passages,
        };
        add(&mut batches, &fact.place, key, sentence);
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

/// Puts a sentence into the last call of its place, or begins another.
fn add(
    batches: &mut Vec<(DraftPlace, Batch)>,
    place: &DraftPlace,
    key: Key,
    sentence: CitedSentence,
) {
    let last = batches.last_mut();
    let fits = last.filter(|(of, batch)| of == place && batch.keys.len() < SENTENCES_A_CALL);
    if let Some((_, batch)) = fits {
        batch.keys.push(key);
        batch.sentences.push(sentence);
        return;
    }
    let before = batches.iter().filter(|(of, _)| of == place).count();
    let batch = Batch {
        part: part(place, before + 1),
        keys: vec![key],
        sentences: vec![sentence],
    };
    batches.push((place.clone(), batch));
}

/// The name of a call: the same whenever the step is run again.
fn part(place: &DraftPlace, nth: usize) -> String {
    match place {
        DraftPlace::Title => format!("title/{nth}"),
        DraftPlace::Answer => format!("answer/{nth}"),
        DraftPlace::Summary => format!("summary/{nth}"),
        DraftPlace::Section(at) => format!("section-{}/{nth}", at + 1),
        DraftPlace::Conclusion => format!("conclusion/{nth}"),
        DraftPlace::Whole => format!("whole/{nth}"),
    }
}

/// Whether a sentence cites something and says more than the words it quotes.
fn is_for_judging(fact: &Fact) -> bool {
    if fact.record.cites.is_empty() {
        return false;
    }
    let mut rest = fact.claim.text.clone();
    for quote in &fact.claim.quotes {
        rest = rest.replacen(quote.as_str(), "", 1);
    }
    rest.chars().any(char::is_alphanumeric)
}

fn key(record: &CheckedClaim) -> Key {
    (record.text.clone(), record.cites.clone())
}

impl Opinions {
    /// What a model said of the draft before.
    pub(super) fn known(before: Option<&CitationCheck>) -> Self {
        let Some(check) = before else {
            return Self::default();
        };
        let judged = check.claims.iter().filter_map(|claim| {
            let judgement = claim.judged.clone()?;
            let open = matches!(judgement, Judgement::CouldNotCheck { .. });
            let why = "it stood so in the draft before".to_owned();
            (!open).then(|| (key(claim), Opinion { judgement, why }))
        });
        Self {
            judge: check.judge.clone(),
            held: judged.collect(),
            moved: Vec::new(),
        }
    }

    pub(super) fn on(&self, record: &CheckedClaim) -> Option<&Opinion> {
        self.held.get(&key(record))
    }

    fn take(&mut self, keys: Vec<Key>, held: Vec<Opinion>) {
        self.held.extend(keys.into_iter().zip(held));
    }

    fn unable(&mut self, keys: Vec<Key>, why: &str) {
        let held = Opinion {
            judgement: Judgement::CouldNotCheck {
                why: why.to_owned(),
            },
            why: why.to_owned(),
        };
        let all = keys.into_iter().map(|key| (key, held.clone()));
        self.held.extend(all);
    }

    fn has_gap(&self, facts: &[Fact]) -> bool {
        let open = |held: &Opinion| matches!(held.judgement, Judgement::CouldNotCheck { .. });
        facts
            .iter()
            .any(|fact| self.on(&fact.record).is_some_and(open))
    }

    /// Remembers which sentences got another source, so that no opinion on the old one is taken for one on the new.
    pub(super) fn outdated(&mut self, place: &DraftPlace, changes: &[ClaimChange]) {
        let moved = changes.iter().filter(|change| change.done == Done::Recited);
        let moved = moved.map(|change| (place.clone(), change.claim.clone()));
        self.moved.extend(moved);
    }

    /// The claim with what is held of it. What a model speaks against does not count as supported.
    pub(super) fn applied(&self, mut record: CheckedClaim) -> CheckedClaim {
        let moved = (record.place.clone(), record.text.clone());
        if self.moved.contains(&moved) {
            record.judged = Some(Judgement::CouldNotCheck {
                why: "it cites another source since it was judged".to_owned(),
            });
            return record;
        }
        let Some(held) = self.on(&record) else {
            return record;
        };
        record.support = match (&held.judgement, record.support) {
            (Judgement::NotSupported, _) => Support::NotSupported,
            (Judgement::Contradicted, Support::Supported { by }) => Support::Contradicted { by },
            (_, support) => support,
        };
        record.judged = Some(held.judgement.clone());
        record
    }
}
